"""The options of ``run``, and the job that they ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from serbench.building.prepare import known_variants
from serbench.changes.derived import parse_spec
from serbench.changes.reading import words_that_are_fields
from serbench.cli import options
from serbench.cli.console import announce, tell_loaded
from serbench.cli.effort import Effort
from serbench.cli.grouped import words_of
from serbench.cli.printing import tell_left_out
from serbench.codecs.codec import Variant
from serbench.codecs.edition import KINDS, Editions
from serbench.errors import SelectionError
from serbench.languages import EVERY
from serbench.measure.job import Job, Permission
from serbench.measure.manifest import Manifest
from serbench.measure.resume import check_version
from serbench.measure.store import Run, find_run, refuse_if_going_on
from serbench.measure.sweep import SWEPT, foreseen_bytes, sweeping
from serbench.paths import Paths
from serbench.selecting import selection
from serbench.selecting.conforming import load_conformance
from serbench.selecting.evolved import load_evolution
from serbench.selecting.need import Need, serving
from serbench.selecting.suite import load_suites
from serbench.system.command import READS, SWEEPS, UPDATES, WHERE
from serbench.workload import Workload, load_workloads


@dataclass(frozen=True)
class What:
    """Options that select the cells. The suite, or else a default, decides what is not given."""

    workload: options.Workloads = None
    codec: options.Codecs = None
    operation: options.Operations = None
    memory: options.MemoryPolicies = None
    metric: options.Metrics = None
    suite: options.SuiteName = None
    need: options.Needs = None
    read: options.Reads = None
    condition: options.Conditions = None
    update: options.Updates = None
    sweep: options.Sweeps = None

    def asked(self, quick: bool) -> selection.Asked:
        return selection.Asked(
            self.workload or (),
            self.codec or (),
            self.operation or (),
            self.memory or (),
            self.metric or (),
            quick,
            self.read or (),
            self.condition or (),
            self.update or (),
        )


SETTINGS = ("allocator", "engine")
"""The options that are a single setting of a profile each."""


@dataclass(frozen=True)
class Making:
    """Options on how programs are built: by which compilers, from which editions, and whether to install."""

    no_install: options.NoInstall = False
    compilers: options.Compilers = None
    revision: options.Revisions = None
    prefix: options.Prefixes = None
    profile: options.Profiles = None
    version: options.Versions = None
    allocator: options.Allocators = None
    engine: options.Engines = None
    time_limit: options.TimeLimit = options.TIME_LIMIT_DEFAULT

    @property
    def editions(self) -> Editions:
        """The editions that are asked for; raises SelectionError where they are of several kinds."""
        given = {kind: getattr(self, kind) for kind in KINDS}
        own = [f"{EVERY}:{key}={value}" for key in SETTINGS for value in getattr(self, key) or ()]
        settings = next((key for key in SETTINGS if getattr(self, key) and not self.profile), "profile")
        # Those of a setting begin with the usual programs, which stand before all others.
        return Editions.of({**given, "profile": [*own, *(self.profile or ())]}, {"profile": settings})


def ask(
    what: What, effort: Effort, making: Making, resume: str | None = None, on_cluster: bool = False
) -> Job:
    """The job that the user asks for, or that of the run to continue (``resume``), still without toolchains.

    Raises:
        SelectionError: a name or pattern selects nothing; or the run to continue does not exist, cannot be
            continued, or has fixed what another option asks for.
    """
    paths, asked, again = Paths.default(), what.asked(effort.quick), None
    if resume is not None:
        again = _run_to_continue(paths, resume, effort, on_cluster)
        given = (what.suite, what.need, what.sweep, making.compilers, making.editions.kind)
        if asked != selection.Asked(quick=effort.quick) or any(given) or effort.seed is not None:
            raise SelectionError(
                "--resume uses the selection and seed of the run; leave out -w, -c, -o, --suite and similar "
                "options"
            )
    was = again.manifest if again else None
    return Job(
        paths,
        _choose(paths, what, asked, was),
        permission=Permission(not making.no_install),
        time_limit_s=making.time_limit,
        asked=asked,
        suite=was.suite if was else what.suite,
        compilers=was.compilers if was else tuple(making.compilers or ()),
        editions=was.editions if was else making.editions,
        selection=(was.selection or ()) if was else selecting_words(what, effort, making),
        layouts=effort.layouts_of(again),
        compilations=effort.compilations,
        again=again,
    )


def selecting_words(what: What, effort: Effort, making: Making) -> tuple[str, ...]:
    """The words of the command line that select the same again, as the manifest of a run has them."""
    selected = words_of(what, "workload", "metric", "read", "condition", "update", "sweep")
    made = words_of(making, "time_limit")
    return (*selected, *words_of(Effort(iterations=effort.iterations)), *made)


def _run_to_continue(paths: Paths, name: str, effort: Effort, on_cluster: bool) -> Run:
    again = find_run(paths.runs, name, note=announce)
    effort.refuse_for(again)
    check_version(again)
    refuse_if_going_on(again)
    if bool(again.manifest.cluster) != on_cluster:
        expected = f"--cluster {again.manifest.cluster}" if again.manifest.cluster else "no --cluster"
        raise SelectionError(f"--resume: run {again.id} is continued where it was made; expected {expected}")
    return again


def _choose(paths: Paths, what: What, asked: selection.Asked, was: Manifest | None) -> selection.Chosen:
    """The selection; raises SelectionError if a name or pattern selects nothing.

    Args:
        was: the manifest of the run that is continued.
    """
    workloads, known = load_workloads(*paths.all_workloads), known_variants(paths)
    if was:
        chosen = select_again(was, workloads, known)
    else:
        chosen = selection.select(
            workloads, known, selection.find_suite(what.suite, load_suites(paths.suites)), asked
        )
        if need := options.need_of(what.need):
            chosen = _serving(chosen, need, known, paths)
        tell_fields(what, chosen)
        chosen = with_sweep(paths, chosen, what, workloads).with_floors(known)
    tell_loaded(workloads, known)
    return replace(chosen, foreseen_bytes=foreseen_bytes(chosen.workloads, paths))


def with_sweep(
    paths: Paths, chosen: selection.Chosen, what: What, known: Mapping[str, Workload]
) -> selection.Chosen:
    """The selection with the numbers of messages that ``--sweep`` asks for; tells where they end.

    Raises:
        SelectionError: ``--sweep`` stands beside an option that selects parts of messages, a suite, or a
            metric that is not of passes; or as ``sweeping`` does.
    """
    if what.sweep is None:
        return chosen
    others = {READS: what.read, UPDATES: what.update, WHERE: what.condition, "--suite": what.suite}
    found = [name for name, given in others.items() if given]
    found += [f"--metric {each}" for each in chosen.metrics if each not in SWEPT]
    if found:
        raise SelectionError(f"{SWEEPS} is of whole messages and of times; expected no {found[0]}")
    chosen, told = sweeping(chosen, what.sweep, paths, known)
    for each in told:
        announce(f"{SWEEPS}: {each}")
    return chosen


def tell_fields(what: What, chosen: selection.Chosen) -> None:
    """Announces where a word of ``--read`` is the name of a field, which is read then."""
    for spec in (each for each in chosen.workloads if not each.whole):
        for word in words_that_are_fields(what.read or (), spec.workload.schema):
            announce(f"--read {word}: {spec.id} has a field of this name, which is read")


def select_again(
    manifest: Manifest, workloads: dict[str, Workload], known: dict[str, Variant]
) -> selection.Chosen:
    """The selection of a run that is continued, from its manifest.

    Raises:
        SelectionError: the manifest names a workload, codec, operation or metric that no longer exists.
    """
    for codec in [*manifest.codecs, *manifest.beside]:
        if codec not in known:
            raise selection.no_codec(codec, known)
    return selection.Chosen(
        [known[name] for name in manifest.codecs],
        [parse_spec(each, workloads) for each in manifest.workloads],
        [selection.parse_operation(each) for each in manifest.operations],
        selection.select_metrics(manifest.metrics),
        manifest.suite is not None,
        [known[name] for name in manifest.beside],
    )


def _serving(
    chosen: selection.Chosen, need: Need, known: Mapping[str, Variant], paths: Paths
) -> selection.Chosen:
    """The selection without the codecs that do not meet the need, which are announced."""
    by_id = {variant.id: variant for variant in chosen.variants}
    seen, held = load_evolution(paths.codecs).codecs, load_conformance(paths.codecs).codecs
    left = serving(by_id, need, known, {}, seen, held)
    tell_left_out(need, list(by_id), left, known, seen, held)
    return replace(chosen, variants=[by_id[codec] for codec in left])
