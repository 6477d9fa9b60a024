"""Prepares a selection for measuring: finds libraries, makes datasets, builds and verifies."""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from serbench.codecs.codec import Codec, Variant
from serbench.codecs.edition import Edition
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.errors import BuildError, SetupError
from serbench.languages import languages
from serbench.languages.base import BuildOrder, Failures, Fetches, Found, Progress, Sanitizes, Toolchain
from serbench.languages.install import how_to_get, install, may_install
from serbench.languages.language import KnownWork
from serbench.languages.versions import with_version
from serbench.measure.events import Status
from serbench.measure.identity import Identity
from serbench.measure.job import Job, Permission
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs, load_variants
from serbench.selecting.support import limits_of, why_no_program, why_unsupported
from serbench.system.cores import usable_cores
from serbench.system.files import Loaded
from serbench.workload import WorkloadSpec, load_workloads

Announce = Callable[[str], None]
_BATCH = 1
"""How many programs for each core are built in the first batch, where the first ones are waited for."""


@dataclass(frozen=True)
class Listener:
    """Functions that are called while building goes on.

    Attributes:
        announce: takes a line on what is installed, or cannot be.
        step: takes how far building has come.
        built: takes each unit that is built, while others still are; None where nobody waits for them.
        took: takes a toolchain, its units, and the seconds that building them took.
    """

    announce: Announce = lambda _: None
    step: Progress = lambda *_: None
    built: Callable[[Unit], None] | None = None
    took: Callable[[Toolchain, Sequence[Unit], float], None] = lambda *_: None


NOBODY = Listener()
There = Callable[[Toolchain, Unit], tuple[str, ...]]
"""A function that returns the command of a unit's runner if the runner already exists; else nothing."""


def toolchains(
    paths: Paths,
    variants: Iterable[Variant],
    compilers: Sequence[str] = (),
    made_from: Sequence[Edition] = (),
    specs: Iterable[WorkloadSpec] = (),
) -> list[Toolchain]:
    """Return the toolchains of the variants' languages, not yet configured; one for each compiler and edition
    of a language.

    Each toolchain knows every codec of its language and every workload. It may configure only the workloads
    of ``specs``, and those that were configured before, and need not look again for a library that was
    missing unless its codec is one of the variants'.
    """
    wanted = defaultdict[str, set[str]](set)
    for variant in variants:
        wanted[variant.codec.language].add(variant.codec.name)
    asked = {spec.workload.name: spec.workload for spec in specs}
    workloads = list((load_workloads(*paths.all_workloads) | asked).values())
    made: list[Toolchain] = []
    for name, language in languages().items():
        if name in wanted:
            editions = [
                (edition, codecs)
                for edition in made_from
                if edition.profile is None or edition.profile.language == name
                if (codecs := with_version(edition, _codecs_of(name, edition.codecs))) or not edition.version
            ]
            codecs = _codecs_of(name, paths.all_codecs)
            order = BuildOrder(paths, codecs, workloads, compilers, editions, asked, wanted[name])
            made += language.toolchains(order)
    return made


def _codecs_of(language: str, folders: Sequence[Path]) -> list[Codec]:
    return [codec for codec in load_codecs(*folders).values() if codec.language == language]


def prepare_builds(
    job: Job,
    listener: Listener = NOBODY,
    there: There = lambda *_: (),
    asked: Sequence[Unit] | None = None,
) -> list[Unit]:
    """Install what is missing, as far as that is permitted and possible, and build, first what needs no
    compiler. Return every unit; one that cannot be built has its status and reason. Raise SerbenchError where
    no toolchain works.

    Args:
        there: returns the command of a unit's runner that exists already, and is not built again.
        asked: the units to build; by default every variant of the job with every workload of it.
    """
    # Several toolchains of a language find the same in its environment, which is told once.
    listener = replace(listener, announce=cache(listener.announce))
    chosen = units_of(job) if asked is None else asked
    units: list[Unit] = []
    broken: list[SetupError | BuildError] = []
    for build, own, make_ready in _ahead(job, listener, list(_dealt(job, chosen))):
        begun = time.monotonic()
        try:
            make_ready()
            units += _built_by(build, own, listener, there)
            listener.took(build, own, time.monotonic() - begun)
        except (SetupError, BuildError) as error:
            broken.append(error)
            status: Status = "not_installed" if isinstance(error, SetupError) else "failed"
            units += [replace(unit, status=status, reason=str(error)) for unit in own]
    if len(broken) == len(job.builds) > 0:
        raise broken[0]
    places = {unit.identity[:2]: n for n, unit in enumerate(chosen)}
    return sorted(units, key=lambda unit: places[unit.identity[:2]])


