"""Beginnings by which the format of a file is told where its ending says nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

_COMMENTS = re.compile(rb"(?:\s+|//[^\n]*\n|#[^\n]*\n|/\*.*?\*/)*", re.DOTALL)


def statement(pattern: bytes, words: str) -> Callable[[bytes], str]:
    """Returns a function of a file's first bytes, which returns ``words`` if the first statement, behind
    comments, matches ``pattern``, and else an empty text."""
    first = re.compile(pattern)

    def beginning(head: bytes) -> str:
        behind = _COMMENTS.match(head)
        return words if behind and first.match(head, behind.end()) else ""

    return beginning


def bytes_of(*marks: tuple[bytes, str]) -> Callable[[bytes], str]:
    """Returns a function of a file's first bytes: the words of the mark that begins them; else empty."""
    return lambda head: next((words for mark, words in marks if head.startswith(mark)), "")
