"""Code with three functions for each record and union: ``build`` makes the library's object, ``extract`` a
domain object from it, and ``traverse`` sums its values."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from serbench.codegen.naming import counterparts
from serbench.codegen.source import Source
from serbench.idl.lower import Lowered
from serbench.languages.cpp.domain import used_before
from serbench.languages.cpp.glue import GlueHeader
from serbench.model import Record, Union

Heads = tuple[str, str, str]
"""The heads of ``build``, ``extract`` and ``traverse`` for one type."""

Use = Callable[[int], None]
"""Writes the code for the n-th alternative of a union."""

Uses = tuple[Use, Use, Use]

UNKNOWN_ALTERNATIVE = 'throw DecodeError("a union has none of its alternatives");'


class CompositeGlue(GlueHeader):
    """Generator of a file with ``build``, ``extract`` and ``traverse`` for every record and union.

    Attributes:
        types: the schema's types, with the type of a message that each is lowered to.
        natives: name in the domain → the record, union or enum of the library.
    """

    def __init__(self, types: Lowered, what: str, includes: list[str], root: str):
        super().__init__(types.declared, what, includes, root)
        self.types = types
        self.walked_fields = types.schema.walk
        self.natives: dict[str, Any] = counterparts(self.schema, types.schema)

    @abstractmethod
    def heads(self, domain: str, native: str, traverse: str = "traverse") -> Heads:
        """The heads of ``build``, ``extract`` and ``traverse`` between a domain type and a native type."""

    def functions(self) -> None:
        self.declarations()
        for composite in self.schema.composites:
            name = self.natives[composite.name].name
            if isinstance(composite, Record):
                self.record(composite, self.types.record(name))
            else:
                self.union(composite, self.types.union(name))

    @abstractmethod
    def record(self, record: Record, low: Record) -> None:
        """Writes ``build``, ``extract`` and ``traverse`` of a record, which the library has as ``low``."""

    @abstractmethod
    def union(self, union: Union, low: Union) -> None:
        """Writes ``build``, ``extract`` and ``traverse`` of a union, which the library has as ``low``."""

    def declarations(self) -> None:
        """Writes declarations of the generated functions that others call before they are defined."""
        before = used_before(self.schema)
        self.out(*([""] if before else []))
        for name in before:
            self.out(*self.declared(name))

    def declared(self, name: str) -> Iterable[str]:
        """The declarations of ``build``, ``extract`` and ``traverse`` of the record or union ``name``."""
        return (f"{head};" for head in self.heads(f"domain::{name}", self.natives[name].name))

    def empty_functions(self, heads: Heads, built: str = "") -> None:
        """Writes ``heads`` with bodies for a record without fields; ``built`` is the body of ``build``."""
        build, extract, traverse = (
            re.sub(r" (domain|native|value|view)(?=[,)])", "", head) for head in heads
        )
        self.out("", f"{build} {{{built}}}", f"{extract} {{}}", f"{traverse} {{ return 0; }}")

    def union_functions(
        self, heads: Heads, domain: str, has_value: Sequence[bool], uses: Uses, choose: Callable[[Use], None]
    ) -> None:
        """Writes a union's functions ``heads``. Their ``std::get`` never throws: they switch on the index.

        Args:
            domain: the name of the parameter for the domain's union.
            has_value: whether each alternative has a value; code for it finds that in the variable ``held``.
            uses: three callbacks that write the code for the n-th alternative: to build, extract and sum it.
            choose: writes a switch over the message's alternatives, with the code of a callback in each.
        """
        build, extract, add = uses

        def building(n: int) -> None:
            self.out(*([f"const auto& held = std::get<{n}>({domain}.value).value;"] if has_value[n] else []))
            build(n)

        def extracting(n: int) -> None:
            if has_value[n]:
                self.out(f"auto& held = chosen<{n}>({domain}.value).value;")
                extract(n)
            else:
                self.out(f"chosen<{n}>({domain}.value);")

        def summing(n: int) -> None:
            self.out(*([f"sum += {n};"] if n else []))
            if has_value[n]:
                add(n)

        with self.function(heads[0]):
            labels = [str(n) for n in range(len(has_value))]
            switch(self.out, f"{domain}.value.index()", labels, building)
        with self.function(heads[1]):
            choose(extracting)
        with self.sum_function(heads[2]):
            choose(summing)


def switch(
    out: Source,
    on: str,
    labels: Sequence[str],
    write: Use,
    otherwise: str = "",
    ends: bool = True,
) -> None:
    """Writes a C++ ``switch`` over ``on``. The n-th of ``labels`` gets a case, whose body ``write(n)``
    writes, with a ``break`` where ``ends``; ``otherwise`` is the statement for any other value."""
    with out.block(f"switch ({on}) {{"):
        for n, label in enumerate(labels):
            with out.block(f"case {label}: {{"):
                write(n)
                out(*(["break;"] if ends else []))
        if otherwise:
            out(f"default: {otherwise}")
