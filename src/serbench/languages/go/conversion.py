"""Generates functions that convert between domain objects and a library's own objects, step by step.

A library's objects are read for two uses: ``Assigns`` makes domain objects of them, ``Adds`` adds up their
fields as ``Sum`` of the domain does. A codec says once how they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import Step, Stepping, has_no_fields, values_of
from serbench.languages.go.functions import Statements, bare, held_at, pointer_to
from serbench.model import Alternative, Array, Enum, Record, Ref, Scalar, Type, Union
from serbench.model.parts import resolved


@dataclass(frozen=True)
class Faults:
    """The Go names of the variable that collects the faults of a message, of its type and of its methods."""

    name: str = "faults"
    type: str = "*serbench.Faults"
    add: str = "Add"
    check: str = "Check"
    fill: str = "Fill"
    narrow: str = "serbench.Narrow"

    def narrowed(self, type: str, native: str) -> str:
        """Return the Go expression that converts a number to the narrower ``type`` and checks its range."""
        return f"{self.narrow}[{type}]({self.name}, {native})"


@dataclass
class GoConversion(Statements, Stepping):
    """Generates Go functions that build, extract or sum a library's objects; ``function`` writes one.

    Attributes:
        glue: the generator of the file that they are written to.
    """

    glue: Any = None
    whole = "(*value)"

    def made_for(self, low: Type) -> str:
        """Return the purpose of a record made by lowering, such as ``entry`` (of a map); empty for others."""
        return str(self.glue.types.made.get(low.name, "")) if isinstance(low, Record) else ""

    def values(self, type: Type, low: Record) -> list[tuple[Type, str]]:
        """Return the domain type and the place of each value of the library's record ``low``; only the place
        of a field with a reference back has a pointer, and not the value itself."""
        found = values_of(type, low, self.made_for(low), lambda name: f"value.{name}", self.whole)
        return [(resolved(each) if place == self.whole else each, place) for each, place in found]

    def argument(self, type: Type, low: Type) -> str:
        """Return the parameters by which a Go function gets a domain value: two for the entry of a map."""
        match self.made_for(low):
            case "empty":
                return "_ *struct{}"
            case "entry":
                return f"key {self.type_of(type.key)}, value *{self.held(type.value)}"  # type: ignore[union-attr]
            case _:
                return f"{'_' if has_no_fields(low) else 'value'} *{self.held(type)}"


@dataclass
class GoReading(GoConversion):
    """Generates Go functions that extract or sum the objects that a library has read.

    Attributes:
        use_class: the class that writes the code that uses each value: ``Assigns`` or ``Adds``.
        text_sum: the harness's function that adds up a text.
        looks_up_enums: whether an enum's number in the domain is not its number in a message, so that
            ``number_of`` looks it up.
    """

    use_class: Any = None
    text_sum = "SumBytes"
    looks_up_enums = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.use = self.use_class(self)

    @property
    def adds(self) -> bool:
        """Whether the functions add up values, and make no domain objects."""
        return self.use_class is Adds

    def parameters(self, low: Type) -> str:
        """Return the parameters by which a Go function gets the library's object; ``_`` in place of ``from``
        where there is nothing to read."""
        raise NotImplementedError(f"{self.__class__.__name__} has no parameters")

    def record(self, type: Type, low: Record) -> None:
        """Write the statements that read the fields of the library's record."""
        raise NotImplementedError(f"{self.__class__.__name__} has no record")

    def switch(self, type: Union, low: Union) -> None:
        """Write the first line of the switch over the alternatives of the library's union."""
        raise NotImplementedError(f"{self.__class__.__name__} has no switch")

    def case(self, union: Union, low: Alternative) -> str:
        """Return the Go expression that follows ``case`` for an alternative of the union."""
        raise NotImplementedError(f"{self.__class__.__name__} has no case")

    def alternative(self, type: Type, union: Union, low: Alternative, place: str) -> None:
        """Write the statements that read an alternative's value, inside of the alternative's case."""
        raise NotImplementedError(f"{self.__class__.__name__} has no alternative")

    def number_of(self, step: Step, native: str) -> str:
        """Return the expression for the domain's number of a library's number or enum."""
        return f"{self.held(step.type)}({native})" if isinstance(step.type, Enum) else native

    def is_looked_up(self, step: Step) -> bool:
        return self.looks_up_enums and isinstance(step.low, Enum)

    def text_of(self, native: str) -> str:
        """Return the expression that converts the library's text to the domain's."""
        return native

    def summand(self, step: Step, native: str) -> str:
        """Return the expression for what a number adds to a sum."""
        native = self.number_of(step, native) if self.is_looked_up(step) else native
        match step.low:
            case Scalar("bool"):
                return f"serbench.SumBool({native})"
            case Scalar("f32" | "f64" as name):
                return f"uint64(math.Float{name[1:]}bits({native}))"
            case _:
                return f"uint64({native})"

    def function(self, name: str, type: Any, low: Any) -> None:
        self._taken.clear()
        self.out("", self.use.head(name, type, low))
        if has_no_fields(low):
            return
        with self.out.indented():
            (self.union if isinstance(low, Union) else self.record)(type, low)
            self.use.end()
        self.out("}")

    def union(self, type: Union, low: Union) -> None:
        """Write the switch over a union's alternatives, with a case for each."""
        self.switch(type, low)
        for index, (own, lower) in enumerate(zip(type.alternatives, low.alternatives, strict=True)):
            self.out(f"case {self.case(low, lower)}:")
            with self.out.indented():
                place = self.use.alternative(type, own, index)
                if own.type is not None and lower.type is not None:
                    self.alternative(own.type, low, lower, place)
        self.use.no_alternative()
        self.out("}")

    def number(self, step: Step, native: str, place: str) -> None:
        self.use.number(step, native, place)

    def called(self, step: Step, given: str, place: str) -> None:
        """Write the call of the generated function that reads a record or union."""
        self.use.call(self.glue.call(self.use.kind, step.type, step.low), given, place)


