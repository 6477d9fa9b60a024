"""Prepares what metrics other than time need: minimal programs, and tools and programs that count
instructions and memory."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace

from serbench.building.prepare import Announce, Permission, own_units, try_to_install
from serbench.errors import BuildError, SetupError
from serbench.languages.base import Program, Progress, Toolchain
from serbench.languages.install import may_install
from serbench.measure.counters import callgrind_tool, perf_tool
from serbench.measure.footprint import Counters, Counting
from serbench.measure.unit import Unit


def least_programs(
    units: Sequence[Unit], builds: Sequence[Toolchain], step: Progress
) -> list[tuple[Unit, Program | str]]:
    """Builds the minimal programs of those verified units whose toolchain can build them. Returns each unit
    with its program, or with the reason why that did not build."""
    programs: list[tuple[Unit, Program | str]] = []
    for build in builds:
        if build.least_programs:
            own = own_units(build, units)
            errors = build.least_programs.build_minimal([unit.pair for unit in own], step)
            for unit in own:
                error = errors.get(unit.program)
                programs.append(
                    (unit, f"did not build: {error}" if error else build.least_programs.minimal(*unit.pair))
                )
    return programs


def counters_for(
    metrics: Sequence[str],
    units: Sequence[Unit],
    builds: Sequence[Toolchain],
    permission: Permission,
    announce: Announce,
    step: Progress,
) -> Counters:
    """The counters behind the metrics ``instructions`` and ``memory``: a tool of the machine, and programs
    that are built here. Valgrind is installed if it is needed and that is permitted."""
    counters = Counters()
    if "memory" in metrics:
        counters = Counters(
            allocations=_counting_programs(units, builds, step), peak=_peak_program(units, builds, step)
        )
    if "instructions" not in metrics:
        return counters
    perf = perf_tool()
    if perf:
        return replace(counters, instructions=perf)
    if not shutil.which("valgrind") and permission.install and may_install():
        try_to_install(["valgrind"], announce)
    try:
        return replace(counters, instructions=callgrind_tool())
    except SetupError as error:
        return replace(counters, missing=str(error))


def _peak_program(units: Sequence[Unit], builds: Sequence[Toolchain], step: Progress) -> Counting:
    """The program that tells the peak memory of native runners, built by the first toolchain that has built
    one of them; or why there is none."""
    for build in builds:
        if build.counters and own_units(build, units):
            try:
                return Counting(build.counters.build_peak(step))
            except BuildError as error:
                return Counting(failure=str(error))
    return Counters().peak


def _counting_programs(
    units: Sequence[Unit], builds: Sequence[Toolchain], step: Progress
) -> dict[tuple[str, str, str], Counting]:
    """Builds runners that count allocations, for those verified units whose toolchain can build them.

    Returns:
        Key of the unit → its runner, or why there is none.
    """
    programs = {}
    for build in builds:
        if not build.counters:
            continue
        own = own_units(build, units)
        seen = [unit.pair for unit in own if not build.counters.cannot_count(unit.variant)]
        errors = build.counters.build_counting(seen, step)
        for unit in own:
            if reason := build.counters.cannot_count(unit.variant):
                counting = Counting(failure=reason)
            elif error := errors.get(unit.program):
                counting = Counting(failure=f"the executable that counts did not build: {error}")
            else:
                counting = Counting(build.counters.counting(*unit.pair))
            programs[unit.key] = counting
    return programs
