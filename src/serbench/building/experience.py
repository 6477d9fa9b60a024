"""The times that building, verifying and measuring took on this machine before, by which later ones are
estimated.

For each step one number is kept: how many times as long it took as is typical (``traits.Typical``,
``Plan.round_s``), on an idle machine: what others took then (``crowding``) is divided out, and what they take
now is multiplied in, or else one run on a crowded machine would make all that follow seem long. Such a factor
holds for selections that were never built, too. Of each program that was measured its pace is kept besides,
since codecs of a language differ by more than machines do. A file in ``home`` keeps the numbers, the paces,
and the names of the programs that were built.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Annotated

import msgspec
from msgspec.structs import replace

from serbench.codecs.codec import Variant
from serbench.codecs.traits import Traits
from serbench.errors import FileError
from serbench.languages.base import Toolchain
from serbench.measure.job import Job
from serbench.measure.pace import Pace
from serbench.system.cores import crowding, usable_cores
from serbench.system.files import read_json, to_json
from serbench.system.whole import write_atomically
from serbench.workload import WorkloadSpec

VERIFYING, MEASURING = "verifying", "measuring"
"""The names of steps that all languages share. Others contain a language: ``building LANGUAGE``."""

_MOST_PROGRAMS = 20_000
"""The most names of programs that are kept; those that were built first are dropped."""

_LACKING = "without library: "
"""The words before the name of a program that could not be built, in the list of programs that are kept."""

_LEAST_S = 1.0
"""The fewest seconds of a step from which a factor is learned: shorter steps tell nothing of longer ones."""

_FARTHEST = 30.0
"""The greatest factor by which a step may differ from what is typical: beyond that, something else was the
matter."""

Factor = Annotated[float, msgspec.Meta(ge=1 / _FARTHEST, le=_FARTHEST)]


class KeptTimes(msgspec.Struct):
    """The content of ``experience.json`` in ``home``, the file in which an ``Experience`` is kept."""

    factors: dict[str, Factor] = {}
    programs: list[str] = []
    paces: dict[str, Pace] = {}


@dataclass
class Experience:
    """How fast this machine was, and which programs it has built.

    Attributes:
        factors: step, such as ``verifying`` → how many times as long it took as is typical.
        programs: the programs that were built and verified, the newest last.
        paces: program → its pace when it was measured last, the newest last.
    """

    path: Path
    factors: dict[str, float] = field(default_factory=dict)
    programs: dict[str, None] = field(default_factory=dict)
    paces: dict[str, Pace] = field(default_factory=dict)

    @classmethod
    def of(cls, home: Path) -> Experience:
        """Return the experience that ``home`` keeps; an empty one where the file cannot be used."""
        path = home / "experience.json"
        kept = KeptTimes()
        with contextlib.suppress(FileError):
            kept = read_json(path, KeptTimes, "experience")
        return cls(path, dict(kept.factors), dict.fromkeys(kept.programs), dict(kept.paces))

    @property
    def crowd(self) -> float:
        """The factor by which the work of others makes steps longer now."""
        return crowding()

    def expected_s(self, step: str, typical_s: float, crowd: float | None = None) -> float:
        """Return the seconds that a step is expected to take beside what the machine is doing now.

        Args:
            crowd: the factor by which others make the step longer; by default that of all work.
        """
        return typical_s * self.factors.get(step, 1.0) * (self.crowd if crowd is None else crowd)

    def learn(self, step: str, typical_s: float, took_s: float, crowd: float | None = None) -> None:
        """Average a step's kept factor with ``took_s / typical_s``, without what others took of the time:
        ``crowd`` is as in ``expected_s``."""
        if min(typical_s, took_s) >= _LEAST_S:
            beside = self.crowd if crowd is None else crowd
            factor = min(max(took_s / typical_s / beside, 1 / _FARTHEST), _FARTHEST)
            self.factors[step] = math.sqrt(factor * self.factors.get(step, factor))

    def built(self, programs: Iterable[str]) -> None:
        """Record that programs were built and verified."""
        for program in programs:
            self.programs.pop(program, None)
            self.programs[program] = None

    def lacking(self, programs: Iterable[str]) -> None:
        """Record that programs cannot be built, as a library is missing; no time is expected for them."""
        self.built(_LACKING + program for program in programs)

    def is_new(self, program: str) -> bool:
        """Whether a program was neither built before nor recorded as lacking its library."""
        return program not in self.programs and _LACKING + program not in self.programs

    def paced(self, program: str, pace: Pace, is_cut: bool) -> None:
        """Record the pace of a program. A warm-up that was cut tells only that a whole one is no shorter."""
        known = self.paces.pop(program, pace)
        longest_s = max(filter(None, (known.warmup_s, pace.warmup_s)), default=pace.warmup_s)
        self.paces[program] = replace(pace, warmup_s=longest_s) if is_cut else pace

    def pace_of(self, program: str, traits: Traits) -> Pace:
        """Return the pace of a program as it was measured last; of another one the pace that is typical of
        its language, with the median warm-up of those that were measured."""
        if known := self.paces.get(program):
            return known
        language, _, _ = program.partition("/")
        own = [pace.warmup_s for name, pace in self.paces.items() if name.startswith(f"{language}/")]
        warmups = [seconds for seconds in own if seconds is not None]
        typical = Pace.typical(traits)
        return replace(typical, warmup_s=median(warmups)) if warmups else typical

    def keep(self) -> None:
        """Write this experience to its file; do nothing where that cannot be written."""
        kept = KeptTimes(
            self.factors,
            list(self.programs)[-_MOST_PROGRAMS:],
            dict([*self.paces.items()][-_MOST_PROGRAMS:]),
        )
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self.path, to_json(kept))


def program_of(build: Toolchain, variant: Variant, spec: WorkloadSpec) -> str:
    """Return the name by which ``Experience`` knows a program; it changes with the workload's schema."""
    return f"{variant.id} {spec.workload.name} {spec.workload.schema.digest()[:12]} {build.name}"