class Use:
    """Writes the Go that uses each value that a library has read. Methods return the place in the domain to
    which the value is assigned: empty here, since only ``Assigns`` assigns values."""

    def __init__(self, reading: GoReading):
        self.of = reading
        self.out = reading.out
        self.faults: Faults = reading.glue.faults

    def end(self) -> None:
        """Write the statements that end a generated function."""

    @contextmanager
    def filled(self, type: Type, low: Record) -> Iterator[Callable[[Type, str], str]]:
        """Write the code before and after that of a record's fields; yield the function that returns where to
        assign a field's value, by the field's type and place."""
        yield self.field

    def field(self, type: Type, place: str) -> str:
        """Return the place of a field's value: ``place``, or behind its pointer if the value leads back."""
        return ""

    def item(self, step: Step, place: str) -> str:
        """The place of a list's or array's item; an array's items that lead back are behind pointers."""
        return self.field(step.type.item, place) if isinstance(step.type, Array) else place

    def alternative(self, type: Union, own: Alternative, index: int) -> str:
        """Write what precedes the code for the alternative that a message has; return its value's place."""
        return self.only_alternative(type, own)

    def only_alternative(self, type: Union, own: Alternative) -> str:
        """Write Go that sets a domain union to this alternative and no other; return its value's place."""
        return ""

    def no_alternative(self) -> None:
        """Write the case of the switch for a message without an alternative."""

    def where(self, head: str, otherwise: str) -> AbstractContextManager[None]:
        """Write ``head``, a line such as ``if x {``, around a value's code; ``otherwise`` is for ``else``."""
        return self.out.block(head)

    @contextmanager
    def given(self, head: str, item: Type, place: str) -> Iterator[str]:
        """Write ``head``, the condition that an optional value is there, around its code; yield its place."""
        with self.where(head, f"{bare(place)} = nil"):
            yield self.present(item, place)

    def present(self, item: Type, place: str) -> str:
        """Write what precedes the code for an optional value that is there; return the value's place."""
        raise NotImplementedError(f"{self.__class__.__name__} has no present")

    @contextmanager
    def counted(self, step: Step, count: str, place: str, room: str = "") -> Iterator[str]:
        """Write the code that makes room for the items of a list, or checks the number of an array's items;
        yield the range of a loop over them."""
        if step.length is None:
            self.resized(place, count)
        yield count

    def resized(self, place: str, count: str) -> None:
        """Write the code that makes room for ``count`` items in a list."""
        raise NotImplementedError(f"{self.__class__.__name__} has no resized")

    def declared(self, base: str, type: Type) -> str:
        """Write the declaration of a variable for a key or value of a map; return its name."""
        return ""

    def put(self, place: str, key: str, value: str) -> None:
        """Write the code that puts a pair into a map."""


