"""Generates conversions between dataclasses and the values of formats that describe themselves: dicts, lists,
text and numbers. A program has such code beside a library that knows no dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from serbench.languages.python.access import members_of, names_of
from serbench.languages.python.code import suite, wrapped
from serbench.languages.python.conversions import Conversions
from serbench.languages.python.domain import default_of
from serbench.languages.python.fixed import function_of
from serbench.languages.python.glue_module import GlueModule, Table, both_ways
from serbench.model import (
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Optional,
    Record,
    Scalar,
    Schema,
    Type,
    Union,
    u8,
)


@dataclass(frozen=True)
class Style:
    """The form in which a library takes and gives values, by kind of type.

    Attributes:
        records: dicts with the written names, or lists.
        enums: their written names; members as they are, which libraries take for numbers; or plain ints.
        octets: bytes as they are, or lists of numbers.
        packs_octets: whether a list of u8 is written as bytes.
        keys: the keys of maps as they are, or as text.
        unions: dicts of the alternative's name and value, or lists of its index and value.
        is_lone: whether a root of one field is written as that field.
        wide_ints: numbers beyond 32 bits as they are read: plain ints, or a class of the library's own.
    """

    records: Literal["dicts", "lists"] = "dicts"
    enums: Literal["names", "numbers", "ints"] = "names"
    octets: Literal["bytes", "numbers"] = "bytes"
    packs_octets: bool = False
    keys: Literal["themselves", "text"] = "themselves"
    unions: Literal["named", "indexed"] = "named"
    is_lone: bool = False
    wide_ints: Literal["plain", "own"] = "plain"

    def source(self, schema: Schema) -> str:
        """Return the text of ``cell.glue`` with the functions ``plain(root)`` and ``made(plain)``."""
        return _Plain(schema.plain(), self).text()


JSON = Style(octets="numbers", keys="text")
"""The form of values in JSON, the same as that of other languages' codecs."""

LISTS = Style(records="lists", enums="numbers", packs_octets=True, unions="indexed", is_lone=True)
"""The form of values in MessagePack, the same as that of the codecs of C and C++."""


