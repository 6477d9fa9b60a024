"""``run --cluster``: measure a selection on the machines of a cluster, each in a part of one run."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from serbench.cli.console import Steps, announce
from serbench.cli.effort import at_first_sight
from serbench.cli.ends import kept
from serbench.cli.options import flag, option
from serbench.cli.outlook import Outlook
from serbench.cli.selected import with_data
from serbench.cluster.address import Address, parse_address
from serbench.cluster.kinds import ClusterMachine, matching
from serbench.cluster.measuring import Measuring
from serbench.cluster.messages import WorkloadFiles
from serbench.cluster.ordering import order_of
from serbench.cluster.part import MachinePart
from serbench.cluster.pool import Pool, Refused, ask
from serbench.cluster.verifying import Verifying
from serbench.dataset.cache import dataset_for
from serbench.errors import SelectionError
from serbench.measure.budget import fitted, told_of
from serbench.measure.job import Job
from serbench.measure.manifest import manifest_of
from serbench.measure.parts import parts_of
from serbench.measure.plan import Plan, Task
from serbench.measure.shares import Share, links_among
from serbench.measure.store import Journal, Run, create_run
from serbench.measure.unit import Unit
from serbench.system.command import COMMAND
from serbench.system.extras import need_packages
from serbench.system.locks import using_home
from serbench.workload import WorkloadSpec

if TYPE_CHECKING:
    from serbench.cluster.engine import Engine


@dataclass(frozen=True)
class Where:
    """The options that say on which machines to measure."""

    cluster: Annotated[
        str | None,
        option(
            "ADDRESS",
            "Use the machines of a cluster of Dask instead of this one: tcp://HOST:PORT or "
            "tls://HOST:PORT of its scheduler, ssh:FILE for those that a file names, or local:N for N "
            "workers here, each with cores of its own.",
        ),
    ] = None
    machines: Annotated[
        str | None,
        option(
            "PATTERN",
            "Use only machines of the cluster whose kind or name matches. Example: 'zen4 or graviton*'",
        ),
    ] = None
    insecure: Annotated[
        bool,
        flag("--insecure", "Connect to the cluster without TLS, though not only this machine can reach it."),
    ] = False

    share: Annotated[
        bool | None,
        typer.Option(
            "--share/--no-share",
            help="Have machines of one kind share the cells, which takes less time, or have each measure "
            "everything. Default: share what would not fit into its time on one machine.",
        ),
    ] = None

    def address(self) -> Address | None:
        """The cluster that is asked for; None where none is.

        Raises:
            SelectionError: it is no address, or an option makes no sense without one.
            SetupError: the extra is missing.
        """
        if self.cluster is None:
            given = {"--machines": self.machines, "--insecure": self.insecure or None, "--share": self.share}
            for option in (option for option, value in given.items() if value is not None):
                raise SelectionError(f"{option} is about the machines of a --cluster, which is not given")
            return None
        address = parse_address(self.cluster, self.insecure)
        need_packages("cluster", "distributed", *(["asyncssh"] if address.reached else []))
        return address


@contextmanager
def machines_of(where: Where) -> Iterator[tuple[Engine, list[ClusterMachine]]]:
    """Connect to the cluster that is asked for; yield it with the chosen machines, which are announced.

    Raises:
        SerbenchError: the cluster does not answer, or no machine is chosen.
    """
    address = where.address()
    assert address
    from serbench.cluster.engine import connected

    with connected(address) as engine:
        members = matching(engine.members(), where.machines)
        kinds = Counter(member.kind for member in members)
        several = "machines" if len(members) > 1 else "machine"
        announce(f"{len(members)} {several}: {', '.join(f'{n} × {kind}' for kind, n in kinds.items())}")
        yield engine, members


def measure_on(where: Where, outlook: Outlook) -> Run:
    """Measures on the machines of a cluster; returns the run, which has a part for each.

    Raises:
        SerbenchError: something is asked for that is of this machine alone, or no machine can measure it.
    """
    job, effort, tasks = outlook.job, outlook.effort, outlook.tasks
    _refuse_parts(job)
    plan = at_first_sight(outlook.plan, job.waited_s) if job.looks else outlook.plan
    whole = plan if job.again else fitted(plan, tasks)
    if other := [metric for metric in job.chosen.metrics if metric != "time"]:
        raise SelectionError(f"--cluster measures times; found --metric {other[0]}, which is of one machine")
    with using_home(job.paths.home, announce):
        job = with_data(job)
    with machines_of(where) as (engine, members):
        members = _with_workloads(engine, members, job.chosen.workloads)
        if not members:
            raise SelectionError("none of the machines can measure this; see above")
        links = _links(where, job, not told_of(whole, tasks), members)
        run = job.again or create_run(job.paths.runs, _manifest(job, whole, where, links))
        with kept(run), Journal(run) as journal:
            measuring = Measuring(engine, order_of(job, run.id), run, journal, announce)
            plan = replace(plan, share=_share(job, links, members))

            def plan_of(tasks: Sequence[Task], before: Run | None) -> Plan:
                """The plan of one machine: the whole run's for the machine's tasks, or its earlier part's."""
                own = effort.plan(replace(job, again=before)) if before else fitted(plan, tasks)
                return replace(own, tasks=tasks)

            try:
                with Steps("preparing") as steps:
                    parts = measuring.prepare(members, plan_of, steps)
            except BaseException:
                if not parts_of(run):  # nothing came of it
                    shutil.rmtree(run.directory, ignore_errors=True)
                raise
            with Steps("measuring") as steps:
                measuring.measure(parts, steps)
            journal.append({"event": "end"})
    _announce_outcomes(parts, run)
    return run


