"""Functions between domain objects and a library's own, with a statement for each step of a conversion.

A library's objects are read for two uses: ``Assigns`` makes domain objects of them, ``Adds`` adds them up as
``Sum`` of the domain does. A codec says once how they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import Step, Stepping, has_no_fields, values_of
from serbench.languages.go.functions import Statements, bare, held_at, pointer_to
from serbench.model import Alternative, Array, Enum, Map, Record, Ref, Scalar, Type, Union
from serbench.model.parts import resolved


@dataclass(frozen=True)
class Faults:
    """The notation for what is wrong in a message: the variable that keeps it, its type and methods."""

    name: str = "faults"
    type: str = "*serbench.Faults"
    add: str = "Add"
    check: str = "Check"
    fill: str = "Fill"
    narrow: str = "serbench.Narrow"

    def narrowed(self, type: str, native: str) -> str:
        """A number of a narrower type, whose range is checked."""
        return f"{self.narrow}[{type}]({self.name}, {native})"


@dataclass
class GoConversion(Statements, Stepping):
    """The functions of one kind.

    Attributes:
        glue: the file that calls them.
    """

    glue: Any = None
    whole = "(*value)"

    def function(self, name: str, type: Type, low: Type) -> None:
        """Writes a function."""
        raise NotImplementedError(f"{self.__class__.__name__} has no function")

    def made_for(self, low: Type) -> str:
        """The purpose for which lowering made a record; empty for a declared one."""
        return str(self.glue.types.made.get(low.name, "")) if isinstance(low, Record) else ""

    def values(self, type: Type, low: Record) -> list[tuple[Type, str]]:
        """The types of a record's values in the domain, and their places: a field that leads back is a
        pointer, another place has the value itself."""
        found = values_of(type, low, self.made_for(low), lambda name: f"value.{name}", self.whole)
        return [(resolved(each) if place == self.whole else each, place) for each, place in found]

    def argument(self, type: Type, low: Type) -> str:
        """The parameters for a value of the domain."""
        match self.made_for(low):
            case "empty":
                return "_ *struct{}"
            case "entry":
                return f"key {self.type_of(type.key)}, value *{self.held(type.value)}"  # type: ignore[union-attr]
            case _:
                return f"{'_' if has_no_fields(low) else 'value'} *{self.held(type)}"


@dataclass
class GoReading(GoConversion):
    """Functions that walk over what a library has read.

    Attributes:
        use_class: the class of ``use``, which says what is done with each value.
        text_sum: the harness's function that adds up a text.
        looks_up_enums: whether ``number_of`` looks up what a message has for an enum, which is no number of
            the domain.
    """

    use_class: type[Assigns] | type[Adds] | None = None
    text_sum = "SumBytes"
    looks_up_enums = False

    def __post_init__(self) -> None:
        super().__post_init__()
        assert self.use_class
        self.use = self.use_class(self)

    @property
    def adds(self) -> bool:
        """Whether values are added up, and no domain objects made."""
        return self.use_class is Adds

    def parameters(self, low: Type) -> str:
        """The parameters for what the library has; ``_`` in place of ``from`` where there is nothing to
        read."""
        raise NotImplementedError(f"{self.__class__.__name__} has no parameters")

    def record(self, type: Type, low: Record) -> None:
        """Writes the statements for the fields of a record."""
        raise NotImplementedError(f"{self.__class__.__name__} has no record")

    def switch(self, type: Union, low: Union) -> None:
        """Writes the head of the switch for a union's alternatives."""
        raise NotImplementedError(f"{self.__class__.__name__} has no switch")

    def case(self, union: Union, low: Alternative) -> str:
        """The case of an alternative."""
        raise NotImplementedError(f"{self.__class__.__name__} has no case")

    def alternative(self, type: Type, union: Union, low: Alternative, place: str) -> None:
        """Writes what is done with the value of the alternative that there is."""
        raise NotImplementedError(f"{self.__class__.__name__} has no alternative")

    def number_of(self, step: Step, native: str) -> str:
        """A number of the domain."""
        return f"{self.held(step.type)}({native})" if isinstance(step.type, Enum) else native

    def checks(self, step: Step) -> bool:
        """Whether ``number_of`` leaves it open if an enum has a number."""
        return step.is_closed and not self.is_looked_up(step)

    def is_looked_up(self, step: Step) -> bool:
        return self.looks_up_enums and isinstance(step.low, Enum)

    def text_of(self, native: str) -> str:
        """A text of the domain."""
        return native

    def summand(self, step: Step, native: str) -> str:
        """A number as it is added up."""
        native = self.number_of(step, native) if self.is_looked_up(step) else native
        match step.low:
            case Scalar("bool"):
                return f"serbench.SumBool({native})"
            case Scalar("f32" | "f64" as name):
                return f"uint64(math.Float{name[1:]}bits({native}))"
            case _:
                return f"uint64({native})"

    def function(self, name: str, type: Type, low: Type) -> None:
        self._taken.clear()
        self.out("", self.use.head(name, type, low))
        if has_no_fields(low):
            return
        with self.out.indented():
            if isinstance(low, Union):
                assert isinstance(type, Union)
                self.union(type, low)
            else:
                assert isinstance(low, Record)
                self.record(type, low)
            self.use.end()
        self.out("}")

    def union(self, type: Union, low: Union) -> None:
        """Writes a case for each alternative."""
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
        """Writes the call of the function of a record or union."""
        self.use.call(self.glue.call(self.use.kind, step.type, step.low), given, place)


