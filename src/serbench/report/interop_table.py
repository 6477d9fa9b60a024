"""The matrix of writers and readers of one format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from serbench.measure.interop import Exchange
from serbench.report.table import Table


def interop_tables(exchanges: Sequence[Exchange]) -> list[Table]:
    """One table for each format and workload, writers in rows and readers in columns; reasons below, by number."""
    keys = dict.fromkeys((e.workload, e.format) for e in exchanges)
    return [_table(*key, [e for e in exchanges if (e.workload, e.format) == key]) for key in keys]


def record_of(exchange: Exchange) -> dict[str, Any]:
    """Plain values for ``--format json``."""
    return {**asdict(exchange), "status": "failed" if exchange.failed else "not tried" if exchange.reason else "ok"}


def _table(workload: str, format: str, exchanges: Sequence[Exchange]) -> Table:
    names = list(dict.fromkeys(e.writer for e in exchanges))
    reasons: dict[str, int] = {}
    cells = {}
    for each in exchanges:
        if each.reason:
            number = reasons.setdefault(each.reason, len(reasons) + 1)
            cells[each.writer, each.reader] = f"{'✗' if each.failed else '–'} ({number})"
        else:
            cells[each.writer, each.reader] = "✓ same bytes" if each.same_bytes else "✓"
    rows = [[writer, *(cells.get((writer, reader), "") for reader in names)] for writer in names]
    notes = [f"({number}) {reason}" for reason, number in reasons.items()]
    return Table(f"{format}, {workload}: who reads what another wrote", ["writer ↓  reader →", *names], rows, notes=notes)
