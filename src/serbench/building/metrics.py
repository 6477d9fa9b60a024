"""Prepares what metrics other than time need: minimal programs, and tools and programs that count
instructions and memory."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from serbench.building.experience import Experience, weighing_step
from serbench.building.prepare import Announce, own_units, try_to_install
from serbench.errors import BuildError, SerbenchError, SetupError
from serbench.languages.base import Carried, Program, Progress, Toolchain
from serbench.languages.install import may_install
from serbench.measure.counters import callgrind_tool, perf_tool
from serbench.measure.footprint import Counters, CountingProgram
from serbench.measure.identity import Identity
from serbench.measure.job import Job
from serbench.measure.unit import Unit


def least_programs(job: Job, units: Sequence[Unit], step: Progress) -> list[tuple[Unit, Program | str]]:
    """Build the minimal programs of those verified units whose toolchain can build them. Return each unit
    with its program, or with the reason why that did not build."""
    programs: list[tuple[Unit, Program | str]] = []
    for build in job.builds:
        if build.least_programs:
            own = own_units(build, units)
            errors = build.least_programs.build_minimal([unit.pair for unit in own], step)
            for unit in own:
                error = errors.get(unit.package)
                programs.append(
                    (unit, f"did not build: {error}" if error else build.least_programs.minimal(*unit.pair))
                )
    return programs


def weighed(job: Job, units: Sequence[Unit], step: Progress) -> list[tuple[Unit, Carried | str]]:
    """Return each verified unit with the parts that a program carries for it, or with the reason why nobody
    can tell."""
    found: list[tuple[Unit, Carried | str]] = []
    known = Experience.of(job.paths.home)
    for build in job.builds:
        own, begun = own_units(build, units), time.monotonic()
        try:
            told = build.carried([unit.pair for unit in own], step) if own else {}
        except SerbenchError as error:  # as where a tool that weighs is missing
            told = {unit.package: str(error) for unit in own}
        found += [(unit, told[unit.package]) for unit in own]
        typical = weighing_step(build, [unit.variant for unit in own], 1)
        known.learn(*typical, time.monotonic() - begun)
    known.keep()
    return found


def counters_for(job: Job, units: Sequence[Unit], announce: Announce, step: Progress) -> Counters:
    """Return the counters for the metrics ``instructions`` and ``memory``: a tool of this machine, and
    programs that are built here. Valgrind is installed if it is needed and that is permitted."""
    counters, builds = Counters(), job.builds
    if "memory" in job.chosen.metrics:
        counters = Counters(
            allocations=_counting_programs(units, builds, step), peak=_peak_program(units, builds, step)
        )
    if "instructions" not in job.chosen.metrics:
        return counters
    perf = perf_tool()
    if perf:
        return replace(counters, instructions=perf)
    if not shutil.which("valgrind") and job.permission.install and may_install():
        try_to_install(["valgrind"], announce)
    try:
        return replace(counters, instructions=callgrind_tool())
    except SetupError as error:
        return replace(counters, missing=str(error))


def calling_units(job: Job, units: Sequence[Unit]) -> tuple[list[Unit], Mapping[Identity, str]]:
    """Return the units with the words that start the runners whose single calls are timed, and why there are
    none for some."""
    words: dict[Identity, tuple[str, ...]] = {}
    failed: dict[Identity, str] = {}
    for build in job.builds:
        for unit in own_units(build, units):
            try:
                words[unit.identity] = build.calling(*unit.pair, unit.data.path)
            except BuildError as error:
                failed[unit.identity] = str(error)
    return [replace(unit, command=words.get(unit.identity, unit.command)) for unit in units], failed


def _peak_program(units: Sequence[Unit], builds: Sequence[Toolchain], step: Progress) -> CountingProgram:
    """Return the program that reports the peak memory of native runners, built by the first toolchain that
    has built one of them; or why there is none."""
    for build in builds:
        if build.counters and own_units(build, units):
            try:
                return build.counters.build_peak(step)
            except BuildError as error:
                return str(error)
    return Counters().peak


def _counting_programs(
    units: Sequence[Unit], builds: Sequence[Toolchain], step: Progress
) -> dict[Identity, CountingProgram]:
    """Build runners that count allocations, for those verified units whose toolchain can build them; return
    the runner of each unit, or why there is none."""
    programs: dict[Identity, CountingProgram] = {}
    for build in builds:
        if not build.counters:
            continue
        own = own_units(build, units)
        seen = [unit.pair for unit in own if not build.counters.cannot_count(unit.variant)]
        errors = build.counters.build_counting(seen, step)
        for unit in own:
            reason = build.counters.cannot_count(unit.variant)
            if not reason and (error := errors.get(unit.package)):
                reason = f"the executable that counts did not build: {error}"
            programs[unit.identity] = reason or build.counters.counting(*unit.pair)
    return programs
