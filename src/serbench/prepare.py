"""Brings a selection to where it can be measured: libraries, builds, datasets and verification."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from serbench.catalogue import load_codecs, load_variants
from serbench.codec import Codec, Variant
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.edition import Edition
from serbench.errors import BuildError, SetupError
from serbench.files import Loaded
from serbench.install import how_to_get, install, may_install
from serbench.languages import languages
from serbench.languages.base import Fetches, Found, KnownWork, Order, Toolchain
from serbench.measure.cost import Least
from serbench.measure.counters import callgrind_tool, perf_tool
from serbench.measure.events import Status
from serbench.measure.footprint import Counters, Counting
from serbench.measure.interop import Party
from serbench.measure.process import usable_cores
from serbench.measure.verify import Subject, Verification, takes_times, verify, verify_cached
from serbench.paths import Paths
from serbench.support import why_unsupported
from serbench.workload import WorkloadSpec, load_workloads

Announce = Callable[[str], None]
Step = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Prepared:
    """One codec variant × workload with one toolchain, as far as it got.

    Attributes:
        compiler: the toolchain's name where its language has several; empty where there is one.
        status: ``ok``, ``failed``, ``not_installed`` or ``unsupported``; ``reason`` says why it is not ``ok``.
        command: starts its runner; empty where there is none.
        layouts: what starts the same program with its functions in other places, where it was linked so.
    """

    variant: Variant
    spec: WorkloadSpec
    status: Status
    reason: str
    compiler: str = ""
    command: tuple[str, ...] = ()
    verification: Verification | None = None
    layouts: tuple[tuple[str, ...], ...] = ()

    @property
    def name(self) -> str:
        """The codec variant, and the compiler where there are several."""
        return f"{self.variant.id} {self.compiler}".rstrip()

    @property
    def identity(self) -> dict[str, str]:
        """What every event of it says of it."""
        return {"codec": self.variant.id, "workload": self.spec.id, "compiler": self.compiler}


@dataclass(frozen=True)
class Permission:
    """What may be done to get what is missing.

    Attributes:
        install: system packages may be installed.
        fetch: what no package manager has may be downloaded and built; for ``setup`` alone.
    """

    install: bool
    fetch: bool = False


def toolchains(
    paths: Paths, variants: Iterable[Variant], compilers: Sequence[str] = (), made_from: Sequence[Edition] = ()
) -> list[Toolchain]:
    """The toolchains of the variants' languages, not yet configured: one for each of ``compilers`` and editions where a language
    has several. Each is for every codec of its language with every workload, so that a selection configures nothing anew.
    """
    wanted = {v.codec.language for v in variants}
    workloads = list(load_workloads(*paths.all_workloads).values())
    made: list[Toolchain] = []
    for name, language in languages().items():
        if name in wanted:
            editions = [(edition, _codecs_of(name, edition.codecs)) for edition in made_from]
            made += language.toolchains(Order(paths, _codecs_of(name, paths.all_codecs), workloads, compilers, editions))
    return made


def _codecs_of(language: str, folders: Sequence[Path]) -> list[Codec]:
    return [codec for codec in load_codecs(*folders).values() if codec.language == language]


def prepare_builds(
    builds: Sequence[Toolchain],
    paths: Paths,
    variants: Sequence[Variant],
    specs: Sequence[WorkloadSpec],
    permission: Permission,
    announce: Announce,
    step: Step,
) -> list[Prepared]:
    """Gets what is missing where that is permitted and possible, and builds; every failure becomes a row.

    Raises:
        SerbenchError: no toolchain works.
    """
    cells: list[Prepared] = []
    broken: list[SetupError | BuildError] = []
    for build in builds:
        own = [v for v in variants if v.codec.language == build.language]
        try:
            of_build = _prepare_build(build, paths, own, specs, permission, announce, step)
        except (SetupError, BuildError) as error:
            broken.append(error)
            status: Status = "not_installed" if isinstance(error, SetupError) else "failed"
            of_build = [Prepared(v, s, status, str(error)) for s in specs for v in own]
        several = sum(b.language == build.language for b in builds) > 1
        cells += [replace(cell, compiler=build.name if several else "") for cell in of_build]
    if len(broken) == len(builds) > 0:
        raise broken[0]
    order = {(s.id, v.id): n for n, (s, v) in enumerate((s, v) for s in specs for v in variants)}
    return sorted(cells, key=lambda cell: order[cell.spec.id, cell.variant.id])


def _prepare_build(
    build: Toolchain,
    paths: Paths,
    variants: Sequence[Variant],
    specs: Sequence[WorkloadSpec],
    permission: Permission,
    announce: Announce,
    step: Step,
) -> list[Prepared]:
    reasons = {(v.id, s.id): why_unsupported(v, s, paths) for v in variants for s in specs}
    for notice in build.notices():
        announce(notice)
    may = permission.install and may_install()
    if may:
        _try_to_install(build.missing_packages(), announce)
    build.configure()
    missing = _missing(build, variants)
    packages = [p for c in missing for p in c.install.get("apt", ())]
    if packages and may:
        _try_to_install(packages, announce)
        build.configure()
    if build.fetches and permission.install and permission.fetch:
        _fetch(build, build.fetches, [c for c in missing if build.fetches.can_fetch(c)], announce)
    wanted = [(v, s.workload.name) for v in variants for s in specs if reasons[v.id, s.id] is None]
    errors = build.build(wanted, step)
    return [
        Prepared(v, s, "unsupported", reason) if (reason := reasons[v.id, s.id]) else _built(build, v, s, errors)
        for s in specs
        for v in variants
    ]


def _fetch(build: Toolchain, fetches: Fetches, codecs: Sequence[Codec], announce: Announce) -> None:
    """What cannot be fetched is missing still, and said to be."""
    if codecs:
        try:
            fetches.fetch(codecs, announce)
        except SetupError as error:
            announce(str(error))
        build.configure()


def verified(paths: Paths, cells: Sequence[Prepared], step: Step, silence_limit_s: float, anew: bool = False) -> list[Prepared]:
    """The same cells, each that was built now verified; ``anew`` even where it passed before.

    Those whose verification takes times come one after the other, the others at once on all cores.
    """
    results = dict(enumerate(cells))
    subjects = {n: subject_of(cell, paths, silence_limit_s) for n, cell in enumerate(cells) if cell.status == "ok"}

    def check(n: int) -> int:
        found = verify(subjects[n]) if anew else verify_cached(paths.home / "verified", subjects[n])
        results[n] = replace(cells[n], verification=found)
        if not found.ok:
            results[n] = replace(results[n], status="failed", reason=f"not verified: {found.reason}")
        return n

    alone = [n for n in subjects if takes_times(cells[n].variant)]
    for done, n in enumerate(alone):
        step(done, len(subjects), f"{cells[n].variant.id} × {cells[n].spec.id}")
        check(n)
    pool = ThreadPoolExecutor(max_workers=usable_cores())
    try:
        beside = [pool.submit(check, n) for n in subjects if n not in alone]
        for done, future in enumerate(as_completed(beside), len(alone)):
            n = future.result()
            step(done, len(subjects), f"{cells[n].variant.id} × {cells[n].spec.id}")
    finally:
        pool.shutdown(cancel_futures=True)
    step(len(subjects), len(subjects), "done")
    return [results[n] for n in range(len(cells))]


def with_layouts(
    cells: Sequence[Prepared], builds: Sequence[Toolchain], count: int, announce: Announce, step: Step
) -> list[Prepared]:
    """The same cells, those that were verified with ``count`` layouts where their toolchain has such a thing. Where the linker
    cannot do it, a cell goes on without, and one line says so for all of them."""
    layouts: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    failures: dict[str, str] = {}
    for build in builds if count else ():
        if build.layouts:
            own = _own(build, cells)
            programs = {(c.variant.id, c.spec.workload.name): (c.variant, c.spec.workload.name) for c in own}
            linked = build.layouts.link_layouts(list(programs.values()), count, step)
            for cell in own:
                found = linked[cell.variant.id, cell.spec.workload.name]
                if isinstance(found, str):
                    failures[cell.name] = found
                else:
                    layouts[tuple(cell.identity.values())] = found
    if failures:
        announce(f"{', '.join(failures)}: measured with functions in one place only, since {next(iter(failures.values()))}")
    return [replace(cell, layouts=tuple(layouts.get(tuple(cell.identity.values()), ()))) for cell in cells]


def _own(build: Toolchain, cells: Sequence[Prepared]) -> list[Prepared]:
    """The cells that a toolchain built and that were verified."""
    return [
        c for c in cells if c.status == "ok" and c.variant.codec.language == build.language and c.compiler in ("", build.name)
    ]


def least_programs(cells: Sequence[Prepared], builds: Sequence[Toolchain], step: Step) -> list[Least]:
    """Builds the least programs of the cells that were verified, where their toolchain can."""
    programs = []
    for build in builds:
        if not build.least_programs:
            continue
        own = _own(build, cells)
        errors = build.least_programs.build_minimal([(c.variant, c.spec.workload.name) for c in own], step)
        for cell in own:
            if error := errors.get((cell.variant.id, cell.spec.workload.name)):
                programs.append(Least(cell.identity, None, f"did not build: {error}"))
            else:
                programs.append(Least(cell.identity, build.least_programs.minimal(cell.variant, cell.spec.workload.name)))
    return programs


def counters_for(
    metrics: Sequence[str],
    cells: Sequence[Prepared],
    builds: Sequence[Toolchain],
    permission: Permission,
    announce: Announce,
    step: Step,
) -> Counters:
    """What counts for the metrics ``instructions`` and ``memory``: a tool of the machine, valgrind being installed where it is
    needed and permitted, and executables that are built here."""
    counters = Counters()
    if "memory" in metrics:
        counters = Counters(allocations=_counting_programs(cells, builds, step), peak=_peak_program(cells, builds, step))
    if "instructions" not in metrics:
        return counters
    perf = perf_tool()
    if perf:
        return replace(counters, instructions=perf)
    if not shutil.which("valgrind") and permission.install and may_install():
        _try_to_install(["valgrind"], announce)
    try:
        return replace(counters, instructions=callgrind_tool())
    except SetupError as error:
        return replace(counters, missing=str(error))


def _peak_program(cells: Sequence[Prepared], builds: Sequence[Toolchain], step: Step) -> Counting:
    """What tells the peak memory of native runners, by any compiler that has built one of them."""
    for build in builds:
        if build.counters and _own(build, cells):
            try:
                return Counting(build.counters.build_peak(step))
            except BuildError as error:
                return Counting(failure=str(error))
    return Counters().peak


def _counting_programs(
    cells: Sequence[Prepared], builds: Sequence[Toolchain], step: Step
) -> dict[tuple[str, str, str], Counting]:
    """Builds the runners that count allocations of the cells that were verified, where their toolchain can."""
    programs = {}
    for build in builds:
        if not build.counters:
            continue
        own = _own(build, cells)
        seen = [(c.variant, c.spec.workload.name) for c in own if not build.counters.cannot_count(c.variant)]
        errors = build.counters.build_counting(seen, step)
        for cell in own:
            if reason := build.counters.cannot_count(cell.variant):
                counting = Counting(failure=reason)
            elif error := errors.get((cell.variant.id, cell.spec.workload.name)):
                counting = Counting(failure=f"the executable that counts did not build: {error}")
            else:
                counting = Counting(build.counters.counting(cell.variant, cell.spec.workload.name))
            programs[cell.variant.id, cell.spec.id, cell.compiler] = counting
    return programs


def parties_of(cells: Sequence[Prepared], spec: WorkloadSpec, paths: Paths, silence_limit_s: float) -> list[Party]:
    """The cells of one workload that were built, as writers and readers of their formats."""
    return [
        Party(cell.name, subject_of(cell, paths, silence_limit_s)) for cell in cells if cell.status == "ok" and cell.spec == spec
    ]


def subject_of(cell: Prepared, paths: Paths, silence_limit_s: float) -> Subject:
    """What there is to verify of a cell that was built."""
    data, edge = dataset_for(cell.spec, paths), edge_dataset_for(cell.spec, paths, cell.variant.tolerance.float_range)
    return Subject(cell.command, cell.variant, data, edge, silence_limit_s)


def known_work(paths: Paths, compilers: Sequence[str]) -> KnownWork:
    """The runner of known work, built by the first language that has one.

    Raises:
        SetupError: there is no such compiler.
        BuildError: it ended with an error; holds what it said.
    """
    built = (language.known_work(paths, compilers) for language in languages().values())
    return next(work for work in built if work)


def where_to_get(codec: Codec) -> str:
    """The one command that gets a codec's library on this machine, or where its home is."""
    return how_to_get(codec, languages()[codec.language].how_to_get)