class Assigns(Use):
    """Writes Go that assigns the values that a library has read to their places in the domain."""

    kind = "extract"

    def head(self, name: str, type: Type, low: Type) -> str:
        """Return the first line of a function: all of it, where there is nothing to read."""
        of, end = self.of, "}" if has_no_fields(low) else ""
        value = of.argument(type, low)
        if of.made_for(low) == "entry":
            value = f"values {of.held(type)}"
        faults = f"{'_' if end else self.faults.name} {self.faults.type}"
        return f"func {name}({of.parameters(low)}, {value}, {faults}) {{{end}"

    @contextmanager
    def filled(self, type: Any, low: Record) -> Iterator[Callable[[Type, str], str]]:
        if self.of.made_for(low) != "entry":
            yield self.field
            return
        key, item = self.declared("key", type.key), self.declared("item", type.value)
        yield lambda _, place: key if place == "key" else item
        self.put("values", key, item)

    def field(self, type: Type, place: str) -> str:
        if isinstance(type, Ref):
            self.of.made(place, type)
        return held_at(type, place)

    def only_alternative(self, type: Union, own: Alternative) -> str:
        self.out(f"*value = domain.{type.name}{{{own.name}: value.{own.name}}}")
        self.of.made(f"value.{own.name}", own.type)
        return f"(*value.{own.name})"

    def no_alternative(self) -> None:
        self.out("default:", f'\t{self.faults.name}.{self.faults.add}("a union has no alternative")')

    def where(self, head: str, otherwise: str) -> AbstractContextManager[None]:
        return self.out.either(head, otherwise)

    def present(self, item: Type, place: str) -> str:
        self.of.made(place, item)
        return f"(*{bare(place)})"

    def number(self, step: Step, native: str, place: str) -> None:
        self.out(f"{bare(place)} = {self.of.number_of(step, native)}")
        if step.is_closed and not self.of.is_looked_up(step):  # the number may be one of none
            self.out(f"{self.faults.name}.{self.faults.check}({place}.IsKnown())")

    def text(self, native: str, place: str) -> None:
        self.out(f"{bare(place)} = {self.of.text_of(native)}")

    def octets(self, step: Step, native: str, place: str) -> None:
        if step.length is None:
            self.out(f"{bare(place)} = append({place}[:0], {native}...)")
        else:
            self.out(f"{self.faults.name}.{self.faults.fill}({place}[:], {native})")

    def call(self, name: str, given: str, place: str) -> None:
        self.out(f"{name}({given}, {pointer_to(place)}, {self.faults.name})")

    @contextmanager
    def counted(self, step: Step, count: str, place: str, room: str = "") -> Iterator[str]:
        if step.length is None:
            self.resized(place, room or count)
            yield bare(place)
        else:
            with self.out.block(f"if {self.faults.name}.{self.faults.check}({count} == {step.length}) {{"):
                yield bare(place)

    def resized(self, place: str, count: str) -> None:
        self.out(f"{bare(place)} = serbench.Resized({bare(place)}, {count})")

    def emptied(self, place: str, count: str) -> None:
        self.out(f"{bare(place)} = serbench.Emptied({bare(place)})")

    def declared(self, base: str, type: Type) -> str:
        name = self.of.variable(base)
        self.out(f"var {name} {self.of.held(type)}")
        return name

    def put(self, place: str, key: str, value: str) -> None:
        self.out(f"{place}[{key}] = {value}")


class Adds(Use):
    """Writes Go that adds up the values that a library has read, in the variable ``sum``."""

    kind = "sum"

    def head(self, name: str, type: Type, low: Type) -> str:
        result = "uint64 { return 0 }" if has_no_fields(low) else "(sum uint64) {"
        return f"func {name}({self.of.parameters(low)}) {result}"

    def end(self) -> None:
        self.out("return sum")

    def alternative(self, type: Union, own: Alternative, index: int) -> str:
        self.out(f"sum += {index}")
        return ""

    def present(self, item: Type, place: str) -> str:
        self.out("sum++")
        return ""

    def number(self, step: Step, native: str, place: str) -> None:
        self.out(f"sum += {self.of.summand(step, native)}")

    def text(self, native: str, place: str) -> None:
        self.out(f"sum += serbench.{self.of.text_sum}({native})")

    def octets(self, step: Step, native: str, place: str) -> None:
        self.out(f"sum += serbench.SumBytes({native})")
        if step.length is not None:
            self.out(f"sum -= {step.length}")

    def call(self, name: str, given: str, place: str) -> None:
        self.out(f"sum += {name}({given})")

    def resized(self, place: str, count: str) -> None:
        self.out(f"sum += uint64({count})")

    emptied = resized