class _Plain(GlueModule):
    sides = "messages as dicts, lists, text and numbers"

    def __init__(self, schema: Schema, style: Style):
        super().__init__(schema)
        self.style = style
        self.plains, self.mades = _Values(style, True), _Values(style, False)
        root = self.access.schema.root
        self.lone = root if style.is_lone and root.is_lone else None

    def enum_tables(self, enum: Enum) -> list[Table]:
        """Return the dicts of an enum's written names by its members, and of its members by the names."""
        own = [str(number) if enum.open else f"{enum.name}.{name}" for name, number in enum.members]
        written = [self.access.quoted(enum.name, name) for name, _ in enum.members]
        return both_ways(enum, list(zip(own, written, strict=True)))

    def end(self, root: str) -> None:
        written, read = f"plain_{root}(root)", f"made_{root}(plain)"
        if self.lone:
            (part,) = self.lone.fields
            written = self.plains.of(part.type, self.access.get("root", self.lone, part))
            read = self.access.made(self.lone, [self.mades.of(part.type, "plain")])
        with self.function("plain(root: Any)"):
            self.out('"""A message as a library takes it."""', f"return {written}")
        with self.function("made(plain: Any)"):
            self.out('"""A message of what a library read."""', f"return {read}")

    def record(self, record: Record, low: Record) -> None:
        if record is self.lone:
            return
        fields, access = record.fields, self.access
        names = [access.quoted(record.name, part.name) for part in fields]
        with self.function(f"plain_{function_of(record)}(value: Any)"):
            values = [self.plains.of(part.type, access.get("value", record, part)) for part in fields]
            if self.style.records == "lists":
                wrapped(self.out, "return [", values, "]")
            else:
                pairs = [f"{name}: {value}" for name, value in zip(names, values, strict=True)]
                wrapped(self.out, "return {", pairs, "}")
        with self.function(f"made_{function_of(record)}(plain: Any)"):
            places = [f"plain[{name}]" for name in names]
            if self.style.records == "lists":
                places = [part.name for part in fields]
                if places:
                    self.out(
                        f"({places[0]},) = plain" if len(places) == 1 else f"{', '.join(places)} = plain"
                    )
            read = [self.taken(part, place) for part, place in zip(fields, places, strict=True)]
            access.give(self.out, record, read)

    def taken(self, part: Field, place: str) -> str:
        """Return the expression for a field's value; an optional field that is missing is absent, and one
        with a default has that."""
        made = self.mades.of(part.type, place)
        default = default_of(part)
        if not default or self.style.records == "lists":
            return made
        is_optional = isinstance(part.type, Optional)
        sought = place.replace("[", ".get(", 1)[:-1] + (")" if is_optional else f", {default})")
        if made == place or not is_optional:
            return made.replace(place, sought, 1)
        return made.replace(f"{place} is None", f"{sought} is None", 1)

    def union(self, union: Union, low: Union) -> None:
        named = self.style.unions == "named"
        with self.function(f"plain_{function_of(union)}(value: Any)"):
            for index, each in enumerate(self.access.told_apart(self.out, union)):
                value = "None" if each.type is None else self.plains.of(each.type, "value.value")
                as_dict = f"{{{self.access.quoted(union.name, each.name)}: {value}}}"
                self.out(f"return {as_dict if named else f'[{index}, {value}]'}")
        with self.function(f"made_{function_of(union)}(plain: Any)"):
            self.out("((name, item),) = plain.items()" if named else "name, item = plain")
            for index, each in enumerate(union.alternatives):
                told = self.access.quoted(union.name, each.name) if named else str(index)
                with suite(self.out, f"if name == {told}:"):
                    self.give_alternative(
                        union, each, None if each.type is None else self.mades.of(each.type, "item")
                    )
            self.out(f'raise ValueError(f"{union.name} has no alternative {{name!r}}")')


class _Values(Conversions):
    """Generates expressions that make what a library writes, or the domain's values of what it read."""

    def __init__(self, style: Style, is_native: bool):
        super().__init__("plain" if is_native else "made", {})
        self.style, self.is_native = style, is_native

    def of(self, type: Type, place: str) -> str:
        """The expression that converts the value at a place; the place itself where that is enough."""
        return self.value(type, type, place)

    def local(self, name: str) -> str:
        return name  # a variable inside of a comprehension may hide one outside

    def inner(self, type: Type, low: Type, place: str) -> str:
        if self.style.packs_octets and isinstance(type, List | Array) and type.item == u8:
            return f"{'bytes' if self.is_native else 'list'}({place})"
        return super().inner(type, low, place)

    def key(self, type: Type, low: Type, place: str) -> str:
        if self.style.keys == "text":
            match type:
                case Enum() if type.open:
                    return f"{'str' if self.is_native else 'int'}({self.plain(type, low, place)})"
                case Scalar("bool"):
                    return f'"true" if {place} else "false"' if self.is_native else f'{place} == "true"'
                case Scalar(name) if name != "string":
                    return f"{'str' if self.is_native else 'int'}({place})"
        return super().key(type, low, place)

    def plain(self, type: Type, low: Type, place: str) -> str:
        match type:
            case Scalar("bytes") | FixedBytes() if self.style.octets == "numbers":
                return f"{'list' if self.is_native else 'bytes'}({place})"
            case Enum() if self.style.enums == "names":
                table = names_of(type) if self.is_native else members_of(type)
                return f"{table}.get({place}, {place})" if type.open else f"{table}[{place}]"
            case Enum() if self.is_native:
                return f"int({place})" if self.style.enums == "ints" and not type.open else place
            case Enum(_, underlying):
                return self.plain(underlying, low, place) if type.open else f"{type.name}({place})"
            case Scalar("u32" | "i64" | "u64") if self.style.wide_ints == "own" and not self.is_native:
                return f"int({place})"
        return place
