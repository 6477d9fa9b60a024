"""Rewrites a schema for an IDL that has not every type of the type model.

What an IDL lacks is mapped the way its users do it: a list inside a list becomes a list of records that hold
a list; a map becomes a list of entries with a key and a value; an optional that has no presence of its own
becomes a record that may be absent. The records that this needs are made here, so that emitters and glue know
only types that their library has.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from serbench.codegen.naming import AS_DECLARED, Naming
from serbench.codegen.notation import Notation
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Scalar, Schema, Type, bytes_, u8
from serbench.model.names import pascal
from serbench.model.types import SCALARS

# A record name that says what it stands for: ``ListOfString``.
_name = Notation(
    "UpperCamelCase",
    {name: pascal(name) for name in SCALARS},
    list="ListOf{}",
    array="ListOf{}",
    map="Map{}To{}",
    optional="Optional{}",
    named=pascal,
)


@dataclass(frozen=True)
class Abilities:
    """What an IDL has beyond scalars, enums, records, and fields that are lists of these.

    Attributes:
        maps: maps as fields, with scalar, enum or record values.
        nested_lists: lists (and maps, where it has them) as items of lists and values of maps.
        optional_lists: a list, map or array field that can be absent.
        optional_items: absent items of lists and values of maps.
        byte_lists: lists and arrays of u8 become ``bytes``, as users of an IDL without 8-bit lists write them.
        bytes_items: bytes as items of lists, which an IDL lacks whose bytes are themselves a list.
    """

    maps: bool = False
    nested_lists: bool = False
    optional_lists: bool = False
    optional_items: bool = False
    byte_lists: bool = False
    bytes_items: bool = True


@dataclass
class Lowered:
    """A schema in an IDL's terms and names.

    Attributes:
        declared: the schema as it was declared.
        naming: of the IDL.
        schema: the schema with the names of the IDL, and else as declared.
        records: every record to emit, each after those it contains; made ones are in ``made``.
        made: name of a made record → what it stands for: ``"list"`` (field ``items``), ``"entry"`` (fields ``key`` and
            ``value``) or ``"optional"`` (optional field ``value``).
    """

    declared: Schema
    naming: Naming
    schema: Schema = field(init=False)
    records: list[Record] = field(default_factory=list)
    made: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.schema = self.naming.spell(self.declared)

    @property
    def named(self) -> list[Record | Enum]:
        """Every enum, then every record, also those that were made."""
        return [*self.enums, *self.records]

    @property
    def enums(self) -> list[Enum]:
        return self.schema.enums

    def record(self, name: str) -> Record:
        """The lowered record of a name; its field types are what the IDL sees."""
        return next(r for r in self.records if r.name == name)


def lower(schema: Schema, abilities: Abilities, naming: Naming = AS_DECLARED) -> Lowered:
    """``schema`` in the names of an IDL, with everything that ``abilities`` lacks expressed by what is there.

    Arrays become lists throughout; the glue checks their length.
    """
    result = Lowered(schema, naming)
    _Lowering(result, abilities).run()
    return result


class _Lowering:
    def __init__(self, result: Lowered, abilities: Abilities):
        self.result = result
        self.abilities = abilities
        self.done: dict[str, Record] = {}

    def run(self) -> None:
        for record in self.result.schema.records:
            fields = [Field(f.name, self.field_type(f.type), f.number) for f in record.fields]
            self.add(Record(record.name, fields))

    def add(self, record: Record) -> Record:
        if record.name not in self.done:
            self.done[record.name] = record
            self.result.records.append(record)
        return self.done[record.name]

    def make(self, kind: str, name: str, fields: list[Field]) -> Record:
        while not self.is_free(name) or (name in self.done and self.done[name] != Record(name, fields)):
            name += "Made"  # another nesting has the name
        self.result.made[name] = kind
        return self.add(Record(name, fields))

    def is_free(self, name: str) -> bool:
        """Whether no record or enum of the schema needs the name, and the IDL can use it."""
        types = self.result.naming.types
        taken = {claim for type in self.result.schema.named for claim in types.claims(type.name)}
        return types.can_stay(name, taken)

    def field_type(self, type: Type) -> Type:
        """The lowered type of a record's field."""
        if self.is_byte_list(type):
            return bytes_
        match type:
            case Optional(item) if self.is_byte_list(item):
                return Optional(bytes_)
            case Optional(item) if isinstance(item, List | Array | Map) and not self.abilities.optional_lists:
                return Optional(self.wrapped_list(item))
            case Optional(item):
                return Optional(self.field_type(item))
            case List(item) | Array(item, _):
                return List(self.item_type(item))
            case Map():
                return self.map_type(type)
            case _:
                return self.plain(type)

    def map_type(self, type: Map) -> Type:
        if self.abilities.maps:
            return Map(self.plain(type.key), self.item_type(type.value))
        return List(self.entry(type))

    def item_type(self, type: Type) -> Type:
        """The lowered type of an item of a list or a value of a map."""
        if self.is_byte_list(type):
            return self.item_type(bytes_)
        match type:
            case List() | Array() | Map() if not self.abilities.nested_lists:
                return self.wrapped_list(type)
            case Scalar("bytes") if not self.abilities.bytes_items:
                return self.wrapped_list(type)
            case Optional(item) if not self.abilities.optional_items:
                name = f"Optional{_name(item)}"
                return self.make("optional", name, [Field("value", self.field_type(type))])
            case Optional(item):
                return Optional(self.item_type(item))
            case List(item) | Array(item, _):
                return List(self.item_type(item))
            case Map():
                return self.map_type(type)
            case _:
                return self.plain(type)

    def is_byte_list(self, type: Type) -> bool:
        return self.abilities.byte_lists and isinstance(type, List | Array) and type.item == u8

    def wrapped_list(self, type: Type) -> Record:
        return self.make("list", _name(type), [Field("items", self.field_type(type))])

    def entry(self, type: Map) -> Record:
        fields = [Field("key", self.plain(type.key)), Field("value", self.field_type(type.value))]
        return self.make("entry", f"{_name(type.key)}To{_name(type.value)}", fields)

    def plain(self, type: Type) -> Type:
        return self.done[type.name] if isinstance(type, Record) else type
