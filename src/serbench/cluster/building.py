"""Builds the programs that a client orders on a worker, or receives them from other machines of its kind."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from serbench.building.prepare import Listener, own_units, prepare_builds, with_layouts, would_build
from serbench.cluster.messages import Handed, KeptProgram, Order, Programs
from serbench.cluster.ordering import job_of
from serbench.cluster.programs import KeptPrograms, Shelf
from serbench.errors import SerbenchError
from serbench.languages.base import Toolchain
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.system.locks import using_home
from serbench.system.stamp import sha256_of

_named: set[tuple[str, str]] = set()
"""Run and key of each program that this worker told a client it would build; it accepts no others."""


@dataclass
class BuiltUnits:
    """The units that this worker has built for an order.

    Attributes:
        shelf: the programs that this machine kept already, and did not have to build.
        notes: lines for the user.
    """

    job: Job
    units: Sequence[Unit]
    shelf: Shelf
    notes: list[str] = field(default_factory=list)

    def linked(self, units: Sequence[Unit]) -> list[Unit]:
        """Return the units with the job's layouts, as far as they can be linked here."""
        return with_layouts(self.job, units, self.notes.append, unseen)


def built_for(order: Order) -> BuiltUnits:
    """Build what a client orders, except for programs that this machine already keeps; raise SerbenchError
    where that is not possible, or the client has other sources or data."""
    with _building(order) as built:
        return built


@contextmanager
def _building(order: Order) -> Iterator[BuiltUnits]:
    """Provide the units that were built for an order, while the home folder is still locked for building."""
    shelf, notes = Shelf(_kept(), order), list[str]()
    with job_of(order, notes.append) as job:
        units = prepare_builds(job, Listener(notes.append), shelf.command)
        yield BuiltUnits(job, units, shelf, notes)


def programs(order: Order) -> Programs:
    """Return the programs of an order that machines of one kind can pass to each other."""
    shelf, notes = Shelf(_kept(), order), list[str]()
    with job_of(order, notes.append) as job:
        found = _told(shelf, would_build(job, notes.append))
    _named.update((each.run, each.key) for each in found)
    return Programs(programs=found, notes=tuple(notes))


def make(order: Order) -> Programs:
    """Build those programs of an order that are not kept, and keep them with their layouts for the machines
    of this kind; return all programs of the order."""
    with _building(order) as built:
        pairs = [(build, unit) for build in built.job.builds for unit in own_units(build, built.units)]
        new = {
            key: (build, unit)
            for build, unit in pairs
            if (key := built.shelf.key(build, unit)) and not built.shelf.kept.files(key)
        }
        linked = built.linked([unit for _, unit in new.values()])
        for (key, (build, _)), unit in zip(new.items(), linked, strict=True):
            # A program that could not be linked in all layouts is left to each machine, which then says so.
            if len(unit.layouts) == (order.layouts if build.layouts else 0):
                commands = (unit.command, *unit.layouts)
                built.shelf.kept.keep(key, [Path(command[0]).read_bytes() for command in commands])
        return Programs(programs=_told(built.shelf, pairs), notes=tuple(built.notes))


def give(program: KeptProgram) -> tuple[bytes, ...]:
    """Return a program that this machine keeps, and its layouts; raise SerbenchError where it no longer keeps
    them."""
    with using_home(Paths.default().home, unseen, shared=True):
        if not (files := KeptPrograms(_kept() / program.run).read(program.key)):
            raise SerbenchError(f"no longer has the program of {program.codec} × {program.workload}")
        return files


def receive(handed: Handed) -> bool:
    """Keep a program that another machine of this kind has built; raise SerbenchError where this machine
    would not build it, or its digest is not the announced one."""
    program, files = handed.program, msgspec.json.decode(handed.files, type=tuple[bytes, ...])
    if (program.run, program.key) not in _named:
        raise SerbenchError(f"would not build the program of {program.codec} × {program.workload}")
    if not files or sha256_of(*files) != program.digest:
        raise SerbenchError(f"was given another program of {program.codec} × {program.workload}")
    with using_home(Paths.default().home, unseen):
        KeptPrograms(_kept() / program.run).keep(program.key, files)
    return True


def still_used(program: Path) -> None:
    """Mark a kept program as used, so that it is not deleted in favour of those of newer runs."""
    if program.is_relative_to(_kept()):
        os.utime(program.parent.parent)


def _told(shelf: Shelf, pairs: Iterable[tuple[Toolchain, Unit]]) -> tuple[KeptProgram, ...]:
    keys = [(unit, key) for build, unit in pairs if (key := shelf.key(build, unit))]
    run = shelf.kept.folder.name
    return tuple(
        KeptProgram(run=run, **unit.identity.fields, key=key, digest=shelf.kept.digest(key))
        for unit, key in keys
    )


def _kept() -> Path:
    """Return the folder of kept programs, which has a folder for each run."""
    return Paths.default().home / "programs"


def unseen(*_: object) -> None:
    """Receives progress and announcements, and shows them to nobody."""
