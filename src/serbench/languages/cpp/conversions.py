"""C++ statements that write a value of any type into a message, read it from there, and sum it.

``type`` is always a value's type in the domain and ``low`` what it is in the IDL. A reference that leads back
to a record or union is treated as that record or union; where the domain has a pointer, ``behind`` goes
through it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from serbench.codegen.steps import is_number
from serbench.languages.cpp.notation import CompositeNotation, Slot, Value
from serbench.model import (
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
from serbench.model.parts import resolved


def is_bytes(type: Type) -> bool:
    return isinstance(type, FixedBytes) or (isinstance(type, Scalar) and type.name == "bytes")


def is_numbers(type: Type, low: Type) -> bool:
    """Whether a value is a list or an array of numbers in the domain, and a list in messages."""
    return isinstance(type, List | Array) and is_number(type.item) and isinstance(low, List)


Target = TypeVar("Target", Slot, str)


class Conversion(ABC, Generic[Target]):
    """Writes the C++ that reads a value of any type from its source, to copy it or add it to a sum."""

    def __init__(self, glue: CompositeNotation):
        self.glue = glue
        self.out = glue.out
        self.depth = 0

    @abstractmethod
    def statement(self, type: Type, low: Type, source: Value, target: Target) -> str | None:
        """The statement that converts a value, where a single one is enough for its type; else None."""

    def behind(self, source: Value, target: Target) -> tuple[Value, Target]:
        """Returns source and target; the domain's, a pointer, is replaced by the value behind it."""
        return source, target

    def inside(self, made: Field, source: Value, target: Target) -> tuple[Value, Target]:
        """Returns source and target; the message's, a made record, is replaced by its field ``made``."""
        return self.glue.read(source.it, made), target

    @abstractmethod
    def optional(self, item: Type, low: Type, source: Value, target: Target) -> None:
        """Writes the code that converts an optional value, of type ``item``, if it is there."""

    @abstractmethod
    def items(self, type: List | Array, source: Value, target: Target) -> tuple[str, str]:
        """Writes the code before a loop over the items of a list or array; returns the declaration at the
        loop's head, and the expression for each item's target."""

    @abstractmethod
    def entries(self, type: Map, low: Map, source: Value, target: Target, key: str) -> tuple[str, str]:
        """Does for a map's entries what ``items`` does for a list; ``key`` is the variable of a key."""

    @abstractmethod
    def item_target(self, written: str) -> Target:
        """The target for an item, from the expression that ``items`` or ``entries`` returned for it."""

    @abstractmethod
    def bound_target(self, written: str) -> Target:
        """Writes a reference to an item's target, for several statements; returns it as the target."""

    def part(self, type: Type, low: Type, source: Value, target: Target) -> None:
        """Writes the conversion of the value of a field or alternative."""
        if isinstance(type, Ref):
            source, target = self.behind(source, target)
        self.value(resolved(type), resolved(low), source, target)

    def value(self, type: Type, low: Any, source: Value, target: Target) -> None:
        if statement := self.statement(type, low, source, target):
            self.out(statement)
        elif self.is_made(low):
            made = low.fields[0]
            self.value(type, resolved(made.type), *self.inside(made, source, target))
        elif isinstance(type, Optional) and isinstance(low, Optional):
            self.optional(type.item, resolved(low.item), source, target)
        elif isinstance(type, List | Array | Map) and isinstance(low, List | Map):
            self.depth += 1
            self.loop(type, low, source, target)
            self.depth -= 1
        else:
            raise TypeError(f"{type} is not expected as {low}")

    def is_made(self, low: Type) -> bool:
        """Whether a value is lowered to a record that was made around it, since the IDL lacks its type."""
        return isinstance(low, Record) and low.name in self.glue.types.made

    def loop(self, type: List | Array | Map, low: Any, source: Value, target: Target) -> None:
        """Writes a loop that converts each item, or the value of each entry. In an array, items that lead
        back are behind pointers in the domain."""
        if isinstance(type, Map):
            key, each = self.name("key"), self.name("value")
            declared, to = self.entries(type, low, source, target, key)
            item, lower, bound = type.value, resolved(low.value), f"[{key}, {each}]"
        else:
            declared, to = self.items(type, source, target)
            each = bound = self.name("item")
            item, lower = type.item, resolved(low.item)
        found, item_target = Value(each), self.item_target(to)
        if isinstance(type, Array) and isinstance(item, Ref):
            found, item_target = self.behind(found, item_target)
        statement = self.statement(resolved(item), lower, found, item_target)
        head = f"for ({declared}const auto& {bound} : {source.it})"
        if statement and len(head) + len(statement) <= 110:
            self.out(f"{head} {statement}")
            return
        with self.out.block(f"{head} {{"):
            if statement:
                self.out(statement)
            else:
                self.value(resolved(item), lower, found, self.bound_target(to))

    def name(self, word: str) -> str:
        """A name for a variable, different from those of the loops around the current one."""
        return word if self.depth == 1 else f"{word}{self.depth}"

    def bound(self, word: str, target: str) -> str:
        """Writes a reference to ``target``, so that it is evaluated only once; returns its name."""
        name = self.name(word)
        self.out(f"auto& {name} = {target};")
        return name


