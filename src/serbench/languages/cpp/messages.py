"""Glue between domain objects and a library whose native objects are mutable messages with the same fields.

Each record gets ``build``, ``extract`` and ``traverse``. Destinations are overwritten in place, so that their memory is used
again. ``type`` is always a value's type in the domain and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

from serbench.codegen.naming import counterparts
from serbench.idl.lower import Lowered
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.glue import Glue, is_number
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Scalar, Type, Walk


@dataclass(frozen=True)
class Value:
    """A domain value in C++, and what goes before the name of one of its members."""

    it: str
    dot: str


@dataclass(frozen=True)
class Slot:
    """Where a value goes in a message, in C++.

    Attributes:
        ref: a reference to it, where it is not a number.
        dot: what goes before the name of one of its members.
        setting: the statement that sets it, with ``{}`` for the value.
        presence: what a library needs to tell whether an optional is there.
    """

    ref: str
    dot: str
    setting: str
    presence: str = ""


@dataclass(frozen=True)
class Read:
    """A value in a message, in C++, and whether an optional is there."""

    it: str
    has: str = ""


def member(name: str) -> Slot:
    """What can be assigned to as it is."""
    return Slot(name, f"{name}.", f"{name} = {{}};")


def is_bytes(type: Type) -> bool:
    return isinstance(type, Scalar) and type.name == "bytes"


class MessageGlue(Glue):
    """The functions of every record.

    Attributes:
        namespace: of the generated messages, in C++.
        same: names of the scalars that are the same C++ type in the domain and the message; other numbers are converted.
        extract_numbers: the function that copies a list of numbers out of a message.
    """

    breaks_heads = False
    namespace: str
    same: frozenset[str]
    extract_numbers: str

    def __init__(self, types: Lowered, what: str, header: str):
        """``what`` the messages are called, and the ``header`` that has them."""
        includes = sorted(["convert.hpp", "domain.hpp", header])
        root = f"using Native = {self.namespace}::{types.schema.root.name};"
        super().__init__(types.declared, f"domain objects to and from {what}", includes, root)
        self.types = types
        self.natives = counterparts(self.schema, types.schema)
        self.build = _Build(self)
        self.extract = _Extract(self)
        self.traverse = _Traverse(self)

    def functions(self) -> None:
        for record in self.schema.records:
            lowered = self.types.record(self.native(record))
            domain, native = f"domain::{record.name}", f"{self.namespace}::{lowered.name}"
            names = [f"domain.{field.name}" for field in record.fields]
            fields = list(zip(record.fields, lowered.fields, names, strict=True))
            with self.function(f"inline void build(const {domain}& domain, {native}& native) {{"):
                for field, low, name in fields:
                    self.build.value(field.type, low.type, Value(name, f"{name}."), self.slot("native.", low))
            with self.function(f"inline void extract(const {native}& native, {domain}& domain) {{"):
                for field, low, name in fields:
                    self.extract.value(field.type, low.type, self.read("native", low), name)
            with self.sum_function(f"traverse(const {native}& native)"):
                for field, low, _ in fields:
                    self.traverse.value(field.type, low.type, self.read("native", low), "")

    @property
    def walked_fields(self) -> Walk | None:
        return self.types.schema.walk

    def native(self, type: Record | Enum) -> str:
        """The name of the message or enum for a domain type."""
        return self.natives[type.name].name

    @abstractmethod
    def slot(self, message: str, field: Field) -> Slot:
        """A field to write; ``message`` ends in a dot or an arrow."""

    @abstractmethod
    def read(self, message: str, field: Field) -> Read:
        """A field to read."""

    @abstractmethod
    def build_optional(self, item: Type, low: Type, value: Value, slot: Slot) -> None:
        """Sets a field that may be absent."""

    @abstractmethod
    def resize(self, slot: Slot, size: str) -> str:
        """The statement that makes a list so long."""

    @abstractmethod
    def emptied(self, name: str, slot: Slot) -> str:
        """Empties a map; returns the declaration of ``name``, which the loop that fills it indexes."""

    @abstractmethod
    def to_native(self, type: Type, value: str) -> str:
        """The domain's number or string as a message has it."""

    @abstractmethod
    def checksum(self, type: Type, native: str) -> str:
        """The expression that is the sum of a number or string."""

    @abstractmethod
    def sum_of(self, item: Type, native: str) -> str:
        """The expression that is the sum of a list of numbers, with their count."""

    def is_same(self, type: Type) -> bool:
        """Whether the domain and the message have the same C++ type, in which there is no map."""
        return isinstance(type, Scalar) and type.name in self.same

    def is_same_map(self, type: Map) -> bool:
        """Whether the domain and the message have the same C++ map."""
        return False

    def to_domain(self, type: Type, native: str) -> str:
        """A message's number or string as the domain has it."""
        return native if self.is_same(type) else f"number<{cpp_type(type, 'domain::')}>({native})"


