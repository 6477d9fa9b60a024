"""Accuses a codec of cheating only where several independent looks suspect it.

Times, and the memory that a process holds, tell of a codec only as far as the machine lets them: a runtime
compiles anew, an allocator settles, another process takes the cache. A false accusation is as bad as a cheat
that gets through. So no single look accuses. Each further look is a process of its own, whose data lie in
other places, and looking ends only where further looks could change nothing.

Where each look errs once in ten times, an honest cell that one look suspects is accused by ``AGREEING`` of
``LOOKS`` once in 270 times; where each errs once in a hundred, once in 250,000. A suspected cell that cheats
is accused in 98.6 % of cases if each look detects it with 95 %; with 99 %, in all but one of 1,700. If three
of four looks had to agree, the honest cell would be accused once in 36 times; if five of five, one cheat in
five would escape (tests/test_agreement.py has these rates by simulation).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from typing import TypeVar

LOOKS = 5
"""The most looks at a suspected cell, including the look that raised the suspicion."""

AGREEING = 4
"""How many of the ``LOOKS`` have to suspect a cell for it to be accused."""

T = TypeVar("T", bound=Hashable)


def agreed(look: Callable[[list[T]], Iterable[T]], suspected: Collection[T]) -> list[T]:
    """Return those of the ``suspected`` that ``AGREEING`` looks suspect, the first look included. ``look``
    looks once more at the cells that it is given, independently, and returns those that it suspects."""
    counts = dict.fromkeys(suspected, 1)
    for looks in range(2, LOOKS + 1):
        # Settled is what has enough looks for it, or too many against it.
        undecided = [
            each
            for each, count in counts.items()
            if count < AGREEING and looks - 1 - count <= LOOKS - AGREEING
        ]
        if not undecided:
            break
        again = set(look(undecided))
        for each in undecided:
            counts[each] += each in again
    return [each for each, count in counts.items() if count >= AGREEING]
