"""Measures every operation of a unit briefly while values change, to check that what is timed is what was
verified."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import ceil
from pathlib import Path

from serbench.dataset.edits import edits_beside
from serbench.dataset.file import Dataset, spread, write_like
from serbench.errors import RunnerError
from serbench.measure.agreement import agreed
from serbench.measure.conversation import Samples
from serbench.measure.judging import Differing, Judge, judged
from serbench.measure.process import measuring_words, run_runner
from serbench.measure.said import Event, SampleSaid
from serbench.measure.unit import Given, Unit, Verification
from serbench.selecting.selection import POLICIES

Sampled = dict[str, list[SampleSaid]]
"""Cell → its samples."""

Look = Callable[[Sequence[str], int, int], Sampled]
"""A function that samples cells, with the least nanoseconds of a sample and the number of samples."""

WATCHED_SAMPLE_NS, WATCHED_SAMPLES = 2_000_000, 2
"""The least duration and the number of the samples of each watched cell. All cells of a codec share a
process, so that an operation is called some ten thousand times in all."""

GROWING_SAMPLE_NS, GROWING_SAMPLES = 20_000_000, 8
"""How a cell is sampled whose memory seemed to grow with every pass. Over two short samples, an allocator may
just have laid out memory anew; memory that is lost with every pass is lost in each of these samples too. They
are longer, since a slow codec has done few passes by then, and its allocator has not settled."""

SETTLING_PASSES = 64
"""Over how many passes such a cell is sampled, at least. What a program keeps for later calls grows over its
first passes, however long they take: over 32 that took 35 ms each (docs/laboratory/suspicions.md)."""

GROWN_BYTES = 1 << 14
"""How many bytes every sample has to add to memory for a cell to count as growing: an allocator may add less
by itself."""

WATCHED_BYTES = 4_000_000
"""Data with more canonical bytes than this are watched only in rounds."""

ENOUGH_BYTES = 1 << 17
"""The most canonical bytes of data that are watched whole; of more, only some messages are: a pass over a
megabyte takes a slow codec a second, and each cell is sampled over several passes."""


def watch(unit: Unit, trips: Verification) -> tuple[tuple[str, ...], dict[str, int]]:
    """Measure every operation briefly, as a round does, while values change, and judge the results of its
    passes; raise RunnerError where one is wrong. Return the ways of encoding and decoding that were watched,
    and the cells whose memory grows with every pass, each with the bytes that a pass adds.

    Where a pass over the data takes long, some messages are used; and edge values, where even one message
    takes long. A runner that takes long to start has done the same in the process that encodes.
    """
    cells = cells_of(trips.operations)
    with to_watch(unit) as data:
        edits = edits_beside(data, unit.variant.tells_floats) if trips.edits else None
        if edits is None:
            return (), {}
        if not unit.variant.codec.traits.quick_looks:
            return tuple(f"watched {cell}" for cell in cells), {}
        look = partial(_sampled, unit, data, edits)
        first = look(cells, WATCHED_SAMPLE_NS, WATCHED_SAMPLES)
        watched = [cell for cell in cells if any(sample.left for sample in first.get(cell, ()))]
        return tuple(f"watched {cell}" for cell in watched), agreed_growth(look, first)


def cells_of(operations: Sequence[str]) -> list[str]:
    """Return the cells to watch. Encoding comes first, so that a codec that remembers its output fails for
    that, and not for wrong decoded bytes."""
    ordered = sorted(operations, key=lambda name: name not in ("serialize", "encode"))
    return [f"{operation}:{memory}" for operation in ordered for memory in POLICIES]


@contextlib.contextmanager
def to_watch(unit: Unit) -> Iterator[Dataset]:
    """Provide, while this context lasts, the messages over which a unit's watched passes go."""
    is_quick = unit.variant.codec.traits.quick_looks
    if unit.data.canonical_bytes <= (ENOUGH_BYTES if is_quick else WATCHED_BYTES):
        yield unit.data
        return
    some = spread(unit.data, ENOUGH_BYTES)
    if sum(map(len, some)) > WATCHED_BYTES:
        yield unit.edge
        return
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        yield write_like(Path(folder), unit.data, some)


def judge_of(unit: Unit, data: Dataset, edits: str) -> Judge:
    """Return the judge of the results that passes over these data leave, with the tolerance of the codec."""
    given = unit.given or Given("", edits)
    command, updates = given.judge or unit.command, given.updates
    return Judge(command, str(data.path), edits, unit.variant.tolerance, unit.silence_limit_s, updates)


def place_of(dataset: Dataset) -> int:
    """Return the seed of the places in memory in which a dataset is verified, which is always the same."""
    return int(dataset.sha256[:8], 16)


def first_raised(differing: Sequence[Differing], order: Sequence[str]) -> None:
    """Raise RunnerError for the first cell, in this order, whose results differ; do nothing where none
    differs."""
    places = {cell: n for n, cell in enumerate(order)}
    if differing:  # also a cell that was not asked for, which the runner named in what it wrote
        raise RunnerError(min(differing, key=lambda each: places.get(each.cell, len(places))).reason)


def _sampled(
    unit: Unit, data: Dataset, edits: str, cells: Sequence[str], sample_ns: int, samples: int
) -> Sampled:
    """Sample cells while values change, and judge the results of their passes."""
    words = measuring_words(data.path, cells, sample_ns, samples, place_of(data), edits)

    def run(further: Sequence[str]) -> Iterator[Event]:
        command = [*unit.command, *words, *further]
        return run_runner(command, Samples(cells, samples), silence_limit_s=unit.silence_limit_s)

    sampled, differing = Sampled(), list[Differing]()
    try:
        for event in judged(judge_of(unit, data, edits), run):
            if isinstance(event, Differing):
                differing.append(event)
            elif isinstance(event, SampleSaid):
                sampled.setdefault(event.cell, []).append(event)
    except RunnerError:
        first_raised(
            differing, cells
        )  # which tells more than a sum that is wrong, or a time that is too short
        raise
    first_raised(differing, cells)
    return sampled


def agreed_growth(look: Look, first: Sampled) -> dict[str, int]:
    """Return the cells whose memory grows with every pass in enough long looks, among those whose memory
    seems to grow in the ``first`` samples; each with the least bytes that a pass adds."""
    seeming, least = list(_growing(first)), dict[str, int]()
    samples = max((_samples_to_settle(first[cell]) for cell in seeming), default=0)

    def once_more(cells: Sequence[str]) -> dict[str, int]:
        growing = _growing(look(cells, GROWING_SAMPLE_NS, samples)) if cells else {}
        least.update({cell: min(added, least.get(cell, added)) for cell, added in growing.items()})
        return growing

    return {cell: least[cell] for cell in agreed(once_more, once_more(seeming))}


def _samples_to_settle(samples: Sequence[SampleSaid]) -> int:
    """Return how many long samples have enough passes, by the time that a pass takes in these ``samples``."""
    pass_ns = max(sample.elapsed_ns / sample.iterations for sample in samples)
    return max(GROWING_SAMPLES, ceil(SETTLING_PASSES / max(1, GROWING_SAMPLE_NS // pass_ns)))


def _growing(sampled: Sampled) -> dict[str, int]:
    """Return the cells whose memory grows in every sample, each with the least bytes that a pass adds."""
    return {
        cell: round(min(sample.grown_bytes / sample.iterations for sample in samples))
        for cell, samples in sampled.items()
        if min(sample.grown_bytes for sample in samples) >= GROWN_BYTES
    }
