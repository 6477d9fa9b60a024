"""Compares the time of an operation over messages that it has not seen before with its time over the same
messages later.

A codec that remembers results by the content of a message gives right results however values change. Here all
messages are new objects with new values: their first pass is compared with later passes over them. Bytes of
another program are new only once, so each of those that are spared for this is taken for one trial. Times of
one process are no proof: serbench accuses a codec only if several processes suspect the same cell
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
"""The attempts: the nanoseconds that a pass should last, if there are enough messages for that, and the most
canonical bytes of these messages. A cell that seems slow is timed over more and more messages."""

_TRIALS = 4
"""The number of trials in an attempt, of which the shortest passes count, since other processes slow some of
them but never all."""

_MOST_COPIES = 256
"""The most copies of a message: if a message has few values to change, more copies would not all be
different."""

_LARGEST = 1 << 20
"""The most canonical bytes of a message that is timed, since each trial needs two copies."""

_LATER = 4
"""The number of later passes over the same messages."""

_SHORTEST_NS = 20_000
"""Later passes that take less count as this long: on a busy machine, a first pass that has to load its data
into the cache takes many times as long as a later one that only makes views."""

MOST = 6.0
"""How many times as long as a later pass the first one may take: it computes what strings keep, the hash that
maps ask for, and the UTF-8 form of text that is not ASCII."""

_EXCESS_NS = 100_000
"""How much longer the first pass must also take before the cell is suspected: more than loading its data into
the cache can explain."""

_NOT_ASKED = ("build", "extract", "traverse", "walk")
"""Operations that are not compared: those that start from the library's own objects, which may keep computed
results, and ``build`` by itself, which may do little more than compute hashes."""


def check_unseen(cell: Cell, operation: Operation, asked: str, watching: Watching, inputs: Inputs) -> None:
    """Compares passes of an operation; raises Suspected if the first pass over new messages takes far longer
    than later ones. ``asked`` names the cell."""
    is_given = inputs.are_given and operation.starts_from == "encoded"
    size = len(inputs.get("encoded")[0] if is_given else cell.write(inputs.roots[0]))
    if cell.is_floor or operation.name in _NOT_ASKED or operation.starts_from == "natives" or size > _LARGEST:
        return
    count = max(1, min(len(inputs.roots), _ATTEMPTS[0][1] // max(size, 1)))
    messages: list[Any] = []
    batch = compiled(cell, operation, messages)

    def renew(number: int) -> None:
        if is_given:
            messages[:] = watching.unseen(number)
        else:
            roots = [watching.drawn(n % count) for n in range(number)]
            messages[:] = map(inputs.encode, roots) if operation.starts_from == "encoded" else roots

    if is_given:
        messages[:] = inputs.get("encoded")[:count]
    else:
        renew(count)
    _timed(batch)
    pass_ns = _timed(batch)
    found = excess_ns = 0.0
    for enough_ns, most_bytes in _ATTEMPTS:
        copies = max(1, min(enough_ns // pass_ns, most_bytes // max(count * size, 1), _MOST_COPIES))
        number = min(count * copies, watching.spared // _TRIALS) if is_given else count * copies
        if not number:
            break
        first = later = 1 << 62
        for _ in range(_TRIALS):
            renew(number)
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
    """The nanoseconds of a pass that this thread was on a core, without those for which a busy machine took
    the core away."""
    begin = time.thread_time_ns()
    batch(1)
    return max(time.thread_time_ns() - begin, 1)
