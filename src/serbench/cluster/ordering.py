"""Turns the client's job into an order for workers, and an order into the job of a worker's machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from serbench import __version__
from serbench.building.prepare import known_variants, toolchains
from serbench.changes.derived import parse_spec
from serbench.cluster.messages import Order
from serbench.cluster.sources import difference, sources_of
from serbench.codecs.edition import Editions, editions
from serbench.dataset.cache import dataset_for
from serbench.errors import SelectionError
from serbench.measure.job import Job, Permission
from serbench.measure.process import on_cores
from serbench.paths import Paths
from serbench.selecting.selection import Chosen, select_metrics
from serbench.system.command import words_to_keep
from serbench.system.locks import using_home
from serbench.workload import load_workloads


def order_of(job: Job, run: str = "") -> Order:
    """Return the order for a job, and for the run with this name, if there is one."""
    chosen = job.chosen
    return Order(
        sources=sources_of(job.paths, chosen.built, chosen.workloads),
        codecs=tuple(variant.id for variant in chosen.variants),
        beside=tuple(variant.id for variant in chosen.beside),
        workloads=tuple(spec.id for spec in chosen.workloads),
        operations=tuple(chosen.operations),
        metrics=tuple(chosen.metrics),
        datasets={spec.id: dataset_for(spec, job.paths).sha256 for spec in chosen.workloads},
        compilers=job.compilers,
        suite=job.suite,
        install=job.permission.install,
        time_limit_s=job.time_limit_s,
        layouts=job.layouts,
        arguments=words_to_keep(sys.argv[1:]),
        run=run,
    )


@contextmanager
def job_of(order: Order, announce: Callable[[str], None]) -> Iterator[Job]:
    """Provide this machine's job for an order, while its home folder is locked for building; raise
    SerbenchError where the client has other sources or data."""
    paths = Paths.default()
    with using_home(paths.home, announce), on_cores(order.cores):
        workloads, known = load_workloads(*paths.all_workloads), known_variants(paths)
        if missing := [codec for codec in (*order.codecs, *order.beside) if codec not in known]:
            raise SelectionError(f"has no {', '.join(missing)}")
        asked, beside = ([known[codec] for codec in names] for names in (order.codecs, order.beside))
        variants = [*asked, *beside]
        specs = [parse_spec(each, workloads) for each in order.workloads]
        if other := difference(order.sources, sources_of(paths, variants, specs)):
            raise SelectionError(
                f"has another serbench (version {__version__} in {paths.project}), which differs in: {other}"
            )
        for spec in specs:
            if (data := dataset_for(spec, paths)).sha256 != order.datasets.get(spec.id, data.sha256):
                raise SelectionError(f"made other data of {spec.id} than the client")
        yield Job(
            paths,
            Chosen(
                asked, specs, order.operations, select_metrics(order.metrics), order.suite is not None, beside
            ),
            toolchains(paths, variants, order.compilers, editions(paths, Editions()), specs),
            Permission(order.install),
            order.time_limit_s,
            suite=order.suite,
            compilers=order.compilers,
            layouts=order.layouts,
        )
