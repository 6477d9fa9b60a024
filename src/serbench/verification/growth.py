"""Checks point 4 of the timing contract: more work takes longer.

Many messages must take longer than few, else results are remembered, or the optimiser removed the work. A
message of many bytes must take longer than one of few, else the operation does not read it. That is a
constant-time view, which is no mistake (formats that are read in place are made for it), but views are
compared only with each other.

An operation can be slower, by up to ten times on some processors, because of where data lie in memory
(docs/decisions/025-drawn-places.md), but never faster than its instructions take. So times are taken in
several drawn places, and the least counts, of few messages and of many: these are what the work itself takes,
as far as any place shows it. The greatest growth in any one place would be no evidence: many messages in a
slow place beside few in a quick one look like growth even where results are remembered. An operation that
fails is timed again, alone in its processes, since what other operations left on the heap decides about
places too. So is one that looks like a view, since a short message in a slow place would make it look so. An
operation that still fails or looks like a view is only suspected: other looks have to agree
(``measure/agreement.py``, ``verification/views.py``).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from serbench.dataset.canonical import decode
from serbench.dataset.file import Dataset, write_like
from serbench.errors import RunnerError
from serbench.measure.composed import views_by_their_parts
from serbench.measure.conversation import Samples
from serbench.measure.process import measuring_words, run_runner
from serbench.measure.said import SampleSaid

SAMPLES = 3

FEW, MANY = 2, 16
"""Numbers of messages to compare. ``FEW`` is more than one, since the loop itself takes a nanosecond or two,
as long as a view of one message. ``MANY`` is eight times as many: an allocator that asked the system for
memory in one process and not in the other made times differ by a factor of four."""

MORE = 128
"""A number of messages eight times ``MANY``, for operations whose time does not grow up to there. An
allocator made two messages take longer than sixteen: it gave its memory back to the system after every pass
over few messages, and kept it over many (a packer whose buffer grows by reallocation)."""

LEAST_GROWTH = 2.0
"""How many times as long an operation must at least take for eight times as many messages."""

VIEW_BYTES_FACTOR = 8
"""The longest message must be more than this many times as long as the shortest for their times to tell
anything."""

BETWEEN_OBJECTS = ("build", "extract")
"""Operations that make objects of objects. Where a language shares texts, these take no longer for longer
texts, and that is no sign of a view: only a message of more values shows whether they make them."""

LONG_BYTES = 1 << 19
"""The most canonical bytes of the long message, if such a message is long enough: edge values of large
schemas have 3 MB, a pass over which takes far longer than a sample, and tells no more."""

MIDDLE_BYTES = range(100, 1 << 12)
"""The canonical bytes of the middle message, if there is one of such a size. Whether many messages take
longer than few does not depend on their length, and a pass over ``MANY`` of 350 kB takes a slow codec a
second. But a message of a few bytes takes some codecs no longer than the loop."""

VIEW_GROWTH = 2.0
"""An operation that takes at least this many times as long for the longest message as for the shortest counts
as reading the message."""

SURE_GROWTH = 3.0
"""An operation is looked at again if it takes less than this many times as long for the longest message, and
not enough time for reading it either. Cap'n Proto's ``decode``, a view of 100 ns, seemed to read in 2 of 120
looks, where it probably took twice as long in a slow place."""

LEAST_VIEW_GROWTH = 1.1
BYTES_PER_NS = 64
"""An operation also reads the longest message if it takes ``LEAST_VIEW_GROWTH`` times as long for it as for
the shortest, and at least a nanosecond more for each ``BYTES_PER_NS`` canonical bytes more, as fast as a core
copies: such an operation does much besides, whatever the message. A codec of columns goes over those of all
163 records of a schema before any value, and took 15 µs for 18 bytes and 24 for 140,754."""

READ_NS_PER_BYTE = 1.0
"""The nanoseconds that reading a byte is taken to cost. If, at this rate, the bytes that the longest message
has more would make an operation take less than ``LEAST_VIEW_GROWTH`` times as long as for the shortest, times
cannot tell whether it reads them, and it is not called a view. One that took 17 ms for 360 empty records was
called one."""

_Kind = tuple[str, int]
"""The name of a message (long, middle or short), and how many copies of it a pass goes over."""


@dataclass(frozen=True)
class Attempt:
    """The settings of one attempt at timing operations.

    Attributes:
        places: the number of drawn places in memory in which each operation is timed.
        alone: whether each operation has processes of its own.
        sample_ns: least duration of a sample; longer in later attempts, since a machine may do something else
            in between.
        counts: the numbers of copies of the middle message that are timed.
    """

    places: int
    alone: bool
    sample_ns: int
    counts: tuple[int, ...] = (FEW, MANY)


ATTEMPTS = (
    Attempt(places=2, alone=False, sample_ns=500_000),
    Attempt(places=2, alone=True, sample_ns=1_000_000),
    Attempt(places=3, alone=True, sample_ns=5_000_000),
    Attempt(places=3, alone=True, sample_ns=20_000_000, counts=(FEW, MANY, MORE)),
)
"""The attempts, in order. The first is enough for nearly all operations, which take eight times as long for
eight times as many messages, far more than ``LEAST_GROWTH``."""


_Times = Mapping[_Kind, float]
"""Kind → the least nanoseconds of a pass of one operation in all places so far."""


def _middle(times: _Times) -> dict[int, float]:
    """Return the times for copies of the middle message, by the number of copies."""
    return {count: times[kind] for kind in sorted(times) for name, count in [kind] if name == "middle"}


def _grows(times: _Times) -> bool:
    middle = _middle(times)
    return any(middle[8 * n] >= LEAST_GROWTH * middle[n] for n in middle if 8 * n in middle)


def reads(long: float, short: float, more_bytes: int) -> bool:
    """Whether an operation reads its message, by its times for ``long`` messages and for ``short`` ones,
    which have ``more_bytes`` fewer bytes."""
    return long >= VIEW_GROWTH * short or _reads_besides(long, short, more_bytes)


def _reads_besides(long: float, short: float, more_bytes: int) -> bool:
    more = long - short
    return more >= (LEAST_VIEW_GROWTH - 1) * short and more * BYTES_PER_NS >= more_bytes


def _may_be_view(long: float, short: float, more_bytes: int) -> bool:
    """Whether it takes further looks to tell if an operation reads its message."""
    would_show = more_bytes * READ_NS_PER_BYTE >= (LEAST_VIEW_GROWTH - 1) * short
    surely_reads = long >= SURE_GROWTH * short or _reads_besides(long, short, more_bytes)
    return would_show and not surely_reads


def constant_time_views(
    command: Sequence[str],
    edge: Dataset,
    operations: Sequence[str],
    silence_limit_s: float,
    shares_texts: bool = False,
) -> tuple[str, ...]:
    """Time each operation on few and on many copies of a message, and on few of a long one and of a short
    one. Return the operations that are constant-time views, and those that count as such because a part of
    them is one; raise RunnerError, with the times, where many copies do not take ``LEAST_GROWTH`` times as
    long as few.

    Args:
        command: starts the runner.
        edge: the dataset from which the messages are taken.
        operations: the operations to time, under the policy ``reuse``.
        shares_texts: whether objects share texts in this language.
    """
    messages = messages_to_time(edge)
    long, short = messages["long"], messages["short"]
    more_bytes = FEW * (len(long) - len(short))
    telling = [*operations] if tells(long, short) else []
    if shares_texts and telling and not tells_of_values(edge, long, short):
        telling = [each for each in telling if each not in BETWEEN_OBJECTS]
    least: dict[str, dict[_Kind, float]] = {operation: {} for operation in operations}
    slow, views = list(operations), list[str]()
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        written = cache(
            lambda message, count: write_like(Path(folder), edge, [messages[message]] * count).path
        )
        for number, attempt in enumerate(ATTEMPTS):
            # An operation that grows but looks like a view is timed once more, only to see whether it is one.
            doubtful = [o for o in views if o not in slow] if number == 1 else []
            for left, counts in ((slow, attempt.counts), (doubtful, ())):
                kinds = [("middle", count) for count in counts] + [("long", FEW), ("short", FEW)]
                data = {(message, count): written(message, count) for message, count in kinds}
                for kind, operation, time in times_of(command, attempt, number, data, left, silence_limit_s):
                    least[operation][kind] = min(time, least[operation].get(kind, time))
            slow = [o for o in slow if not _grows(least[o])]
            views = [
                o for o in telling if _may_be_view(least[o]["long", FEW], least[o]["short", FEW], more_bytes)
            ]
            if not slow and not (views and number == 0):
                return tuple(o for o in operations if o in {*views, *views_by_their_parts(views)})
    first, *others = (f"{time:.4g} ns for {count}" for count, time in _middle(least[slow[0]]).items())
    raise RunnerError(
        f"{slow[0]} takes {first} messages and {' and '.join(others)}, expected at least {LEAST_GROWTH:g} "
        "times as long: the codec remembers results, or the work was optimized away (least time over "
        f"{sum(attempt.places for attempt in ATTEMPTS)} places in memory)",
        cell=slow[0],
        by_times=True,
    )


def messages_to_time(edge: Dataset) -> dict[str, bytes]:
    """Return the messages to time, in canonical bytes.

    The long one is the longest of at most ``LONG_BYTES``, and the short one the shortest of all. Where no
    message of so few bytes is long enough to tell anything, the long one is the shortest message that is, or
    else the longest of all. The middle one is the longest whose length is in ``MIDDLE_BYTES``, or else the
    next longer one, or the longest of all.
    """
    messages = sorted((bytes(message) for message in edge.read_messages()), key=len)
    short, longest = messages[0], messages[-1]
    telling = [message for message in messages if tells(message, short)] or [longest]
    middle = [message for message in messages if len(message) >= MIDDLE_BYTES.start] or [longest]
    return {
        "long": max((each for each in telling if len(each) <= LONG_BYTES), key=len, default=telling[0]),
        "middle": max((each for each in middle if len(each) in MIDDLE_BYTES), key=len, default=middle[0]),
        "short": short,
    }


def tells(long: bytes, short: bytes) -> bool:
    """Whether two messages differ enough in length for their times to tell whether an operation reads
    them."""
    return len(long) + 1 > VIEW_BYTES_FACTOR * (len(short) + 1)


def tells_of_values(edge: Dataset, long: bytes, short: bytes) -> bool:
    """Whether two messages differ enough in the number of their values for times to tell whether an operation
    makes each of them."""
    root = edge.schema().root
    more, fewer = (_values_in(decode(root, message)) for message in (long, short))
    return more + 1 > VIEW_BYTES_FACTOR * (fewer + 1)


def _values_in(value: Any) -> int:
    """Return how many values there are in a value, with itself; none if it is absent."""
    if isinstance(value, dict):
        return 1 + sum(_values_in(key) + _values_in(each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return 1 + sum(map(_values_in, value))
    return int(value is not None)


def times_of(
    command: Sequence[str],
    attempt: Attempt,
    number: int,
    paths: Mapping[_Kind, Path],
    operations: Sequence[str],
    silence_limit_s: float,
) -> Iterator[tuple[_Kind, str, float]]:
    """Yield, for every sample of an attempt, which messages it was taken on, the operation, and the
    nanoseconds of a pass; each ``number`` draws other places in memory."""
    for together in [[o] for o in operations] if attempt.alone or not operations else [operations]:
        cells = [f"{operation}:reuse" for operation in together]
        for place in range(attempt.places):
            for kind, path in paths.items():
                words = measuring_words(path, cells, attempt.sample_ns, SAMPLES, 1 + 1000 * number + place)
                for event in run_runner(
                    [*command, *words], Samples(cells, SAMPLES), silence_limit_s=silence_limit_s
                ):
                    if isinstance(event, SampleSaid):
                        yield kind, event.operation, event.elapsed_ns / event.iterations
