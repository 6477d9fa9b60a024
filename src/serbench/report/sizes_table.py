"""A first look at sizes: what the codecs that are ready so far make of the data, before anything is timed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from serbench.report.numbers import rounded, size_per_message
from serbench.report.table import Said, Table

_DIGITS = 3


@dataclass(frozen=True)
class Sized:
    """The size of all messages of a workload in a codec; ``apart`` where it does not compete."""

    name: str
    size_bytes: int
    apart: bool


def sizes_table(workload: str, messages: int, known: Sequence[Sized]) -> Table:
    """The sizes of a workload that are known so far: codecs that do not compete, then the smallest first."""
    ordered = sorted(known, key=lambda each: (not each.apart, each.size_bytes, each.name))
    first = next((each for each in ordered if not each.apart), None)
    per = "\nper message" if messages > 1 else ""
    return Table(
        f"{workload}: a first look at sizes; times follow",
        ["codec", f"size{per}", "×smallest"],
        [
            [each.name, size_per_message(each.size_bytes, messages), to_smallest(each, known)]
            for each in ordered
        ],
        frozenset({1, 2}),
        verdict=[Said("Smallest", f"{first.name} ({_size(first, messages)})" if first else "none yet")],
    )


def size_in_words(messages: int, sized: Sized, known: Sequence[Sized]) -> str:
    """``NAME: 210.5 bytes per message, ×1.07 the smallest so far``."""
    return f"{sized.name}: {_size(sized, messages)}, {to_smallest(sized, known)} the smallest so far"


def _size(sized: Sized, messages: int) -> str:
    per = " per message" if messages > 1 else ""
    return f"{size_per_message(sized.size_bytes, messages)} bytes{per}"


def to_smallest(sized: Sized, known: Sequence[Sized]) -> str:
    """The ratio to the smallest codec so far that competes; where none does, to the smallest of all."""
    contenders = [each.size_bytes for each in known if not each.apart] or [each.size_bytes for each in known]
    smallest = min(contenders)
    return f"×{rounded(sized.size_bytes / smallest, _DIGITS)}" if smallest else "–"
