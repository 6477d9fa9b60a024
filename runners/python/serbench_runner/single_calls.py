"""Times each single call of an operation, where a sample is the time of many passes together
(docs/protocol.md, "Single calls")."""

from __future__ import annotations

import gc
import random
import struct
from array import array
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from serbench_runner.arguments import Arguments, policy
from serbench_runner.cell import Cell
from serbench_runner.errors import Refused
from serbench_runner.inputs import Inputs
from serbench_runner.loops import compiled_once, operation_of
from serbench_runner.usage import now_ns, reading, used

_EMPTY_CALLS = 4001
_SECOND_NS = 1_000_000_000

Once = Callable[[], Any]


def time_calls(arguments: Arguments, cell: Cell, inputs: Inputs, loading_ns: int) -> dict[str, Any]:
    """Times single calls, and writes the nanoseconds of each to ``--out``; returns the fields of the event
    that says so."""
    name, colon, memory = arguments.get("cell").partition(":")
    if not colon:
        raise Refused(f"found cell '{name}', expected OPERATION:MEMORY")
    count, longest_ns = arguments.number("calls", 10_000), arguments.number("longest-ns", _SECOND_NS)
    begun = now_ns()
    operation = operation_of(cell, name, policy(memory))
    messages = inputs.passed(operation.starts_from)
    one = [messages[0]]  # the message of the next call
    once = compiled_once(cell, operation, one)
    preparing_ns = now_ns() - begun
    gc.collect()
    gc.freeze()
    only, draws = arguments.number("message", -1), random.Random(arguments.place + 1)
    chosen = [only % len(messages)] if only >= 0 else range(len(messages))
    # Drawn before anything is timed: a draw takes longer than a short call.
    order = [messages[n] for n in draws.choices(chosen, k=count)]
    warmups, until = 0, now_ns() + arguments.number("warmup-ns", 0)
    while now_ns() < until:
        one[0] = order[warmups % count]
        once()
        warmups += 1
    before, collected = reading(), _collections()
    times, elapsed_ns = _timed(once, one, order, longest_ns)
    usage, after = used(before, reading()), _collections()
    Path(arguments.get("out")).write_bytes(
        struct.pack("<8sIIQ", b"SERBCALL", 1, 0, len(times)) + times.tobytes()
    )
    return {
        "operation": name,
        "memory": memory,
        "calls": len(times),
        "warmups": warmups,
        "clock_ns": _clock_ns(),
        "resolution_ns": _resolution_ns(),
        "loading_ns": loading_ns,
        "preparing_ns": preparing_ns,
        "elapsed_ns": elapsed_ns,
        "waited_ns": usage["waited_ns"],
        "stolen_ns": usage["stolen_ns"],
        "collections": {kind: after[kind] - number for kind, number in collected.items()},
    }


def _timed(once: Once, one: list[Any], order: list[Any], longest_ns: int) -> tuple[array[int], int]:
    """Makes a call of each message in its order, for ``longest_ns`` at most; returns the time of each, and of
    all together."""
    times = array("Q", bytes(8 * len(order)))
    made = 0
    begun = now_ns()
    limit = begun + longest_ns
    for made, one[0] in enumerate(order):
        start = now_ns()
        once()
        end = now_ns()
        times[made] = end - start
        if end > limit:
            break
    return times[: made + 1], now_ns() - begun


def _clock_ns() -> int:
    """The time of the clock, the loop and a call without any work: the median of many."""
    times, _ = _timed(_nothing, [None], [None] * _EMPTY_CALLS, _SECOND_NS)
    return sorted(times)[len(times) // 2]


def _nothing() -> None:
    """Does nothing: a call of it takes what the clock and a call take."""


def _resolution_ns() -> int:
    """The least step of the clock."""
    readings = [now_ns() for _ in range(_EMPTY_CALLS)]
    steps = (after - before for before, after in pairwise(readings))
    return min((step for step in steps if step > 0), default=0)


def _collections() -> dict[str, int]:
    """How often each generation has been collected so far."""
    return {f"generation {n}": stats["collections"] for n, stats in enumerate(gc.get_stats())}
