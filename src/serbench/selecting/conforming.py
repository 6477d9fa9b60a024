"""How codecs keep to the specifications of their formats, as ``verify --conformance`` found it: the file
``codecs/conformance.json``, of which ``docs/conformance/by-codec.md`` is made."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

from serbench.system.files import Count, Name, Text, read_json

FILE = "conformance.json"

OPEN, NONE, NOT_TRIED, CONFORMS = "open", "none", "not tried", "conforms"
"""Outcomes of cases: the specification leaves it open and no harm is done; there is no such message for the
codec; it was not tried; it is as the specification says."""


class HeldCodec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The outcomes of the cases of a codec variant's format.

    Attributes:
        version: the version of its library; empty if the library does not tell.
        outcomes: section → outcome → how many cases came out so, as the format's specification judges.
        profiles: another profile → outcome → how many cases came out so; one that is not there is not known.
    """

    format: Name
    version: Text = ""
    outcomes: dict[Text, dict[Name, Count]] = {}
    profiles: dict[Name, dict[Name, Count]] = {}

    def number(self, word: str) -> int:
        """How many cases came out so."""
        return sum(own.get(word, 0) for own in self.outcomes.values())

    @property
    def failed(self) -> dict[str, dict[str, int]]:
        """Outcome → section → how many cases; only those that are not as the specification says."""
        found: dict[str, dict[str, int]] = {}
        for section, own in self.outcomes.items():
            for word, number in own.items():
                if is_fault(word):
                    found.setdefault(word, {})[section] = number
        return found

    @property
    def conforms(self) -> bool | None:
        """Whether each case that the specification decides, and of which the codec has a message, is as it
        says; None if one of them was not tried and no other one failed."""
        return _conform({word: self.number(word) for own in self.outcomes.values() for word in own})

    def conforms_to(self, profile: str) -> bool | None:
        """The same by another profile, or by the specification itself where that has no name."""
        return _conform(self.profiles.get(profile, {})) if profile else self.conforms

    @property
    def cases(self) -> tuple[int, int]:
        """How many cases are as the specification says, of how many that it decides."""
        return _decided({word: self.number(word) for own in self.outcomes.values() for word in own})

    def decided(self, section: str) -> tuple[int, int]:
        """How many cases of a section are as the specification says, of how many that it decides."""
        return _decided(self.outcomes.get(section, {}))

    def decided_by(self, profile: str) -> tuple[int, int] | None:
        """How many cases are as another profile says, of how many that it decides; None if not known."""
        return _decided(self.profiles[profile]) if profile in self.profiles else None


def is_fault(word: str) -> bool:
    """Whether a case with this outcome is not as the specification says."""
    return word not in (CONFORMS, OPEN, NONE, NOT_TRIED)


def _decided(numbers: Mapping[str, int]) -> tuple[int, int]:
    good = numbers.get(CONFORMS, 0)
    return good, good + sum(number for word, number in numbers.items() if is_fault(word))


def _conform(numbers: Mapping[str, int]) -> bool | None:
    if any(map(is_fault, numbers)):
        return False
    return True if numbers.get(CONFORMS) and not numbers.get(NOT_TRIED) else None


class SeenConformance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file.

    Attributes:
        formats: format with a catalogue → section → how many cases it had.
        profiles: such a format → its profile → the specification, the one of ``formats`` first.
        codecs: codec variant → what was seen of it; one that was not run is not there.
    """

    formats: dict[Name, dict[Text, Count]] = {}
    profiles: dict[Name, dict[Name, Text]] = {}
    codecs: dict[Name, HeldCodec] = {}

    def conforms_to(self, codec: str) -> list[str]:
        """The specifications to which a codec was seen to keep."""
        held = self.codecs.get(codec)
        if held is None:
            return []
        named = self.profiles.get(held.format, {}).items()
        return [title for n, (name, title) in enumerate(named) if held.conforms_to(name if n else "")]


@cache
def load_conformance(codecs: Path) -> SeenConformance:
    """Return the outcomes by codec, from the folder of the codecs that are built in; nothing where it has no
    such file.

    Raises:
        FileError: the file is not valid.
    """
    path = codecs / FILE
    return read_json(path, SeenConformance, "table of conformance") if path.is_file() else SeenConformance()