@dataclass(frozen=True)
class Preparing:
    """How long it typically takes to build and verify a job.

    Attributes:
        building_s: step → the seconds that building typically takes.
        verifying_s: the seconds that verifying typically takes.
    """

    building_s: Mapping[str, float]
    verifying_s: float

    @classmethod
    def of(cls, known: Experience, job: Job) -> Preparing:
        """Return the typical times of a job, given which of its programs were built before."""
        building_s: dict[str, float] = {}
        verifying_s, specs = 0.0, job.chosen.workloads
        for build in job.builds:
            own = [variant for variant in job.chosen.built if variant.codec.language == build.language]
            if not own:
                continue
            new = [v for v in own for spec in specs if known.is_new(program_of(build, v, spec))]
            step, seconds = building_step(build, own, len(new))
            building_s[step] = building_s.get(step, 0.0) + seconds
            verifying_s += sum(variant.codec.traits.typical.verify_s for variant in new) / usable_cores()
        return cls(building_s, verifying_s)

    def by(self, known: Experience) -> tuple[float, float]:
        """Return the estimated seconds of building and of verifying on this machine."""
        building_s = sum(known.expected_s(step, typical_s) for step, typical_s in self.building_s.items())
        return building_s, known.expected_s(VERIFYING, self.verifying_s)


def weighing_step(build: Toolchain, variants: Sequence[Variant], workloads: int) -> tuple[str, float]:
    """Return the name of the step in which the parts that programs carry are weighed for these variants of a
    language with so many workloads, and its typical seconds."""
    seconds = sum(variant.codec.traits.typical.weigh_s for variant in variants)
    return f"weighing {build.language}", seconds * workloads


def weighing_s(known: Experience, job: Job) -> float:
    """Return the estimated seconds in which the parts that the programs of a job carry are weighed."""
    steps = (
        weighing_step(
            build, [v for v in job.chosen.variants if v.codec.language == build.language],
            len(job.chosen.workloads),
        )
        for build in job.builds
    )  # fmt: skip
    return sum(known.expected_s(*step) for step in steps)


def building_step(build: Toolchain, variants: Sequence[Variant], new: int) -> tuple[str, float]:
    """Return the name of the step in which these variants of a language are built, and its typical seconds;
    ``new`` is the number of programs that were not built before."""
    typical = variants[0].codec.traits.typical
    if not new:
        return f"finding {build.language}", typical.again_s
    cores = min(usable_cores(), new)
    return f"building {build.language}", typical.ready_s + new * typical.build_s / cores
