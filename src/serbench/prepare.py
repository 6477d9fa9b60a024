"""Prepares a selection so that it can be measured: finds libraries, builds, makes datasets and verifies."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from serbench.catalogue import load_codecs, load_variants
from serbench.codec import Codec, Variant
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.edition import Edition
from serbench.errors import BuildError, SetupError
from serbench.files import Loaded
from serbench.install import how_to_get, install, may_install
from serbench.languages import languages
from serbench.languages.base import Failures, Fetches, Found, KnownWork, Order, Sanitizes, Toolchain
from serbench.measure.edge_limits import edge_limits
from serbench.measure.events import Status
from serbench.measure.process import usable_cores
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.support import why_unsupported
from serbench.workload import WorkloadSpec, load_workloads

Announce = Callable[[str], None]
Step = Callable[[int, int, str], None]

_BATCH = 1
"""How many programs for each core are in the first batch, where somebody waits for it."""


@dataclass(frozen=True)
class Permission:
    """What may be done to get what is missing.

    Attributes:
        install: whether system packages may be installed.
        fetch: whether libraries that no package manager has may be downloaded and built; for ``setup`` alone.
    """

    install: bool
    fetch: bool = False


@dataclass(frozen=True)
class BuildOrder:
    """What to build with which toolchains, what may be installed for it, and where progress is reported.

    Attributes:
        builds: the toolchains of the variants' languages; a language with several compilers or editions has
            several.
        variants, specs: each variant is built with each workload.
        announce: called with a line on what is installed, and on what cannot be.
        step: called to tell how far building has come.
        built: called with units that are built, while others still are; None where nobody waits for them.
        took: called with a toolchain, its units, and the seconds that building took them.
        measured: as every unit has it.
        there: the command of a unit's runner where it need not be built, since it is there already; else
            empty.
    """

    builds: Sequence[Toolchain]
    paths: Paths
    variants: Sequence[Variant]
    specs: Sequence[WorkloadSpec]
    permission: Permission = Permission(install=False)
    announce: Announce = lambda _: None
    step: Step = lambda *_: None
    built: Callable[[Unit], None] | None = None
    took: Callable[[Toolchain, Sequence[Unit], float], None] = lambda *_: None
    measured: tuple[str, ...] = ()
    there: Callable[[Toolchain, Unit], tuple[str, ...]] = lambda *_: ()


def toolchains(
    paths: Paths,
    variants: Iterable[Variant],
    compilers: Sequence[str] = (),
    made_from: Sequence[Edition] = (),
    specs: Iterable[WorkloadSpec] = (),
) -> list[Toolchain]:
    """The toolchains of the variants' languages, not yet configured; if a language has several compilers or
    editions, one for each.

    Each toolchain knows every codec of its language and every workload. It may configure only the workloads
    of ``specs``, and those that were configured before.
    """
    wanted = {v.codec.language for v in variants}
    asked = {spec.workload.name for spec in specs}
    workloads = list(load_workloads(*paths.all_workloads).values())
    made: list[Toolchain] = []
    for name, language in languages().items():
        if name in wanted:
            editions = [
                (edition, _codecs_of(name, edition.codecs))
                for edition in made_from
                if edition.profile is None or edition.profile.language == name
            ]
            codecs = _codecs_of(name, paths.all_codecs)
            made += language.toolchains(Order(paths, codecs, workloads, compilers, editions, asked))
    return made


def _codecs_of(language: str, folders: Sequence[Path]) -> list[Codec]:
    return [codec for codec in load_codecs(*folders).values() if codec.language == language]


def prepare_builds(order: BuildOrder) -> list[Unit]:
    """Installs what is missing, as far as that is permitted and possible, and builds, first what needs no
    compiler. Every unit that cannot be built is returned too, with its status and reason.

    Raises:
        SerbenchError: no toolchain works.
    """
    order = _telling_once(order)
    chosen = _chosen(order)
    units: list[Unit] = []
    broken: list[SetupError | BuildError] = []
    for build, own, make_ready in _ahead(order, list(_dealt(order, chosen))):
        begun = time.monotonic()
        try:
            make_ready()
            units += _built_by(build, own, order)
            order.took(build, own, time.monotonic() - begun)
        except (SetupError, BuildError) as error:
            broken.append(error)
            status: Status = "not_installed" if isinstance(error, SetupError) else "failed"
            units += [replace(unit, status=status, reason=str(error)) for unit in own]
    if len(broken) == len(order.builds) > 0:
        raise broken[0]
    places = {unit.key[:2]: n for n, unit in enumerate(chosen)}
    return sorted(units, key=lambda unit: places[unit.key[:2]])


def would_build(order: BuildOrder) -> list[tuple[Toolchain, Unit]]:
    """The units that ``prepare_builds`` would build, each with its toolchain, after all that comes before
    building. A toolchain that does not work builds nothing."""
    order = _telling_once(order)
    found: list[tuple[Toolchain, Unit]] = []
    for build, own in _dealt(order, [unit for unit in _chosen(order) if unit.status == "ok"]):
        with contextlib.suppress(SetupError, BuildError):
            _make_ready(build, own, order)
            found += [(build, unit) for unit in own if _found(build, unit.variant.codec).installed]
    return found


def _telling_once(order: BuildOrder) -> BuildOrder:
    """The order, which tells once what several toolchains of a language find in its environment."""
    return replace(order, announce=cache(order.announce))


def _dealt(order: BuildOrder, units: Sequence[Unit]) -> Iterator[tuple[Toolchain, list[Unit]]]:
    """Each toolchain with its units, first those that need no compiler; a unit has the toolchain's name where
    its language has several."""
    for build in sorted(order.builds, key=lambda each: not languages()[each.language].traits.interpreted):
        several = sum(b.language == build.language for b in order.builds) > 1
        own = [unit for unit in units if unit.variant.codec.language == build.language]
        yield build, [replace(unit, compiler=build.name if several else "") for unit in own]


def _ahead(
    order: BuildOrder, dealt: Sequence[tuple[Toolchain, list[Unit]]]
) -> Iterator[tuple[Toolchain, list[Unit], Callable[[], None]]]:
    """Each toolchain with its units, and what makes it ready. Where somebody waits, that has begun before:
    toolchains are made ready one after the other while those before them build, since who gets libraries
    mostly waits."""
    if order.built is None:
        yield from ((build, own, partial(_make_ready, build, own, order)) for build, own in dealt)
        return
    pool = ThreadPoolExecutor(max_workers=1)
    try:
        begun = [pool.submit(_make_ready, build, own, order) for build, own in dealt]
        yield from ((build, own, ready.result) for (build, own), ready in zip(dealt, begun, strict=True))
    finally:
        pool.shutdown(cancel_futures=True)


def prepare_sanitized(order: BuildOrder) -> list[tuple[Unit, Sanitizes | None]]:
    """As ``prepare_builds``, but with sanitizers. Returns each unit with the sanitizers that it was built
    with; units of a toolchain without sanitizers are unsupported."""
    able = [sanitizers for build in order.builds if (sanitizers := build.sanitizers)]
    own = [v for v in order.variants if any(v.codec.language == each.toolchain.language for each in able)]
    units = prepare_builds(replace(order, builds=[each.toolchain for each in able], variants=own))
    for unit in _chosen(replace(order, variants=[v for v in order.variants if v not in own])):
        reason = unit.reason or f"no toolchain of {unit.variant.codec.traits.title} has sanitizers"
        units.append(replace(unit, status="unsupported", reason=reason))

    def of(unit: Unit) -> Sanitizes | None:
        own = (each for each in able if each.toolchain.language == unit.variant.codec.language)
        return next((each for each in own if unit.compiler in ("", each.toolchain.name)), None)

    return [(unit, of(unit)) for unit in units]


def _chosen(order: BuildOrder) -> list[Unit]:
    """A unit for every variant with every workload, with its data. Units that a codec cannot do are
    unsupported."""
    units = []
    for spec in order.specs:
        data = dataset_for(spec, order.paths)
        limits = {variant.id: edge_limits(variant, spec) for variant in order.variants}
        edges = {each: edge_dataset_for(spec, order.paths, each) for each in set(limits.values())}
        for variant in order.variants:
            reason = why_unsupported(variant, spec, order.paths)
            status: Status = "unsupported" if reason else "ok"
            edge = edges[limits[variant.id]]
            units.append(Unit(variant, spec, data, edge, "", status, reason or "", order.measured))
    return units


def _built_by(build: Toolchain, units: Sequence[Unit], order: BuildOrder) -> list[Unit]:
    """Builds units with a toolchain that is ready, and returns them: each that was built with the command of
    its runner, the others with the reason.

    Raises:
        SetupError, BuildError: the toolchain does not work.
    """
    made, wanted = [], []
    for unit in units:
        if unit.status != "ok":
            made.append(unit)
        elif command := order.there(build, unit):
            made.append(replace(unit, command=command))
        else:
            wanted.append(unit)
    for batch, step in _batches(build, wanted, order):
        errors = build.build([unit.pair for unit in batch], step)
        done = [_built(build, unit, errors) for unit in batch]
        for unit in done:
            if order.built and unit.status == "ok":
                order.built(unit)
        made += done
    return made


def _make_ready(build: Toolchain, units: Sequence[Unit], order: BuildOrder) -> None:
    """Configures a toolchain, and gets what units lack, as far as that is permitted.

    Raises:
        SetupError, BuildError: the toolchain does not work.
    """
    for notice in build.notices():
        order.announce(notice)
    may = order.permission.install and may_install()
    if may:
        try_to_install(build.missing_packages(), order.announce)
    build.configure()
    missing = _missing(build, units)
    packages = [p for c in missing for p in c.install.get("apt", ())]
    if packages and may:
        try_to_install(packages, order.announce)
        build.configure()
    if build.fetches and order.permission.install and order.permission.fetch:
        _fetch(build, build.fetches, [c for c in missing if build.fetches.can_fetch(c)], order.announce)


def _batches(build: Toolchain, units: Sequence[Unit], order: BuildOrder) -> Iterator[tuple[list[Unit], Step]]:
    """The units in the batches in which they are built, each with what its progress is told to: all at once,
    unless ``order`` wants to know of the first ones early. Then each batch is twice as large as the one
    before, since at the end of each some cores have nothing to do. First come the first variants of codecs:
    before all those that need neither an IDL's compiler nor the headers of an installed library."""
    together = not all(unit.variant.codec.traits.in_batches for unit in units)
    if order.built is None or together:
        yield list(units), order.step
        return
    there = [unit for unit in units if _found(build, unit.variant.codec).installed]
    there.sort(key=_by_haste)
    count, done = _BATCH * usable_cores(), 0
    while batch := there[done : done + count]:
        yield batch, _part_of(order.step, done, len(batch), len(there))
        done, count = done + len(batch), 2 * count
    if missing := [unit for unit in units if unit not in there]:
        yield missing, lambda *_: None


