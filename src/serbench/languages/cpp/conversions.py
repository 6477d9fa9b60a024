"""How a value of any type goes into and out of a message: the statements that build, extract and sum it.

``type`` is always a value's type in the domain and ``low`` what it is in the IDL. A reference that leads back
to a record or union is treated as that record or union (``meant``); where the domain has a pointer for it,
``behind`` goes through the pointer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Generic, TypeVar

from serbench.languages.cpp.glue import is_number
from serbench.languages.cpp.notation import Notation, Read, Slot, Value, member
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


Source = TypeVar("Source", Value, Read)
Target = TypeVar("Target", Slot, str)


class Conversion(ABC, Generic[Source, Target]):
    """Writes the code that takes a value of any type from its source to its target."""

    def __init__(self, glue: Notation):
        self.glue = glue
        self.out = glue.out
        self.depth = 0

    @abstractmethod
    def statement(self, type: Type, low: Type, source: Source, target: Target) -> str | None:
        """The single statement that converts a value, for the types for which one is enough; None for
        others."""

    @abstractmethod
    def behind(self, source: Source, target: Target) -> tuple[Source, Target]:
        """Source and target of a value to which the domain has a pointer."""

    @abstractmethod
    def inside(self, made: Field, source: Source, target: Target) -> tuple[Source, Target]:
        """Source and target in a message that was made to hold them in its field ``made``."""

    @abstractmethod
    def optional(self, item: Type, low: Type, source: Source, target: Target) -> None:
        """Writes the conversion of a value that may be absent."""

    @abstractmethod
    def items(self, type: List | Array, source: Source, target: Target) -> tuple[str, str]:
        """Writes what goes before the loop over the items; returns what the loop declares first, and the
        target of each item."""

    @abstractmethod
    def entries(self, type: Map, low: Map, source: Source, target: Target, key: str) -> tuple[str, str]:
        """The same for the entries of a map."""

    @abstractmethod
    def item_source(self, name: str) -> Source:
        """An item as a source; ``name`` is the loop's variable."""

    @abstractmethod
    def item_target(self, written: str) -> Target:
        """An item as a target; ``written`` is what ``items`` or ``entries`` returned for it."""

    @abstractmethod
    def bound_target(self, written: str) -> Target:
        """The same where more than one statement uses it, so that it is evaluated once."""

    def part(self, type: Type, low: Type, source: Source, target: Target) -> None:
        """Converts the value of a field or alternative."""
        if isinstance(type, Ref):
            source, target = self.behind(source, target)
        self.value(resolved(type), resolved(low), source, target)

    def value(self, type: Type, low: Type, source: Source, target: Target) -> None:
        statement = self.statement(type, low, source, target)
        if statement:
            self.out(statement)
        elif self.is_made(low):
            assert isinstance(low, Record)
            made = low.fields[0]
            self.value(type, resolved(made.type), *self.inside(made, source, target))
        elif isinstance(type, Optional) and isinstance(low, Optional):
            self.optional(type.item, resolved(low.item), source, target)
        elif isinstance(type, List | Array) and isinstance(low, List):
            self.depth += 1
            declared, item_target = self.items(type, source, target)
            each = self.name("item")
            pointer = isinstance(type, Array) and isinstance(type.item, Ref)
            self.loop(
                f"{declared}const auto& {each} : {source.it}", type.item, low.item, each, item_target, pointer
            )
            self.depth -= 1
        elif isinstance(type, Map) and isinstance(low, Map):
            self.depth += 1
            key, each = self.name("key"), self.name("value")
            declared, item_target = self.entries(type, low, source, target, key)
            self.loop(
                f"{declared}const auto& [{key}, {each}] : {source.it}",
                type.value,
                low.value,
                each,
                item_target,
            )
            self.depth -= 1
        else:
            raise TypeError(f"{type} is not expected as {low}")

    def is_made(self, low: Type) -> bool:
        """Whether lowering made a record for the value."""
        return isinstance(low, Record) and low.name in self.glue.types.made

    def loop(self, range: str, type: Type, low: Type, each: str, target: str, pointer: bool = False) -> None:
        """Writes a loop that converts each item; ``pointer`` says whether the domain's items are pointers to
        the values."""
        type, low = resolved(type), resolved(low)
        source, item_target = self.item_source(each), self.item_target(target)
        if pointer:
            source, item_target = self.behind(source, item_target)
        statement = self.statement(type, low, source, item_target)
        head = f"for ({range})"
        if statement and len(head) + len(statement) <= 110:
            self.out(f"{head} {statement}")
            return
        with self.out.block(f"{head} {{"):
            if statement:
                self.out(statement)
            else:
                self.value(type, low, source, self.bound_target(target))

    def name(self, word: str) -> str:
        """A variable's name that no loop around this one has."""
        return word if self.depth == 1 else f"{word}{self.depth}"

    def bound(self, word: str, target: str) -> str:
        """Declares a reference to ``target``, so that it is evaluated only once; returns the reference's
        name."""
        name = self.name(word)
        self.out(f"auto& {name} = {target};")
        return name


