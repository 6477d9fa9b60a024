"""Measures what cells cost before they run: compile time and binary size of the least program that uses a codec."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from serbench.errors import SerbenchError
from serbench.languages.base import Program
from serbench.measure.run import Progress
from serbench.measure.store import Journal


@dataclass(frozen=True)
class Least:
    """The least program of one codec variant × workload with one compiler.

    Attributes:
        identity: codec, workload and compiler, as its events have them.
        built: None where there is none; ``failure`` says why.
    """

    identity: Mapping[str, str]
    built: Program | None
    failure: str = ""


def measure_costs(
    programs: Sequence[Least], metrics: Sequence[str], rounds: int, seed: int, journal: Journal, progress: Progress
) -> None:
    """Appends an event for each cost of each program, or the reason why there is none.

    Compile times are taken in ``rounds`` passes over all programs, each in another order, one compilation at a time.
    """
    for program in programs:
        if program.failure:
            journal.append({"event": "cost_failure", **program.identity, "reason": program.failure})
    built = [(program.identity, program.built) for program in programs if program.built]
    if "binary_size" in metrics:
        for identity, each in built:
            journal.append(_taken("binary_size", identity, each.binary_size))
    draws = random.Random(seed)
    for number in range(1, rounds + 1) if "compile_time" in metrics else ():
        for n, (identity, each) in enumerate(draws.sample(built, len(built))):
            progress.step((number - 1) * len(built) + n, rounds * len(built), f"compiling with {identity['codec']}")
            journal.append(_taken("compile_time", identity, partial(_compile, each)) | {"round": number})


def _compile(program: Program) -> dict[str, int]:
    return {"elapsed_ns": program.compile_ns()}


def _taken(event: str, identity: Mapping[str, str], take: Callable[[], Mapping[str, int]]) -> dict[str, Any]:
    try:
        return {"event": event, **identity, **take()}
    except SerbenchError as error:
        return {"event": "cost_failure", **identity, "reason": str(error)}