Source = TypeVar("Source", Value, Read)
Target = TypeVar("Target", Slot, str)


class _Walk(ABC, Generic[Source, Target]):
    """Writes what takes a value of any type from its source to its target."""

    def __init__(self, glue: MessageGlue):
        self.glue = glue
        self.out = glue.out
        self.depth = 0

    @abstractmethod
    def statement(self, type: Type, low: Type, source: Source, target: Target) -> str | None:
        """The one statement that is enough for some types."""

    @abstractmethod
    def inside(self, made: Field, source: Source, target: Target) -> tuple[Source, Target]:
        """Source and target in a message that was made to hold them in its field ``made``."""

    @abstractmethod
    def optional(self, item: Type, low: Type, source: Source, target: Target) -> None:
        """What may be absent."""

    @abstractmethod
    def items(self, type: List | Array, source: Source, target: Target) -> tuple[str, str]:
        """Writes what goes before the loop over the items; returns what it declares first and each item's target."""

    @abstractmethod
    def entries(self, type: Map, source: Source, target: Target, key: str) -> tuple[str, str]:
        """The same for the entries of a map."""

    @abstractmethod
    def item_source(self, name: str) -> Source:
        """The loop's variable."""

    @abstractmethod
    def item_target(self, written: str) -> Target:
        """What ``items`` or ``entries`` returned."""

    @abstractmethod
    def bound_target(self, written: str) -> Target:
        """The same where more than one statement uses it."""

    def value(self, type: Type, low: Type, source: Source, target: Target) -> None:
        statement = self.statement(type, low, source, target)
        if statement:
            self.out(statement)
        elif isinstance(low, Record) and low.name in self.glue.types.made:
            made = low.fields[0]
            self.value(type, made.type, *self.inside(made, source, target))
        elif isinstance(type, Optional) and isinstance(low, Optional):
            self.optional(type.item, low.item, source, target)
        elif isinstance(type, List | Array) and isinstance(low, List):
            self.depth += 1
            declared, item_target = self.items(type, source, target)
            each = self.name("item")
            self.loop(f"{declared}const auto& {each} : {source.it}", type.item, low.item, each, item_target)
            self.depth -= 1
        elif isinstance(type, Map) and isinstance(low, Map):
            self.depth += 1
            key, each = self.name("key"), self.name("value")
            declared, item_target = self.entries(type, source, target, key)
            self.loop(f"{declared}const auto& [{key}, {each}] : {source.it}", type.value, low.value, each, item_target)
            self.depth -= 1
        else:
            raise TypeError(f"{type} is not expected as {low}")

    def loop(self, range: str, type: Type, low: Type, each: str, target: str) -> None:
        source = self.item_source(each)
        statement = self.statement(type, low, source, self.item_target(target))
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
        """A variable's name that no loop around has."""
        return word if self.depth == 1 else f"{word}{self.depth}"

    def bound(self, word: str, target: str) -> str:
        """A reference to what is evaluated only once."""
        name = self.name(word)
        self.out(f"auto& {name} = {target};")
        return name


