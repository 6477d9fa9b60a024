"""The common part of generators of C functions over the domain types: heads, bodies and long lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from serbench.codegen.source import Source
from serbench.languages.c.types import Types
from serbench.model import Schema, Type, Union

WIDTH = 110
"""Columns of a line, as clang-format has them."""


class FunctionPairs:
    """Generator of a C file with functions for each domain type that is made of others."""

    def __init__(self, schema: Schema):
        self.types = Types(schema)
        self.out = Source()

    def to(self, type: Type) -> str:
        """The declaration of the parameter ``to``, which points to the value that a function sets."""
        return f"{self.types.pointee(type)}* to"

    def of(self, type: Type) -> str:
        """The declaration of the parameter ``from``, which points to the value that a function reads."""
        pointee = self.types.pointee(type)
        return f"{pointee} const* from" if pointee.endswith("*") else f"const {pointee}* from"

    @contextmanager
    def function(self, head: str) -> Iterator[None]:
        """Writes a function around what the ``with`` block writes, on one line where there is room."""
        file, self.out = self.out, Source()
        try:
            yield
            body, self.out = self.out.text().splitlines(), file
        finally:
            self.out = file
        self.out("")
        short = f"static {head} {{ {body[0]} }}"
        if len(body) == 1 and len(short) <= WIDTH:
            self.out(short)
        else:
            with self.out.block(_broken(f"static {head} {{")):
                self.out(*body)

    def declare(self, head: str) -> None:
        """Writes the declaration of a function that is called before it is defined."""
        self.out(_broken(f"static {head};"))

    def all_of(self, terms: Sequence[str], operator: str = "&&", before: str = "return ") -> None:
        """Writes the statement that begins with ``before`` and goes on with terms, the operator between them,
        on as many lines as it takes."""
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
        """Writes a C loop with the counter ``n`` up to ``count``, around what the ``with`` block writes."""
        return self.out.block(f"for (size_t n = 0; n < {count}; ++n) {{")

    def short_loop(self, count: str, statement: str) -> None:
        """Writes a loop of one statement, on one line where there is room."""
        self.in_two(f"for (size_t n = 0; n < {count}; ++n)", statement)

    def in_two(self, head: str, rest: str, indent: str = "  ") -> None:
        """Writes a statement on one line where there is room, else with ``rest`` on a line of its own."""
        self.out(*self.fitted(head, rest, indent))

    def fitted(self, head: str, rest: str, indent: str = "  ") -> Sequence[str]:
        """The lines of a statement: one where there is room, else with ``rest`` on a line of its own."""
        room = WIDTH - self.out.margin - len("  ")
        one = f"{head} {rest}"
        return [one] if len(one) <= room else [*_broken(head, room).splitlines(), f"{indent}{rest}"]

    def cases(self, of: str, type: Union, held: Callable[[Type, str], str], empty: str) -> None:
        """Writes a switch over the alternatives of a union.

        Args:
            of: the expression that tells which alternative there is.
            held: the statement for an alternative with a value, by its type and the place in the union's
                struct.
            empty: the statement for alternatives without a value.
        """
        tags = list(zip(type.alternatives, self.types.tags(type), strict=True))
        with self.out.block(f"switch ({of}) {{"):
            for alternative, tag in tags:
                if alternative.type is not None:
                    self.case([tag], held(alternative.type, f"as.{alternative.name}"))
            if without := [tag for alternative, tag in tags if alternative.type is None]:
                self.case(without, empty)

    def case(self, tags: Sequence[str], statement: str) -> None:
        self.out(*(f"case {tag}:" for tag in tags))
        with self.out.indented():
            self.out(statement)

    def reach(self, root: str, node: str, count: str, target: str) -> None:
        """Writes ``reach_from``, which tells a walk where the edges of one of a graph's nodes lead.

        Args:
            root: the declaration of the graph's root, and ``node`` that of the node ``from``.
            count: the expression for the number of its edges, and ``target`` for the target of the n-th.
        """
        with self.function("void reach_from(const void* graph, size_t node, serbench_walk* to)"):
            self.out(root, node, f"for (size_t n = 0; n < {count}; ++n) serbench_reach(to, {target});")


def joined(terms: Sequence[str]) -> str:
    """The C expression that is true where all ``terms`` are, in brackets where there are several."""
    return terms[0] if len(terms) == 1 else f"({' && '.join(terms)})"


def literal(text: str) -> str:
    """A string literal and the number of its bytes in UTF-8, as two arguments."""
    data = text.encode()
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in data)
    return f'"{"".join(plain)}", {len(data)}'


def _broken(line: str, room: int = WIDTH) -> str:
    """The line with its last parameter or argument on a line of its own, below the first one, where the line
    is too long and has several."""
    if len(line) <= room or ", " not in line:
        return line
    rest, _, last = line.rpartition(", ")
    opened = [
        n for n, character in enumerate(rest) if character == "(" and rest.count(")", n) < rest.count("(", n)
    ]
    return f"{rest},\n{' ' * (opened[-1] + 1)}{last}"