def would_build(job: Job, announce: Announce) -> list[tuple[Toolchain, Unit]]:
    """Install and configure as ``prepare_builds`` does; return the units that it would then build, each with
    its toolchain. A toolchain that does not work builds nothing."""
    announce = cache(announce)
    found: list[tuple[Toolchain, Unit]] = []
    for build, own in _dealt(job, [unit for unit in units_of(job) if unit.status == "ok"]):
        with contextlib.suppress(SetupError, BuildError):
            _make_ready(build, own, job.permission, announce)
            found += [
                (build, unit)
                for unit in own
                if unit.status == "ok" and _found(build, unit.variant.codec).installed
            ]
    return found


def _dealt(job: Job, units: Sequence[Unit]) -> Iterator[tuple[Toolchain, list[Unit]]]:
    """Yield each toolchain with its units, first those that need no compiler. Each unit has the variant of
    the toolchain's edition, since only its own adapter is measured; and where a language has several
    toolchains, its ``compiler`` is the name of its toolchain."""
    for build in sorted(job.builds, key=lambda each: not languages()[each.language].traits.interpreted):
        several = sum(b.language == build.language for b in job.builds) > 1
        has = build.edition.has if build.edition else lambda _: True
        here = [unit for unit in units if unit.variant.codec.language == build.language]
        named = [
            replace(unit, variant=build.own(unit.variant), compiler=build.name if several else "")
            for unit in here
            if has(unit.variant.codec.id)
        ]
        absent = lacking(build, named)
        yield build, [replace(unit, **absent.get(unit.variant.codec.id, {})) for unit in named]


def lacking(build: Toolchain, units: Sequence[Unit]) -> dict[str, dict[str, Any]]:
    """Return the status and the reason of units by codec, for codecs that the toolchain's edition does not
    have or that cannot be loaded from it."""
    if build.edition is None:
        return {}
    absent = {unit.variant.codec.id for unit in units} - {codec.id for codec in build.codecs}
    broken = load_codecs(*build.edition.codecs).broken if absent else {}
    return {
        codec: {"status": "failed", "reason": str(broken[codec])}
        if codec in broken
        else {"status": "unsupported", "reason": f"{build.name} has no {codec}"}
        for codec in absent
    }


def _ahead(
    job: Job, listener: Listener, dealt: Sequence[tuple[Toolchain, list[Unit]]]
) -> Iterator[tuple[Toolchain, list[Unit], Callable[[], None]]]:
    """Yield each toolchain with its units, and a function that makes it ready. Where ``listener`` waits for
    built units, toolchains are made ready one after the other while earlier ones build, since getting
    libraries is mostly waiting."""
    make_ready = partial(_make_ready, permission=job.permission, announce=listener.announce)
    if listener.built is None:
        yield from ((build, own, partial(make_ready, build, own)) for build, own in dealt)
        return
    pool = ThreadPoolExecutor(max_workers=1)
    try:
        begun = [pool.submit(make_ready, build, own) for build, own in dealt]
        yield from ((build, own, ready.result) for (build, own), ready in zip(dealt, begun, strict=True))
    finally:
        pool.shutdown(cancel_futures=True)


