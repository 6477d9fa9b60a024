"""Generates the Scala code that converts between domain objects and messages: the objects of classes that a
library's compiler makes from an IDL file.

There is a function for each of ``build``, ``extract`` and ``sum`` and each pair of types that needs one:
``type`` is always a value's type in the domain and ``low`` its type in the IDL. Here are the file, and the
functions for records and unions. Lists, maps and optionals are values of their own for most libraries
(``collections``) and belong to the accessors of a field for others (``protobuf``).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from serbench.codegen.steps import of_graph
from serbench.codegen.words import package
from serbench.languages.jvm.domain import domain_type, glue_file
from serbench.languages.jvm.functions import pattern
from serbench.languages.jvm.message_values import NATIVE, MessageField, MessageValues
from serbench.model import Alternative, Record, Type, Union, Walk
from serbench.model.parts import resolved

_HARNESS = (
    "serbench.Bytes",
    "serbench.Checksum",
    "serbench.DecodeException",
    "serbench.DepthFirst",
    "serbench.Narrow",
)


class JvmGlue(MessageValues):
    """Generates the file ``Glue.scala`` of a workload: an object with functions that convert and sum.

    Attributes:
        what: the messages' name for people.
        packages: the package that holds the messages of all workloads.
        imported: full names of what the functions use of the library; the first is a type that all messages
            have.
        trait: the trait of the object, with ``{}`` for the root type.
        member: a further line of the object, with ``{}`` for the class of the root's message.
        helpers: name → a function that is written only where code calls it.
    """

    what: str
    packages: str
    imported: Sequence[str]
    trait: str
    member: str
    helpers: Mapping[str, str] = MappingProxyType({})

    def text(self) -> str:
        """Return the text of ``Glue.scala``."""
        self.object()
        body, title = self.out.text(), f"domain objects to and from {self.what}"
        messages = f"import {self.packages}.{{{self.holder} => {NATIVE}}}"
        return glue_file(self.schema, title, *self.imports(body), below=[messages]).text() + body

    def imports(self, body: str) -> list[str]:
        """Return the imports of the library and of the harness, a line for each package."""
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
        """Write the object: the functions that an adapter calls, and those that these call."""
        root, low = self.schema.root, self.low(self.schema.root)
        domain, message = domain_type(root), f"message.asInstanceOf[{self.native(low)}]"
        out = self.out
        with out.block(f"object Glue extends {self.trait.format(domain)} {{"):
            out(
                self.member.format(f"{NATIVE}.{low.name}"),
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
        """Return the IDL's record for a record of the domain."""
        return self.types.record(self.natives[record.name].name)

    @property
    def base(self) -> str:
        """The type that all messages have: the functions that an adapter calls take and return it."""
        return self.imported[0].rpartition(".")[2]

    @property
    def holder(self) -> str:
        """The holder of the workload's messages: a package, or a class that they are nested in."""
        return package(self.schema)

    @abstractmethod
    def nodes(self, message: str, part: MessageField) -> tuple[str, str]:
        """Return two expressions for the list of messages in a field: its length, and its item with the index
        ``node``; may write declarations that these use."""

    def iterator(self, message: str, part: MessageField) -> str:
        """Return the expression for an iterator over a list of messages."""
        return f"{self.read(message, part)}.iterator"

    # The functions of a pair of types.

    def function(self, function: str, type: Type, low: Type) -> None:
        """Write one of the functions ``build``, ``extract`` and ``sum`` for a pair of types."""
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
        """Return the first line of the function that converts a value to what a message holds."""
        return f"private def build{name}(value: {domain}): {self.native(low)} ="

    @abstractmethod
    def build_message(self, type: Type, low: Record) -> None:
        """Write the body of the function that converts a domain object to a message."""

    def extract_message(self, type: Type, low: Record) -> None:
        """Write the body of the function that converts a message to a domain object."""
        extracted = [self.extract_field(part) for part in self.parts(type, low)]
        if low.name in self.types.made:
            self.out(*extracted)
        else:
            with self.out.block(f"{domain_type(type)}(", ")"):
                self.out(*(f"{expression}," for expression in extracted))

    def sum_message(self, type: Type, low: Record) -> None:
        """Write the body of the function that sums the fields of a message."""
        self.out("var sum = 0L")
        for part in self.parts(type, low):
            self.sum_field(part)
        self.out("sum")

    def build_union(self, type: Union, low: Union) -> None:
        """Write the body of the function that converts a union of the domain to a message's."""
        with self.out.block("value match {"):
            for own, lower in _choices(type, low):
                if own.type and lower.type:
                    built = self.build(own.type, lower.type, "value")
                else:
                    built = self.empty(lower.type) if isinstance(lower.type, Record) else ""
                self.out(f"case {pattern(type, own)} => {self.choice_to_native(low, lower, built)}")

    def extract_union(self, type: Union, low: Union) -> None:
        """Write the body of the function that converts a message's union to the domain's."""
        with self.out.block(f"{self.chosen(low)} match {{"):
            for own, lower in _choices(type, low):
                found, held = self.case(low, lower)
                value = self.extract(own.type, lower.type, held) if own.type and lower.type else ""
                self.out(f"case {found} => {pattern(type, own, value)}")
            unknown = f"a union {type.name} has no alternative that is known"
            self.out(f'case _ => throw new DecodeException("{unknown}")')

    def sum_union(self, type: Union, low: Union) -> None:
        """Write the body of the function that sums a message's union."""
        with self.out.block(f"{self.chosen(low)} match {{"):
            for index, (own, lower) in enumerate(_choices(type, low)):
                found, held = self.case(low, lower)
                value = f" + {self.sum(own.type, lower.type, held)}" if own.type and lower.type else ""
                self.out(f"case {found} => {index}L{value}")
            self.out("case _ => -1L")

    def parts(self, type: Any, low: Record) -> list[MessageField]:
        """The fields of a message; a record that lowering made for one value has the field of that value."""
        values = [(type, "value")]
        if low.name not in self.types.made:
            values = [(field.type, f"value.{field.name}") for field in type.fields]
        return [
            MessageField(resolved(own), resolved(lower.type), self.name_of(lower.name), value, lower)
            for (own, value), lower in zip(values, low.fields, strict=True)
        ]

    def walk(self, walk: Walk, message: str) -> None:
        """Write the function ``walk``, which searches a graph by the library's own accessors."""
        node, edge = of_graph(self.schema.root, walk)
        nodes, edges = self.part(self.schema.root, walk.nodes), self.part(node, walk.edges)
        target = self.part(edge, walk.target)
        out = self.out
        out("")
        with out.block(f"override def walk(message: {self.base}): Long = {{"):
            count, at = self.nodes(message, nodes)
            out(f"val walk = new DepthFirst({count})", "var node = walk.next()")
            with out.block("while (node >= 0) {"):
                reached = self.sum(target.type, target.low, self.read("edges.next()", target))
                out(f"val edges = {self.iterator(at, edges)}")
                out(f"while (edges.hasNext) walk.reach({reached})", "node = walk.next()")
            out("walk.sum")

    def part(self, record: Record, name: str) -> MessageField:
        """Return the field of a message for the domain's field ``name``."""
        at = next(n for n, field in enumerate(record.fields) if field.name == name)
        return self.parts(record, self.low(record))[at]


def _choices(type: Union, low: Union) -> Iterator[tuple[Alternative, Alternative]]:
    """Yield each alternative of a union in the domain and in the IDL, with references resolved."""
    for own, lower in zip(type.alternatives, low.alternatives, strict=True):
        yield replace(own, type=resolved(own.type)), replace(lower, type=resolved(lower.type))
