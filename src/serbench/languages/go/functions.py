"""Functions for domain types, statement by statement as one would write them by hand, which generators of Go
share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from serbench.codegen.source import Source
from serbench.languages.go.domain import SCALARS, go_type
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
    bool_,
)
from serbench.model.parts import fixed_width

_INDICES = "ijklmnopqrs"

ROOTS = ("buildRoot", "extractRoot", "sumRoot", "walkRoot")
"""The names by which adapters call what is written."""


def is_empty(type: Type) -> bool:
    """Whether its values take no bytes."""
    return fixed_width(type) == 0


def method_of(scalar: Scalar) -> str:
    """The method that reads and writes a scalar: ``Int32``."""
    return "Bytes" if scalar.name == "bytes" else SCALARS[scalar.name].capitalize()


def value_at(pointer: str) -> str:
    """The place that a pointer leads to."""
    return pointer[1:] if pointer.startswith("&") else f"(*{pointer})"


def pointer_to(place: str) -> str:
    """A pointer to what is at a place."""
    return place[2:-1] if place.startswith("(*") and place.endswith(")") else f"&{place}"


def held_at(type: Type, place: str) -> str:
    """The place of a field's value: one that leads back is behind a pointer."""
    return value_at(place) if isinstance(type, Ref) else place


@dataclass
class Statements:
    """Writes the statements of functions into ``out``.

    A *place* is an expression that a value can be assigned to: a field, an item, a variable, or ``(*p)`` for
    what a pointer leads to.

    Attributes:
        schema: with the names of Go.
        package: the prefix of the names of the domain types, such as ``domain.``.
    """

    schema: Schema
    out: Source
    package: str = ""
    _depth: int = field(default=0, init=False)
    _taken: dict[str, int] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.type_of = replace(go_type, named=lambda name: f"{self.package}{name}")

    def held(self, type: Type) -> str:
        """The type of a value that a pointer leads to, or that a list or map holds."""
        return self.type_of.named(type.name) if isinstance(type, Ref) else self.type_of(type)

    @contextmanager
    def inner(self) -> Iterator[str]:
        """One level deeper; gives a letter of its own."""
        letter = _INDICES[self._depth % len(_INDICES)] * (1 + self._depth // len(_INDICES))
        self._depth += 1
        yield letter
        self._depth -= 1

    def variable(self, base: str) -> str:
        """A variable that its function has not yet."""
        self._taken[base] = self._taken.get(base, 0) + 1
        return base if self._taken[base] == 1 else f"{base}{self._taken[base]}"

    def made(self, pointer: str, type: Type | None) -> None:
        """Sees to it that a pointer leads somewhere."""
        with self.out.block(f"if {bare(pointer)} == nil {{"):
            self.out(f"{bare(pointer)} = new({'struct{}' if type is None else self.held(type)})")


@dataclass
class Functions(Statements):
    """Functions of one kind, such as those that read, for domain types alone."""

    def call(self, name: str, pointer: str) -> str:
        """A call of the function of a record or union."""
        raise NotImplementedError

    def value(self, type: Type, place: str) -> None:
        """Writes what is done with a value of ``type``; where this leads back, the place has a value of the
        record or union itself, and no pointer."""
        raise NotImplementedError

    def field(self, type: Type, place: str) -> None:
        """Writes what is done with a field, whose place has a pointer, never nil, where it leads back."""
        self.value(type, held_at(type, place))

    def step(self, ref: Ref, place: str, side: str) -> None:
        """Writes what is done with a value that leads back."""
        with self.out.block(f"if {side}.Enter() {{"):
            self.out(self.call(ref.name, pointer_to(place)), f"{side}.Leave()")

    def items(self, item: Type, place: str, is_array: bool) -> None:
        """A loop over a list or an array; in the latter, what leads back is behind pointers."""
        with self.inner() as at, self.out.block(f"for {at} := range {bare(place)} {{"):
            (self.field if is_array else self.value)(item, f"{place}[{at}]")


@dataclass
class Reads(Functions):
    """``func readNAME(from *Reader, value *NAME)`` for each record and union.

    Attributes:
        reader: the type of ``from``.
        helpers: the function that makes room for so many items in a list, and the one that empties a map.
        in_order: whether keys of maps that do not ascend are refused.
    """

    reader: str = "*serbench.Reader"
    helpers: tuple[str, str] = ("serbench.Resized", "serbench.Emptied")
    in_order: bool = True

    def call(self, name: str, pointer: str) -> str:
        return f"read{name}(from, {pointer})"

    def function(self, type: Record | Union) -> None:
        """The function of a record or union."""
        self._taken.clear()
        self.out("")
        argument = f"value *{self.package}{type.name}"
        if isinstance(type, Record) and not type.fields:
            self.out(f"func read{type.name}(_ {self.reader}, _ *{self.package}{type.name}) {{}}")
            return
        with self.out.block(f"func read{type.name}(from {self.reader}, {argument}) {{"):
            if isinstance(type, Record):
                for each in type.fields:
                    if isinstance(each.type, Ref):
                        self.made(f"value.{each.name}", each.type)
                    self.field(each.type, f"value.{each.name}")
                return
            self.out("switch index := from.Uint32(); index {")
            for index, alternative in enumerate(type.alternatives):
                self.out(f"case {index}:")
                with self.out.indented():
                    self.alternative(type.name, alternative.name, alternative.type)
            self.out("default:", '\tfrom.Fail("a union has no alternative %d", index)', "}")

    def alternative(self, union: str, name: str, type: Type | None) -> None:
        place = f"value.{name}"
        self.out(f"*value = {self.package}{union}{{{name}: {place}}}")
        self.made(place, type)
        if type is not None:
            self.value(type, f"(*{place})")

    def value(self, type: Type, place: str) -> None:
        match type:
            case Scalar("string" | "bytes"):
                self.out(f"from.{method_of(type)}({pointer_to(place)})")
            case Scalar():
                self.out(f"{bare(place)} = from.{method_of(type)}()")
            case FixedBytes():
                self.out(f"from.Fixed({place}[:])")
            case Enum():
                self.enum(type, place)
            case Record(name) | Union(name):
                self.out(self.call(name, pointer_to(place)))
            case Ref():
                self.step(type, place, "from")
            case List(item):
                count = "CountOfEmpty" if is_empty(item) else "Count"
                self.out(f"{bare(place)} = {self.helpers[0]}({bare(place)}, from.{count}())")
                self.items(item, place, is_array=False)
            case Array(item, _):
                self.items(item, place, is_array=True)
            case Map(key, item):
                self.map(key, item, place)
            case Optional(item):
                self.optional(item, place)
            case _:
                raise TypeError(type)

    def items(self, item: Type, place: str, is_array: bool) -> None:
        with self.inner() as at, self.out.block(f"for {at} := range {bare(place)} {{"):
            if is_array and isinstance(item, Ref):
                self.made(f"{place}[{at}]", item)
            (self.field if is_array else self.value)(item, f"{place}[{at}]")

    def enum(self, enum: Enum, place: str) -> None:
        self.out(f"{bare(place)} = {self.package}{enum.name}(from.{method_of(enum.underlying)}())")
        if not enum.open:
            with self.out.block(f"if !{place}.IsKnown() {{"):
                self.out(f'from.Fail("an enum has the value %d", {bare(place)})')

    def map(self, key: Type, item: Type, place: str) -> None:
        with self.inner() as left:
            first, value = self.variable("key"), self.variable("item")
            self.out(f"{bare(place)} = {self.helpers[1]}({bare(place)})")
            last = self.variable("last") if self.in_order else ""
            if last:
                self.out(f"var {last} {self.type_of(key)}")
            with self.out.block(f"for {left} := from.Count(); {left} > 0; {left}-- {{"):
                self.out(f"var {first} {self.type_of(key)}", f"var {value} {self.held(item)}")
                self.value(key, first)
                if last:
                    ascends = f"{first} && !{last}" if key == bool_ else f"{first} > {last}"
                    with self.out.block(f"if len({bare(place)}) > 0 && !({ascends}) {{"):
                        self.out('from.Fail("the keys of a map do not ascend")')
                    self.out(f"{last} = {first}")
                self.value(item, value)
                self.out(f"{place}[{first}] = {value}")

    def optional(self, item: Type, place: str) -> None:
        with self.out.block("if from.Bool() {", "} else {"):
            self.made(place, item)
            self.value(item, f"(*{place})")
        with self.out.indented():
            self.out(f"{bare(place)} = nil")
        self.out("}")


@dataclass
class Writes(Functions):
    """``func writeNAME(to *Writer, value *NAME)`` for each record and union.

    Attributes:
        writer: the type of ``to``.
        in_order: whether pairs of maps are written in the order of their keys.
    """

    writer: str = "*serbench.Writer"
    in_order: bool = True

    def call(self, name: str, pointer: str) -> str:
        return f"write{name}(to, {pointer})"

    def function(self, type: Record | Union) -> None:
        """The function of a record or union."""
        self._taken.clear()
        self.out("")
        if isinstance(type, Record) and not type.fields:
            self.out(f"func write{type.name}(_ {self.writer}, _ *{self.package}{type.name}) {{}}")
            return
        argument = f"value *{self.package}{type.name}"
        with self.out.block(f"func write{type.name}(to {self.writer}, {argument}) {{"):
            if isinstance(type, Record):
                for each in type.fields:
                    self.field(each.type, f"value.{each.name}")
                return
            self.out("switch {")
            for index, alternative in enumerate(type.alternatives):
                self.out(f"case value.{alternative.name} != nil:", f"\tto.Uint32({index})")
                if alternative.type is not None:
                    with self.out.indented():
                        self.value(alternative.type, f"(*value.{alternative.name})")
            self.out("default:", '\tto.Fail("a union has no alternative")', "}")

    def value(self, type: Type, place: str) -> None:
        match type:
            case Scalar():
                self.out(f"to.{method_of(type)}({bare(place)})")
            case FixedBytes():
                self.out(f"to.Fixed({place}[:])")
            case Enum():
                method = method_of(type.underlying)
                self.out(f"to.{method}({SCALARS[type.underlying.name]}({bare(place)}))")
            case Record(name) | Union(name):
                self.out(self.call(name, pointer_to(place)))
            case Ref():
                self.step(type, place, "to")
            case List(item):
                self.out(f"to.Count(len({bare(place)}))")
                self.items(item, place, is_array=False)
            case Array(item, _):
                self.items(item, place, is_array=True)
            case Map(key, item):
                self.map(key, item, place)
            case Optional(item):
                self.out(f"to.Bool({bare(place)} != nil)")
                with self.out.block(f"if {bare(place)} != nil {{"):
                    self.value(item, f"(*{place})")
            case _:
                raise TypeError(type)

    def map(self, key: Type, item: Type, place: str) -> None:
        self.out(f"to.Count(len({bare(place)}))")
        with self.inner():
            first, value = self.variable("key"), self.variable("item")
            keys = f"serbench.{'SortedBools' if key == bool_ else 'SortedKeys'}({bare(place)})"
            head = f"for _, {first} := range {keys} {{"
            if not self.in_order:
                head = f"for {first}, {value} := range {bare(place)} {{"
            with self.out.block(head):
                if self.in_order and not is_empty(item):
                    self.out(f"{value} := {place}[{first}]")
                self.value(key, first)
                if not self.in_order or not is_empty(item):
                    self.value(item, value)


@dataclass
class Sums(Functions):
    """``func sumNAME(value *NAME) uint64`` for each record and union (``serbench.Domain``)."""

    def call(self, name: str, pointer: str) -> str:
        return f"sum += sum{name}({pointer})"

    def function(self, type: Record | Union) -> None:
        """The function of a record or union."""
        self._taken.clear()
        self.out("")
        if isinstance(type, Record) and not type.fields:
            self.out(f"func sum{type.name}(_ *{type.name}) uint64 {{ return 0 }}")
            return
        with self.out.block(f"func sum{type.name}(value *{type.name}) (sum uint64) {{"):
            if isinstance(type, Record):
                for each in type.fields:
                    self.field(each.type, f"value.{each.name}")
            else:
                self.out("switch {")
                for index, alternative in enumerate(type.alternatives):
                    self.out(f"case value.{alternative.name} != nil:", f"\tsum += {index}")
                    if alternative.type is not None:
                        with self.out.indented():
                            self.value(alternative.type, f"(*value.{alternative.name})")
                self.out("}")
            self.out("return sum")

    def step(self, ref: Ref, place: str, side: str) -> None:
        self.out(self.call(ref.name, pointer_to(place)))

    def value(self, type: Type, place: str) -> None:
        match type:
            case Scalar("bool" | "string" | "bytes"):
                self.out(f"sum += serbench.Sum{method_of(type)}({bare(place)})")
            case Scalar("f32" | "f64"):
                self.out(f"sum += uint64(math.{method_of(type)}bits({bare(place)}))")
            case Scalar() | Enum():
                self.out(f"sum += uint64({bare(place)})")
            case FixedBytes():
                self.items(Scalar("u8"), place, is_array=True)
            case Record(name) | Union(name):
                self.out(self.call(name, pointer_to(place)))
            case Ref():
                self.step(type, place, "")
            case List(item):
                self.out(f"sum += uint64(len({bare(place)}))")
                self.items(item, place, is_array=False)
            case Array(item, _):
                self.items(item, place, is_array=True)
            case Map(key, item):
                self.out(f"sum += uint64(len({bare(place)}))")
                with self.inner():
                    first, value = self.variable("key"), self.variable("item")
                    with self.out.block(f"for {first}, {value} := range {bare(place)} {{"):
                        self.value(key, first)
                        self.value(item, value)
            case Optional(item):
                with self.out.block(f"if {bare(place)} != nil {{"):
                    self.out("sum++")
                    self.value(item, f"(*{place})")
            case _:
                raise TypeError(type)


def choosing(out: Source, head: str, on: str, pairs: Iterable[tuple[str, str]], *otherwise: str) -> None:
    """A function that gives the second of the pair whose first it is given, or ends ``otherwise``."""
    out("")
    with out.block(head):
        out(f"switch {on} {{")
        for case, result in pairs:
            out(f"case {case}:", f"\treturn {result}")
        out("}", *otherwise)


def bare(place: str) -> str:
    """A place where no selector follows it."""
    return place[1:-1] if place.startswith("(*") and place.endswith(")") else place
