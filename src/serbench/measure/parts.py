"""Runs of several machines: the run of each is a part, in a folder within.

A part is a run like any other, with a manifest that says which machine it is of, and a journal. So whatever
takes a run takes a part, and nothing else has to know that a sample is of one machine among many. The journal
of the whole says what became of the machines.

Where machines of a kind shared the cells, what is shown is a run of each kind, which their parts make
together.
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
    """The parts of a run of several machines, by their names; none of another run."""
    if not run.manifest.cluster:
        return []
    return [Run(path.parent, run.only) for path in sorted((run.directory / MACHINES).glob("*/manifest.json"))]


def name_of(part: Run) -> str:
    """The name of the machine that a part is of."""
    return part.directory.name


def kind_of(run: Run, machine: str) -> str:
    """The kind of a machine of a run."""
    machines = run.taken.machines
    return machines[machine].kind if machine in machines else "unknown kind"


def shown_parts(run: Run) -> list[Run]:
    """The parts that are shown of a run of several machines: the run of each machine; or, where machines of a
    kind shared the cells, one run of each kind, with the kind's name."""
    return (
        [_joined(run, kind, parts) for kind, parts in _kinds(run).items()]
        if is_shared(run)
        else parts_of(run)
    )


def is_shared(run: Run) -> bool:
    """Whether machines of a kind shared the cells of a run of several machines."""
    return bool(run.manifest.cluster and run.manifest.links)


def out_of_line(run: Run) -> dict[str, float]:
    """The machines of a run that are left out of the run of their kind, and how many times as long each takes
    as the others."""
    kinds = _kinds(run).values() if is_shared(run) else ()
    found = [_found(run, own).left_out for own in kinds]
    return {name: factor for left_out in found for name, factor in left_out.items()}


def whole_of(part: Run) -> Run:
    """The run of several machines that a part, or the run of a kind, is of; read anew."""
    return Run(part.directory.parent.parent, part.only)


def measured_parts(run: Run) -> list[Run]:
    """The runs that have the samples of one which is shown: those of the machines of its kind, or itself."""
    if run.directory.parent.name != KINDS:
        return [run]
    return _kinds(whole_of(run))[run.directory.name]


def _kinds(run: Run) -> dict[str, list[Run]]:
    """The parts of each kind, by its name. Kinds may be called otherwise where a run was continued among
    other machines, so a kind has the name that its first machine has."""
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
    """The part of a machine, by its name alone: not all parts are listed for each."""
    directory = run.directory / MACHINES / machine
    return Run(directory, run.only) if (directory / "manifest.json").is_file() else None


def part_of(run: Run, machine: str, manifest: Manifest) -> Run:
    """The part of a machine, which is begun where there is none."""
    before = part_named(run, machine)
    return before or begin_run(run.directory / MACHINES / machine, msgspec.to_builtins(manifest))


def whole_or_part(runs: Path, name: str | None, suite: str | None = None, note: Note = lambda _: None) -> Run:
    """The run that ``find_run`` finds, or the part that a name such as ``RUN/MACHINE`` gives, or ``RUN/KIND``
    where machines of a kind shared the cells."""
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
    """The run that ``whole_or_part`` finds, for code that takes the run of one machine.

    Raises:
        SelectionError: it is of several; names them.
    """
    run = whole_or_part(runs, name, note=note)
    if not run.manifest.cluster:
        return run
    parts = shown_parts(run)
    if len(parts) == 1:
        return parts[0]
    names = " or ".join(part.id for part in parts[:10]) or "another run, since this one measured nothing"
    raise SelectionError(f"run {run.id} is of several machines; expected one of them: {names}")


def each_part(runs: Iterable[Run]) -> Iterator[Run]:
    """The runs; each run of several machines is replaced by the parts that are shown of it."""
    for run in runs:
        if run.manifest.cluster:
            yield from shown_parts(run)
        else:
            yield run
