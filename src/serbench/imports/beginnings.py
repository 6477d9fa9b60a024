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


_NO_TEXT = re.compile(rb".{0,16}[\x00-\x08\x80-\xff]", re.DOTALL)


def bytes_of(*marks: tuple[bytes, str]) -> Callable[[bytes], str]:
    """Returns a function of a file's first bytes: the words of the mark that begins them and has bytes behind
    it that no text has, since a column of a table may have the name of a mark; else empty."""

    def beginning(head: bytes) -> str:
        return next(
            (words for mark, words in marks if head.startswith(mark) and _NO_TEXT.match(head, len(mark))), ""
        )

    return beginning
