"""Collects the types of JSON messages: the common part of inferring them from data and of reading a JSON
Schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from serbench.imports.base import Open
from serbench.imports.declaring import Findings
from serbench.imports.json.paths import WHOLE
from serbench.imports.json.places import Location
from serbench.imports.names import ScopeNames, wire
from serbench.model.types import (
    Alternative,
    Composite,
    Enum,
    Field,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
    string,
)


class JsonTypes(Findings):
    """The types of messages, and what is needed to make values of them.

    Attributes:
        root: the record of a message.
        wrapped: whether ``root`` is a record made around messages that are not objects.
        declared: records, unions and enums, by name.
        keys: name of a record → the keys of its fields in JSON; a record around messages is not among them.
        kinds: name of a union → for each alternative, the kind of JSON's values that it holds.
        open: the parts of which the data leave open what they are.
    """

    root: Record
    wrapped: bool

    def __init__(self) -> None:
        super().__init__()
        self.declared: dict[str, Composite | Enum] = {}
        self.keys: dict[str, Sequence[str]] = {}
        self.kinds: dict[str, Sequence[str]] = {}
        self.open: list[Open] = []

    @property
    def also(self) -> list[Composite | Enum]:
        """All declared types but the root."""
        return [type for name, type in self.declared.items() if name != self.root.name]

    def around(self, called: str, made: Callable[[Location], tuple[Type, str, str]]) -> Record:
        """Makes the root, a record called ``called`` with a single field, for messages that are not objects.
        ``made`` returns for a place the type of the messages, JSON's words for it, and why it was chosen."""
        what = (
            "messages are not records: each is wrapped in a record with a single field, value; in "
            "JSON, an object with one key"
        )
        self.lose(WHOLE, what)
        at = self.reserve()
        type, theirs, why = made(Location(WHOLE, (called, "Value"), 1))
        self.tell(WHOLE, theirs, type, why, at)
        record = self.declared[called] = Record(called, [Field("value", type)])
        return record

    def record(
        self, called: str, place: Location, keys: Iterable[str], type_of: Callable[[str], Type | None]
    ) -> Record:
        """Declares a record with a field for each key for which ``type_of`` returns a type and not None."""
        keys = list(keys)
        empty = ScopeNames(["unnamed", *keys]).of("")
        names = ScopeNames([empty] if "" in keys else [])
        fields, kept = [], []
        for key in keys:
            type = type_of(key)
            if type is None:
                continue
            name = names.of(key) if key else empty
            if not key:
                self.lose(place.member(key).shown, f"an empty key: JSON codecs write {empty}")
            fields.append(Field(name, type, wire=wire(key, name)))
            kept.append(key)
        record = self.declared[called] = Record(called, fields)
        self.keys[called] = kept
        return record

    def missing(self, place: Location, theirs: str, type: Type, null_too: str) -> tuple[str, Type]:
        """Returns JSON's words and the type for a member that may be missing. If it may be null too, that is
        a loss, which ``null_too`` says; else ``null_too`` is empty."""
        self.lose(place.shown, *filter(None, [null_too]))
        return f"{theirs}, or missing", type if isinstance(type, Optional) else Optional(type)

    def map(self, place: Location, key: Scalar, value: Callable[[], Type]) -> Map:
        """Returns the type of a map; ``value`` makes the type of its values."""
        if key != string:
            what = (
                "keys are numbers: some JSON codecs write such a map as a list of pairs, others as an object"
            )
            self.lose(place.shown, what)
        return Map(key, value())

    def union(
        self,
        called: str,
        place: Location,
        kinds: Sequence[str],
        theirs: str,
        type_of: Callable[[str, Location], Type],
    ) -> Ref:
        """Declares a union with an alternative for each kind of values; ``theirs`` names all kinds for the
        user, and ``type_of`` returns the type of one kind at a place."""
        alternatives = []
        for kind in kinds:
            at = self.reserve()
            type = type_of(kind, place.of_kind(kind))
            self.tell(f"{place.shown} as {kind}", kind, type, at=at)
            alternatives.append(Alternative(kind, type))
        self.declared[called] = Union(called, alternatives)
        self.kinds[called] = kinds
        what = (
            f"{theirs} become a union: JSON codecs wrap each value in an object with the alternative's "
            "name, so their JSON differs and is longer"
        )
        self.lose(place.shown, what)
        return Ref(called)
