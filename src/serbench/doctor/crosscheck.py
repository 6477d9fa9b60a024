"""Times the same passes with our sampler and with another one, in one shuffled schedule.

For each codec there is a program with both samplers, so a ratio between them is due to the samplers; the
program used for tables is timed too. ``prepare`` builds, ``judge`` is a pure function over figures by round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from serbench.building.prepare import Announce, Listener, known_variants, prepare_builds, toolchains
from serbench.codecs.traits import Traits
from serbench.doctor.selftests import Figures
from serbench.errors import SetupError, unknown
from serbench.languages import languages
from serbench.languages.base import CrossChecks, Found, OtherSampler, Progress, Toolchain
from serbench.languages.install import install, install_command, may_install, package_manager
from serbench.measure.job import Job, Permission
from serbench.measure.plan import Task
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.report.numbers import duration, ratio
from serbench.report.table import Table
from serbench.selecting.selection import Chosen, select_operations, select_variants, select_workloads
from serbench.stats.summary import CONFIDENCE, Interval, median_interval
from serbench.system.finding import Finding, Meaning, percent
from serbench.verification.units import verified
from serbench.workload import load_workloads

OPERATIONS = ("serialize", "deserialize")

CLOSE = 0.02
"""How far apart the times of two samplers may be, as a share, and still agree where 1 is not in the interval
of their ratio: a run aims at no narrower interval by default."""

WIDE = 0.05
"""An interval with more than this on either side is too wide to say anything."""


def together(lines: int) -> float:
    """The confidence that each of ``lines`` intervals needs so that all have ``CONFIDENCE`` (Bonferroni)."""
    return 1 - (1 - CONFIDENCE) / lines


@dataclass(frozen=True)
class Trio:
    """The three measurements of one codec that are compared, or why they cannot be made.

    Attributes:
        sampler: the name by which people know the other sampler.
        tasks: three tasks, each in a process of its own: the program that is measured for tables; the program
            with both samplers, using ours; the same, using the other one.
        failure: why there are no tasks; else empty.
    """

    codec: str
    sampler: str
    tasks: Sequence[Task] = ()
    failure: str = ""

    @property
    def names(self) -> tuple[str, str, str]:
        """The names of the three tasks in a run."""
        return f"{self.codec} (tables)", f"{self.codec} (serbench)", f"{self.codec} ({self.sampler})"

    def of(self, workload: str, dataset: str, commands: Sequence[tuple[str, ...]], traits: Traits) -> Trio:
        """The trio with its tasks; ``commands`` start the three programs, of a language with ``traits``."""
        operations = tuple(select_operations(OPERATIONS, ("reuse",)))
        named = zip(self.names, commands, strict=True)
        return replace(
            self,
            tasks=[Task(name, workload, operations, each, dataset, traits=traits) for name, each in named],
        )


def other_samplers(asked: Sequence[str], paths: Paths) -> list[OtherSampler]:
    """The samplers to compare ours with, of these languages or else of those that a plain run measures.

    Raises:
        SelectionError: a name is not that of a language with another sampler.
    """
    able = {name: each.other_sampler for name, each in languages().items() if each.other_sampler}
    for name in asked:
        if name not in able:
            raise unknown("language with another sampler", name, able)
    usual = {variant.codec.language for variant in select_variants((), known_variants(paths))}
    return [other for name, other in able.items() if name in (asked or usual)]


def prepare(
    other: OtherSampler,
    paths: Paths,
    compilers: Sequence[str],
    permission: Permission,
    announce: Announce,
    step: Progress,
) -> tuple[list[Trio], dict[str, object]]:
    """Builds and verifies the units of the codecs that ``other`` names, and builds programs with both
    samplers. A codec that is not installed or does not pass has the reason as its ``failure``.

    Returns:
        The trios, and what a manifest says about the build.

    Raises:
        SetupError: the other sampler is missing, or all of the codecs; says how to get them.
        BuildError: the build tool failed.
    """
    variants = select_variants(other.codecs, known_variants(paths))
    specs = select_workloads([other.workload], load_workloads(*paths.all_workloads))
    (build,) = toolchains(paths, variants, compilers[:1], specs=specs)
    able = build.cross_checks
    assert able, f"the toolchain has no {other.title} programs"
    job = Job(paths, Chosen(variants, specs), [build], permission)
    units = prepare_builds(job, Listener(announce, step))
    library = find_other(build, able, other, permission, announce)
    units = verified(paths, units, step, job.time_limit_s)
    errors = able.build_cross_check([unit.pair for unit in units if unit.status == "ok"], step)
    trios = [_trio(able, other, unit, errors.get(unit.package)) for unit in units]
    if all(trio.failure for trio in trios):
        raise SetupError(
            f"nothing to cross-check: {'; '.join(f'{trio.codec}: {trio.failure}' for trio in trios)}"
        )
    libraries = {unit.variant.id: build.found[unit.variant.codec.name].version for unit in units}
    return trios, {"libraries": libraries, "sampler": f"{other.title} {library.version}", **build.describe()}


def find_other(
    build: Toolchain, able: CrossChecks, other: OtherSampler, permission: Permission, announce: Announce
) -> Found:
    """The other sampler as the toolchain found it, installed first if it is missing and that is permitted.

    Raises:
        SetupError: it is missing; says how to get it.
    """
    found = able.other_found()
    package = other.packages.get(package_manager())
    if not found.installed and package and permission.install and may_install():
        install([package], announce)
        build.configure()
        found = able.other_found()
    if not found.installed:
        get = f"; get it: {install_command([package])}" if package else ""
        raise SetupError(f"{other.title} is not installed ({found.missing}){get}")
    return found


def _trio(able: CrossChecks, other: OtherSampler, unit: Unit, error: str | None) -> Trio:
    trio = Trio(unit.variant.id, other.title)
    if failure := unit.failure or (f"did not build: {error}" if error else ""):
        return replace(trio, failure=failure)
    ours, theirs = (able.cross_check(*unit.pair, sampler) for sampler in ("serbench", other.name))
    commands = (unit.command, ours, theirs)
    return trio.of(unit.spec.id, str(unit.data.path), commands, unit.variant.codec.traits)


def agreement(ours_to_theirs: Interval) -> tuple[Meaning, str]:
    """Whether two samplers agree, with the reason: 1 is in their ratio's interval, or the ratio is near 1."""
    apart = abs(ours_to_theirs.estimate - 1)
    if apart >= CLOSE and not ours_to_theirs.low <= 1 <= ours_to_theirs.high:
        return Meaning.bad, f"no: {percent(apart, 1)} apart"
    if ours_to_theirs.relative_half_width > WIDE:
        return Meaning.unknown, f"not known: ±{percent(ours_to_theirs.relative_half_width)} is too wide"
    if ours_to_theirs.low <= 1 <= ours_to_theirs.high:
        return Meaning.good, "yes: 1 is in the interval"
    return Meaning.good, f"yes: {percent(apart, 1)} apart, less than {percent(CLOSE)}"


