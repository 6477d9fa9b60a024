"""Generates functions for domain types in Go, statement by statement as one would write them by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import ClassVar

from serbench.codegen.source import Source
from serbench.codegen.steps import has_no_fields
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
"""The names of the generated functions that adapters call."""


def is_empty(type: Type) -> bool:
    """Whether values of a type take no bytes."""
    return fixed_width(type) == 0


def method_of(scalar: Scalar) -> str:
    """Return the name of the harness's method that reads or writes a scalar: ``Int32``."""
    return "Bytes" if scalar.name == "bytes" else SCALARS[scalar.name].capitalize()


def pointer_to(place: str) -> str:
    """Return the expression for a pointer to the value at a place."""
    return place[2:-1] if place.startswith("(*") and place.endswith(")") else f"&{place}"


def held_at(type: Type, place: str) -> str:
    """Return the place of a field's value: ``place``, or behind its pointer if the value leads back."""
    return f"(*{place})" if isinstance(type, Ref) else place


@dataclass
class Statements:
    """Generates the statements of functions.

    A *place* is an expression that a value can be assigned to: a field, an item, a variable, or ``(*p)`` for
    what a pointer leads to.

    Attributes:
        schema: the schema with the names of Go.
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
        """Return the Go type of a value itself: for a reference back, that of the value it leads to."""
        return self.type_of.named(type.name) if isinstance(type, Ref) else self.type_of(type)

    @contextmanager
    def inner(self) -> Iterator[str]:
        """Enter a loop; yield the name of its variable, other than those of the loops around it."""
        letter = _INDICES[self._depth % len(_INDICES)] * (1 + self._depth // len(_INDICES))
        self._depth += 1
        yield letter
        self._depth -= 1

    def variable(self, base: str) -> str:
        """Return the name of a variable that the function does not have yet."""
        self._taken[base] = self._taken.get(base, 0) + 1
        return base if self._taken[base] == 1 else f"{base}{self._taken[base]}"

    def made(self, pointer: str, type: Type | None) -> None:
        """Write the ``if`` by which a pointer that is nil gets a new value to point to."""
        with self.out.block(f"if {bare(pointer)} == nil {{"):
            self.out(f"{bare(pointer)} = new({'struct{}' if type is None else self.held(type)})")


@dataclass
class Functions(Statements):
    """Generates ``func VERBNAME(SIDE STREAM, value *NAME)`` for each record and union of the domain. The
    subclasses, which read, write and sum, share the way through the types.

    Attributes:
        stream: the type of the argument besides the value.
        verb: the beginning of the functions' names.
        side: the name of the argument besides the value.
        count: the statement for the number of items of a list or map, which is at ``{}``.
        chosen: the statement for an alternative's index; ``otherwise``: the case of a union that has none.
        present: the statements for an optional value that is there; ``end``: the last ones of a function.
    """

    stream: str = ""
    verb: ClassVar[str]
    side: ClassVar[str] = ""
    count: ClassVar[str] = ""
    chosen: ClassVar[str] = ""
    otherwise: ClassVar[Iterable[str]] = ()
    present: ClassVar[Iterable[str]] = ()
    end: ClassVar[Iterable[str]] = ()

    def head(self, type: Record | Union) -> str:
        """Return the first line of a type's function: all of it, where a record has no fields."""
        side, value, end = ("_", "_", "}") if has_no_fields(type) else (self.side, "value", "")
        of = f"{value} *{self.package}{type.name}"
        return f"func {self.verb}{type.name}({side} {self.stream}, {of}) {{{end}"

    def call(self, name: str, pointer: str) -> str:
        """Return a call of the generated function for a record or union."""
        return f"{self.verb}{name}({self.side}, {pointer})"

    def function(self, type: Record | Union) -> None:
        """Write the whole function ``VERBNAME`` of a record or union."""
        self._taken.clear()
        self.out("", self.head(type))
        if has_no_fields(type):
            return
        with self.out.indented():
            if isinstance(type, Union):
                self.union(type)
            else:
                for each in type.fields:
                    self.field(each.type, f"value.{each.name}")
            self.out(*self.end)
        self.out("}")

    def union(self, type: Union) -> None:
        """Write a switch over a union's alternatives, with what the function does with each."""
        self.out("switch {")
        for index, alternative in enumerate(type.alternatives):
            self.out(f"case value.{alternative.name} != nil:")
            with self.out.indented():
                self.out(self.chosen.format(index))
                if alternative.type is not None:
                    self.value(alternative.type, f"(*value.{alternative.name})")
        self.out(*self.otherwise, "}")

    def field(self, type: Type, place: str) -> None:
        """Write what the function does with a field; a reference back is a pointer there, never nil."""
        self.value(type, held_at(type, place))

    def value(self, type: Type, place: str) -> None:
        """Write what is done with a value; for a reference back, the place has a value of the record or union
        itself, and no pointer."""
        match type:
            case Record(name) | Union(name):
                self.out(self.call(name, pointer_to(place)))
            case Ref():
                self.step(type, place)
            case List(item):
                self.list(item, place)
            case Array(item, _):
                self.items(item, place, is_array=True)
            case Map(key, item):
                self.map(key, item, place)
            case Optional(item):
                self.optional(item, place)
            case _:
                self.leaf(type, place)

    def leaf(self, type: Type, place: str) -> None:
        """Write what the function does with a value that is not made of others, such as a number."""
        raise NotImplementedError(f"{self.__class__.__name__} has no leaf")

    def step(self, ref: Ref, place: str) -> None:
        """Write what is done with the value of a reference back, as one step of recursion."""
        with self.out.block(f"if {self.side}.Enter() {{"):
            self.out(self.call(ref.name, pointer_to(place)), f"{self.side}.Leave()")

    def list(self, item: Type, place: str) -> None:
        self.out(self.count.format(bare(place)))
        self.items(item, place, is_array=False)

    def items(self, item: Type, place: str, is_array: bool) -> None:
        """Write a loop over a list or an array; an array holds pointers for references back."""
        with self.inner() as at, self.out.block(f"for {at} := range {bare(place)} {{"):
            (self.field if is_array else self.value)(item, f"{place}[{at}]")

    def map(self, key: Type, item: Type, place: str) -> None:
        self.out(self.count.format(bare(place)))
        with self.inner():
            first, value = self.variable("key"), self.variable("item")
            self.pairs(key, item, place, first, value)

    def pairs(self, key: Type, item: Type, place: str, first: str, value: str) -> None:
        """Write a loop over a map in no particular order; ``first`` is its variable for a key."""
        with self.out.block(f"for {first}, {value} := range {bare(place)} {{"):
            self.value(key, first)
            self.value(item, value)

    def optional(self, item: Type, place: str) -> None:
        with self.out.block(f"if {bare(place)} != nil {{"):
            self.out(*self.present)
            self.value(item, f"(*{place})")


