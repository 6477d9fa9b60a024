"""The process that compresses: takes timed samples of compressors on what a codec wrote, and speaks the
protocol of runners.

Each compressor first has to restore what it was given; one that does not loses only its own figures.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from serbench.dataset.file import split_messages
from serbench.measure.compressors import COMPRESSORS, Compressor
from serbench.measure.said import PROTOCOL
from serbench.measure.sampling import Sampler

Say = Callable[..., None]


def measure(
    parcels: Sequence[bytes],
    cells: Sequence[str],
    compressors: Mapping[str, Callable[[], Compressor]],
    sampler: Sampler,
    say: Say,
) -> None:
    """For each compressor, call ``say`` with an event ``compressed`` or ``failed``, and then with the samples
    of its cells, in the order given.

    Args:
        parcels: the pieces of bytes, each of which is compressed at once; a pass goes over all of them.
        cells: the cells, such as ``zstd-1:compress`` and ``zstd-1:decompress``.
    """
    made: dict[str, tuple[Compressor, list[bytes]] | None] = {}
    for cell in cells:
        name, _, direction = cell.partition(":")
        if name not in made:
            made[name] = _checked(name, compressors[name], parcels, say)
        ready = made[name]
        if ready is None:
            continue
        compressor, compressed = ready
        if direction == "compress":
            passes = partial(_passes, compressor.compress, parcels)
        else:
            passes = partial(_passes, compressor.decompress, compressed)
        for taken in sampler.sample(passes):
            say("wire_sample", compressor=name, direction=direction, **taken)


def _passes(function: Callable[[bytes], Any], inputs: Sequence[bytes], iterations: int) -> None:
    """Make ``iterations`` passes over all inputs, in a loop that runs in C; each result is freed before the
    next is made."""
    deque(map(function, chain.from_iterable(repeat(inputs, iterations))), maxlen=0)


def _checked(
    name: str, make: Callable[[], Compressor], parcels: Sequence[bytes], say: Say
) -> tuple[Compressor, list[bytes]] | None:
    """Return a compressor and the compressed parcels; None where it does not restore them, after an event
    that says why."""
    try:
        compressor = make()
        compressed = [compressor.compress(parcel) for parcel in parcels]
        for n, (parcel, small) in enumerate(zip(parcels, compressed, strict=True)):
            again = compressor.decompress(small)
            if again != parcel:
                place = next(
                    (i for i, (a, b) in enumerate(zip(parcel, again, strict=False)) if a != b),
                    min(len(parcel), len(again)),
                )
                raise ValueError(
                    f"decompressing does not restore the bytes: they differ from byte {place} of "
                    f"parcel {n} on; found {len(again)} bytes, expected {len(parcel)}"
                )
    except Exception as error:  # each package has exceptions of its own
        say("failed", compressor=name, reason=f"{type(error).__name__}: {error}")
        return None
    say("compressed", compressor=name, library=compressor.library, bytes=sum(map(len, compressed)))
    return compressor, compressed


def _print_event(event: str, **values: Any) -> None:
    sys.stdout.write(json.dumps({"event": event, **values}) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Measure as the command line says; an error ends the process with a traceback, which the caller
    reads."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--encoded", type=Path, required=True)
    parser.add_argument("--cells", required=True)
    parser.add_argument("--sample-ns", type=int, required=True)
    parser.add_argument("--samples", type=int, required=True)
    given = parser.parse_args()
    _print_event("hello", protocol=PROTOCOL)
    parcels = [bytes(parcel) for parcel in split_messages(given.encoded.read_bytes())]
    gc.disable()  # nothing here makes cycles, and a collection would fall into some sample
    measure(
        parcels, given.cells.split(","), COMPRESSORS, Sampler(given.sample_ns, given.samples), _print_event
    )
    _print_event("done")
