"""The functions of each record and union: one builds the library's object, one extracts a domain object from
it, and one adds up its values."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from serbench.codegen.naming import counterparts
from serbench.codegen.source import Source
from serbench.idl.lower import Lowered
from serbench.languages.cpp.glue import GlueHeader
from serbench.model import Schema, Walk
from serbench.model.parts import back_references, parts

Heads = tuple[str, str, str]
"""The heads of these functions."""

Use = Callable[[int], None]
"""Writes what is done with the n-th alternative of a union."""

Uses = tuple[Use, Use, Use]

UNKNOWN_ALTERNATIVE = 'throw DecodeError("a union has none of its alternatives");'


class CompositeGlue(GlueHeader):
    """A file with the functions of every record and union.

    Attributes:
        types: the schema's types, and what each is lowered to in a message.
        natives: name in the domain → the record, union or enum of the library.
    """

    def __init__(self, types: Lowered, what: str, includes: list[str], root: str):
        super().__init__(types.declared, what, includes, root)
        self.types = types
        self.natives: dict[str, Any] = counterparts(self.schema, types.schema)

    @abstractmethod
    def heads(self, domain: str, native: str, traverse: str = "traverse") -> Heads:
        """The heads of the functions for a type of the domain and the library's type of this name."""

    @property
    def walked_fields(self) -> Walk | None:
        return self.types.schema.walk

    def declarations(self) -> None:
        """Declares the functions that are called before they are written."""
        before = used_before(self.schema)
        self.out(*([""] if before else []))
        for name in before:
            self.out(*self.declared(name))

    def declared(self, name: str) -> Iterable[str]:
        """The declarations of the functions of a record or union."""
        return (f"{head};" for head in self.heads(f"domain::{name}", self.natives[name].name))

    def empty_functions(self, heads: Heads, built: str = "") -> None:
        """The functions of a record without fields; ``built`` is what is done to build it."""
        build, extract, traverse = (
            re.sub(r" (domain|native|value|view)(?=[,)])", "", head) for head in heads
        )
        self.out("", f"{build} {{{built}}}", f"{extract} {{}}", f"{traverse} {{ return 0; }}")

    def union_functions(
        self, heads: Heads, domain: str, has_value: Sequence[bool], uses: Uses, choose: Callable[[Use], None]
    ) -> None:
        """The functions of a union; ``std::get`` does not fail where the index was looked at.

        Args:
            domain: the parameter that has the domain's union.
            has_value: whether each alternative has a value, which is called ``held``.
            uses: build any alternative; extract and sum one with a value.
            choose: writes what is done with each alternative of a message.
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


def used_before(schema: Schema) -> list[str]:
    """The records and unions to which something that they hold leads back: their functions are called before
    they are written."""
    found: dict[str, None] = {}
    written: set[str] = set()
    for composite in schema.composites:
        back = (ref.name for part in parts(composite) for ref in back_references(part))
        found |= dict.fromkeys(name for name in back if name not in written)
        written.add(composite.name)
    return list(found)


def switch(
    out: Source,
    on: str,
    labels: Sequence[str],
    write: Use,
    otherwise: str = "",
    ends: bool = True,
) -> None:
    """A switch with a case for each label, in which ``write`` writes what is done; ``ends`` says that a break
    follows."""
    with out.block(f"switch ({on}) {{"):
        for n, label in enumerate(labels):
            with out.block(f"case {label}: {{"):
                write(n)
                out(*(["break;"] if ends else []))
        if otherwise:
            out(f"default: {otherwise}")
