"""What builds messages of domain objects, and what extracts them: a function for each record and union."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from serbench.idl.proto import is_required
from serbench.languages.go.domain import SCALARS
from serbench.languages.go.functions import Functions, bare, pointer_to, value_at
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
)

_WIDER = {"i8": "int32", "i16": "int32", "u8": "uint32", "u16": "uint32"}
NUMBERS = SCALARS | _WIDER
"""The types of fields in messages."""


def go_camel(name: str) -> str:
    """``out_edges`` → ``OutEdges``, as protoc-gen-go has it: an underscore stays where no lower-case letter
    follows."""
    name = re.sub(r"_([a-z])", lambda m: m[1].upper(), name)
    return re.sub(r"(?<=\d)([a-z])", lambda m: m[1].upper(), name[:1].upper() + name[1:])


def resolved(type: Type) -> Type:
    return type.target if isinstance(type, Ref) else type


@dataclass
class Conversion(Functions):
    glue: Any = None  # the glue that wants it

    def function(self, name: str, type: Type, low: Type) -> None:
        """Writes a function."""
        raise NotImplementedError

    def same(self, type: Type, low: Type) -> bool:
        """Whether a value is in a message as it is in the domain."""
        match type, low:
            case Scalar(name), Scalar():
                return name not in _WIDER
            case List(item), List(lower):
                return self.same(item, lower)
            case List(Scalar("u8")), Scalar("bytes"):
                return True
            case Map(key, value), Map():
                return self.same(key, low.key) and self.same(value, low.value)
            case _:
                return False

    def parts(self, type: Type, low: Record) -> list[tuple[Type, Field, str]]:
        """The fields of a message, each with the place of its value in the domain; of a made one, the value
        that it was made for is the only one."""
        made = self.glue.types.made.get(low.name)
        if made == "empty":
            return []
        if made is not None:
            return [(type, low.fields[0], "(*value)")]
        assert isinstance(type, Record)
        return [
            (each.type, lower, f"value.{each.name}")
            for each, lower in zip(type.fields, low.fields, strict=True)
        ]

    def holder(self, low: Type) -> str:
        """The message that has a value: of a oneof in place, the one that it stands in."""
        if isinstance(low, Union) and self.glue.is_in_place(low):
            low = self.glue.types.record(self.glue.types.in_place[low.name])
        return str(self.glue.message(low))

    def there(self, low: Record) -> None:
        """Has an empty message in the place of one that is not there, if it has fields that are read by their
        name: their getters would do so, but none of them says whether a number is there."""
        if any(isinstance(field.type, Optional) for field in low.fields):
            with self.out.block("if from == nil {"):
                self.out(f"from = new({self.holder(low)})")

    def argument(self, type: Type) -> str:
        """What a function takes of the domain."""
        return f"value *{self.held(type)}"

    def choices(self, type: Union, low: Union) -> list[tuple[Alternative, Alternative, str, str]]:
        """The alternatives, with their field and the struct around it in a message."""
        holder = self.glue.types.in_place.get(low.name, low.name)
        names = self.glue.names[holder].parts
        return [
            (own, lower, names[lower.name], f"pb.{go_camel(holder)}_{names[lower.name]}")
            for own, lower in zip(type.alternatives, low.alternatives, strict=True)
        ]

    def oneof_of(self, low: Union) -> str:
        """The field of a message that has a oneof."""
        names = self.glue.names[self.glue.types.in_place.get(low.name, low.name)]
        return str(names.oneofs[low.name])


@dataclass
class Builds(Conversion):
    """Statements that assign to a field of a message, ``target``."""

    def function(self, name: str, type: Type, low: Type) -> None:
        is_empty = isinstance(low, Record) and not low.fields
        self._taken.clear()
        self.out("")
        value = self.argument(type).replace("value", "_", 1) if is_empty else self.argument(type)
        head = f"func {name}({'_' if is_empty else 'to'} *{self.holder(low)}, {value})"
        if is_empty:
            self.out(f"{head} {{}}")
            return
        with self.out.block(f"{head} {{"):
            if isinstance(low, Union):
                assert isinstance(type, Union)
                self.union(type, low)
                return
            assert isinstance(low, Record)
            names = self.glue.names[low.name].parts
            for each, lower, place in self.parts(type, low):
                if isinstance(lower.type, Optional) and self.glue.is_in_place(lower.type.item):
                    assert isinstance(each, Optional)
                    with self.out.block(f"if {place} != nil {{"):
                        self.out(f"{self.glue.call('build', each.item, lower.type.item)}(to, {place})")
                    continue
                held = value_at(place) if isinstance(each, Ref) and place.startswith("value.") else place
                has_presence = is_required(lower) and isinstance(lower.type, Scalar | Enum)
                write = self.present if has_presence else self.value_to
                write(each, lower.type, held, f"to.{names[lower.name]}")

    def union(self, type: Union, low: Union) -> None:
        self.out("switch {")
        for own, lower, name, struct in self.choices(type, low):
            self.out(f"case value.{own.name} != nil:")
            with self.out.indented():
                chosen = self.variable("chosen")
                self.out(f"{chosen} := new({struct})")
                assert lower.type is not None
                if own.type is None:
                    self.out(f"{chosen}.{name} = new({self.glue.message(lower.type)})")
                else:
                    self.value_to(own.type, lower.type, f"(*value.{own.name})", f"{chosen}.{name}")
                self.out(f"to.{self.oneof_of(low)} = {chosen}")
        self.out("}")

    def value_to(self, type: Type, low: Type, place: str, target: str) -> None:
        """Assigns a value to a field or an item."""
        low = resolved(low)
        match type, low:
            case _ if self.same(type, low):
                self.out(f"{target} = {bare(place)}")
            case ((FixedBytes() | Array()), Scalar("bytes")):
                self.out(f"{target} = {place}[:]")
            case ((Scalar() | Enum()), (Scalar() | Enum())):
                self.out(f"{target} = {self.glue.native(low)}({bare(place)})")
            case Optional(item), Optional(lower):
                with self.out.block(f"if {bare(place)} != nil {{"):
                    self.present(item, resolved(lower), f"(*{place})", target)
            case _, (Record() | Union()):
                name = self.glue.call("build", resolved(type), low)
                self.out(
                    f"{target} = new({self.glue.message(low)})", f"{name}({target}, {pointer_to(place)})"
                )
            case ((List(item) | Array(item, _)), List(lower)):
                self.out(f"{target} = make({self.glue.native(low)}, len({bare(place)}))")
                with self.inner() as at, self.out.block(f"for {at} := range {bare(place)} {{"):
                    each = f"{place}[{at}]"
                    if isinstance(type, Array) and isinstance(item, Ref):
                        each = value_at(each)
                    self.value_to(item, lower, each, f"{target}[{at}]")
            case Map(key, value), Map():
                self.map(key, value, low, place, target)
            case _:
                raise TypeError(f"{type} is not expected as {low}")

    def present(self, item: Type, low: Type, place: str, target: str) -> None:
        """Assigns to a field that may be absent."""
        if isinstance(low, Scalar) and low.name == "bytes":
            self.value_to(item, low, place, target)
            with self.out.block(f"if {target} == nil {{"):
                self.out(f"{target} = []byte{{}}")
        elif isinstance(low, Scalar | Enum):
            self.out(f"{target} = new({self.glue.native(low)})")
            self.value_to(item, low, place, f"*{target}")
        else:
            self.value_to(item, low, place, target)

    def map(self, key: Type, value: Type, low: Map, place: str, target: str) -> None:
        self.out(f"{target} = make({self.glue.native(low)}, len({bare(place)}))")
        with self.inner():
            first, item = self.variable("key"), self.variable("item")
            made, native = self.variable("made"), self.variable("native")
            with self.out.block(f"for {first}, {item} := range {bare(place)} {{"):
                self.out(f"var {made} {self.glue.native(low.value)}")
                self.value_to(value, low.value, item, made)
                self.out(f"var {native} {self.glue.native(low.key)}")
                self.value_to(key, low.key, first, native)
                self.out(f"{target}[{native}] = {made}")


@dataclass
class Extracts(Conversion):
    """Statements that assign what a message has, ``native``, to a place in the domain."""

    def function(self, name: str, type: Type, low: Type) -> None:
        is_empty = isinstance(low, Record) and not low.fields
        self._taken.clear()
        self.out("")
        value = self.argument(type)
        if is_empty:
            value = value.replace("value", "_", 1)
            self.out(f"func {name}(_ *{self.holder(low)}, {value}, _ *faults) {{}}")
            return
        with self.out.block(f"func {name}(from *{self.holder(low)}, {value}, faults *faults) {{"):
            if isinstance(low, Union):
                assert isinstance(type, Union)
                self.union(type, low)
                return
            assert isinstance(low, Record)
            self.there(low)
            names = self.glue.names[low.name].parts
            for each, lower, place in self.parts(type, low):
                if isinstance(lower.type, Optional) and self.glue.is_in_place(lower.type.item):
                    self.placed(each, lower.type.item, place)
                    continue
                held = place
                if isinstance(each, Ref) and place.startswith("value."):
                    self.made(place, each)
                    held = value_at(place)
                native = f"from.{names[lower.name]}"
                if not isinstance(lower.type, Optional):
                    native = f"from.Get{names[lower.name]}()"
                self.value_of(each, lower.type, native, held)

    def placed(self, type: Type, low: Type, place: str) -> None:
        """A union that is a oneof of the message itself."""
        assert isinstance(type, Optional) and isinstance(low, Union)
        with self.out.block(f"if from.{self.oneof_of(low)} != nil {{", "} else {"):
            self.made(place, type.item)
            self.out(f"{self.glue.call('extract', type.item, low)}(from, {place}, faults)")
        with self.out.indented():
            self.out(f"{place} = nil")
        self.out("}")

    def union(self, type: Union, low: Union) -> None:
        uses = any(own.type is not None for own in type.alternatives)
        self.out(f"switch {'chosen := ' if uses else ''}from.Get{self.oneof_of(low)}().(type) {{")
        for own, lower, name, struct in self.choices(type, low):
            self.out(f"case *{struct}:")
            with self.out.indented():
                self.out(f"*value = domain.{type.name}{{{own.name}: value.{own.name}}}")
                self.made(f"value.{own.name}", own.type)
                if own.type is not None and lower.type is not None:
                    self.value_of(own.type, lower.type, f"chosen.{name}", f"(*value.{own.name})")
        self.out("default:", '\tfaults.add("a union has no alternative")', "}")

    def made(self, pointer: str, type: Type | None) -> None:
        """Sees to it that a pointer leads somewhere."""
        with self.out.block(f"if {bare(pointer)} == nil {{"):
            self.out(f"{bare(pointer)} = new({'struct{}' if type is None else self.held(type)})")

    def value_of(self, type: Type, low: Type, native: str, place: str) -> None:
        """Assigns what a message has."""
        low = resolved(low)
        match type, low:
            case ((Scalar("bytes") | List()), Scalar("bytes")):
                self.out(f"{bare(place)} = append({place}[:0], {native}...)")
            case ((FixedBytes() | Array()), Scalar("bytes")):
                self.out(f"faults.fill({place}[:], {native})")
            case Scalar(name), Scalar():
                value = f"narrow[{SCALARS[name]}](faults, {native})" if name in _WIDER else native
                self.out(f"{bare(place)} = {value}")
            case Enum(), (Scalar() | Enum()):
                self.out(f"{bare(place)} = narrow[{self.held(type)}](faults, {native})")
                if not type.open:
                    self.out(f"faults.check({place}.IsKnown())")
            case Optional(item), Optional(lower):
                lower = resolved(lower)
                is_number = isinstance(lower, Scalar | Enum) and lower != Scalar("bytes")
                with self.out.block(f"if {native} != nil {{", "} else {"):
                    self.made(place, item)
                    self.value_of(item, lower, f"*{native}" if is_number else native, f"(*{place})")
                with self.out.indented():
                    self.out(f"{bare(place)} = nil")
                self.out("}")
            case _, (Record() | Union()):
                name = self.glue.call("extract", resolved(type), low)
                self.out(f"{name}({native}, {pointer_to(place)}, faults)")
            case ((List() | Array()), List()):
                self.items(type, low, native, place)
            case Map(key, value), Map():
                self.map(key, value, low, native, place)
            case _:
                raise TypeError(f"{type} is not expected as {low}")

    def items(self, type: List | Array, low: List, native: str, place: str) -> None:  # type: ignore[override]
        count = f"len({native})"
        items = self.variable("items")
        self.out(f"{items} := {native}")
        count = f"len({items})"
        if isinstance(type, List):
            self.out(f"{bare(place)} = serbench.Resized({bare(place)}, {count})")
        else:
            with self.out.block(f"if !faults.check({count} == len({bare(place)})) {{"):
                self.out("return")
        if self.same(type.item, low.item) and type.item != Scalar("bytes"):
            self.out(f"copy({bare(place) if isinstance(type, List) else f'{place}[:]'}, {items})")
            return
        with self.inner() as at, self.out.block(f"for {at} := range {items} {{"):
            each = f"{place}[{at}]"
            if isinstance(type, Array) and isinstance(type.item, Ref):
                self.made(each, type.item)
                each = value_at(each)
            self.value_of(type.item, low.item, f"{items}[{at}]", each)

    def never_nil(self, item: str, low: Type) -> None:
        """A message that an entry of a map does not have is an empty one, which vtprotobuf leaves out."""
        held = self.glue.native(low)
        if held.startswith("*"):
            with self.out.block(f"if {item} == nil {{"):
                self.out(f"{item} = new({held[1:]})")

    def map(self, key: Type, value: Type, low: Map, native: str, place: str) -> None:
        self.out(f"{bare(place)} = serbench.Emptied({bare(place)})")
        with self.inner():
            first, item = self.variable("key"), self.variable("item")
            made, own = self.variable("made"), self.variable("own")
            with self.out.block(f"for {first}, {item} := range {native} {{"):
                self.out(f"var {own} {self.held(key)}")
                self.value_of(key, low.key, first, own)
                self.never_nil(item, low.value)
                self.out(f"var {made} {self.held(value)}")
                self.value_of(value, low.value, item, made)
                self.out(f"{place}[{own}] = {made}")
