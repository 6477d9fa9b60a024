"""Makes the types of JSON's messages, as far as it is the same whether they follow from data or from a
schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from serbench.imports.base import Loss, Mapped, Open
from serbench.imports.declaring import Findings
from serbench.imports.json.paths import WHOLE
from serbench.imports.json.places import Location
from serbench.imports.names import ScopeNames, wire
from serbench.model.types import Alternative, Composite, Enum, Field, Record, Ref, Type, Union


@dataclass(frozen=True)
class BuiltTypes:
    """The types of all messages.

    Attributes:
        root: the record of a message.
        wrapped: whether ``root`` is a record made around messages that are not objects.
        declared: records, unions and enums, by name.
        keys: name of a record → the keys of its fields; a record around messages is not among them.
        kinds: name of a union → the kinds of its alternatives.
    """

    root: Record
    wrapped: bool
    declared: Mapping[str, Composite | Enum]
    keys: Mapping[str, Sequence[str]]
    kinds: Mapping[str, Sequence[str]]
    mapping: Sequence[Mapped]
    losses: Sequence[Loss]
    open: Sequence[Open] = ()

    @property
    def also(self) -> list[Composite | Enum]:
        """All declared types but the root."""
        return [type for name, type in self.declared.items() if name != self.root.name]


class JsonTypes(Findings):
    """Collects the types of messages; its attributes are those of ``BuiltTypes``."""

    def __init__(self) -> None:
        super().__init__()
        self.declared: dict[str, Composite | Enum] = {}
        self.keys: dict[str, Sequence[str]] = {}
        self.kinds: dict[str, Sequence[str]] = {}
        self.open: list[Open] = []

    def all_of(self, root: Record, wrapped: bool) -> BuiltTypes:
        """Everything that was collected."""
        return BuiltTypes(
            root, wrapped, self.declared, self.keys, self.kinds, self.mapping, self.losses, self.open
        )

    def around(self, called: str, made: Callable[[Location], tuple[Type, str, str]]) -> Record:
        """A record around messages that are not objects; ``made`` gives for their place what ``tell`` says of
        them: their type, the words for it, and why it is this one."""
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
        """A record with a field for each key for which ``type_of`` gives a type."""
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

    def union(
        self,
        called: str,
        place: Location,
        kinds: Sequence[str],
        theirs: str,
        type_of: Callable[[str, Location], Type],
    ) -> Ref:
        """A union with an alternative for each kind of values; ``theirs`` are words for all of them."""
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