class _Build(_Walk[Value, Slot]):
    def statement(self, type: Type, low: Type, source: Value, target: Slot) -> str | None:
        match type:
            case _ if is_bytes(low):
                return f"copy_bytes({source.it}, {target.ref});"
            case _ if self.glue.is_same(type) or isinstance(type, Scalar | Enum):
                return target.setting.format(self.glue.to_native(type, source.it))
            case Map() if self.glue.is_same_map(type):
                return f"copy_map({source.it}, {target.ref});"
            case Record():
                return f"build({source.it}, {target.ref});"
            case List(item) | Array(item, _) if is_number(item) and isinstance(low, List):
                return f"copy_numbers({source.it}, {target.ref});"
        return None

    def inside(self, made: Field, source: Value, target: Slot) -> tuple[Value, Slot]:
        return source, self.glue.slot(target.dot, made)

    def optional(self, item: Type, low: Type, source: Value, target: Slot) -> None:
        self.glue.build_optional(item, low, source, target)

    def items(self, type: List | Array, source: Value, target: Slot) -> tuple[str, str]:
        self.out(self.glue.resize(target, f"{source.dot}size()"))
        to = self.name("to")
        return f"auto {to} = {target.dot}begin(); ", f"*{to}++"

    def entries(self, type: Map, source: Value, target: Slot, key: str) -> tuple[str, str]:
        to = self.name("map")
        return f"{self.glue.emptied(to, target)}; ", f"{to}[{self.glue.to_native(type.key, key)}]"

    def item_source(self, name: str) -> Value:
        return Value(name, f"{name}.")

    def item_target(self, written: str) -> Slot:
        return member(written)

    def bound_target(self, written: str) -> Slot:
        return member(self.bound("into", written))


class _Extract(_Walk[Read, str]):
    def statement(self, type: Type, low: Type, source: Read, target: str) -> str | None:
        match type:
            case _ if is_bytes(low):
                return f"copy_bytes({source.it}, {target});"
            case _ if self.glue.is_same(type) or isinstance(type, Scalar | Enum):
                return f"{target} = {self.glue.to_domain(type, source.it)};"
            case Map() if self.glue.is_same_map(type):
                return f"copy_map({source.it}, {target});"
            case Record():
                return f"extract({source.it}, {target});"
            case List(item) | Array(item, _) if is_number(item) and isinstance(low, List):
                return f"{self.glue.extract_numbers}({source.it}, {target});"
        return None

    def inside(self, made: Field, source: Read, target: str) -> tuple[Read, str]:
        return self.glue.read(source.it, made), target

    def optional(self, item: Type, low: Type, source: Read, target: str) -> None:
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
        self.out(f"check_count({size}, {target});" if isinstance(type, Array) else f"{target}.resize({size});")
        return f"auto {to} = {target}.begin(); ", f"*{to}++"

    def entries(self, type: Map, source: Read, target: str, key: str) -> tuple[str, str]:
        to = self.name("map")
        return f"Fill {to}({target}); ", f"{to}[{self.glue.to_domain(type.key, key)}]"

    def item_source(self, name: str) -> Read:
        return Read(name)

    def item_target(self, written: str) -> str:
        return written

    def bound_target(self, written: str) -> str:
        return self.bound("into", written)


class _Traverse(_Walk[Read, str]):
    """The target is what else is to be added to the sum, such as the sum of a map's key."""

    def statement(self, type: Type, low: Type, source: Read, target: str) -> str | None:
        """A list counts its items, an array does not."""
        less = f" - {type.length}" if isinstance(type, Array) else ""
        match type:
            case Scalar() | Enum():
                added = self.glue.checksum(type, source.it)
            case _ if is_bytes(low):
                added = f"checksum_of({source.it}){less}"
            case Record():
                added = f"traverse({source.it})"
            case List(item) | Array(item, _) if is_number(item) and isinstance(low, List):
                added = f"{self.glue.sum_of(item, source.it)}{less}"
            case _:
                return None
        return f"sum += {target} + {added};" if target else f"sum += {added};"

    def inside(self, made: Field, source: Read, target: str) -> tuple[Read, str]:
        return self.glue.read(source.it, made), target

    def optional(self, item: Type, low: Type, source: Read, target: str) -> None:
        if statement := self.statement(item, low, source, "1"):
            self.out(f"if ({source.has}) {statement}")
            return
        with self.out.block(f"if ({source.has}) {{"):
            self.value(item, low, source, self.bound_target("1"))

    def items(self, type: List | Array, source: Read, target: str) -> tuple[str, str]:
        if isinstance(type, List):
            self.out(f"sum += {source.it}.size();")
        return "", ""

    def entries(self, type: Map, source: Read, target: str, key: str) -> tuple[str, str]:
        self.out(f"sum += {source.it}.size();")
        return "", self.glue.checksum(type.key, key)

    def item_source(self, name: str) -> Read:
        return Read(name)

    def item_target(self, written: str) -> str:
        return written

    def bound_target(self, written: str) -> str:
        if written:
            self.out(f"sum += {written};")
        return ""
