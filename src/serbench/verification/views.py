"""Looks again at operations that seem to be constant-time views, since only what several looks agree on
counts.

Instructions decide, if they can be counted, since their number does not vary. All looks by times may agree
and err: where making 180 records takes most of the time, references to their texts add a tenth. Or they miss
a view of 100 ns, as they did Cap'n Proto's ``decode`` once in 120.

Else further looks time more long messages than the first: the longest edge values and the longest of the
data, which consist of different types. An operation that takes longer for any of them reads it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path

from serbench.dataset.file import write_like
from serbench.errors import SerbenchError, reason_of
from serbench.measure.agreement import agreed
from serbench.measure.composed import views_by_their_parts
from serbench.measure.conversation import Samples
from serbench.measure.counters import Counts, Tool, count_instructions, counting_tool
from serbench.measure.footprint import SLOWDOWN, counting_words, instructions_by
from serbench.measure.unit import Unit, Verification
from serbench.system.cores import usable_cores
from serbench.verification.growth import (
    ATTEMPTS,
    FEW,
    LONG_BYTES,
    Attempt,
    messages_to_time,
    reads,
    tells,
    times_of,
)

MOST_LONG = 4
"""The most long messages that a further look times."""

AGAIN = Attempt(places=2, alone=True, sample_ns=2_000_000)

BYTES_PER_INSTRUCTION = 64
"""An operation counts as reading a message if it takes at least an instruction more for so many more bytes:
no register is wider."""


def confirmed(unit: Unit, found: Verification) -> Verification:
    """Return the verification of a unit with only those of its views that several looks agree on; a failure
    where the runner fails meanwhile."""
    if not found.ok or not found.views:
        return found
    try:
        return replace(found, views=confirmed_views(unit, found.views))
    except (SerbenchError, OSError) as error:
        return Verification(False, reason_of(error, unit.data.is_private))


def confirmed_views(unit: Unit, views: Collection[str]) -> tuple[str, ...]:
    """Return the constant-time views among the operations that one look takes for views, and the operations
    that count as views because a part of them is one. Raise RunnerError where the runner fails."""
    of_parts = views_by_their_parts(views)
    suspected = [operation for operation in views if operation not in of_parts]
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        looks = _Looks(unit, Path(folder))
        held = set(agreed(looks.once_more, suspected))
    return tuple(each for each in views if each in held | views_by_their_parts(held))


class _Looks:
    """Times single operations repeatedly, each in processes of its own, and counts their instructions if they
    seem to be views."""

    def __init__(self, unit: Unit, folder: Path):
        self._unit = unit
        self._numbers = count(len(ATTEMPTS))  # the seeds of places
        messages = _messages(unit)
        self._paths = {
            (name, FEW): write_like(folder, unit.edge, [message] * FEW).path
            for name, message in messages.items()
        }
        self._bytes = {name: len(each) for name, each in messages.items()}
        self._reading: dict[str, bool] = {}  # operation → whether it reads messages, by its instructions

    def once_more(self, operations: Collection[str]) -> list[str]:
        """Return the operations that are views by the number of their instructions, or where these cannot be
        counted, by their times in this look."""
        unknown = [each for each in operations if each not in self._reading]
        with ThreadPoolExecutor(usable_cores()) as pool:  # other work changes no number of instructions
            for operation, is_read in zip(
                unknown, pool.map(self._reads_by_instructions, unknown), strict=True
            ):
                if is_read is not None:
                    self._reading[operation] = is_read
        views = self._views_by_times([each for each in unknown if each not in self._reading])
        return [each for each in operations if not self._reading.get(each, each not in views)]

    def _views_by_times(self, operations: Sequence[str]) -> list[str]:
        """Return the operations that take no longer for any of the long messages, in places in memory drawn
        for this look."""
        if not operations:
            return []
        least: dict[tuple[str, str], float] = {}
        number, limit_s = next(self._numbers), self._unit.silence_limit_s
        for (name, _), operation, time in times_of(
            self._unit.command, AGAIN, number, self._paths, operations, limit_s
        ):
            least[operation, name] = min(time, least.get((operation, name), time))
        return [operation for operation in operations if not self._reads(operation, least)]

    def _reads(self, operation: str, least: dict[tuple[str, str], float]) -> bool:
        short = least[operation, "short"]
        return any(
            reads(time, short, FEW * (self._bytes[name] - self._bytes["short"]))
            for (of, name), time in least.items()
            if of == operation and name != "short"
        )

    def _reads_by_instructions(self, operation: str) -> bool | None:
        """Whether an operation takes more instructions for the first long message than for the short one;
        None where they cannot be counted."""
        if self._unit.variant.codec.traits.no_figure.get("instructions") or not (tool := counting_tool()):
            return None
        try:
            long, short = (self._instructions(tool, operation, name) for name in ("long-0", "short"))
        except SerbenchError:
            return None
        more_bytes = FEW * (self._bytes["long-0"] - self._bytes["short"])
        return (long - short) * BYTES_PER_INSTRUCTION >= more_bytes

    def _instructions(self, tool: Tool, operation: str, name: str) -> float:
        """Return the instructions of a pass over the message ``name``. perf counts a copy by ``rep movsb`` as
        one instruction, however long; reading the parts of a long message still takes more."""
        path, cell = self._paths[name, FEW], f"{operation}:reuse"
        limit_s = SLOWDOWN * self._unit.silence_limit_s

        def counted(iterations: int) -> Counts:
            command = [*self._unit.command, *counting_words(path, cell, iterations)]
            return count_instructions(tool, command, Samples([cell], 1), None, limit_s)[1]

        per_pass: float = instructions_by(counted, path.stat().st_size, tool)["instructions_per_pass"]
        return per_pass


def _messages(unit: Unit) -> dict[str, bytes]:
    """Return the short message and the long ones, by the names of their files: the long one of the first
    look, the longest of the data, and other edge values."""
    known = messages_to_time(unit.edge)
    short = known["short"]
    edges = sorted((bytes(each) for each in unit.edge.read_messages()), key=len, reverse=True)
    data = max((bytes(each) for each in unit.data.read_messages()), key=len)
    telling = [each for each in (data, *edges) if tells(each, short) and len(each) <= LONG_BYTES]
    long = list(dict.fromkeys([known["long"], *telling]))[:MOST_LONG]
    return {"short": short, **{f"long-{n}": message for n, message in enumerate(long)}}
