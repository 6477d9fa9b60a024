"""The outcomes of changes of a schema for each codec, as ``verify --evolution`` found them: the file
``codecs/evolution.json``, of which ``docs/evolution-by-codec.md`` is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

from serbench.codecs.codec import CONFORMANT, EVOLUTION, UNKNOWN_FIELDS, Variant
from serbench.selecting.conforming import HeldCodec
from serbench.system.files import Name, Text, read_json

FILE = "evolution.json"

OPTIONAL_FIELD = ("add", "drop")
"""The changes by which an optional field is added and dropped."""

DIRECTIONS = ("backward", "forward")
"""The directions that count where a change has to be kept."""


class SeenCodec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The outcomes of changes of a schema for a codec variant.

    Attributes:
        version: the version of its library; empty if the library does not tell.
        outcomes: direction → outcome → the changes that came out so. Where the outcome is not the library's,
            `` by adapter`` or `` by schema`` stands behind its word.
    """

    version: Text = ""
    outcomes: dict[Name, dict[Name, tuple[Name, ...]]] = {}

    def of(self, change: str, direction: str) -> str:
        """The word of the outcome of a change in a direction; empty if it was not seen."""
        words = self.outcomes.get(direction, {}).items()
        return next((word.partition(" by ")[0] for word, changes in words if change in changes), "")

    def keeps(self, changes: Iterable[str]) -> bool | None:
        """Whether each change keeps all values in both directions, but for defaults; None if one of them was
        not seen."""
        words = {self.of(change, direction) for change in changes for direction in DIRECTIONS}
        return None if "" in words else words <= {"kept", "defaults"}

    @property
    def keeps_unknown(self) -> bool | None:
        """Whether an added optional field comes back from a program that does not know it and writes again
        what it has read; None if that was not seen."""
        word = self.of("add", "through")
        return word == "kept" if word else None

    @property
    def of_optional_field(self) -> str:
        """The worst outcome of messages when an optional field is added or dropped, as
        ``kept``, ``refused`` or ``misread``; empty if it was something else."""
        words = {self.of(change, direction) for change in OPTIONAL_FIELD for direction in DIRECTIONS}
        if words <= {"kept", "defaults"}:
            return "kept"
        known = words <= {"kept", "defaults", "refused", "misread"}
        return "misread" if "misread" in words else "refused" if known else ""


class SeenEvolution(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file.

    Attributes:
        changes: the name of each change → the change as a user types it.
        codecs: codec variant → what was seen of it.
    """

    changes: dict[Name, Text] = {}
    codecs: dict[Name, SeenCodec] = {}


NOTHING_SEEN = SeenEvolution()


@cache
def load_evolution(codecs: Path) -> SeenEvolution:
    """Return the outcomes by codec, from the folder of the codecs that are built in; nothing where it has no
    such file.

    Raises:
        FileError: the file is not valid.
    """
    path = codecs / FILE
    return read_json(path, SeenEvolution, "table of evolution") if path.is_file() else NOTHING_SEEN


def features_of(
    variant: Variant, seen: Mapping[str, SeenCodec], held: Mapping[str, HeldCodec]
) -> dict[str, bool | None]:
    """The features of a variant: those that it declares, and those that were seen, which are None where
    that is not so.

    Args:
        seen: the outcomes of changes of schemas by codec.
        held: the outcomes of cases of conformance by codec.
    """
    own = seen.get(variant.id, SeenCodec())
    conforms = held[variant.id].conforms if variant.id in held else None
    found = {EVOLUTION: own.keeps(OPTIONAL_FIELD), UNKNOWN_FIELDS: own.keeps_unknown, CONFORMANT: conforms}
    return {**variant.codec.features, **found}
