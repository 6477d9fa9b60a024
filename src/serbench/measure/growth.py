"""Point 4 of the timing contract: more to do takes longer.

Many messages must take longer than few: else results are remembered, or the optimiser removed the work. And a
message of many bytes takes longer than one of few, or else the operation does not read it: a constant-time
view, which is no mistake (it is what formats that are read in place are for), but is compared with its like
alone.

Where data lie in memory can make an operation slower, by up to ten times on some processors (docs/design.md,
"Each process draws the place of its data"), and never faster than its instructions take. So times are taken
in several drawn places, and of each the least counts: the least of few messages and the least of many are
what the work itself takes, so far as any place shows it. The greatest growth that a place shows would be no
evidence: many messages in a slow place beside few in a quick one look like growth where results are
remembered. An operation that fails is timed again, alone in its processes, since what others left on the heap
before it decides about places too; and so is one that looks like a view, since a short message in a slow
place would make it one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from serbench.dataset.file import Dataset, write_like
from serbench.errors import RunnerError
from serbench.measure.conversation import Samples
from serbench.measure.process import measuring_words, run_runner
from serbench.measure.said import Sample

SAMPLES = 3

FEW, MANY = 2, 16
"""Messages. Few, since the loop takes a nanosecond or two itself, as long as a view of one message; many,
since an allocator that asks the system for memory in one process and not in the other made a factor of
four."""

LEAST_GROWTH = 2.0
"""What eight times the messages must take at least."""

VIEW_BYTES_FACTOR = 8
"""By how much the longest message must exceed the shortest for their times to tell anything."""

LONG_BYTES = 1 << 19
"""Canonical bytes of the longest message that is timed, where one of so many tells enough. Edge values of
large schemas have 3 MB: a pass over ``MANY`` of these takes a hundred times as long as a sample, and tells no
more."""

VIEW_GROWTH = 2.0
"""An operation that takes less than so many times as long for the longest message as for the shortest does
not read it."""

PARTS_OF_VIEWS = {"native_roundtrip": ("encode", "decode")}
"""Operations that count as views where one of these parts is one, since that part does nothing of what others
do there."""


@dataclass(frozen=True)
class Attempt:
    """One of the times that operations are looked at.

    Attributes:
        places: in so many drawn places.
        alone: each operation in processes of its own.
        sample_ns: least duration of a sample; longer in later attempts, since a machine may do something else
            in between.
    """

    places: int
    alone: bool
    sample_ns: int


ATTEMPTS = (
    Attempt(places=2, alone=False, sample_ns=500_000),
    Attempt(places=2, alone=True, sample_ns=1_000_000),
    Attempt(places=3, alone=True, sample_ns=5_000_000),
    Attempt(places=3, alone=True, sample_ns=20_000_000),
)
"""The first is enough for nearly all: growth by eight is far above ``LEAST_GROWTH``."""


@dataclass
class _Least:
    """The least times of a pass of one operation over all places so far, in nanoseconds."""

    few: float = float("inf")
    many: float = float("inf")
    short: float = float("inf")

    @property
    def grows(self) -> bool:
        return self.many >= LEAST_GROWTH * self.few

    @property
    def reads(self) -> bool:
        """Whether it takes longer for the longest message than for the shortest."""
        return self.few >= VIEW_GROWTH * self.short


def constant_time_views(
    command: Sequence[str], edge: Dataset, operations: Sequence[str], silence_limit_s: float
) -> tuple[str, ...]:
    """Times each operation on few of a long message, on many of it, and on few of a short one.

    Returns the operations that are constant-time views, and those that count as such since a part of them is
    one.

    Args:
        command: starts the runner.
        edge: where the longest and the shortest message are taken from.
        operations: those to time, under the policy ``reuse``.

    Raises:
        RunnerError: many do not take ``LEAST_GROWTH`` times as long; it names the operation and both times.
    """
    long, short = long_and_short(edge)
    tells = _tells(long, short)
    least = {operation: _Least() for operation in operations}
    slow, views = list(operations), list[str]()
    kinds = {"few": [long] * FEW, "many": [long] * MANY, "short": [short] * FEW}
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        paths = {kind: write_like(Path(folder), edge, each).path for kind, each in kinds.items()}
        for number, attempt in enumerate(ATTEMPTS):
            # What grows, but looks like a view, is looked at once more, for that alone.
            doubtful = [o for o in views if o not in slow] if number == 1 else []
            for left, needed in ((slow, ("few", "many", "short")), (doubtful, ("few", "short"))):
                data = {kind: paths[kind] for kind in needed}
                for kind, operation, time in _times(command, attempt, number, data, left, silence_limit_s):
                    setattr(least[operation], kind, min(time, getattr(least[operation], kind)))
            slow = [o for o in slow if not least[o].grows]
            views = [o for o in operations if tells and not least[o].reads]
            if not slow and not (views and number == 0):
                return tuple(o for o in operations if o in {*views, *views_by_their_parts(views)})
    found = least[slow[0]]
    raise RunnerError(
        f"{slow[0]} takes {found.few:.4g} ns for {FEW} messages and {found.many:.4g} ns "
        f"for {MANY}, expected at least {LEAST_GROWTH:g} times as long: the codec remembers "
        "results, or the work was optimized away (least time over "
        f"{sum(attempt.places for attempt in ATTEMPTS)} places in memory)"
    )


def long_and_short(edge: Dataset) -> tuple[bytes, bytes]:
    """The longest message of at most ``LONG_BYTES``, and the shortest of all. Where none of so few bytes
    tells anything beside it, the long one is the shortest that does, or the longest of all."""
    messages = sorted((bytes(message) for message in edge.read_messages()), key=len)
    short = messages[0]
    telling = [message for message in messages if _tells(message, short)] or messages[-1:]
    return max((each for each in telling if len(each) <= LONG_BYTES), key=len, default=telling[0]), short


def _tells(long: bytes, short: bytes) -> bool:
    """Whether times of these two messages tell whether an operation reads them."""
    return len(long) + 1 > VIEW_BYTES_FACTOR * (len(short) + 1)


def views_by_their_parts(views: Collection[str]) -> set[str]:
    """The operations that count as views since a part of them is among ``views``."""
    return {operation for operation, parts in PARTS_OF_VIEWS.items() if any(part in views for part in parts)}


def _times(
    command: Sequence[str],
    attempt: Attempt,
    number: int,
    paths: Mapping[str, Path],
    operations: Sequence[str],
    silence_limit_s: float,
) -> Iterator[tuple[str, str, float]]:
    """Yields (kind, operation, nanoseconds of a pass) of every sample of an attempt; other places in each
    ``number``."""
    for together in [[o] for o in operations] if attempt.alone or not operations else [operations]:
        cells = [f"{operation}:reuse" for operation in together]
        for place in range(attempt.places):
            for kind, path in paths.items():
                words = measuring_words(path, cells, attempt.sample_ns, SAMPLES, 1 + 1000 * number + place)
                for event in run_runner(
                    [*command, *words], Samples(cells, SAMPLES), silence_limit_s=silence_limit_s
                ):
                    if isinstance(event, Sample):
                        yield kind, event.operation, event.elapsed_ns / event.iterations