class Build(Conversion[Value, Slot]):
    def statement(self, type: Type, low: Type, source: Value, target: Slot) -> str | None:
        match type:
            case _ if self.is_made(low):
                return None
            case _ if is_bytes(low):
                return f"copy_bytes({source.it}, {target.ref});"
            case _ if self.glue.is_same(type) or isinstance(type, Scalar | Enum):
                return target.setting.format(self.glue.into_native(type, low, source.it))
            case Map() if self.glue.is_same_map(type):
                return f"copy_map({source.it}, {target.ref});"
            case Record() | Union():
                return f"build({source.it}, {target.ref});"
            case List(item) | Array(item, _) if is_number(item) and isinstance(low, List):
                return f"copy_numbers({source.it}, {target.ref});"
        return None

    def behind(self, source: Value, target: Slot) -> tuple[Value, Slot]:
        return Value(f"*{source.it}", f"{source.it}->"), target

    def inside(self, made: Field, source: Value, target: Slot) -> tuple[Value, Slot]:
        return source, self.glue.slot(target.dot, made)

    def optional(self, item: Type, low: Type, source: Value, target: Slot) -> None:
        source = replace(source, is_pointer=isinstance(item, Ref))
        self.glue.build_optional(resolved(item), low, source, target)

    def items(self, type: List | Array, source: Value, target: Slot) -> tuple[str, str]:
        self.out(self.glue.resize(target, f"{source.dot}size()"))
        to = self.name("to")
        return f"auto {to} = {target.dot}begin(); ", f"*{to}++"

    def entries(self, type: Map, low: Map, source: Value, target: Slot, key: str) -> tuple[str, str]:
        to = self.name("map")
        return f"{self.glue.emptied(to, target)}; ", f"{to}[{self.glue.into_native(type.key, low.key, key)}]"

    def item_source(self, name: str) -> Value:
        return Value(name, f"{name}.")

    def item_target(self, written: str) -> Slot:
        return member(written)

    def bound_target(self, written: str) -> Slot:
        return member(self.bound("into", written))


