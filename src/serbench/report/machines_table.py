"""Runs of several machines: what became of each, and where codecs change places from one kind to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.measure import parts
from serbench.measure.store import KINDS, MACHINES, Run
from serbench.report.gathering import gathered
from serbench.report.order_table import order_table
from serbench.report.rows import Row, rows_of
from serbench.report.table import Table


@dataclass(frozen=True)
class MachineRun:
    """One machine of a run of several, or one kind whose machines divided the cells among them.

    Attributes:
        run: the part of the whole run that was measured on it, of which ``rows`` are the rows.
    """

    name: str
    kind: str
    run: Run
    rows: Sequence[Row]


def parts_with_rows(run: Run) -> list[MachineRun]:
    """The machines of a run of several, or its kinds where machines shared the cells, with their rows."""
    if not run.manifest.cluster:
        return []
    return [MachineRun(name, kind, part, rows_of(part)) for name, kind, part in _shown(run)]


def titled_parts(run: Run) -> Iterator[tuple[str, Run]]:
    """The run of each machine, or of each kind whose machines shared the cells, with the beginning
    of its tables' titles; for a run of one machine, that run."""
    if not run.manifest.cluster:
        yield "", run
        return
    for name, kind, part in _shown(run):
        yield f"{name}: " if parts.is_shared(run) else f"{name}, {kind}: ", part


def _shown(run: Run) -> list[tuple[str, str, Run]]:
    """Name, kind and run of each machine of a run of several, or of each kind that shared the cells."""
    shown = [(parts.name_of(part), part) for part in parts.shown_parts(run)]
    kinds = {name: name if parts.is_shared(run) else parts.kind_of(run, name) for name, _ in shown}
    return sorted(((name, kinds[name], part) for name, part in shown), key=lambda each: each[1::-1])


def machine_of(run: Run) -> dict[str, Any]:
    """The entries ``machine`` and ``kind``, or ``kind`` alone, for JSON on a part; empty for a whole run."""
    folder, name = run.directory.parent, parts.name_of(run)
    if folder.name == KINDS:
        return {"kind": name}
    return (
        {"machine": name, "kind": parts.kind_of(Run(folder.parent), name)} if folder.name == MACHINES else {}
    )


def machines_tables(run: Run) -> list[Table]:
    """Tables of where kinds differ in order, and of each machine's outcome; none for one machine."""
    if not run.manifest.cluster:
        return []
    kinds = gathered((kind, part) for _, kind, part in _shown(run))
    order = order_table(kinds)
    return [*([order] if order else []), _machines_table(run, kinds)]


def _machines_table(run: Run, kinds: Mapping[str, Sequence[Run]]) -> Table:
    known = {parts.name_of(part): part for part in parts.parts_of(run)}
    machines, strange = run.taken.machines, parts.out_of_line(run)
    rows = []
    for name in sorted({*known, *machines}, key=lambda name: (parts.kind_of(run, name), name)):
        part, event = known.get(name), machines.get(name)
        status: str = "measured" if part and part.taken.ended else event.status if event else "measures"
        reason = event.reason if event and status != "measured" else ""
        if name in strange:
            status, reason = "out of line", f"takes {strange[name]:.2f} times as long as others of its kind"
        processor = part.manifest.machine.processor_in_words if part else "–"
        rows.append((name, parts.kind_of(run, name), processor, status.replace("_", " "), reason))
    notes = [note for kind, own in kinds.items() if parts.is_shared(run) for note in _apart(kind, own[0])]
    return Table("machines", ("machine", "kind", "processor", "status", "reason"), rows, notes=notes)


def _apart(kind: str, run: Run) -> Iterator[str]:
    """A note on how uncertain ratios are because machines shared the cells; none for a single machine."""
    if len(parts.measured_parts(run)) == 1:
        return
    shared = f"The machines of {kind} shared the cells."
    if spreads := run.taken.spreads:
        most = max(spreads.values())
        yield f"{shared} They are not alike, which makes ratios uncertain by {most:.1%}; intervals have it."
    else:
        yield f"{shared} How far they are apart cannot be told from what they measured."
