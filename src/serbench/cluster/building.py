"""Building for an order on a worker, which takes programs from other machines of its kind where they have
them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from serbench import __version__
from serbench.building.prepare import (
    BuildOrder,
    Permission,
    known_variants,
    own_units,
    prepare_builds,
    toolchains,
    with_layouts,
    would_build,
)
from serbench.cluster.messages import Handed, Order, Program, Programs
from serbench.cluster.programs import Kept, Shelf, digest_of_all
from serbench.cluster.sources import difference, sources_of
from serbench.codecs.edition import editions
from serbench.dataset.cache import dataset_for
from serbench.errors import SelectionError, SerbenchError
from serbench.languages.base import Toolchain
from serbench.measure.process import on_cores
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.selection import Chosen, select_metrics
from serbench.system.locks import using_home
from serbench.workloads.workload import load_workloads, parse_workload

_named: set[tuple[str, str]] = set()
"""Run and key of the programs that this worker said it would build; it receives no others."""


@dataclass
class Built:
    """The units that this worker has built for an order.

    Attributes:
        shelf: the programs that it did not have to build.
        notes: remarks that the user should read.
    """

    order: Order
    chosen: Chosen
    builds: Sequence[Toolchain]
    units: Sequence[Unit]
    shelf: Shelf
    notes: list[str] = field(default_factory=list)

    def linked(self, units: Sequence[Unit]) -> list[Unit]:
        """The same units with the layouts that the order wants, as far as they can be linked here."""
        return with_layouts(units, self.builds, self.order.layouts, self.notes.append, unseen)


def built_for(order: Order) -> Built:
    """Builds what an order names, but for the programs that this machine keeps.

    Raises:
        SerbenchError: this machine cannot do it, or has other sources or data than the client.
    """
    with _building(order) as built:
        return built


@contextmanager
def _building(order: Order) -> Iterator[Built]:
    """Builds an order, and keeps the home locked for building until the caller is done."""
    shelf, notes = Shelf(_kept(), order), list[str]()
    with _understood(order, notes) as (chosen, building):
        units = prepare_builds(replace(building, there=shelf.command))
        yield Built(order, chosen, building.builds, units, shelf, notes)


@contextmanager
def _understood(order: Order, notes: list[str]) -> Iterator[tuple[Chosen, BuildOrder]]:
    """The choice and the build order that an order amounts to on this machine, whose home is locked for
    building meanwhile.

    Raises:
        SerbenchError: this machine has other sources or data than the client.
    """
    paths = Paths.default()
    with using_home(paths.home, notes.append), on_cores(order.cores):
        workloads, known = load_workloads(*paths.all_workloads), known_variants(paths)
        if missing := [codec for codec in (*order.codecs, *order.beside) if codec not in known]:
            raise SelectionError(f"has no {', '.join(missing)}")
        asked, beside = ([known[codec] for codec in names] for names in (order.codecs, order.beside))
        variants = [*asked, *beside]
        specs = [parse_workload(each, workloads) for each in order.workloads]
        if other := difference(order.sources, sources_of(paths, variants, specs)):
            raise SelectionError(
                f"has another serbench (version {__version__} in {paths.project}), which differs in: {other}"
            )
        for spec in specs:
            if (data := dataset_for(spec, paths)).sha256 != order.datasets.get(spec.id, data.sha256):
                raise SelectionError(f"made other data of {spec.id} than the client")
        chosen = Chosen(asked, specs, order.operations, select_metrics(order.metrics), beside=beside)
        builds = toolchains(paths, variants, order.compilers, editions(paths, (), ()), specs)
        yield chosen, BuildOrder(builds, paths, variants, specs, Permission(order.install), notes.append)


def programs(order: Order) -> Programs:
    """The programs of an order that machines of one kind can have from each other."""
    shelf, notes = Shelf(_kept(), order), list[str]()
    with _understood(order, notes) as (_, building):
        found = _told(shelf, would_build(building))
    _named.update((each.run, each.key) for each in found)
    return Programs(programs=found, notes=tuple(notes))


def make(order: Order) -> Programs:
    """Builds the programs of an order that are not kept, and keeps them with their layouts for the machines
    of this kind; tells of all of them."""
    with _building(order) as built:
        pairs = [(build, unit) for build in built.builds for unit in own_units(build, built.units)]
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


def give(program: Program) -> tuple[bytes, ...]:
    """A program that this machine keeps, and its layouts.

    Raises:
        SerbenchError: it no longer does.
    """
    with using_home(Paths.default().home, unseen, shared=True):
        if not (files := Kept(_kept() / program.run).read(program.key)):
            raise SerbenchError(f"no longer has the program of {program.codec} × {program.workload}")
        return files


def receive(handed: Handed) -> bool:
    """Keeps a program that another machine of this kind has built.

    Raises:
        SerbenchError: this one would not build it, or it is not the one that was announced.
    """
    program, files = handed.program, msgspec.json.decode(handed.files, type=tuple[bytes, ...])
    if (program.run, program.key) not in _named:
        raise SerbenchError(f"would not build the program of {program.codec} × {program.workload}")
    if not files or digest_of_all(files) != program.digest:
        raise SerbenchError(f"was given another program of {program.codec} × {program.workload}")
    with using_home(Paths.default().home, unseen):
        Kept(_kept() / program.run).keep(program.key, files)
    return True


def still_used(program: Path) -> None:
    """Sees to it that a program is not dropped for those of newer runs, if it is one that is kept."""
    if program.is_relative_to(_kept()):
        os.utime(program.parent.parent)


def _told(shelf: Shelf, pairs: Iterable[tuple[Toolchain, Unit]]) -> tuple[Program, ...]:
    keys = [(unit, key) for build, unit in pairs if (key := shelf.key(build, unit))]
    run = shelf.kept.folder.name
    return tuple(
        Program(run=run, **unit.identity, key=key, digest=shelf.kept.digest(key)) for unit, key in keys
    )


def _kept() -> Path:
    """The folder of the programs that are kept, which has one for each run."""
    return Paths.default().home / "programs"


def unseen(*_: object) -> None:
    """Takes progress and announcements that nobody sees."""
