"""The matrix of writers and readers of one format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from serbench.report.table import Table
from serbench.verification.interop import Exchange


def interop_tables(exchanges: Sequence[Exchange]) -> list[Table]:
    """One table for each format and workload: writers in rows, readers in columns; failures below."""
    keys = dict.fromkeys((e.workload, e.format) for e in exchanges)
    return [_table(*key, [e for e in exchanges if (e.workload, e.format) == key]) for key in keys]


def record_of(exchange: Exchange) -> dict[str, Any]:
    """The outcome of an exchange in plain values, for ``--format json``."""
    return {
        **asdict(exchange),
        "status": "failed" if exchange.failed else "not tried" if exchange.reason else "ok",
    }


def _table(workload: str, format: str, exchanges: Sequence[Exchange]) -> Table:
    names = list(dict.fromkeys(name for e in exchanges for name in (e.writer, e.reader)))
    reasons: dict[str, str] = {}
    cells = {}
    for each in exchanges:
        if each.reason:
            letter = reasons.setdefault(each.reason, _letters(len(reasons)))
            cells[each.writer, each.reader] = f"{'✗' if each.failed else '–'} {letter}"
        else:
            cells[each.writer, each.reader] = "✓✓" if each.same_bytes else "✓"
    numbers = [str(n) for n in range(1, len(names) + 1)]
    rows = [
        [n, writer, *(cells.get((writer, reader), "") for reader in names)]
        for n, writer in zip(numbers, names, strict=True)
    ]
    notes = [
        "✓: the reader gets every value; ✓✓: it also writes the same bytes itself; "
        "✗: it does not get them; –: not tried."
    ]
    notes += [f"{letter}: {reason}" for reason, letter in reasons.items()]
    marks = frozenset(range(2, 2 + len(numbers)))  # never broken, as figures are not
    title = f"{format}, {workload}: who can read whose bytes"
    return Table(title, ["", "writer ↓  reader →", *numbers], rows, marks, notes)


def _letters(n: int) -> str:
    """Name the n-th reason by letters: ``a`` to ``z``, then ``aa``."""
    return (_letters(n // 26 - 1) if n >= 26 else "") + chr(ord("a") + n % 26)
