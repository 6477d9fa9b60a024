"""Rewrites a schema for an IDL that does not have every type of the type model.

A type that an IDL lacks is expressed the way its users do it: a list inside a list becomes a list of records
that hold a list; a map becomes a list of entries with a key and a value; an optional that cannot be absent by
itself becomes a record that can; a value that cannot be an alternative of a union is put into a record. The
records that this needs are made here, so that emitters and glue meet only types that their library has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from serbench.codegen.naming import AS_DECLARED, Naming
from serbench.codegen.notation import Notation
from serbench.idl.abilities import Abilities
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    FixedBytes,
    Gone,
    List,
    Logical,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
    bytes_,
    u8,
)
from serbench.model.gone import with_gone
from serbench.model.names import pascal
from serbench.model.parts import bind, describe, inner_types, numbered, resolved
from serbench.model.types import SCALARS, Composite

type_name = Notation(
    "UpperCamelCase",
    {name: pascal(name) for name in SCALARS},
    list="ListOf{}",
    array="ListOf{}",
    map="Map{}To{}",
    optional="Optional{}",
    named=pascal,
    fixed="Bytes{}",
    back="{}",
)
"""Makes the names of made records, which say what these stand for: ``ListOfString``."""

AnyComposite = TypeVar("AnyComposite", Record, Union)

Hints = Sequence[tuple[str, str]]
"""The hints of a field: pairs of the IDL that it came from and a word."""

_LEAST, _MOST = -(1 << 31), (1 << 31) - 1
"""The least and the greatest number that members of enums have in most IDLs."""


@dataclass
class Lowered:
    """A schema in an IDL's terms and names.

    A union of the schema is a ``Union`` here too, with the same name and as many alternatives in the same
    order. Their types are lowered: a scalar, enum, list, map, ``Record``, ``Union`` or ``Ref``, or a made
    record (see ``made``). An alternative without a value still has the type None if the IDL has such
    alternatives (``Abilities.empty_alternatives``). How an IDL writes a union, for example as a message with
    a oneof, is up to its emitter; if unions cannot be items, they are put into a made record there.

    A ``Ref`` leads back to a record or union; its ``target`` is the lowered one, which may come later. Types
    that need equal made records share one, which may hold a ``Ref`` where one of the types had a record or
    union itself. So glue that finds a ``Ref`` in a lowered type takes its ``target``.

    An enum that the IDL cannot hold is replaced by its underlying integer everywhere, and is not among
    ``enums``. Logical types are replaced by their bases. ``FixedBytes`` become ``bytes`` or a made record, or
    stay, as ``Abilities.fixed_bytes`` says.

    Attributes:
        declared: the schema as it was declared.
        naming: makes the IDL's names.
        schema: the schema with the names of the IDL, but otherwise as declared.
        composites: every record and union to emit, also made ones, each after those that it contains other
            than by a ``Ref``.
        made: name of a made record → what it stands for:

            - ``"list"``: a list or map in its field ``items``
            - ``"entry"``: an entry of a map, with fields ``key`` and ``value``
            - ``"optional"``: an optional in its optional field ``value``
            - ``"boxed"``: the value of an alternative, or a union that is an item, in its field ``value``
            - ``"empty"``: an alternative without a value; it has no fields
            - ``"fixed"``: ``FixedBytes``, as an ``Array`` of u8 in its field ``octets``
        in_place: name of a union that is no type of its own → name of the record that has its alternatives as
            parts.
    """

    declared: Schema
    naming: Naming
    schema: Schema = field(init=False)
    composites: list[Composite] = field(default_factory=list)
    made: dict[str, str] = field(default_factory=dict)
    in_place: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.schema = self.naming.spell(self.declared)

    @property
    def named(self) -> list[Composite | Enum]:
        """Every enum to emit, then every record and union, also the records that lowering made."""
        return [*self.enums, *self.composites]

    @property
    def enums(self) -> list[Enum]:
        """The enums to emit: those that occur in fields and alternatives after lowering."""
        inner = (type for each in self.composites for type in inner_types(each))
        used = {type.name for type in inner if isinstance(type, Enum)}
        return [enum for enum in self.schema.enums if enum.name in used]

    @property
    def records(self) -> list[Record]:
        """Every record to emit, each after those that it contains."""
        return [each for each in self.composites if isinstance(each, Record)]

    @property
    def unions(self) -> list[Union]:
        """Every union to emit, each after those that it contains."""
        return [each for each in self.composites if isinstance(each, Union)]

    def record(self, name: str) -> Record:
        """The lowered record of this name, whose fields have types of the IDL."""
        return next(r for r in self.records if r.name == name)

    def union(self, name: str) -> Union:
        """The lowered union of this name, whose alternatives have types of the IDL."""
        return next(u for u in self.unions if u.name == name)


def _own(union: Union, alternative: Alternative) -> str:
    """The name of a record that is made for this alternative alone."""
    return f"{pascal(union.name)}{pascal(alternative.name)}"


def lower(schema: Schema, abilities: Abilities, naming: Naming = AS_DECLARED) -> Lowered:
    """``schema`` with the names of an IDL, and with every type that is not among its ``abilities`` expressed
    by others.

    All arrays become lists; the glue checks their lengths. If the IDL cannot have one of the numbers of a
    record or union, all its parts are numbered by their order.
    """
    result = Lowered(schema, naming)
    if abilities.in_place:
        result.in_place = abilities.in_place(result.schema)
    _Lowering(result, abilities).run()
    return result


class _Lowering:
    def __init__(self, result: Lowered, abilities: Abilities):
        self.result = result
        self.abilities = abilities
        self.done: dict[str, Composite] = {}
        schema, types = result.schema, result.naming.types
        # The claims of types, and the names of fields and alternatives.
        self.taken = {claim for type in schema.named for claim in types.claims(type.name)}
        self.taken.update(part.name for each in schema.composites for part in each.parts)

    def run(self) -> None:
        for each in self.result.schema.composites:
            if isinstance(each, Record):
                each = self.numbered(each)
                fields = [replace(f, type=self.field_type(f.type, f.hints)) for f in each.fields]
                self.add(Record(each.name, fields, each.wire, each.gone))
            else:
                each = self.numbered(each)
                self.add(Union(each.name, self.alternatives(each), each.wire, each.gone))
        bind(self.result.composites)

    def numbered(self, declared: AnyComposite) -> AnyComposite:
        """The record or union with numbers that the IDL can have: the declared ones, or 1, 2, … for all of
        its parts and those that are gone."""
        most, reserved = self.abilities.max_number, self.abilities.reserved_numbers
        together = with_gone(declared.parts, declared.gone)
        if all(part.number <= most and part.number not in reserved for part in together):
            return declared
        made = numbered(together)
        gone = [each for each in made if isinstance(each, Gone)]
        gone += [each for each in declared.gone if each.number is None]
        parts = [each for each in made if not isinstance(each, Gone)]
        return declared.__class__(declared.name, parts, declared.wire, gone)

    def add(self, composite: Composite) -> Composite:
        if composite.name not in self.done:
            self.done[composite.name] = composite
            self.result.composites.append(composite)
        return self.done[composite.name]

    def make(self, kind: str, name: str, fields: list[Field]) -> Record:
        record, types = Record(name, fields), self.result.naming.types
        is_free = types.can_stay
        if not types.can_stay(name, ()) and not types.can_stay(f"{name}Made", ()):
            # Whatever is appended, how the name begins or what is in its middle cannot stay.
            (name,) = types.spell([name], set())
            is_free = types.is_free
        while not is_free(name, self.taken) or not self.is_as(record, self.done.get(name)):
            name += "Made"  # the name is taken, by a type or by another nesting
        self.result.made[name] = kind
        made = self.add(Record(name, fields))
        assert isinstance(made, Record)
        return made

    def is_as(self, record: Record, other: Composite | None) -> bool:
        """Whether a made record can have the name of ``other``, the type that has this name so far: there is
        none, or it has the same fields. A reference back counts as equal to the type that it leads to."""
        told, before = (
            [(part.name, describe(part.type), part.hints) for part in each.parts]
            for each in (record, other or record)
        )
        return not isinstance(other, Union) and told == before

    def field_type(self, type: Type, hints: Hints = ()) -> Type:
        """The lowered type of a record's field that has these hints."""
        if self.is_byte_list(type):
            return bytes_
        match type:
            case Optional(List() | Array() | Map() as item) if not (
                self.abilities.optional_lists or self.is_byte_list(item)
            ):
                return Optional(self.wrapped_list(item))
            case Optional(item):
                return Optional(self.field_type(item))
            case List(item) | Array(item, _):
                return List(self.item_type(item))
            case Map():
                return self.map_type(type, hints)
            case _:
                return self.plain(type)

    def map_type(self, type: Map, hints: Hints = ()) -> Type:
        if self.abilities.maps:
            key = (
                type.key.underlying
                if isinstance(type.key, Enum) and not self.abilities.enum_keys
                else self.plain(type.key)
            )
            return Map(key, self.item_type(type.value))
        return List(self.entry(type, hints if self.abilities.entries_of_maps else ()))

    def item_type(self, type: Type) -> Type:
        """The lowered type of an item of a list or a value of a map."""
        if self.is_byte_list(type) or self.is_only_bytes(type):
            type = bytes_
        match type:
            case List() | Array() | Map() if not self.abilities.nested_lists:
                return self.wrapped_list(type)
            case Scalar("bytes") if not self.abilities.bytes_items:
                return self.wrapped_list(type)
            case Optional() if not self.abilities.optional_items:
                return self.wrapped_optional(type)
            case Optional(item):
                return Optional(self.item_type(item))
            case List(item) | Array(item, _):
                return List(self.item_type(item))
            case Map():
                return self.map_type(type)
            case _ if self.is_union(type) and not self.abilities.unions_as_items:
                return self.boxed(type, f"Boxed{type_name(type)}")
            case _:
                return self.plain(type)

    def alternatives(self, union: Union) -> list[Alternative]:
        """The alternatives with lowered types; those that the IDL could not tell apart are in records."""
        told_by = self.abilities.told_by
        found = [(part, self.alternative(union, part)) for part in union.alternatives]
        told = Counter(told_by(type) for _, type in found if type is not None) if told_by else Counter[str]()
        lowered = []
        for part, type in found:
            if told_by and part.type is not None and type is not None and told[told_by(type)] > 1:
                type = self.boxed(part.type, _own(union, part))
            lowered.append(replace(part, type=type))
        return lowered

    def alternative(self, union: Union, alternative: Alternative) -> Type | None:
        """The lowered type of an alternative's value."""
        match type := alternative.type:
            case None:
                return self.empty(union, alternative)
            case Optional():
                return self.wrapped_optional(type)
            case List() | Array() | Map() if (
                not self.is_byte_list(type) and not self.abilities.list_alternatives
            ):
                return self.wrapped_list(type)
        lowered = self.field_type(type)
        if self.abilities.plain_alternatives or self.is_table(lowered):
            return lowered
        return self.wrapped_list(type) if lowered == bytes_ else self.boxed(type, f"Boxed{type_name(type)}")

    def empty(self, union: Union, alternative: Alternative) -> Record | None:
        """The record to stand for an alternative without a value; None if the IDL has such alternatives."""
        names = [each.name for each in union.alternatives if each.type is None]
        if alternative.name in names[: self.abilities.empty_alternatives]:
            return None
        return self.make("empty", _own(union, alternative) if self.abilities.told_by else "Empty", [])

    def is_table(self, type: Type) -> bool:
        """Whether a lowered type is a record, or leads back to one; records made for bytes do not count."""
        return (isinstance(type, Record) and self.result.made.get(type.name) != "fixed") or (
            isinstance(type, Ref) and not self.is_union(type)
        )

    def is_union(self, type: Type) -> bool:
        return isinstance(resolved(type), Union)

    def is_byte_list(self, type: Type) -> bool:
        return self.abilities.byte_lists and isinstance(type, List | Array) and type.item == u8

    def is_only_bytes(self, type: Type) -> bool:
        """Whether a type is just bytes to the IDL, although it has a logical type or a fixed length."""
        base = type.base if isinstance(type, Logical) else type
        return base == bytes_ or (isinstance(base, FixedBytes) and self.abilities.fixed_bytes == "bytes")

    def wrapped_list(self, type: Type) -> Record:
        return self.make("list", type_name(type), [Field("items", self.field_type(type))])

    def wrapped_optional(self, type: Optional) -> Record:
        return self.make("optional", type_name(type), [Field("value", self.field_type(type))])

    def boxed(self, type: Type, name: str) -> Record:
        return self.make("boxed", name, [Field("value", self.field_type(type))])

    def entry(self, type: Map, hints: Hints) -> Record:
        """The record that is made for the entries of a map. Of the map's hints, ``key sint32`` is one of the
        key, and ``value fixed64`` one of the value."""
        value = self.item_type(type.value) if self.abilities.entries_of_maps else self.field_type(type.value)
        of_key, of_value = (
            [(i, w.removeprefix(f"{p} ")) for i, w in hints if w.startswith(f"{p} ")]
            for p in ("key", "value")
        )
        fields = [Field("key", self.plain(type.key), hints=of_key), Field("value", value, hints=of_value)]
        key, held = (pascal(words[0][1]) if words else "" for words in (of_key, of_value))
        return self.make("entry", f"{key or type_name(type.key)}To{held or type_name(type.value)}", fields)

    def plain(self, type: Type) -> Type:
        match type:
            case Record(name) | Union(name):
                return self.done[name]
            case Ref():
                return replace(type)  # a new Ref, since its target is to be the lowered type
            case Logical():
                return self.plain(type.base)
            case FixedBytes() if self.abilities.fixed_bytes == "bytes":
                return bytes_
            case FixedBytes(length) if self.abilities.fixed_bytes == "record":
                return self.make("fixed", f"Bytes{length}", [Field("octets", Array(u8, length))])
            case Enum() if not self.has_enum(type):
                return type.underlying
            case _:
                return type

    def has_enum(self, enum: Enum) -> bool:
        """Whether the IDL can hold every value of an enum."""
        if enum.open and not self.abilities.open_enums:
            return False
        numbers = [*(number for _, number in enum.members), *(enum.underlying.bounds if enum.open else ())]
        return self.abilities.wide_enums or all(_LEAST <= number <= _MOST for number in numbers)
