"""Generates the serializers for one way of writing numbers, in the style of the library's README."""

from __future__ import annotations

from dataclasses import dataclass, replace

from serbench.codegen.notation import Notation
from serbench.codegen.source import Source
from serbench.languages.go.domain import SCALARS, aligned, go_type
from serbench.languages.go.functions import is_empty
from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
)


@dataclass(frozen=True)
class Encoding:
    """One way of writing numbers.

    Attributes:
        name: the beginning of the names of its serializers.
        integers: the library's package for integers of more than a byte.
        numbers: its package for bytes, which no varint makes shorter, and for floats.
        bools: its package for bools.
        texts: the beginning of the names of serializers of strings and bytes.
    """

    name: str
    integers: str
    numbers: str
    bools: str = "ord"
    texts: str = "copied"


ENCODINGS = (
    Encoding("varint", integers="varint", numbers="raw"),
    Encoding("raw", integers="raw", numbers="raw"),
    Encoding("unsafe", integers="unsafe", numbers="unsafe", bools="unsafe", texts="shared"),
)

_GO = replace(go_type, named=lambda name: f"domain.{name}")

_title = Notation(
    "Go",
    {name: SCALARS[name].capitalize() for name in SCALARS if name != "bytes"} | {"bytes": "Bytes"},
    list="SliceOf{}",
    array="ArrayOf{1}{0}",
    map="MapOf{}To{}",
    optional="PointerTo{}",
    fixed="ArrayOf{}Byte",
    back="{}",
)
"""Notation that writes a type as the end of a Go variable's name; the encoding's name comes before it."""

_FAILED = "if err != nil {"


