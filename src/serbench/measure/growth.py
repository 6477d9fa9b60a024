"""Point 4 of the timing contract: more to do takes longer.

Many messages must take longer than few: else results are remembered, or the optimiser removed the work. And a message
of many bytes takes longer than one of few, or else the operation does not read it: a constant-time view, which is no mistake (it
is what Cap'n Proto and FlatBuffers are for), but is compared with its like alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from serbench.dataset.file import Dataset, write_messages
from serbench.errors import RunnerError
from serbench.measure.process import run_runner

SAMPLE_NS = (1_000_000, 5_000_000, 20_000_000)
"""Least duration of a sample in each attempt: a machine that does something else in between gets two more chances."""

SAMPLES = 3

FEW, MANY = 2, 16
"""Messages. Few, since the loop takes a nanosecond or two itself, as long as a view of one message; many, since an allocator that
asks the system for memory in one process and not in the other made a factor of four."""

LEAST_GROWTH = 2.0
"""What eight times the messages must take at least."""

VIEW_BYTES_FACTOR = 8
"""By how much the longest message must exceed the shortest for their times to tell anything."""

VIEW_GROWTH = 2.0
"""An operation that takes less than so many times as long for the longest message as for the shortest does not read it."""


def constant_time_views(
    command: Sequence[str], edge: Dataset, operations: Sequence[str], silence_limit_s: float
) -> tuple[str, ...]:
    """Times each operation on few of a long message, on many of it, and on few of a short one.

    Returns the operations that are constant-time views.

    Args:
        command: starts the runner.
        edge: where the longest and the shortest message are taken from.
        operations: those to time, under the policy ``reuse``.

    Raises:
        RunnerError: many do not take ``LEAST_GROWTH`` times as long; it names the operation and both times.
    """
    messages = sorted((bytes(m) for m in edge.read_messages()), key=len)
    long, short = messages[-1], messages[0]
    tells = len(long) + 1 > VIEW_BYTES_FACTOR * (len(short) + 1)
    views: set[str] = set(operations) if tells else set()
    left = list(operations)
    for sample_ns in SAMPLE_NS:
        few, many, little = (
            _times(command, edge, each, operations, sample_ns, silence_limit_s)
            for each in ([long] * FEW, [long] * MANY, [short] * FEW)
        )
        # What grew in one attempt does grow.
        left = [o for o in left if many[o] < LEAST_GROWTH * few[o]]
        views -= {o for o in operations if few[o] >= VIEW_GROWTH * little[o]}
        if not left:
            return tuple(o for o in operations if o in views)
    raise RunnerError(
        f"{left[0]} takes {few[left[0]]:.4g} ns for {FEW} messages and {many[left[0]]:.4g} ns for {MANY}, expected at least "
        f"{LEAST_GROWTH:g} times as long: results are remembered, or the work was removed"
    )


def _times(
    command: Sequence[str], like: Dataset, messages: Sequence[bytes], operations: Sequence[str], sample_ns: int, limit_s: float
) -> dict[str, float]:
    """Nanoseconds of a pass over ``messages`` by operation: the least of the samples, which nothing else can shorten."""
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        dataset = write_messages(Path(folder), like.header["workload"], like.header["parameters"], like.schema(), messages)
        cells = ",".join(f"{operation}:reuse" for operation in operations)
        options = ["--dataset", str(dataset.path), "--cells", cells, "--sample-ns", str(sample_ns), "--samples", str(SAMPLES)]
        least: dict[str, float] = {}
        for event in run_runner([*command, "measure", *options], silence_limit_s=limit_s):
            if event["event"] == "sample":
                time = event["elapsed_ns"] / event["iterations"]
                least[event["operation"]] = min(time, least.get(event["operation"], time))
    missing = [o for o in operations if o not in least]
    if missing:
        raise RunnerError(f"the runner took no sample of {', '.join(missing)}")
    return least
