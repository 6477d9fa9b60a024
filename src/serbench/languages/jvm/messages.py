"""Glue on the JVM between domain objects and a library whose native objects are messages with the same
fields.

There is a function for each of ``build``, ``extract`` and ``sum`` and each pair of types that needs one:
``type`` is always a value's type in the domain and ``low`` what it is in the IDL. Here are the file, records
and scalars. Lists, maps and optionals are values of their own for most libraries (``collections``) and belong
to the accessors of a field for others (``protobuf``).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from serbench.codegen.naming import counterparts
from serbench.codegen.source import Source
from serbench.codegen.words import package
from serbench.idl.lower import Lowered
from serbench.languages.jvm.domain import SCALARS, domain_type, domain_types, function_name, glue_file
from serbench.languages.jvm.unions import UnionMessages
from serbench.model import Array, Enum, FixedBytes, List, Record, Scalar, Type, Union, Walk
from serbench.model.parts import resolved

NATIVE = "native"
"""The name that generated code has for what holds the messages."""

_HARNESS = (
    "serbench.Bytes",
    "serbench.Checksum",
    "serbench.DecodeException",
    "serbench.DepthFirst",
    "serbench.Narrow",
)

_MAY_NOT_FIT = frozenset({"i8", "i16", "u8", "u16", "u32"})
"""Integers that messages may hold in a wider type, so that reading has to check them."""


@dataclass(frozen=True)
class MessageField:
    """One field of a message.

    Attributes:
        type: the type of the value in the domain.
        low: its type in the IDL.
        name: the name that the library's accessors have for it.
        value: the value in the domain, as an expression in the function that builds the message.
    """

    type: Type
    low: Type
    name: str
    value: str


def is_bytes(type: Type) -> bool:
    """Whether a value is an array of bytes in the domain, and bytes in the IDL."""
    return isinstance(type, FixedBytes) or (isinstance(type, Scalar) and type.name == "bytes")


class JvmGlue(UnionMessages):
    """The object with all functions.

    Attributes:
        what: the name of the messages.
        packages: the package of all workloads' messages.
        imported: full names of what the functions use of the library; the first is a type that all messages
            have.
        trait: the trait of the object, with ``{}`` for the root type.
        scalars: name in the type model → the Scala type that messages have.
        sum_of_bytes: the function that sums a message's bytes and their count.
        helpers: name → a function that is written only where it is called.
    """

    what: str
    packages: str
    imported: Sequence[str]
    trait: str
    scalars: Mapping[str, str]
    sum_of_bytes = "Checksum.of"
    helpers: Mapping[str, str] = MappingProxyType({})

    def __init__(self, types: Lowered):
        self.types = types
        self.schema = domain_types(types.declared)
        self.natives = counterparts(self.schema, types.schema)
        self.out = Source()
        self.names: dict[tuple[Type, Type], str] = {}
        # functions that are called, in the order of their first call
        self.wanted: dict[tuple[str, Type, Type], None] = {}

    def text(self) -> str:
        """The file ``Glue.scala`` of a workload."""
        self.object()
        body, title = self.out.text(), f"domain objects to and from {self.what}"
        messages = f"import {self.packages}.{{{self.holder} => {NATIVE}}}"
        return glue_file(self.schema, title, *self.imports(body), below=[messages]).text() + body

    def imports(self, body: str) -> list[str]:
        """The imports of the library and of the harness, a line for each package."""
        used: dict[str, list[str]] = {}
        for full_name in (*self.imported, *_HARNESS):
            where, _, name = full_name.rpartition(".")
            if re.search(rf"(?<![.\w]){name}\b", body):
                used.setdefault(where, []).append(name)
        lines = {
            where: names[0] if len(names) == 1 else f"{{{', '.join(sorted(names))}}}"
            for where, names in used.items()
        }
        return [f"import {where}.{names}" for where, names in sorted(lines.items())]

    def object(self) -> None:
        root, low = self.schema.root, self.low(self.schema.root)
        domain, message = domain_type(root), f"message.asInstanceOf[{self.native(low)}]"
        out = self.out
        with out.block(f"object Glue extends {self.trait.format(domain)} {{"):
            out(
                *self.members(low),
                f"override def build(root: {domain}): {self.base} = {self.build(root, low, 'root')}",
                f"override def extract(message: {self.base}): {domain} = {self.extract(root, low, message)}",
                f"override def traverse(message: {self.base}): Long = {self.sum(root, low, message)}",
            )
            if self.schema.walk:
                self.walk(self.schema.walk, message)
            written = 0
            while written < len(self.wanted):
                self.function(*list(self.wanted)[written])
                written += 1
            body = out.text()
            for name, helper in self.helpers.items():
                if f"{name}(" in body:
                    out("", *helper.strip().splitlines())

    # The messages of a library.

    def low(self, record: Record) -> Record:
        """The message for a record of the domain."""
        return self.types.record(self.natives[record.name].name)

    def is_boxed(self, low: Type) -> bool:
        """Whether lowering made a record to hold a single value, which messages have in its place."""
        return isinstance(low, Record) and self.types.made.get(low.name) == "boxed"

    @property
    def base(self) -> str:
        """The type of messages that the object's own functions take and give."""
        return self.imported[0].rpartition(".")[2]

    @property
    def holder(self) -> str:
        """The holder of the workload's messages: a package, or a class that they are nested in."""
        return package(self.schema)

    def members(self, root: Record) -> list[str]:
        """Further members of the generated object, one line each."""
        return []

    @abstractmethod
    def native(self, low: Type) -> str:
        """The Scala type in a message."""

    @abstractmethod
    def read(self, message: str, part: MessageField) -> str:
        """A field of a message, as the message has it."""

    @abstractmethod
    def build_record(self, low: Record, parts: list[MessageField]) -> None:
        """Writes the expression or the statements that make a message of its fields."""

    @abstractmethod
    def extract_field(self, part: MessageField) -> str:
        """The domain's value of a field of ``message``."""

    @abstractmethod
    def sum_field(self, part: MessageField) -> None:
        """Writes the statements that add a field of ``message`` to ``sum``."""

    @abstractmethod
    def bytes_to_native(self, array: str) -> str:
        """An array of bytes as a message has it."""

    @abstractmethod
    def bytes_to_domain(self, native: str) -> str:
        """A message's bytes as an array."""

    @abstractmethod
    def nodes(self, message: str, part: MessageField) -> tuple[str, str]:
        """For a list of messages, how many there are, and the one with the number ``node``; may write what
        comes before."""

    def iterator(self, message: str, part: MessageField) -> str:
        """An iterator over a list of messages."""
        return f"{self.read(message, part)}.iterator"

    def is_taken(self, type: Type, low: Type) -> bool:
        """Whether a message takes the domain's value as it is."""
        return (
            isinstance(type, Scalar)
            and not self.is_boxed(low)
            and self.scalars[type.name] == SCALARS[type.name]
        )

    def is_given(self, type: Type, low: Type) -> bool:
        """Whether ``given`` is enough to extract a value."""
        return self.is_taken(type, low) and isinstance(type, Scalar) and type.name not in {"u8", "u16", "u32"}

    def given(self, type: Type, native: str) -> str:
        """The domain's value, in one expression without a function."""
        return native

    # Expressions that build, extract and sum a value.

    def call(self, function: str, type: Type, low: Type, argument: str) -> str:
        """Calls a function of a pair of types, and notes that it has to be written."""
        type, low = resolved(type), resolved(low)
        self.wanted[function, type, low] = None
        return f"{function}{self.name(type, low)}({argument})"

    def name(self, type: Type, low: Type) -> str:
        """The name of the functions that convert between a declared type and its lowered one; no other two
        types share it."""
        if (type, low) not in self.names:
            boxed = low if self.is_boxed(low) else type
            self.names[type, low] = function_name(boxed, self.names.values())
        return self.names[type, low]

    def build(self, type: Type, low: Type, value: str) -> str:
        match type:
            case _ if self.is_taken(type, low):
                return value
            case _ if self.is_boxed(low):
                return self.call("build", type, low, value)
            case Enum() if isinstance(low, Scalar):
                return f"{value}.number.to{self.scalars[low.name]}"
            case _ if is_bytes(type):
                return self.bytes_to_native(value)
            case Scalar(name):
                return f"{value}.to{self.scalars[name]}"
            case _:
                return self.call("build", type, low, value)

    def extract(self, type: Type, low: Type, native: str) -> str:
        match type:
            case _ if self.is_given(type, low):
                return self.given(type, native)
            case _ if self.is_boxed(low):
                return self.call("extract", type, low, native)
            case Enum() if isinstance(low, Scalar):
                return f"{domain_type(type)}.of({self.extract(low, low, native)})"
            case FixedBytes(length):
                return f"Narrow.bytes({self.bytes_to_domain(native)}, {length})"
            case _ if is_bytes(type):
                return self.bytes_to_domain(native)
            case Scalar("u8") if self.scalars["u8"] == "Byte":
                return f"({native} & 0xff).toShort"
            case Scalar("u32") if self.scalars["u32"] == "Int":
                return f"({native} & 0xffffffffL)"
            case Scalar(name) if name in _MAY_NOT_FIT:
                return f"Narrow.{name}({native})"
            case Scalar(name):
                return f"{native}.to{SCALARS[name]}"
            case _:
                return self.call("extract", type, low, native)

    def sum(self, type: Type, low: Type, native: str) -> str:
        match type:
            case _ if self.is_boxed(low):
                return self.call("sum", type, low, native)
            case Enum() if isinstance(low, Scalar):
                return self.sum(low, low, native)
            case Scalar("u8") if self.scalars["u8"] == "Byte":
                return f"({native} & 0xff)"
            case Scalar("u32") if self.scalars["u32"] == "Int":
                return f"({native} & 0xffffffffL)"
            case Scalar("f32") if self.scalars["f32"] == "Double":
                return f"Checksum.of({native}.toFloat)"
            case Scalar() if type.is_integer:
                return native
            case _ if is_bytes(low) or is_bytes(type):
                return f"{self.sum_of_bytes}({native})" + (
                    f" - {type.length}" if isinstance(type, Array) else ""
                )
            case Scalar():
                return f"Checksum.of({native})"
            case _:
                return self.call("sum", type, low, native)

    # The functions of a pair of types.

    def function(self, function: str, type: Type, low: Type) -> None:
        name, domain, native = self.name(type, low), domain_type(type), self.native(low)
        head = {
            "build": self.build_head(name, domain, low),
            "extract": f"private def extract{name}(message: {native}): {domain} =",
            "sum": f"private def sum{name}(message: {native}): Long =",
        }[function]
        self.out("")
        kind = "union" if isinstance(low, Union) else "message" if isinstance(low, Record) else "composite"
        with self.out.block(f"{head} {{"):
            getattr(self, f"{function}_{kind}")(type, low)

    def build_head(self, name: str, domain: str, low: Type) -> str:
        """The head of the function that builds what a message has for a value."""
        return f"private def build{name}(value: {domain}): {self.native(low)} ="

    def build_composite(self, type: Type, low: Type) -> None:
        """Writes the body of a function for values that are no messages; where they belong to fields, none is
        wanted."""
        raise TypeError(f"{type} is not expected as {low}")

    extract_composite = sum_composite = build_composite

    def build_message(self, type: Type, low: Record) -> None:
        self.build_record(low, self.parts(type, low))

    def extract_message(self, type: Type, low: Record) -> None:
        extracted = [self.extract_field(part) for part in self.parts(type, low)]
        if low.name in self.types.made:
            self.out(*extracted)
        else:
            with self.out.block(f"{domain_type(type)}(", ")"):
                self.out(*(f"{expression}," for expression in extracted))

    def sum_message(self, type: Type, low: Record) -> None:
        self.out("var sum = 0L")
        for part in self.parts(type, low):
            self.sum_field(part)
        self.out("sum")

    def parts(self, type: Type, low: Record) -> list[MessageField]:
        """The fields of a record of the schema, or the one that holds a value for which the record was
        made."""
        names = self.names_of(low.fields)
        if low.name in self.types.made:
            return [MessageField(resolved(type), resolved(low.fields[0].type), names[0], "value")]
        assert isinstance(type, Record)
        fields = zip(type.fields, low.fields, names, strict=True)
        return [
            MessageField(resolved(field.type), resolved(lowered.type), name, f"value.{field.name}")
            for field, lowered, name in fields
        ]

    def walk(self, walk: Walk, message: str) -> None:
        """Writes the function ``walk``: reachability through the library's own accessors."""
        nodes = self.part(self.schema.root, walk.nodes)
        edges = self.part(_item(nodes), walk.edges)
        target = self.part(_item(edges), walk.target)
        out = self.out
        out("")
        with out.block(f"override def walk(message: {self.base}): Long = {{"):
            count, node = self.nodes(message, nodes)
            out(f"val walk = new DepthFirst({count})", "var node = walk.next()")
            with out.block("while (node >= 0) {"):
                reached = self.sum(target.type, target.low, self.read("edges.next()", target))
                out(
                    f"val edges = {self.iterator(node, edges)}",
                    f"while (edges.hasNext) walk.reach({reached})",
                )
                out("node = walk.next()")
            out("walk.sum")

    def part(self, record: Record, name: str) -> MessageField:
        """The field of this name."""
        at = next(n for n, field in enumerate(record.fields) if field.name == name)
        return self.parts(record, self.low(record))[at]


def _item(part: MessageField) -> Record:
    """The record that a list holds."""
    assert isinstance(part.type, List) and isinstance(part.type.item, Record)
    return part.type.item
