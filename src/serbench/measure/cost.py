"""Measures the compile time and the binary size of the smallest program that uses a codec, and records the
parts that programs carry for it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from serbench.errors import SerbenchError
from serbench.languages.base import Carried, Program
from serbench.measure.identity import Identity
from serbench.measure.run import Progress
from serbench.measure.store import Journal
from serbench.measure.unit import Unit

COSTS = ("compile_time", "binary_size")
"""The metrics that ``measure_costs`` measures."""

SHIPPED = "shipped"
"""The metric that ``tell_shipped`` records."""

SIZES = ("binary_size", SHIPPED)
"""The metrics that are the same however busy the machine is."""


def measure_costs(
    programs: Sequence[tuple[Unit, Program | str]],
    metrics: Sequence[str],
    rounds: int,
    seed: int,
    journal: Journal,
    progress: Progress,
) -> None:
    """Append an event to the journal for each cost of each program, or the reason why there is none;
    ``programs`` has the smallest program of each unit, or why there is none.

    Compile times are taken in ``rounds`` passes over all programs, each in another order, one compilation at
    a time.
    """
    for unit, program in programs:
        if isinstance(program, str):
            journal.append({"event": "cost_failure", **unit.identity.fields, "reason": program})
    built = [(unit.identity, program) for unit, program in programs if not isinstance(program, str)]
    if "binary_size" in metrics:
        for identity, each in built:
            journal.append(_taken("binary_size", identity, each.binary_size))
    draws = random.Random(seed)
    for number in range(1, rounds + 1) if "compile_time" in metrics else ():
        for n, (identity, each) in enumerate(draws.sample(built, len(built))):
            progress.step(
                (number - 1) * len(built) + n, rounds * len(built), f"compiling with {identity.codec}"
            )
            journal.append(_taken("compile_time", identity, partial(_compile, each)) | {"round": number})


def tell_shipped(found: Sequence[tuple[Unit, Carried | str]], journal: Journal) -> None:
    """Append an event to the journal for each unit: the parts that a program carries, or why nobody can
    tell."""
    for unit, told in found:
        if isinstance(told, str):
            event: dict[str, Any] = {"event": "shipped_failure", "reason": told}
        else:
            event = {"event": SHIPPED, **msgspec.to_builtins(told)}
        journal.append({**event, **unit.identity.fields})


def _compile(program: Program) -> dict[str, int]:
    return {"elapsed_ns": program.compile_ns()}


def _taken(event: str, identity: Identity, take: Callable[[], Mapping[str, int]]) -> dict[str, Any]:
    try:
        return {"event": event, **identity.fields, **take()}
    except SerbenchError as error:
        return {"event": "cost_failure", **identity.fields, "reason": str(error)}
