"""The same passes timed by our sampler and by another, in one shuffled schedule.

One program of each codec has both samplers, so that a ratio between them is of the samplers alone; the cell that tables have is
measured beside it. ``prepare`` builds, ``judge`` is a pure function over figures by round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from serbench.dataset.cache import dataset_for
from serbench.doctor.selftests import Figures
from serbench.errors import SetupError
from serbench.finding import Finding, Verdict, percent
from serbench.install import install, install_command, may_install, package_manager
from serbench.languages import languages
from serbench.languages.base import CrossChecks, Found, OtherSampler, Toolchain
from serbench.measure.process import SILENCE_LIMIT_S
from serbench.measure.run import Unit
from serbench.paths import Paths
from serbench.prepare import Announce, Permission, Prepared, Step, known_variants, prepare_builds, toolchains, verified
from serbench.report.numbers import duration, ratio
from serbench.report.table import Table
from serbench.selection import select_operations, select_variants, select_workloads
from serbench.stats.summary import CONFIDENCE, Interval, Rounds, median_interval
from serbench.traits import Traits
from serbench.workload import load_workloads

OPERATIONS = ("serialize", "deserialize")

ROUNDS = 40
"""Processes of the same program differ by some per cent; so many bring the interval of a ratio below ``CLOSE``."""

SAMPLE_NS, SAMPLES = 2_000_000, 20
"""More and shorter ones than for tables: of those shorter than the time slices of a loaded machine, many are not disturbed."""

CLOSE = 0.02
"""Medians no further apart agree even where the interval is narrower: what a run aims at by default."""

WIDE = 0.05
"""An interval of more on either side agrees with anything."""


def together(lines: int) -> float:
    """The confidence of each of so many intervals, so that all of them together have ``CONFIDENCE`` (Bonferroni)."""
    return 1 - (1 - CONFIDENCE) / lines


@dataclass(frozen=True)
class Party:
    """One codec with what is measured of it, or why nothing is.

    Attributes:
        sampler: the other one's name for people.
        cell: starts the measuring program that tables have.
        ours: starts the one with both samplers, with ours; ``theirs`` with the other.
    """

    codec: str
    sampler: str
    workload: str
    dataset: str = ""
    cell: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()
    failure: str = ""

    @property
    def names(self) -> tuple[str, str, str]:
        """Of the three in a run: ``cell``, ``ours`` and ``theirs``."""
        return f"{self.codec} (cell)", f"{self.codec} (serbench)", f"{self.codec} ({self.sampler})"

    def units(self) -> list[Unit]:
        """What a plan measures of it, each in a process of its own."""
        if self.failure:
            return []
        commands = zip(self.names, (self.cell, self.ours, self.theirs), strict=True)
        operations = tuple(select_operations(OPERATIONS, ("reuse",)))
        traits = Traits(self.sampler, one_executable=True)
        return [Unit(name, self.workload, command, self.dataset, operations, traits=traits) for name, command in commands]


def prepare(
    paths: Paths, compilers: Sequence[str], permission: Permission, announce: Announce, step: Step
) -> tuple[list[Party], dict[str, object]]:
    """Builds and verifies the cells, and builds the programs with both samplers; a codec that cannot be had has a failure.

    Returns:
        The parties, and what a manifest says of the build.

    Raises:
        SetupError: the other sampler is missing, or all of the codecs; says how to get them.
        BuildError: the build tool failed.
    """
    other = next(each.other_sampler for each in languages().values() if each.other_sampler)
    variants = select_variants(other.codecs, known_variants(paths))
    (build,) = toolchains(paths, variants, compilers[:1])
    able = build.cross_checks
    assert able, f"the toolchain of {other.title} has no programs with it"
    specs = select_workloads([other.workload], load_workloads(*paths.all_workloads))
    cells = prepare_builds([build], paths, variants, specs, permission, announce, step)
    library = find_other(build, able, other, permission, announce)
    cells = verified(paths, cells, step, SILENCE_LIMIT_S)
    errors = able.build_cross_check([(c.variant, c.spec.workload.name) for c in cells if c.status == "ok"], step)
    parties = [_party(paths, able, other, cell, errors.get((cell.variant.id, cell.spec.workload.name))) for cell in cells]
    if all(party.failure for party in parties):
        raise SetupError(f"there is nothing to cross-check: {'; '.join(f'{p.codec}: {p.failure}' for p in parties)}")
    libraries = {c.variant.id: build.found[c.variant.codec.name].version for c in cells}
    return parties, {"libraries": libraries, "sampler": f"{other.title} {library.version}", **build.describe()}


def find_other(build: Toolchain, able: CrossChecks, other: OtherSampler, permission: Permission, announce: Announce) -> Found:
    """The other sampler as the toolchain found it, installed before where that is permitted.

    Raises:
        SetupError: it is missing; says how to get it.
    """
    found = able.other_found()
    package = other.packages[package_manager()]
    if not found.installed and permission.install and may_install():
        install([package], announce)
        build.configure()
        found = able.other_found()
    if not found.installed:
        raise SetupError(f"{other.title} is not installed ({found.missing}); get it: {install_command([package])}")
    return found


def _party(paths: Paths, able: CrossChecks, other: OtherSampler, cell: Prepared, error: str | None) -> Party:
    party = Party(cell.variant.id, other.title, cell.spec.id)
    if cell.status != "ok":
        return replace(party, failure=f"{cell.status.replace('_', ' ')}: {cell.reason}")
    if error:
        return replace(party, failure=f"did not build: {error}")
    ours, theirs = (able.cross_check(cell.variant, cell.spec.workload.name, sampler) for sampler in ("serbench", other.name))
    return replace(party, dataset=str(dataset_for(cell.spec, paths).path), cell=cell.command, ours=ours, theirs=theirs)


def agreement(ours_to_theirs: Interval) -> tuple[Verdict, str]:
    """Whether two samplers agree, and by what: 1 is in the interval of their ratio, or their medians are ``CLOSE``."""
    apart = abs(ours_to_theirs.estimate - 1)
    if apart >= CLOSE and not ours_to_theirs.low <= 1 <= ours_to_theirs.high:
        return Verdict.bad, f"no: {percent(apart, 1)} apart"
    if ours_to_theirs.relative_half_width > WIDE:
        return Verdict.unknown, f"not known: ±{percent(ours_to_theirs.relative_half_width)} is too wide"
    if ours_to_theirs.low <= 1 <= ours_to_theirs.high:
        return Verdict.good, "yes: 1 is in the interval"
    return Verdict.good, f"yes: {percent(apart, 1)} apart, less than {percent(CLOSE)}"


@dataclass(frozen=True)
class CrossCheck:
    """One codec and operation: nanoseconds of a pass by its three programs, and what follows."""

    codec: str
    operation: str
    cell: Interval
    ours: Interval
    theirs: Interval
    ratio: Interval
    verdict: Verdict
    agree: str
    sampler: str

    @classmethod
    def of(cls, party: Party, operation: str, rounds: tuple[Rounds, Rounds, Rounds], confidence: float) -> CrossCheck:
        """From figures by round of its cell, our sampler and the other, of which the last two share at least one."""
        cell, ours, theirs = rounds
        ratio = median_interval([ours[n] / theirs[n] for n in sorted(ours.keys() & theirs.keys())], confidence)
        of_cell, of_ours, of_theirs = (median_interval(list(rounds.values())) for rounds in (cell, ours, theirs))
        return cls(party.codec, operation, of_cell, of_ours, of_theirs, ratio, *agreement(ratio), party.sampler)

    @property
    def interval(self) -> str:
        return f"{self.ratio.low:.3f} to {self.ratio.high:.3f}"

    def finding(self) -> Finding:
        """For ``--format json`` and the exit status."""
        figures = {
            "codec": self.codec,
            "operation": f"{self.operation}:reuse",
            "cell_ns": round(self.cell.estimate, 2),
            "ours_ns": round(self.ours.estimate, 2),
            "theirs_ns": round(self.theirs.estimate, 2),
            "ratio": round(self.ratio.estimate, 5),
            "ratio_interval": [round(self.ratio.low, 5), round(self.ratio.high, 5)],
        }
        found = f"agree with {self.sampler}: {self.agree}; ours to theirs {ratio(self.ratio)} ({self.interval})"
        advice = {
            Verdict.bad: "a sampler is wrong, or this machine is: see what is bad or to be minded above, and do it again",
            Verdict.unknown: "do it again with the machine left alone",
        }
        return Finding(f"cross-check, {self.codec} {self.operation}", self.verdict, found, advice.get(self.verdict, ""), figures)


def judge(parties: Sequence[Party], figures: Figures) -> list[CrossCheck]:
    """Every codec that could be built, under every operation."""
    able = [party for party in parties if not party.failure]
    confidence = together(len(parties) * len(OPERATIONS))
    return [
        CrossCheck.of(party, operation, _of(figures, party, operation), confidence) for party in able for operation in OPERATIONS
    ]


def _of(figures: Figures, party: Party, operation: str) -> tuple[Rounds, Rounds, Rounds]:
    cell, ours, theirs = (figures[name, operation] for name in party.names)
    return cell, ours, theirs


def failures(parties: Sequence[Party]) -> list[Finding]:
    """The codecs that could not be built."""
    return [Finding(f"cross-check, {p.codec}", Verdict.unknown, p.failure) for p in parties if p.failure]


def cross_check_table(checks: Sequence[CrossCheck], missing: Sequence[Finding], build: Mapping[str, object]) -> Table:
    """A line for each codec and operation; the ratio is of ours to theirs."""
    rows = [
        (c.codec, c.operation, duration(c.cell), duration(c.ours), duration(c.theirs), ratio(c.ratio), c.interval, c.agree)
        for c in checks
    ]
    headings = ("codec", "operation", "tables", "ours", "theirs", "ratio", "95 % interval", "agree")
    notes = [
        "Times: one pass over the message, median over rounds. ratio: ours to theirs, inside each round; 95 % over all lines.",
        f"theirs: {build['sampler']}; ours: the same program with our sampler. tables: the cell that "
        "tables have, whose code lies in other places and may be linked in another way.",
        *(f"{each.check}: {each.found}" for each in missing),
    ]
    return Table(
        f"our sampler and {checks[0].sampler if checks else 'another'} on the same passes",
        headings,
        rows,
        frozenset(range(2, 7)),
        notes,
    )
