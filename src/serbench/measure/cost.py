"""Measures what cells cost before they run: compile time and binary size of the least program that uses a codec."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from serbench.build.cost import binary_size, compile_ns
from serbench.errors import SerbenchError
from serbench.measure.run import Progress
from serbench.measure.store import Journal


@dataclass(frozen=True)
class Program:
    """The least program of one codec variant × workload with one compiler.

    Attributes:
        identity: codec, workload and compiler, as its events have them.
        compile: the commands that compile it, one after the other.
        failure: why there is none; empty where it was built.
    """

    identity: Mapping[str, str]
    executable: Path
    compile: Sequence[Sequence[str]] = ()
    failure: str = ""


def measure_costs(
    programs: Sequence[Program], metrics: Sequence[str], rounds: int, seed: int, journal: Journal, progress: Progress
) -> None:
    """Appends an event for each cost of each program, or the reason why there is none.

    Compile times are taken in ``rounds`` passes over all programs, each in another order, one compilation at a time.
    """
    for program in programs:
        if program.failure:
            journal.append({"event": "cost_failure", **program.identity, "reason": program.failure})
    built = [program for program in programs if not program.failure]
    if "binary_size" in metrics:
        for program in built:
            journal.append(_taken(program, "binary_size", lambda p: asdict(binary_size(p.executable))))
    draws = random.Random(seed)
    for number in range(1, rounds + 1) if "compile_time" in metrics else ():
        for n, program in enumerate(draws.sample(built, len(built))):
            progress.step((number - 1) * len(built) + n, rounds * len(built), f"compiling with {program.identity['codec']}")
            journal.append(_taken(program, "compile_time", lambda p: {"elapsed_ns": compile_ns(p.compile)}) | {"round": number})


def _taken(program: Program, event: str, take: Callable[[Program], dict[str, Any]]) -> dict[str, Any]:
    try:
        return {"event": event, **program.identity, **take(program)}
    except SerbenchError as error:
        return {"event": "cost_failure", **program.identity, "reason": str(error)}