@dataclass(frozen=True)
class CrossCheck:
    """The result for one codec and operation: nanoseconds of a pass in the three measurements of a ``Trio``,
    the ratio of our sampler to the other, and whether both agree."""

    codec: str
    operation: str
    cell: Interval
    ours: Interval
    theirs: Interval
    ratio: Interval
    verdict: Meaning
    agree: str
    sampler: str

    @property
    def interval(self) -> str:
        return f"{self.ratio.low:.3f} to {self.ratio.high:.3f}"

    def finding(self) -> Finding:
        """The result as a finding, for ``--format json`` and the exit status."""
        figures = {
            "codec": self.codec,
            "operation": f"{self.operation}:reuse",
            "cell_ns": round(self.cell.estimate, 2),
            "ours_ns": round(self.ours.estimate, 2),
            "theirs_ns": round(self.theirs.estimate, 2),
            "ratio": round(self.ratio.estimate, 5),
            "ratio_interval": [round(self.ratio.low, 5), round(self.ratio.high, 5)],
        }
        found = (
            f"agrees with {self.sampler}: {self.agree}; ratio of ours to theirs {ratio(self.ratio)} "
            f"({self.interval})"
        )
        advice = {
            Meaning.bad: "a sampler or this machine is unreliable: fix the problems and warnings above, and "
            "repeat",
            Meaning.unknown: "repeat it while the machine is otherwise idle",
        }
        name = f"cross-check, {self.codec} {self.operation}"
        return Finding(name, self.verdict, found, advice.get(self.verdict, ""), figures)


def judge(trios: Sequence[Trio], figures: Figures) -> Iterator[CrossCheck]:
    """The results of every codec that could be built, for every operation, from the figures of each task by
    round; the ratio is over the rounds with figures of both samplers, of which there has to be one."""
    confidence = together(len(trios) * len(OPERATIONS))
    for trio in trios:
        for operation in OPERATIONS if not trio.failure else ():
            rounds = [figures[name, operation] for name in trio.names]
            cell, ours, theirs = (median_interval(list(each.values())) for each in rounds)
            shared = sorted(rounds[1].keys() & rounds[2].keys())
            apart = median_interval([rounds[1][n] / rounds[2][n] for n in shared], confidence)
            yield CrossCheck(
                trio.codec, operation, cell, ours, theirs, apart, *agreement(apart), trio.sampler
            )


def failures(trios: Sequence[Trio]) -> list[Finding]:
    """A finding for each codec that could not be built."""
    return [Finding(f"cross-check, {p.codec}", Meaning.unknown, p.failure) for p in trios if p.failure]


def cross_check_table(
    checks: Sequence[CrossCheck], missing: Sequence[Finding], build: Mapping[str, object]
) -> Table:
    """A table with a line for each codec and operation; the ratio is that of our sampler to the other."""
    rows = [
        (
            c.codec,
            c.operation,
            *map(duration, (c.cell, c.ours, c.theirs)),
            ratio(c.ratio),
            c.interval,
            c.agree,
        )
        for c in checks
    ]
    headings = ("codec", "operation", "tables", "ours", "theirs", "ratio", "95 % interval", "agree")
    notes = [
        "Times: one pass over the message, median over rounds. ratio: ours to theirs, within "
        "each round; 95 % over all lines.",
        f"theirs: {build['sampler']}; ours: the same program with our sampler. tables: the program "
        "that tables measure, whose code lies at different addresses and may be linked differently.",
        *(f"{each.check}: {each.found}" for each in missing),
    ]
    title = f"our sampler and {checks[0].sampler if checks else 'another'} on the same passes"
    return Table(title, headings, rows, frozenset(range(2, 7)), notes)
