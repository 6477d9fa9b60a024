"""Runs of several machines: what became of each, and where codecs change places from one kind to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.measure.events import MachineEvent
from serbench.measure.parts import name_of, parts_of
from serbench.measure.store import MACHINES, Run
from serbench.report.order_table import order_table
from serbench.report.table import Table


def titled_parts(run: Run) -> Iterator[tuple[str, Run]]:
    """The run of each machine, with the beginning of its tables' titles; of one machine, the run itself."""
    if not run.manifest.cluster:
        yield "", run
        return
    machines = run.taken.machines
    parts = {name_of(part): part for part in parts_of(run)}
    for name in sorted(parts, key=lambda name: (_kind(machines, name), name)):
        yield f"{name}, {_kind(machines, name)}: ", parts[name]


def _kind(machines: dict[str, MachineEvent], name: str) -> str:
    return machines[name].kind if name in machines else "unknown kind"


def machine_of(run: Run) -> dict[str, Any]:
    """What the records of a machine's part say of it; nothing in those of another run."""
    if run.directory.parent.name != MACHINES:
        return {}
    whole = Run(run.directory.parent.parent)
    return {"machine": name_of(run), "kind": _kind(whole.taken.machines, name_of(run))}


def machines_tables(run: Run) -> list[Table]:
    """A table of the machines of a run; none for a run of one."""
    if not run.manifest.cluster:
        return []
    parts = {name_of(part): part for part in parts_of(run)}
    machines = run.taken.machines
    rows = []
    for name in sorted({*parts, *machines}, key=lambda name: (_kind(machines, name), name)):
        part, event = parts.get(name), machines.get(name)
        status = "measured" if part and part.taken.ended else event.status if event else "measures"
        rows.append(
            (
                name,
                _kind(machines, name),
                part.manifest.machine.processor_in_words if part else "–",
                status.replace("_", " "),
                event.reason if event and status != "measured" else "",
            )
        )
    of_machines = Table("machines", ("machine", "kind", "processor", "status", "reason"), rows)
    kinds: dict[str, list[Run]] = {}
    for name, part in parts.items():
        kinds.setdefault(_kind(machines, name), []).append(part)
    order = order_table(kinds)
    return [*([order] if order else []), of_machines]
