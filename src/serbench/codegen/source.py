"""Writes source text line by line with indentation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Source:
    """Lines of one generated file."""

    def __init__(self, indent: str = "  "):
        self._indent = indent
        self._depth = 0
        self._lines: list[str] = []

    def __call__(self, *lines: str) -> None:
        """Adds lines at the current depth; an empty one stays empty."""
        for line in lines:
            self._lines.append(self._indent * self._depth + line if line else "")

    @contextmanager
    def block(self, head: str, end: str = "}") -> Iterator[None]:
        """Adds ``head``, the lines that the body of this context adds, one level deeper, and ``end``."""
        self(head)
        with self.indented():
            yield
        self(end)

    @contextmanager
    def either(self, head: str, *otherwise: str) -> Iterator[None]:
        """Adds an if statement: ``head``, lines that the context's body adds, and else ``otherwise``."""
        with self.block(head, "} else {"):
            yield
        with self.indented():
            self(*otherwise)
        self("}")

    @contextmanager
    def indented(self) -> Iterator[None]:
        self._depth += 1
        yield
        self._depth -= 1

    @property
    def margin(self) -> int:
        """How many columns the lines that are added now are indented."""
        return len(self._indent) * self._depth

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"