class Copy(Conversion[Slot]):
    """Writes the code that copies a value between the domain and a message.

    Attributes:
        function: the name of the generated functions that copy records and unions.
        numbers: the function that copies a list of numbers.
        number: gives the expression that converts a number or string to the target's type.
        emptied: writes code that empties a map, and returns the declaration of a variable of this name,
            through which a loop fills the map.
    """

    function: str
    numbers: str
    number: Callable[[Type, Type, str], str]
    emptied: Callable[[str, Slot], str]

    def statement(self, type: Type, low: Type, source: Value, target: Slot) -> str | None:
        match type:
            case _ if self.is_made(low):
                return None
            case _ if is_bytes(low):
                return f"copy_bytes({source.it}, {target.ref});"
            case _ if self.glue.is_same(type) or isinstance(type, Scalar | Enum):
                return target.setting.format(self.number(type, low, source.it))
            case Map() if self.glue.is_same_map(type):
                return f"copy_map({source.it}, {target.ref});"
            case Record() | Union():
                return f"{self.function}({source.it}, {target.ref});"
            case _ if is_numbers(type, low):
                return f"{self.numbers}({source.it}, {target.ref});"
        return None

    def items(self, type: List | Array, source: Value, target: Slot) -> tuple[str, str]:
        self.out(self.resized(type, f"{source.dot}size()", target))
        to = self.name("to")
        return f"auto {to} = {target.dot}begin(); ", f"*{to}++"

    @abstractmethod
    def resized(self, type: List | Array, size: str, target: Slot) -> str:
        """The statement that makes room in ``target`` for a list's items, or checks how many an array has."""

    def entries(self, type: Map, low: Map, source: Value, target: Slot, key: str) -> tuple[str, str]:
        to = self.name("map")
        return f"{self.emptied(to, target)}; ", f"{to}[{self.number(type.key, low.key, key)}]"

    def item_target(self, written: str) -> Slot:
        return Slot.member(written)

    def bound_target(self, written: str) -> Slot:
        return Slot.member(self.bound("into", written))


class Build(Copy):
    function, numbers = "build", "copy_numbers"

    def __init__(self, glue: CompositeNotation):
        super().__init__(glue)
        self.number, self.emptied = glue.into_native, glue.emptied

    def behind(self, source: Value, target: Slot) -> tuple[Value, Slot]:
        return Value(f"*{source.it}"), target

    def inside(self, made: Field, source: Value, target: Slot) -> tuple[Value, Slot]:
        return source, self.glue.slot(target.dot, made)

    def optional(self, item: Type, low: Type, source: Value, target: Slot) -> None:
        self.glue.build_optional(item, low, source, target)

    def resized(self, type: List | Array, size: str, target: Slot) -> str:
        return self.glue.resize(target, size)


class Extract(Copy):
    function = "extract"

    def __init__(self, glue: CompositeNotation):
        super().__init__(glue)
        self.number, self.numbers = glue.out_of_native, glue.extract_numbers
        self.emptied = lambda name, target: f"Fill {name}({target.ref})"

    def behind(self, source: Value, target: Slot) -> tuple[Value, Slot]:
        return source, Slot.member(f"engaged({target.ref})")

    def optional(self, item: Type, low: Type, source: Value, target: Slot) -> None:
        item, engaged = resolved(item), f"engaged({target.ref})"
        self.depth += 1
        with self.out.either(f"if ({source.has}) {{", f"{target.dot}reset();"):
            if isinstance(item, Scalar | Enum) and not is_bytes(low):
                self.value(item, low, source, target)
            elif statement := self.statement(item, low, source, Slot.member(engaged)):
                self.out(statement)
            else:
                self.value(item, low, source, Slot.member(self.bound("there", engaged)))
        self.depth -= 1

    def resized(self, type: List | Array, size: str, target: Slot) -> str:
        is_array = isinstance(type, Array)
        return f"check_count({size}, {target.ref});" if is_array else f"{target.dot}resize({size});"


class Traverse(Conversion[str]):
    """Writes the C++ that adds a value to ``sum``, and ``target`` too: a term such as the sum of its key."""

    def statement(self, type: Type, low: Type, source: Value, target: str) -> str | None:
        """The statement that adds a value to the sum: a list's items and length, an array's items alone."""
        less = f" - {type.length}" if isinstance(type, Array) else ""
        match type:
            case _ if self.is_made(low):
                return None
            case _ if is_bytes(low):
                added = f"checksum_of({source.it}){less}"
            case Scalar() | Enum():
                added = self.glue.checksum(low if isinstance(low, Scalar) else type, source.it)
            case Record() | Union():
                added = f"traverse({source.it})"
            case List(item) | Array(item, _) if is_numbers(type, low):
                added = f"{self.glue.sum_of(item, source.it)}{less}"
            case _:
                return None
        return f"sum += {target} + {added};" if target else f"sum += {added};"

    def optional(self, item: Type, low: Type, source: Value, target: str) -> None:
        item = resolved(item)
        if statement := self.statement(item, low, source, "1"):
            self.out(f"if ({source.has}) {statement}")
            return
        with self.out.block(f"if ({source.has}) {{"):
            self.value(item, low, source, self.bound_target("1"))

    def items(self, type: List | Array, source: Value, target: str) -> tuple[str, str]:
        if isinstance(type, List):
            self.out(f"sum += {source.dot}size();")
        return "", ""

    def entries(self, type: Map, low: Map, source: Value, target: str, key: str) -> tuple[str, str]:
        self.out(f"sum += {source.dot}size();")
        return "", self.glue.checksum(low.key if isinstance(low.key, Scalar) else type.key, key)

    def item_target(self, written: str) -> str:
        return written

    def bound_target(self, written: str) -> str:
        if written:
            self.out(f"sum += {written};")
        return ""
