"""Beginnings by which the format of a file is told where its ending says nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

_COMMENTS = re.compile(rb"(?:\s+|//[^\n]*\n|#[^\n]*\n|/\*.*?\*/)*", re.DOTALL)


def statement(pattern: bytes, words: str) -> Callable[[bytes], str]:
    """Tells whether the first statement of a schema, behind its comments, matches ``pattern``; ``words`` say
    so."""
    first = re.compile(pattern)

    def beginning(head: bytes) -> str:
        behind = _COMMENTS.match(head)
        return words if behind and first.match(head, behind.end()) else ""

    return beginning


def bytes_of(*marks: tuple[bytes, str]) -> Callable[[bytes], str]:
    """Tells whether a file begins with one of the marks, each with the words that say so."""
    return lambda head: next((words for mark, words in marks if head.startswith(mark)), "")