def prepare_sanitized(job: Job, listener: Listener = NOBODY) -> list[tuple[Unit, Sanitizes | None]]:
    """Build with sanitizers, otherwise as ``prepare_builds``. Return each unit with the sanitizers with which
    it was built; units of a toolchain without sanitizers are unsupported."""
    able = [sanitizers for build in job.builds if (sanitizers := build.sanitizers)]
    sanitized = {each.toolchain.language for each in able}
    own = [v for v in job.chosen.variants if v.codec.language in sanitized]
    builds = [each.toolchain for each in able]
    units = prepare_builds(replace(job, builds=builds, chosen=replace(job.chosen, variants=own)), listener)
    others = [v for v in job.chosen.variants if v not in own]
    for unit in units_of(replace(job, chosen=replace(job.chosen, variants=others))):
        reason = unit.reason or f"no toolchain of {unit.variant.codec.traits.title} has sanitizers"
        units.append(replace(unit, status="unsupported", reason=reason))

    def of(unit: Unit) -> Sanitizes | None:
        own = (each for each in able if each.toolchain.language == unit.variant.codec.language)
        return next((each for each in own if unit.compiler in ("", each.toolchain.name)), None)

    return [(unit, of(unit)) for unit in units]


def units_of(job: Job) -> list[Unit]:
    """Return a unit for every variant with every workload, with its data. A unit that its codec cannot do has
    the status ``unsupported``."""
    units, variants = [], job.chosen.built
    for spec in job.chosen.workloads:
        data = dataset_for(spec, job.paths)
        limits = {variant.id: limits_of(variant, spec.workload.schema) for variant in variants}
        edges = {each: edge_dataset_for(spec, job.paths, each) for each in set(limits.values())}
        for variant in variants:
            reason = why_unsupported(variant, spec, job.paths) or why_no_program(variant, spec)
            status: Status = "unsupported" if reason else "ok"
            edge = edges[limits[variant.id]]
            units.append(Unit(variant, spec, data, edge, "", status, reason or "", job.measured))
    return units


def _built_by(build: Toolchain, units: Sequence[Unit], listener: Listener, there: There) -> list[Unit]:
    """Build units with a toolchain that is ready, but for those whose runner ``there`` has already. Return
    all of them: those that were built with the command of their runner, the others with the reason. Raise
    SetupError or BuildError where the toolchain does not work."""
    made, wanted = [], []
    for unit in units:
        if unit.status != "ok":
            made.append(unit)
        elif command := there(build, unit):
            made.append(replace(unit, command=command))
        else:
            wanted.append(unit)
    for batch, step in _batches(build, wanted, listener):
        errors = build.build([unit.pair for unit in batch], step)
        done = [_built(build, unit, errors) for unit in batch]
        for unit in done:
            if listener.built and unit.status == "ok":
                listener.built(unit)
        made += done
    return made


def _make_ready(build: Toolchain, units: Sequence[Unit], permission: Permission, announce: Announce) -> None:
    """Configure a toolchain, and get what units lack, as far as that is permitted. Raise SetupError or
    BuildError where the toolchain does not work."""
    for notice in build.notices():
        announce(notice)
    may = permission.install and may_install()
    if may:
        try_to_install(build.missing_packages(), announce)
    build.configure()
    missing = _missing(build, units)
    packages = [p for c in missing for p in c.install.get("apt", ())]
    if packages and may:
        try_to_install(packages, announce)
        build.configure()
    if build.fetches and permission.install and permission.fetch:
        _fetch(build, build.fetches, [c for c in missing if build.fetches.can_fetch(c)], announce)


def _batches(
    build: Toolchain, units: Sequence[Unit], listener: Listener
) -> Iterator[tuple[list[Unit], Progress]]:
    """Yield the units in the batches in which they are built, each with a function that receives the
    progress: all at once, unless ``listener`` waits for the first ones. Then each batch is twice as large as
    the one before, since at the end of each some cores have nothing to do; the last one has a small rest too.
    The first variants of codecs come first, and of those the ones that need neither an IDL's compiler nor the
    headers of an installed library."""
    together = not all(unit.variant.codec.traits.in_batches for unit in units)
    if listener.built is None or together:
        yield list(units), listener.step
        return
    there = [unit for unit in units if _found(build, unit.variant.codec).installed]
    there.sort(key=_by_haste)
    count, done = _BATCH * usable_cores(), 0
    while left := there[done:]:
        batch = left[:count] if len(left) >= count + count // 2 else left
        yield batch, _part_of(listener.step, done, len(batch), len(there))
        done, count = done + len(batch), 2 * count
    if missing := [unit for unit in units if unit not in there]:
        yield missing, lambda *_: None


