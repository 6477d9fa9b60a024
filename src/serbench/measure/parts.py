"""Runs of several machines: the run of each machine is a part, in a folder inside the whole run's folder.

A part is a run like any other, with a manifest that says which machine it is of, and a journal. So code that
takes a run takes a part too, and no other code has to know that a sample is of one machine among many. The
journal of the whole run says what became of the machines.

Where machines of a kind shared the cells, what is shown is one run for each kind, joined from the parts of
its machines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from serbench.errors import SelectionError, unknown
from serbench.measure.joined import Joined, joined
from serbench.measure.manifest import Manifest
from serbench.measure.store import KINDS, MACHINES, Note, Run, begin_run, find_run


def parts_of(run: Run) -> list[Run]:
    """Return the parts of a run of several machines, sorted by name; none if the run is of one machine."""
    if not run.manifest.cluster:
        return []
    return [Run(path.parent, run.only) for path in sorted((run.directory / MACHINES).glob("*/manifest.json"))]


def name_of(part: Run) -> str:
    """Return the name of the machine on which a part was measured."""
    return part.directory.name


def kind_of(run: Run, machine: str) -> str:
    """Return the kind of a run's machine, by the machine's name."""
    machines = run.taken.machines
    return machines[machine].kind if machine in machines else "unknown kind"


def shown_parts(run: Run) -> list[Run]:
    """Return the runs that are shown for a run of several machines: one for each machine or, where machines
    of a kind shared the cells, one for each kind, with the kind's name."""
    return (
        [_joined(run, kind, parts) for kind, parts in _kinds(run).items()]
        if is_shared(run)
        else parts_of(run)
    )


def is_shared(run: Run) -> bool:
    """Whether the machines of each kind divided the cells of a run among them."""
    return bool(run.manifest.cluster and run.manifest.links)


def out_of_line(run: Run) -> dict[str, float]:
    """Return the machines that are left out of the run of their kind because their times deviate; each with
    how many times as long it takes as the others."""
    kinds = _kinds(run).values() if is_shared(run) else ()
    found = [_found(run, own).left_out for own in kinds]
    return {name: factor for left_out in found for name, factor in left_out.items()}


def whole_of(part: Run) -> Run:
    """Return the run of several machines that contains a part, or from which the run of a kind is joined; it
    is read anew."""
    return Run(part.directory.parent.parent, part.only)


def measured_parts(run: Run) -> list[Run]:
    """Return the runs that hold the samples of a run which is shown: those of all machines of its kind, or
    the run itself."""
    if run.directory.parent.name != KINDS:
        return [run]
    return _kinds(whole_of(run))[run.directory.name]


def _kinds(run: Run) -> dict[str, list[Run]]:
    """Return the parts of each kind, by the kind's name. A run that was continued among other machines may
    call one kind by several names; the name for its first machine counts."""
    machines, names = run.taken.machines, dict[str, str]()
    kinds: dict[str, list[Run]] = {}
    for part in parts_of(run):
        event = machines.get(name_of(part))
        kind = kind_of(run, name_of(part))
        kinds.setdefault(names.setdefault((event and event.kind_id) or kind, kind), []).append(part)
    return kinds


def _found(run: Run, parts: Iterable[Run]) -> Joined:
    return joined({name_of(part): part.taken for part in parts}, run.manifest.links)


def _joined(run: Run, kind: str, parts: Sequence[Run]) -> Run:
    found = _found(run, parts)
    within = next(part for part in parts if name_of(part) not in found.left_out)
    shown = Run(run.directory / KINDS / kind, run.only)
    return shown.holding(msgspec.structs.replace(within.manifest, run=shown.id), found.taken)


def part_named(run: Run, machine: str) -> Run | None:
    """Return the part of the machine with this name, without listing the other parts; None if there is
    none."""
    directory = run.directory / MACHINES / machine
    return Run(directory, run.only) if (directory / "manifest.json").is_file() else None


def part_of(run: Run, machine: str, manifest: Manifest) -> Run:
    """Return the part of a machine; begin it where there is none yet."""
    before = part_named(run, machine)
    return before or begin_run(run.directory / MACHINES / machine, msgspec.to_builtins(manifest))


def whole_or_part(runs: Path, name: str | None, suite: str | None = None, note: Note = lambda _: None) -> Run:
    """Return the run that ``find_run`` finds; for a name such as ``RUN/MACHINE`` that machine's part, and for
    ``RUN/KIND``, where machines of a kind shared the cells, the run of that kind."""
    before, slash, machine = (name or "").partition("/")
    run = find_run(runs, before if slash else name, suite, note)
    if not slash:
        return run
    parts = {name_of(part): part for part in (*parts_of(run), *shown_parts(run))}
    if machine not in parts:
        raise (
            unknown(f"machine of run {run.id}", machine, parts)
            if parts
            else SelectionError(f"found '{name}', but run {run.id} is of one machine; expected {run.id}")
        )
    return parts[machine]


def single(runs: Path, name: str | None, note: Note = lambda _: None) -> Run:
    """Return the run that ``whole_or_part`` finds, for code that needs the run of one machine; raise
    SelectionError, which names the machines, where it is of several."""
    run = whole_or_part(runs, name, note=note)
    if not run.manifest.cluster:
        return run
    parts = shown_parts(run)
    if len(parts) == 1:
        return parts[0]
    names = " or ".join(part.id for part in parts[:10]) or "another run, since this one measured nothing"
    raise SelectionError(f"run {run.id} is of several machines; expected one of them: {names}")


def each_part(runs: Iterable[Run]) -> Iterator[Run]:
    """Yield the runs, but in place of a run of several machines the runs that are shown for it."""
    for run in runs:
        if run.manifest.cluster:
            yield from shown_parts(run)
        else:
            yield run