class Serializers:
    """Generates serializers: a Go type with four methods for a named type, a variable for any other type."""

    def __init__(self, schema: Schema, encoding: Encoding):
        self.schema = schema
        self.encoding = encoding
        self.out = Source("\t")
        self.taken = {encoding.name + each.name for each in schema.named}
        self.variables: dict[str, str] = {}

    def text(self) -> str:
        """Return the Go code of all serializers: types for named types, and variables for the others."""
        name = self.encoding.name
        for type in self.schema.named:
            match type:
                case Enum():
                    self._enum(type)
                case Record():
                    self._record(type)
                case Union():
                    self._union(type)
        head = Source("\t")
        head("", f"type {name}Root = {name}{self.schema.root.name}")
        if self.variables:
            head("")
            with head.block("var (", ")"):
                head(*aligned([(name, f"= {made}") for made, name in self.variables.items()]))
        return head.text() + self.out.text()

    def of(self, type: Type) -> str:
        """Return the Go expression for a type's serializer; a reference back has that of its target."""
        match type:
            case Scalar("string" | "bytes" as name):
                return f"{self.encoding.texts}{name.capitalize()}"
            case Scalar("bool"):
                return f"{self.encoding.bools}.Bool"
            case Scalar(name):
                varies = type.is_integer and type.width > 1
                package = self.encoding.integers if varies else self.encoding.numbers
                return f"{package}.{SCALARS[name].capitalize()}"
            case List(Scalar("u8")):
                return f"{self.encoding.texts}Bytes"
            case Enum(name) | Record(name) | Union(name) | Ref(name):
                return f"{self.encoding.name}{name}{{}}"
            case _:
                return self._variable(type)

    def _held(self, type: Type) -> tuple[str, str]:
        """Return the Go type and serializer of a list's item, of a map's value or of an optional value."""
        return _GO.named(type.name) if isinstance(type, Ref) else _GO(type), self.of(type)

    def _field(self, type: Type) -> tuple[str, str]:
        """The Go type and serializer of a field or an array's item; a reference back is a pointer."""
        if isinstance(type, Ref):
            to, by = self._held(type)
            return _GO(type), self._named(f"PointerTo{type.name}", f"pointed[{to}]{{{by}}}")
        return self._held(type)

    def _variable(self, type: Type) -> str:
        match type:
            case List(item):
                held, by = self._held(item)
                made = f"ord.NewSliceSer[{held}]({by}, slops.WithLenSer[{held}](length{{}}))"
                if is_empty(item):
                    made = f"ord.NewValidSliceSer[{held}]({by}, slops.WithLenValidator[{held}](fewEmpty))"
            case Map(key, item):
                key_held, key_by = self._held(key)
                held, by = self._held(item)
                option = f"mapops.WithLenSer[{key_held}, {held}](length{{}})"
                made = f"ord.NewMapSer[{key_held}, {held}]({key_by}, {by}, {option})"
            case Array(item, length):
                held, by = self._field(item)
                made = _array(_GO(type), held, by, length)
            case FixedBytes(length):
                made = _array(_GO(type), "uint8", f"{self.encoding.numbers}.Uint8", length)
            case Optional(item):
                held, by = self._held(item)
                made = f"ord.NewPtrSer[{held}]({by})"
            case _:
                raise TypeError(type)
        return self._named(_title(type), made)

    def _named(self, title: str, made: str) -> str:
        """Return the name of the Go variable that holds the serializer ``made``; each is declared once."""
        if made not in self.variables:
            name, count = self.encoding.name + title, 1
            while name in self.taken:
                count += 1
                name = f"{self.encoding.name}{title}{count}"
            self.taken.add(name)
            self.variables[made] = name
        return self.variables[made]

    def _enum(self, enum: Enum) -> None:
        by, number = self.of(enum.underlying), SCALARS[enum.underlying.name]
        reads = [f"number, n, err := {by}.Unmarshal(bs)", _FAILED, "\treturn", "}"]
        reads.append(f"v = {_GO(enum)}(number)")
        if not enum.open:
            reads += ["if !v.IsKnown() {", "\terr = errEnum", "}"]
        self._methods(
            enum,
            marshal=[f"return {by}.Marshal({number}(v), bs)"],
            unmarshal=[*reads, "return"],
            size=[f"return {by}.Size({number}(v))"],
        )

    def _record(self, record: Record) -> None:
        parts = [(f"v.{each.name}", self._field(each.type)[1]) for each in record.fields]
        self._methods(
            record,
            marshal=_summed(
                "n", [f"{by}.Marshal({at}, {'bs[n:]' if n else 'bs'})" for n, (at, by) in enumerate(parts)]
            ),
            unmarshal=_read(parts),
            size=_summed("size", [f"{by}.Size({at})" for at, by in parts]),
        )

    def _union(self, union: Union) -> None:
        """Write the serializer of a union, whose alternatives have numbers from 1, as in the library's
        metadata of types (DTM)."""
        marshal, unmarshal, size = ["switch {"], ["switch dtm {"], ["switch {"]
        for number, each in enumerate(union.alternatives, 1):
            at = f"v.{each.name}"
            head, length = f"varint.PositiveInt.Marshal({number}, bs)", f"varint.PositiveInt.Size({number})"
            marshal.append(f"case {at} != nil:")
            unmarshal.append(f"case {number}:")
            size.append(f"case {at} != nil:")
            if each.type is None:
                marshal.append(f"\treturn {head}")
                unmarshal.append(f"\t{at} = new(struct{{}})")
                size.append(f"\treturn {length}")
            else:
                held, by = self._held(each.type)
                marshal += [f"\tn = {head}", f"\treturn n + {by}.Marshal(*{at}, bs[n:])"]
                unmarshal += [f"\t{at} = new({held})", f"\t*{at}, n1, err = {by}.Unmarshal(bs[n:])"]
                size.append(f"\treturn {length} + {by}.Size(*{at})")
        start = ["dtm, n, err := varint.PositiveInt.Unmarshal(bs)", _FAILED, "\treturn", "}"]
        end = ["default:", "\terr = errAlternative", "}"]
        if any(each.type for each in union.alternatives):
            start.append("var n1 int")
            end.append("n += n1")
        missing = ["}", "panic(errAlternative)"]
        self._methods(union, marshal + missing, [*start, *unmarshal, *end, "return"], size + missing)

    def _methods(
        self, type: Enum | Record | Union, marshal: list[str], unmarshal: list[str], size: list[str]
    ) -> None:
        own, domain, out = f"{self.encoding.name}{type.name}", _GO(type), self.out
        out("", f"type {own} struct{{}}")
        for head, body in (
            (f"({own}) Marshal(v {domain}, bs []byte) (n int)", marshal),
            (f"({own}) Unmarshal(bs []byte) (v {domain}, n int, err error)", unmarshal),
            (f"({own}) Size(v {domain}) (size int)", size),
            (f"(s {own}) Skip(bs []byte) (n int, err error)", ["_, n, err = s.Unmarshal(bs)", "return"]),
        ):
            out("")
            with out.block(f"func {head} {{"):
                out(*body)


def _array(type: str, held: str, by: str, length: int) -> str:
    return f"ord.NewArraySer[{type}, {held}]({by}, arrops.WithLenSer[{held}](exactly({length})))"


def _summed(sum: str, terms: list[str]) -> list[str]:
    """Return Go statements that return a sum; a term may use the variable ``sum`` of the terms before."""
    match terms:
        case []:
            return ["return"]
        case [term]:
            return [f"return {term}"]
        case [first, *others, last]:
            return [f"{sum} = {first}", *(f"{sum} += {each}" for each in others), f"return {sum} + {last}"]
    raise TypeError(terms)


def _read(parts: list[tuple[str, str]]) -> list[str]:
    """Return statements that read fields, each by its serializer, and return at the first error."""
    lines = []
    for n, (at, by) in enumerate(parts):
        if n == 0:
            lines.append(f"{at}, n, err = {by}.Unmarshal(bs)")
            continue
        lines += [_FAILED, "\treturn", "}"]
        if n == 1:
            lines.append("var n1 int")
        lines += [f"{at}, n1, err = {by}.Unmarshal(bs[n:])", "n += n1"]
    return [*lines, "return"]