class Extract(Conversion[Read, str]):
    def statement(self, type: Type, low: Type, source: Read, target: str) -> str | None:
        match type:
            case _ if self.is_made(low):
                return None
            case _ if is_bytes(low):
                return f"copy_bytes({source.it}, {target});"
            case _ if self.glue.is_same(type) or isinstance(type, Scalar | Enum):
                return f"{target} = {self.glue.out_of_native(type, low, source.it)};"
            case Map() if self.glue.is_same_map(type):
                return f"copy_map({source.it}, {target});"
            case Record() | Union():
                return f"extract({source.it}, {target});"
            case List(item) | Array(item, _) if is_number(item) and isinstance(low, List):
                return f"{self.glue.extract_numbers}({source.it}, {target});"
        return None

    def behind(self, source: Read, target: str) -> tuple[Read, str]:
        return source, f"engaged({target})"

    def inside(self, made: Field, source: Read, target: str) -> tuple[Read, str]:
        return self.glue.read(source.it, made), target

    def optional(self, item: Type, low: Type, source: Read, target: str) -> None:
        item = resolved(item)
        self.depth += 1
        with self.out.block(f"if ({source.has}) {{", "} else {"):
            if isinstance(item, Scalar | Enum) and not is_bytes(low):
                self.value(item, low, source, target)
            elif statement := self.statement(item, low, source, f"engaged({target})"):
                self.out(statement)
            else:
                self.value(item, low, source, self.bound("there", f"engaged({target})"))
        with self.out.indented():
            self.out(f"{target}.reset();")
        self.out("}")
        self.depth -= 1

    def items(self, type: List | Array, source: Read, target: str) -> tuple[str, str]:
        size, to = f"{source.it}.size()", self.name("to")
        self.out(
            f"check_count({size}, {target});" if isinstance(type, Array) else f"{target}.resize({size});"
        )
        return f"auto {to} = {target}.begin(); ", f"*{to}++"

    def entries(self, type: Map, low: Map, source: Read, target: str, key: str) -> tuple[str, str]:
        to = self.name("map")
        return f"Fill {to}({target}); ", f"{to}[{self.glue.out_of_native(type.key, low.key, key)}]"

    def item_source(self, name: str) -> Read:
        return Read(name)

    def item_target(self, written: str) -> str:
        return written

    def bound_target(self, written: str) -> str:
        return self.bound("into", written)


class Traverse(Conversion[Read, str]):
    """The target is what else is to be added to the sum, such as the sum of a map's key."""

    def statement(self, type: Type, low: Type, source: Read, target: str) -> str | None:
        """A list counts its items, an array does not."""
        less = f" - {type.length}" if isinstance(type, Array) else ""
        match type:
            case _ if self.is_made(low):
                return None
            case Scalar() | Enum() if not is_bytes(low):
                added = self.glue.checksum(low if isinstance(low, Scalar) else type, source.it)
            case _ if is_bytes(low):
                added = f"checksum_of({source.it}){less}"
            case Record() | Union():
                added = f"traverse({source.it})"
            case List(item) | Array(item, _) if is_number(item) and isinstance(low, List):
                added = f"{self.glue.sum_of(item, source.it)}{less}"
            case _:
                return None
        return f"sum += {target} + {added};" if target else f"sum += {added};"

    def behind(self, source: Read, target: str) -> tuple[Read, str]:
        return source, target

    def inside(self, made: Field, source: Read, target: str) -> tuple[Read, str]:
        return self.glue.read(source.it, made), target

    def optional(self, item: Type, low: Type, source: Read, target: str) -> None:
        item = resolved(item)
        if statement := self.statement(item, low, source, "1"):
            self.out(f"if ({source.has}) {statement}")
            return
        with self.out.block(f"if ({source.has}) {{"):
            self.value(item, low, source, self.bound_target("1"))

    def items(self, type: List | Array, source: Read, target: str) -> tuple[str, str]:
        if isinstance(type, List):
            self.out(f"sum += {source.it}.size();")
        return "", ""

    def entries(self, type: Map, low: Map, source: Read, target: str, key: str) -> tuple[str, str]:
        self.out(f"sum += {source.it}.size();")
        return "", self.glue.checksum(low.key if isinstance(low.key, Scalar) else type.key, key)

    def item_source(self, name: str) -> Read:
        return Read(name)

    def item_target(self, written: str) -> str:
        return written

    def bound_target(self, written: str) -> str:
        if written:
            self.out(f"sum += {written};")
        return ""
