"""Text of Python, broken into lines as formatters do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from serbench.codegen.source import Source

COLUMNS = 110


def wrapped(out: Source, head: str, items: Sequence[str], tail: str) -> None:
    """Adds ``head``, the items between commas, and ``tail``, in one line where it fits; else the items in a
    line of their own, or in one each, as those of dicts and lists always are."""
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
    """The lines of an item: one, or three of an optional that is wider than that."""
    parts = re.fullmatch(r"(.*?None) (if \S+ is None) (else .*)", item) if len(item) > room else None
    return parts.groups() if parts else (item,)


def imports_of_domain(names: Sequence[str]) -> list[str]:
    """The lines that import these of ``cell.domain``; none where there are none."""
    line = f"from cell.domain import {', '.join(names)}"
    if len(line) > COLUMNS:
        return ["from cell.domain import (", *(f"    {name}," for name in names), ")"]
    return [line] if names else []


class LocalNames:
    """Names of the local variables of a function, no two alike."""

    def __init__(self, reserved: frozenset[str] = frozenset()):
        self._taken = set(reserved)

    def fresh(self, wanted: str) -> str:
        """``wanted``, or the same with a number where that is taken."""
        number, name = 1, wanted
        while name in self._taken:
            number += 1
            name = f"{wanted}{number}"
        self._taken.add(name)
        return name


@contextmanager
def suite(out: Source, head: str) -> Iterator[None]:
    """A line that ends in a colon, and what is below it."""
    out(head)
    with out.indented():
        yield