def _by_haste(unit: Unit) -> tuple[bool, bool, bool]:
    codec = unit.variant.codec
    return next(iter(codec.variants)) != unit.variant.name, codec.idl is not None, bool(codec.install)


def _part_of(step: Step, before: int, size: int, total: int) -> Step:
    """Tells ``step`` of a batch's progress, in programs of all batches."""
    return lambda done, of, what: step(before + size * done // max(of, 1), total, what)


def _fetch(build: Toolchain, fetches: Fetches, codecs: Sequence[Codec], announce: Announce) -> None:
    """Fetches the libraries of ``codecs``. One that cannot be fetched is announced, and stays missing."""
    if codecs:
        try:
            fetches.fetch(codecs, announce)
        except SetupError as error:
            announce(str(error))
        build.configure()


def with_layouts(
    units: Sequence[Unit], builds: Sequence[Toolchain], count: int, announce: Announce, step: Step
) -> list[Unit]:
    """The same units, of which those that were verified have ``count`` layouts, if their toolchain can link
    them. If the linker cannot do it, units stay without, and one line is announced for all of them."""
    layouts: dict[tuple[str, str, str], list[tuple[str, ...]]] = {}
    failures: dict[str, str] = {}
    for build in builds if count else ():
        if build.layouts:
            own = own_units(build, units)
            linked = build.layouts.link_layouts(
                list({unit.program: unit.pair for unit in own}.values()), count, step
            )
            for unit in own:
                found = linked[unit.program]
                if isinstance(found, str):
                    failures[unit.name] = found
                else:
                    layouts[unit.key] = found
    if failures:
        announce(
            f"{', '.join(failures)}: measured with a single layout, since {next(iter(failures.values()))}"
        )
    return [replace(unit, layouts=tuple(layouts.get(unit.key, ()))) for unit in units]


def own_units(build: Toolchain, units: Sequence[Unit]) -> list[Unit]:
    """The units of ``units`` that this toolchain built and that are ``ok``."""
    own = [
        unit
        for unit in units
        if unit.variant.codec.language == build.language and unit.compiler in ("", build.name)
    ]
    return [unit for unit in own if unit.status == "ok"]


def known_work(paths: Paths, compilers: Sequence[str]) -> KnownWork:
    """The runner of known work, built by the first language that has one.

    Raises:
        SetupError: there is no such compiler.
        BuildError: it ended with an error; holds what it said.
    """
    built = (language.known_work(paths, compilers) for language in languages().values())
    return next(work for work in built if work)


def where_to_get(codec: Codec) -> str:
    """The command that gets a codec's library on this machine, or else where the library can be found."""
    return how_to_get(codec, languages()[codec.language].how_to_get)


def known_variants(paths: Paths) -> Loaded[Variant]:
    """Every codec variant by id, the user's own and those that are built in."""
    return load_variants(*paths.all_codecs)


def try_to_install(packages: Iterable[str], announce: Announce) -> None:
    """Installs packages. If that fails, it only announces why: what is missing is found and told later."""
    try:
        install(packages, announce)
    except SetupError as error:
        announce(str(error))


def _missing(build: Toolchain, units: Sequence[Unit]) -> list[Codec]:
    codecs = {unit.variant.codec.id: unit.variant.codec for unit in units}
    return [codec for codec in codecs.values() if not _found(build, codec).installed]


def _found(build: Toolchain, codec: Codec) -> Found:
    """What a toolchain found of a codec's library; not installed if its edition does not have the codec at
    all."""
    return build.found.get(codec.name) or Found(False, "", f"{build.name} has no {codec.id}")


def _built(build: Toolchain, unit: Unit, errors: Failures) -> Unit:
    found = _found(build, unit.variant.codec)
    if not found.installed:
        return replace(
            unit,
            status="not_installed",
            reason=f"{found.missing}; get it: {where_to_get(unit.variant.codec)}",
        )
    if error := errors.get(unit.program):
        return replace(unit, status="failed", reason=f"did not build: {error}")
    return replace(unit, command=build.command(*unit.pair))