@dataclass
class Reads(Functions):
    """Generates ``func readNAME(from *Reader, value *NAME)`` for each record and union.

    Attributes:
        helpers: the function that makes room for so many items in a list, and the one that empties a map.
        in_order: whether keys of maps that do not ascend are refused.
    """

    stream: str = "*serbench.Reader"
    helpers: tuple[str, str] = ("serbench.Resized", "serbench.Emptied")
    in_order: bool = True
    verb, side = "read", "from"

    def union(self, type: Union) -> None:
        self.out("switch index := from.Uint32(); index {")
        for index, alternative in enumerate(type.alternatives):
            place = f"value.{alternative.name}"
            self.out(f"case {index}:")
            with self.out.indented():
                self.out(f"*value = {self.package}{type.name}{{{alternative.name}: {place}}}")
                self.made(place, alternative.type)
                if alternative.type is not None:
                    self.value(alternative.type, f"(*{place})")
        self.out("default:", '\tfrom.Fail("a union has no alternative %d", index)', "}")

    def field(self, type: Type, place: str) -> None:
        if isinstance(type, Ref):
            self.made(place, type)
        super().field(type, place)

    def leaf(self, type: Type, place: str) -> None:
        match type:
            case Scalar("string" | "bytes"):
                self.out(f"from.{method_of(type)}({pointer_to(place)})")
            case Scalar():
                self.out(f"{bare(place)} = from.{method_of(type)}()")
            case FixedBytes():
                self.out(f"from.Fixed({place}[:])")
            case Enum(name, underlying):
                self.out(f"{bare(place)} = {self.package}{name}(from.{method_of(underlying)}())")
                if not type.open:
                    with self.out.block(f"if !{place}.IsKnown() {{"):
                        self.out(f'from.Fail("an enum has the value %d", {bare(place)})')

    def list(self, item: Type, place: str) -> None:
        count = "CountOfEmpty" if is_empty(item) else "Count"
        self.out(f"{bare(place)} = {self.helpers[0]}({bare(place)}, from.{count}())")
        self.items(item, place, is_array=False)

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
        self.out(f"\t{bare(place)} = nil", "}")