def _by_haste(unit: Unit) -> tuple[bool, bool, bool]:
    codec = unit.variant.codec
    return next(iter(codec.variants)) != unit.variant.name, codec.idl is not None, bool(codec.install)


def _part_of(step: Progress, before: int, size: int, total: int) -> Progress:
    """Return a function that passes on a batch's progress to ``step``, counted in programs of all batches."""
    return lambda done, of, what: step(before + size * done // max(of, 1), total, what)


def _fetch(build: Toolchain, fetches: Fetches, codecs: Sequence[Codec], announce: Announce) -> None:
    """Download the libraries of ``codecs``. One that cannot be fetched is announced, and stays missing."""
    if codecs:
        try:
            fetches.fetch(codecs, announce)
        except SetupError as error:
            announce(str(error))
        build.configure()


def with_layouts(job: Job, units: Sequence[Unit], announce: Announce, step: Progress) -> list[Unit]:
    """Return the units; those that were verified have the job's layouts, if their toolchain can link them. If
    the linker fails, units have none, and one line is announced for all of them."""
    layouts: dict[Identity, list[tuple[str, ...]]] = {}
    failures: dict[str, str] = {}
    for build in job.builds if job.layouts else ():
        if build.layouts:
            own = own_units(build, units)
            linked = build.layouts.link_layouts(
                list({unit.package: unit.pair for unit in own}.values()), job.layouts, step
            )
            for unit in own:
                found = linked[unit.package]
                if isinstance(found, str):
                    failures[unit.name] = found
                else:  # words behind the program's name, such as its writer's schema, stay
                    layouts[unit.identity] = [(*command, *unit.command[1:]) for command in found]
    if failures:
        announce(
            f"{', '.join(failures)}: measured with a single layout, since {next(iter(failures.values()))}"
        )
    return [replace(unit, layouts=tuple(layouts.get(unit.identity, ()))) for unit in units]


def own_units(build: Toolchain, units: Sequence[Unit]) -> list[Unit]:
    """Return those of ``units`` that this toolchain built and that are ``ok``."""
    own = [
        unit
        for unit in units
        if unit.variant.codec.language == build.language and unit.compiler in ("", build.name)
    ]
    return [unit for unit in own if unit.status == "ok"]


def known_work(paths: Paths, compilers: Sequence[str]) -> KnownWork:
    """Build the runner whose work has a known duration, in the first language that has one. Raise SetupError
    where there is no such compiler, and BuildError where it fails."""
    built = (language.known_work(paths, compilers) for language in languages().values())
    return next(work for work in built if work)


def where_to_get(codec: Codec) -> str:
    """Return the command that gets a codec's library on this machine, or else where the library can be
    found."""
    return how_to_get(codec, languages()[codec.language].how_to_get)


def known_variants(paths: Paths) -> Loaded[Variant]:
    """Return every codec variant by id, the user's own and the built-in ones."""
    return load_variants(*paths.all_codecs)


def try_to_install(packages: Iterable[str], announce: Announce) -> None:
    """Install packages. If that fails, only announce why: what is missing is found and reported later."""
    try:
        install(packages, announce)
    except SetupError as error:
        announce(str(error))


def _missing(build: Toolchain, units: Sequence[Unit]) -> list[Codec]:
    codecs = {unit.variant.codec.id: unit.variant.codec for unit in units if unit.status == "ok"}
    return [codec for codec in codecs.values() if not _found(build, codec).installed]


def _found(build: Toolchain, codec: Codec) -> Found:
    """Return whether and where a toolchain found a codec's library."""
    return build.found.get(codec.name) or Found(False, "", f"{build.name} has no {codec.id}")


def _built(build: Toolchain, unit: Unit, errors: Failures) -> Unit:
    found = _found(build, unit.variant.codec)
    if not found.installed:
        return replace(
            unit,
            status="not_installed",
            reason=f"{found.missing}; get it: {where_to_get(unit.variant.codec)}",
        )
    if error := errors.get(unit.package):
        return replace(unit, status="failed", reason=f"did not build: {error}")
    return replace(unit, command=build.command(*unit.pair))