class Use:
    """A use of the values that a library has, without places of the domain for them."""

    def __init__(self, reading: GoReading):
        self.of = reading
        self.out = reading.out
        self.faults: Faults = reading.glue.faults

    def end(self) -> None:
        """Ends a function."""

    @contextmanager
    def filled(self, type: Type, low: Record) -> Iterator[Callable[[Type, str], str]]:
        """Gives the places of a record's fields, by their type and the place of what is there."""
        yield self.field

    def field(self, type: Type, place: str) -> str:
        """The place of a field's value: one that leads back is behind a pointer."""
        return ""

    def item(self, step: Step, place: str) -> str:
        """The place of an item of a list or an array; the latter holds pointers to what leads back."""
        return self.field(step.type.item, place) if isinstance(step.type, Array) else place

    def alternative(self, type: Union, own: Alternative, index: int) -> str:
        """The place of the value of the alternative that there is."""
        return self.only_alternative(type, own)

    def only_alternative(self, type: Union, own: Alternative) -> str:
        """The place of the value of the only alternative of a union."""
        return ""

    def no_alternative(self) -> None:
        """Writes the case in which there is no alternative."""

    def where(self, head: str, otherwise: str) -> AbstractContextManager[None]:
        """A condition under which there is a value, and what is done where there is none."""
        return self.out.block(head)

    @contextmanager
    def given(self, head: str, item: Type, place: str) -> Iterator[str]:
        """A condition under which an optional value is there; gives its place."""
        with self.where(head, f"{bare(place)} = nil"):
            yield self.present(item, place)

    def present(self, item: Type, place: str) -> str:
        """The place of an optional value that is there."""
        raise NotImplementedError(f"{self.__class__.__name__} has no present")

    @contextmanager
    def counted(self, step: Step, count: str, place: str, room: str = "") -> Iterator[str]:
        """Makes room for the items of a list, or checks the number of an array's; gives the range of a loop
        over them."""
        if step.length is None:
            self.resized(place, count)
        yield count

    def resized(self, place: str, count: str) -> None:
        """Makes room for the items of a list."""
        raise NotImplementedError(f"{self.__class__.__name__} has no resized")

    def declared(self, base: str, type: Type) -> str:
        """A variable for a key or value of a map."""
        return ""

    def put(self, place: str, key: str, value: str) -> None:
        """Puts a pair into a map."""


class Assigns(Use):
    """Assigns the values to places of the domain."""

    kind = "extract"

    def head(self, name: str, type: Type, low: Type) -> str:
        """The first line of a function, which is the only one where there is nothing to read."""
        of, end = self.of, "}" if has_no_fields(low) else ""
        value = of.argument(type, low)
        if of.made_for(low) == "entry":
            value = f"values {of.held(type)}"
        faults = f"{'_' if end else self.faults.name} {self.faults.type}"
        return f"func {name}({of.parameters(low)}, {value}, {faults}) {{{end}"

    @contextmanager
    def filled(self, type: Type, low: Record) -> Iterator[Callable[[Type, str], str]]:
        if self.of.made_for(low) != "entry":
            yield self.field
            return
        assert isinstance(type, Map)
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
        if self.of.checks(step):
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
    """Adds up the values."""

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