@dataclass
class Writes(Functions):
    """Generates ``func writeNAME(to *Writer, value *NAME)`` for each record and union.

    Attributes:
        in_order: whether pairs of maps are written in the order of their keys.
    """

    stream: str = "*serbench.Writer"
    in_order: bool = True
    verb, side = "write", "to"
    count, chosen = "to.Count(len({}))", "to.Uint32({})"
    otherwise = ("default:", '\tto.Fail("a union has no alternative")')

    def leaf(self, type: Type, place: str) -> None:
        match type:
            case Scalar():
                self.out(f"to.{method_of(type)}({bare(place)})")
            case FixedBytes():
                self.out(f"to.Fixed({place}[:])")
            case Enum(_, underlying):
                self.out(f"to.{method_of(underlying)}({SCALARS[underlying.name]}({bare(place)}))")

    def pairs(self, key: Type, item: Type, place: str, first: str, value: str) -> None:
        if not self.in_order:
            super().pairs(key, item, place, first, value)
            return
        keys = f"serbench.{'SortedBools' if key == bool_ else 'SortedKeys'}({bare(place)})"
        with self.out.block(f"for _, {first} := range {keys} {{"):
            if is_empty(item):
                self.value(key, first)
                return
            self.out(f"{value} := {place}[{first}]")
            self.value(key, first)
            self.value(item, value)

    def optional(self, item: Type, place: str) -> None:
        self.out(f"to.Bool({bare(place)} != nil)")
        super().optional(item, place)


@dataclass
class Sums(Functions):
    """Generates ``func sumNAME(value *NAME) uint64`` for each record and union (``serbench.Domain``)."""

    verb = "sum"
    count, chosen = "sum += uint64(len({}))", "sum += {}"
    present, end = ("sum++",), ("return sum",)

    def head(self, type: Record | Union) -> str:
        value, end = ("_", "uint64 { return 0 }") if has_no_fields(type) else ("value", "(sum uint64) {")
        return f"func sum{type.name}({value} *{type.name}) {end}"

    def call(self, name: str, pointer: str) -> str:
        return f"sum += sum{name}({pointer})"

    def leaf(self, type: Type, place: str) -> None:
        match type:
            case Scalar("bool" | "string" | "bytes"):
                self.out(f"sum += serbench.Sum{method_of(type)}({bare(place)})")
            case Scalar("f32" | "f64"):
                self.out(f"sum += uint64(math.{method_of(type)}bits({bare(place)}))")
            case FixedBytes():
                self.items(Scalar("u8"), place, is_array=True)
            case _:
                self.out(f"sum += uint64({bare(place)})")

    def step(self, ref: Ref, place: str) -> None:
        self.out(self.call(ref.name, pointer_to(place)))


def choosing(out: Source, head: str, on: str, pairs: Iterable[tuple[str, str]], *otherwise: str) -> None:
    """Write the function ``head`` that switches on the expression ``on``: each of ``pairs`` is a case and the
    expression that it returns, and ``otherwise`` are the function's last lines."""
    out("")
    with out.block(head):
        out(f"switch {on} {{")
        for case, result in pairs:
            out(f"case {case}:", f"\treturn {result}")
        out("}", *otherwise)


def bare(place: str) -> str:
    """Return a place without brackets, needed only before ``.x`` or ``[i]``: ``*p`` for ``(*p)``."""
    return place[1:-1] if place.startswith("(*") and place.endswith(")") else place