def known_variants(paths: Paths) -> Loaded[Variant]:
    """Every codec variant by id, the user's and those that are built in."""
    return load_variants(*paths.all_codecs)


def _try_to_install(packages: Iterable[str], announce: Announce) -> None:
    """What cannot be installed is found missing afterwards, and said there."""
    try:
        install(packages, announce)
    except SetupError as error:
        announce(str(error))


def _missing(build: Toolchain, variants: Sequence[Variant]) -> list[Codec]:
    codecs = {v.codec.id: v.codec for v in variants}
    return [c for c in codecs.values() if not _found(build, c).installed]


def _found(build: Toolchain, codec: Codec) -> Found:
    """What was found of a codec's library; another edition of the adapters may not have the codec at all."""
    return build.found.get(codec.name) or Found(False, "", f"{build.name} has no {codec.id}")


def _built(build: Toolchain, variant: Variant, spec: WorkloadSpec, errors: dict[tuple[str, str], str]) -> Prepared:
    cell = Prepared(variant, spec, "ok", "")
    found = _found(build, variant.codec)
    if not found.installed:
        return replace(cell, status="not_installed", reason=f"{found.missing}; get it: {where_to_get(variant.codec)}")
    error = errors.get((variant.id, spec.workload.name))
    if error:
        return replace(cell, status="failed", reason=f"did not build: {error}")
    return replace(cell, command=build.command(variant, spec.workload.name))
