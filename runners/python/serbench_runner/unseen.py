"""Whether an operation takes as long for messages that it has not seen before as for those that it has.

A codec that remembers results by the content of a message gives right ones whatever changes. Here all
messages are new objects with other values: their first pass is held to later ones over the same. Times of a
process are no proof: serbench accuses nobody before several processes suspect the same cell
(``src/serbench/measure/agreement.py``).
"""

from __future__ import annotations

import time
from typing import Any

from serbench_runner.cell import Cell
from serbench_runner.errors import Suspected
from serbench_runner.inputs import Inputs
from serbench_runner.loops import Batch, Operation, compiled
from serbench_runner.watching import VERDICT, Watching

_ATTEMPTS = ((50_000, 1 << 17), (200_000, 1 << 18), (1_000_000, 1 << 20))
"""Attempts: the nanoseconds that a pass should last, if there are enough messages for that, and the most
canonical bytes of these messages. A cell that seems slow is timed over more and more messages."""

_TRIALS = 4
"""The shortest passes of an attempt count: other processes slow some of them, and never all."""

_MOST_COPIES = 256
"""The most copies: where a message has few values, few of more copies differ from all others."""

_LARGEST = 1 << 20
"""The most canonical bytes of a message that is timed: two of it have to be made for each trial."""

_LATER = 4
"""The number of later passes over the same messages."""

_SHORTEST_NS = 20_000
"""Later passes that take less count as this long: on a busy machine, what a first pass finds in no cache
takes many times as long as a view of bytes that nobody reads yet."""

MOST = 6.0
"""The first pass may take so many times as long. What strings keep is made in it: their hash, for which maps
ask, and of text that is not ASCII its UTF-8."""

_EXCESS_NS = 100_000
"""The first pass must also take so much longer, more than what else it may find in no cache."""

_NOT_ASKED = ("build", "extract", "traverse", "walk")
"""Operations that are not compared: those that start from the library's own objects, which may keep what was
computed of them, and ``build`` by itself, which may be little more than such hashes."""


def check_unseen(cell: Cell, operation: Operation, asked: str, watching: Watching, inputs: Inputs) -> None:
    """Compares passes of an operation; raises Suspected where the first takes far longer over new messages.
    ``asked`` is the cell."""
    sizes = [len(cell.write(root)) for root in inputs.roots[:1]]
    if (
        cell.is_floor
        or operation.name in _NOT_ASKED
        or operation.starts_from == "natives"
        or sizes[0] > _LARGEST
    ):
        return
    count = max(1, min(len(inputs.roots), _ATTEMPTS[0][1] // max(sizes[0], 1)))
    messages: list[Any] = []
    batch = compiled(cell, operation, messages)

    def renew(copies: int) -> None:
        roots = [watching.drawn(n % count) for n in range(count * copies)]
        messages[:] = map(inputs.encode, roots) if operation.starts_from == "encoded" else roots

    renew(1)
    _timed(batch)
    pass_ns = _timed(batch)
    found = excess_ns = 0.0
    for enough_ns, most_bytes in _ATTEMPTS:
        copies = max(1, min(enough_ns // pass_ns, most_bytes // max(count * sizes[0], 1), _MOST_COPIES))
        first = later = 1 << 62
        for _ in range(_TRIALS):
            renew(copies)
            first = min(first, _timed(batch))
            later = min(later, *(_timed(batch) for _ in range(_LATER)))
            if first <= MOST / 2 * later:
                return
        if (found := first / max(later, _SHORTEST_NS)) <= MOST:
            return
        excess_ns = first - later
    if excess_ns < _EXCESS_NS:
        return
    name = asked.partition(":")[0]
    raise Suspected(
        asked, f"{name} takes {found:.1f} times as long for new messages as for known ones: {VERDICT}"
    )


def _timed(batch: Batch) -> int:
    """The time that this thread was on a core, in nanoseconds: on a busy machine a pass may lose it."""
    begin = time.thread_time_ns()
    batch(1)
    return max(time.thread_time_ns() - begin, 1)