def _refuse_parts(job: Job) -> None:
    """Raises SelectionError where a part of messages is to be read or changed, since one machine's program
    writes what another of its programs is handed."""
    parts = [spec.id for spec in job.chosen.workloads if spec.whole]
    if parts:
        raise SelectionError(
            f"reading or changing a part ({parts[0]}) is of one machine; expected no --cluster"
        )


def verify_on(where: Where, job: Job) -> list[tuple[str, Unit]]:
    """Verifies on the machines of a cluster; returns each unit with the kind of machine that verified it.

    Raises:
        SelectionError: an option is about measuring.
    """
    if where.share is not None:
        raise SelectionError("machines of a kind share what is verified; --share and --no-share are for run")
    _refuse_parts(job)
    chosen = job.chosen
    variants = {variant.id: variant for variant in chosen.variants}
    specs = {spec.id: (spec, dataset_for(spec, job.paths)) for spec in chosen.workloads}
    with machines_of(where) as (engine, members), Steps("verifying") as steps:
        members = _with_workloads(engine, members, chosen.workloads)
        found = Verifying(engine, order_of(job), steps).verify(members)
    units = []
    for kind, each in found:
        spec, data = specs[each.workload]
        unit = Unit(
            variants[each.codec],
            spec,
            data,
            data,
            compiler=each.compiler,
            status=each.status,
            reason=each.reason,
            verification=each.verification,
        )
        units.append((kind, unit))
    return units


def _links(where: Where, job: Job, fits: bool, members: Sequence[ClusterMachine]) -> tuple[str, ...]:
    """The codecs that all machines of a kind measure where they divide the other cells among them; none where
    each measures everything. Dividing the cells is announced, unless the user asked for it.

    Args:
        fits: whether one machine has time for all cells; then they are only divided if the user asks for it.
    """
    if job.again:
        if where.share is not None:
            raise SelectionError("--resume shares the cells as the run does; leave out --share or --no-share")
        return job.again.manifest.links
    kinds = Counter(member.kind for member in members)
    if where.share is False or max(kinds.values()) == 1:
        return ()
    if where.share is None:
        if fits:
            return ()
        announce("machines of a kind share the cells, since one would not do all in its time; see --no-share")
    return links_among(job.chosen.variants)


def _share(job: Job, links: Collection[str], members: Sequence[ClusterMachine]) -> Share | None:
    """The largest share that one machine measures, for estimates of time; None if each measures all cells."""
    if not links:
        return None
    fewest = min(Counter(member.kind for member in members).values())
    codecs = [variant.id for variant in job.chosen.built]
    return Share(0, fewest, frozenset(links), codecs, [spec.id for spec in job.chosen.workloads])


def _manifest(job: Job, plan: Plan, where: Where, links: tuple[str, ...]) -> dict[str, Any]:
    """The manifest of the whole run; toolchains are in the manifests of its parts."""
    manifest = manifest_of(job, replace(plan, core=None))
    manifest.cluster, manifest.links = where.cluster or "", links
    found: dict[str, Any] = msgspec.to_builtins(manifest)
    return found


def _with_workloads(
    pool: Pool, members: Sequence[ClusterMachine], specs: Sequence[WorkloadSpec]
) -> list[ClusterMachine]:
    """Send imported workloads to the machines; returns those that took them, and announces the others."""
    sent = [
        WorkloadFiles(
            name=spec.declared.workload.name,
            files={path.name: path.read_bytes() for path in (spec.workload.source, spec.workload.data)},
        )
        for spec in {spec.declared.workload.name: spec for spec in specs}.values()
        if spec.workload.data
    ]
    able = []
    for member in members:
        try:
            for workload in sent:
                ask(pool, member, "keep", workload, bool)
            able.append(member)
        except Refused as error:
            announce(f"{member.name} is left out: {error}")
    return able


def _announce_outcomes(parts: Sequence[MachinePart], run: Run) -> None:
    done = [part for part in parts if part.outcome]
    announce(f"measured on {len(done)} of {len(parts)} machines to the end")
    cut = sum(part.outcome.out_of_time for part in parts if part.outcome)
    if cut:
        announce(f"stopped at the time limit on {cut} of them; --max-time changes this")
    ratios = sum(len(part.outcome.unconverged) for part in parts if part.outcome)
    if ratios:
        announce(f"{ratios} ratios are not yet known to within the target; --resume continues")
    if len(done) < len(parts):
        announce(f"to complete it: {COMMAND} run --resume {run.id} --cluster ADDRESS")
