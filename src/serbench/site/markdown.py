"""Pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def plain(text: str) -> str:
    """Escape text so that it means nothing in Markdown, but for code between backticks."""
    parts = text.replace("\n", " ").split("`")
    if len(parts) % 2 == 0:  # a backtick without a second one
        parts = ["\\`".join(parts)]
    for n in range(0, len(parts), 2):
        parts[n] = _escaped(parts[n])
    return "`".join(parts).replace("|", "\\|")


def _escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{letter}" if letter in "*_[]" else letter for letter in text)


def code(text: str) -> str:
    """Write text in a monospaced font, also for a cell of a table."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text.replace('|', chr(92) + '|')}{fence}"


def listed(words: Iterable[str]) -> str:
    """Join words by commas."""
    return ", ".join(map(plain, words))


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: int | None = None) -> str:
    """Write a table, whose cells are Markdown already.

    Args:
        right: the first column that is aligned to the right, as figures are; all columns behind it are too.
    """
    marks = ["---:" if right is not None and n >= right else "---" for n in range(len(head))]
    lines = [head, marks, *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
