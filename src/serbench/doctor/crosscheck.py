"""The same passes timed by our sampler and by Google Benchmark, in one shuffled schedule.

One program of each codec has both samplers, so that a ratio between them is of the samplers alone; the cell that tables have is
measured beside it. ``prepare`` builds, ``judge`` is a pure function over figures by round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from serbench.build.cmake import CppBuild
from serbench.build.install import install, install_command, may_install, package_manager
from serbench.build.toolchain import Found
from serbench.dataset.cache import dataset_for
from serbench.doctor.finding import Finding, Verdict, percent
from serbench.doctor.selftests import Figures
from serbench.errors import SetupError
from serbench.measure.process import SILENCE_LIMIT_S
from serbench.measure.run import Unit
from serbench.paths import Paths
from serbench.prepare import Announce, Permission, Prepared, Step, known_variants, prepare_builds, toolchains, verified
from serbench.report.numbers import duration, ratio
from serbench.report.table import Table
from serbench.selection import select_operations, select_variants, select_workloads
from serbench.stats.summary import CONFIDENCE, Interval, Rounds, median_interval
from serbench.workload import load_workloads

CODECS = ("cpp/handwritten:checked", "cpp/protobuf:default", "cpp/cereal")
"""A microsecond, ten, and one that allocates: a constant that a sampler adds to each pass would show in the first."""

OPERATIONS = ("serialize", "deserialize")

ROUNDS = 40
"""Processes of the same program differ by some per cent; so many bring the interval of a ratio below ``CLOSE``."""

TOGETHER = 1 - (1 - CONFIDENCE) / (len(CODECS) * len(OPERATIONS))
"""The confidence of each interval, so that all of them together have ``CONFIDENCE`` (Bonferroni)."""

SAMPLE_NS, SAMPLES = 2_000_000, 20
"""More and shorter ones than for tables: of those shorter than the time slices of a loaded machine, many are not disturbed."""

CLOSE = 0.02
"""Medians no further apart agree even where the interval is narrower: what a run aims at by default."""

WIDE = 0.05
"""An interval of more on either side agrees with anything."""

PACKAGES = {"apt": "libbenchmark-dev", "homebrew": "google-benchmark"}


@dataclass(frozen=True)
class Party:
    """One codec with what is measured of it, or why nothing is.

    Attributes:
        cell: starts the measuring program that tables have.
        ours: starts the one with both samplers, with ours; ``theirs`` with Google Benchmark.
    """

    codec: str
    dataset: str = ""
    cell: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()
    failure: str = ""

    @property
    def names(self) -> tuple[str, str, str]:
        """Of the three in a run: ``cell``, ``ours`` and ``theirs``."""
        return f"{self.codec} (cell)", f"{self.codec} (serbench)", f"{self.codec} (Google Benchmark)"

    def units(self) -> list[Unit]:
        """What a plan measures of it, each in a process of its own."""
        if self.failure:
            return []
        commands = zip(self.names, (self.cell, self.ours, self.theirs), strict=True)
        operations = tuple(select_operations(OPERATIONS, ("reuse",)))
        return [Unit(name, "monsters", command, self.dataset, operations, copied=True) for name, command in commands]


def prepare(
    paths: Paths, compiler: str, permission: Permission, announce: Announce, step: Step
) -> tuple[list[Party], dict[str, object]]:
    """Builds and verifies the cells, and builds the programs with both samplers; a codec that cannot be had has a failure.

    Returns:
        The parties, and what a manifest says of the build.

    Raises:
        SetupError: Google Benchmark is missing, or all of the codecs; says how to get them.
        BuildError: CMake failed.
    """
    variants = select_variants(CODECS, known_variants(paths))
    (build,) = toolchains(paths, variants, [compiler])
    assert isinstance(build, CppBuild)
    specs = select_workloads(["monsters"], load_workloads(paths.workloads))
    cells = prepare_builds([build], paths, variants, specs, permission, announce, step)
    library = find_google_benchmark(build, permission, announce)
    cells = verified(paths, cells, step, SILENCE_LIMIT_S)
    errors = build.build_cross_check([(c.variant, c.spec.workload.name) for c in cells if c.status == "ok"], step)
    parties = [_party(paths, build, cell, errors.get((cell.variant.id, cell.spec.workload.name))) for cell in cells]
    if all(party.failure for party in parties):
        raise SetupError(f"there is nothing to cross-check: {'; '.join(f'{p.codec}: {p.failure}' for p in parties)}")
    libraries = {c.variant.id: build.found[c.variant.codec.name].version for c in cells}
    return parties, {"libraries": libraries, "google_benchmark": library.version, **build.describe()}


def find_google_benchmark(build: CppBuild, permission: Permission, announce: Announce) -> Found:
    """Google Benchmark as CMake found it, installed before where that is permitted.

    Raises:
        SetupError: it is missing; says how to get it.
    """
    found = build.google_benchmark()
    package = PACKAGES[package_manager()]
    if not found.installed and permission.install and may_install():
        install([package], announce)
        build.configure()
        found = build.google_benchmark()
    if not found.installed:
        raise SetupError(f"Google Benchmark is not installed ({found.missing}); get it: {install_command([package])}")
    return found


def _party(paths: Paths, build: CppBuild, cell: Prepared, error: str | None) -> Party:
    if cell.status != "ok":
        return Party(cell.variant.id, failure=f"{cell.status.replace('_', ' ')}: {cell.reason}")
    if error:
        return Party(cell.variant.id, failure=f"did not build: {error}")
    ours, theirs = (
        build.cross_check(cell.variant, cell.spec.workload.name, sampler) for sampler in ("serbench", "google_benchmark")
    )
    return Party(cell.variant.id, str(dataset_for(cell.spec, paths).path), cell.command, ours, theirs)


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

    @classmethod
    def of(cls, codec: str, operation: str, cell: Rounds, ours: Rounds, theirs: Rounds) -> CrossCheck:
        """From figures by round, of which ``ours`` and ``theirs`` share at least one."""
        ratio = median_interval([ours[n] / theirs[n] for n in sorted(ours.keys() & theirs.keys())], TOGETHER)
        of_cell, of_ours, of_theirs = (median_interval(list(rounds.values())) for rounds in (cell, ours, theirs))
        return cls(codec, operation, of_cell, of_ours, of_theirs, ratio, *agreement(ratio))

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
        found = f"agree with Google Benchmark: {self.agree}; ours to theirs {ratio(self.ratio)} ({self.interval})"
        advice = {
            Verdict.bad: "a sampler is wrong, or this machine is: see what is bad or to be minded above, and do it again",
            Verdict.unknown: "do it again with the machine left alone",
        }
        return Finding(f"cross-check, {self.codec} {self.operation}", self.verdict, found, advice.get(self.verdict, ""), figures)


def judge(parties: Sequence[Party], figures: Figures) -> list[CrossCheck]:
    """Every codec that could be built, under every operation."""
    return [
        CrossCheck.of(party.codec, operation, *(figures[name, operation] for name in party.names))
        for party in parties
        if not party.failure
        for operation in OPERATIONS
    ]


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
        f"theirs: Google Benchmark {build['google_benchmark']}; ours: the same program with our sampler. tables: the cell that "
        "tables have, whose code lies in other places and may be linked in another way.",
        *(f"{each.check}: {each.found}" for each in missing),
    ]
    return Table("our sampler and Google Benchmark on the same passes", headings, rows, frozenset(range(2, 7)), notes)
