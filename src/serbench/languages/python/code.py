"""Text of Python, broken into lines as formatters break it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from serbench.codegen.source import Source

COLUMNS = 110


def wrapped(out: Source, head: str, items: Sequence[str], tail: str) -> None:
    """Write ``head``, the items with commas between, and ``tail`` in one line where that fits. Otherwise all
    items share a line of their own; items of dicts and lists, or too many, get a line each."""
    together = ", ".join(items)
    if out.margin + len(head) + len(together) + len(tail) <= COLUMNS or not items:
        out(f"{head}{together}{tail}")
        return
    out(head)
    with out.indented():
        if out.margin + len(together) <= COLUMNS and not head.endswith(("{", "[")):
            out(together)
        else:
            for item in items:
                out(*_broken(f"{item},", COLUMNS - out.margin))
    out(tail)


def _broken(item: str, room: int) -> Sequence[str]:
    """Return the lines of an item: one, or three for an optional that is too wide."""
    parts = re.fullmatch(r"(.*?None) (if \S+ is None) (else .*)", item) if len(item) > room else None
    return parts.groups() if parts else (item,)


def imports_of_domain(names: Sequence[str]) -> list[str]:
    """Return the lines that import names of ``cell.domain``; none for no names."""
    line = f"from cell.domain import {', '.join(names)}"
    if len(line) > COLUMNS:
        return ["from cell.domain import (", *(f"    {name}," for name in names), ")"]
    return [line] if names else []


class LocalNames:
    """Gives the local variables of a function names, no two alike."""

    def __init__(self, reserved: frozenset[str] = frozenset()):
        self._taken = set(reserved)

    def fresh(self, wanted: str) -> str:
        """Return the ``wanted`` name, with a number behind it where the name is taken."""
        number, name = 1, wanted
        while name in self._taken:
            number += 1
            name = f"{wanted}{number}"
        self._taken.add(name)
        return name


@contextmanager
def suite(out: Source, head: str) -> Iterator[None]:
    """Write a line that ends in a colon, and below it what the body writes."""
    out(head)
    with out.indented():
        yield
