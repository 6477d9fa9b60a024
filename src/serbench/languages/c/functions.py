"""What generators of C over the domain types have in common: a function for each type that is made of others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from serbench.codegen.source import Source
from serbench.languages.c.types import Types
from serbench.model import Array, List, Map, Optional, Record, Schema, Type

WIDTH = 120
"""Columns of a line, as clang-format has them."""


class Functions(ABC):
    """A file with a pair of functions for each composite type, each after those it calls."""

    def __init__(self, schema: Schema):
        self.types = Types(schema)
        self.out = Source()

    @property
    def wraps(self) -> bool:
        """Whether the root has one field, as which libraries that write any type write it."""
        return len(self.types.schema.root.fields) == 1

    @abstractmethod
    def record(self, type: Record) -> None:
        """The functions of a record; the others likewise."""

    @abstractmethod
    def list(self, type: List) -> None: ...
    @abstractmethod
    def array(self, type: Array) -> None: ...
    @abstractmethod
    def map(self, type: Map) -> None: ...
    @abstractmethod
    def optional(self, type: Optional) -> None: ...

    def functions(self) -> None:
        for type in self.types.composites:
            match type:
                case Record():
                    self.record(type)
                case List():
                    self.list(type)
                case Array():
                    self.array(type)
                case Map():
                    self.map(type)
                case Optional():
                    self.optional(type)

    def to(self, type: Type, name: str = "to") -> str:
        """A parameter that is written to."""
        return f"{self.types.pointee(type)}* {name}"

    def of(self, type: Type, name: str = "from") -> str:
        """A parameter that is read from."""
        return f"const {self.types.pointee(type)}* {name}"

    @contextmanager
    def function(self, head: str) -> Iterator[None]:
        """A function of this head, with what the body adds; on one line where there is room for it."""
        file, self.out = self.out, Source()
        try:
            yield
            body, self.out = self.out.text().splitlines(), file
        finally:
            self.out = file
        self.out("")
        head = _broken(head)
        short = f"static {head} {{ {body[0]} }}"
        if len(body) == 1 and len(short) <= WIDTH:
            self.out(short)
        else:
            with self.out.block(f"static {head} {{"):  # which may be two lines
                self.out(*body)

    def all_of(self, terms: Sequence[str], operator: str = "&&", before: str = "return ") -> None:
        """Whether all terms hold, each tried only where the ones before it did; ``before`` is what is done with it."""
        head, line = before, ""
        for n, term in enumerate(terms):
            piece = f"{term} {operator}" if n + 1 < len(terms) else f"{term};"
            if line and len(head) + len(line) + 1 + len(piece) + 2 > WIDTH:
                self.out(f"{head}{line}")
                head, line = " " * len(before), piece
            else:
                line = f"{line} {piece}".lstrip()
        self.out(f"{head}{line}")

    def loop(self, count: str) -> AbstractContextManager[None]:
        """A loop over the items of a list; ``n`` counts them."""
        return self.out.block(f"for (size_t n = 0; n < {count}; ++n) {{")

    def short_loop(self, count: str, statement: str) -> None:
        """A loop of one statement, on one line where there is room for it."""
        head = f"for (size_t n = 0; n < {count}; ++n)"
        self.out(*([f"{head} {statement}"] if len(f"  {head} {statement}") <= WIDTH else [head, f"  {statement}"]))

    def table(self, head: str, *members: str) -> None:
        """A constant of designated initialisers."""
        with self.out.block(f"{head} = {{", "};"), self.out.indented():
            self.out(*(f"{member}," for member in members))


def _broken(head: str) -> str:
    """The head of a function with its last parameter on a line of its own, where there is not enough room."""
    if len(f"static {head} {{") <= WIDTH:
        return head
    rest, _, last = head.rpartition(", ")
    return f"{rest},\n{' ' * (len('static ') + head.index('(') + 1)}{last}"
