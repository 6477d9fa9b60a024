"""How codecs keep to the specifications of their formats, as ``verify --conformance`` found it: the file
``codecs/conformance.json``, of which ``docs/conformance/by-codec.md`` is made."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from serbench.system.files import Count, Name, Text, read_json

FILE = "conformance.json"

OPEN, NONE, NOT_TRIED, CONFORMS = "open", "none", "not tried", "conforms"
"""Outcomes of cases: the specification leaves it open and no harm is done; there is no such message for the
codec; it was not tried; it is as the specification says."""


class HeldCodec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The outcomes of the cases of a codec variant's format.

    Attributes:
        version: the version of its library; empty if the library does not tell.
        outcomes: section → outcome → how many cases came out so.
    """

    format: Name
    version: Text = ""
    outcomes: dict[Text, dict[Name, Count]] = {}

    def number(self, word: str) -> int:
        """How many cases came out so."""
        return sum(own.get(word, 0) for own in self.outcomes.values())

    @property
    def failed(self) -> dict[str, dict[str, int]]:
        """Outcome → section → how many cases; only those that are not as the specification says."""
        found: dict[str, dict[str, int]] = {}
        for section, own in self.outcomes.items():
            for word, number in own.items():
                if word not in (CONFORMS, OPEN, NONE, NOT_TRIED):
                    found.setdefault(word, {})[section] = number
        return found

    @property
    def conforms(self) -> bool | None:
        """Whether each case that the specification decides, and of which the codec has a message, is as it
        says; None if one of them was not tried and no other one failed."""
        if self.failed:
            return False
        return None if self.number(NOT_TRIED) or not self.number(CONFORMS) else True


class SeenConformance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file.

    Attributes:
        formats: format with a catalogue → section → how many cases it had.
        codecs: codec variant → what was seen of it; one that was not run is not there.
    """

    formats: dict[Name, dict[Text, Count]] = {}
    codecs: dict[Name, HeldCodec] = {}


@cache
def load_conformance(codecs: Path) -> SeenConformance:
    """Return the outcomes by codec, from the folder of the codecs that are built in; nothing where it has no
    such file.

    Raises:
        FileError: the file is not valid.
    """
    path = codecs / FILE
    return read_json(path, SeenConformance, "table of conformance") if path.is_file() else SeenConformance()
