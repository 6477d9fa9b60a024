"""One record with two arrays: the data of thekvs/cpp-serializers, its HPX/MPI fork and the Heron fork."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from serbench.model import Field, List, Record, i64, string
from serbench.workload import Parameter, Workload

record = Record("Record", [Field("ids", List(i64)), Field("strings", List(string))])

STRING = "shgfkghsdfjhgsfjhfgjhfgjsffghgsfdhgsfdfkdjhfioukjhkfdljgdfkgvjafdhasgdfwurtjkghfsdjkfg"
STRINGS = 100

# How many of the 1000 ids have a magnitude of so many bits: what the published data sets hold, since the
# variable-length encodings' published sizes follow from it.
SMALL = {7: 1, 8: 3, 9: 4, 10: 9, 11: 15, 12: 27, 13: 52, 14: 117, 15: 259, 16: 513}
MIXED_POSITIVE = {
    0: 2, 3: 3, 4: 3, 5: 19, 6: 31, 7: 62, 8: 1, 11: 3, 12: 3, 13: 19, 14: 31, 15: 61, 23: 1, 24: 1, 27: 3,
    28: 3, 29: 19, 30: 31, 31: 61, 55: 1, 56: 1, 59: 3, 60: 3, 61: 19, 62: 31, 63: 61,
}  # fmt: skip
MIXED_NEGATIVE = {
    2: 3, 3: 1, 4: 10, 5: 18, 6: 37, 7: 62, 9: 2, 10: 1, 11: 1, 12: 11, 13: 18, 14: 39, 15: 59, 25: 2, 26: 1,
    27: 1, 28: 11, 29: 18, 30: 39, 31: 59, 57: 2, 58: 1, 59: 1, 60: 11, 61: 18, 62: 39, 63: 59,
}  # fmt: skip


def generate(ids: str, seed: int) -> Iterator[Any]:
    draws = random.Random(seed)

    def magnitudes(buckets: dict[int, int]) -> list[int]:
        return [
            draws.randrange(1 << bits - 1, 1 << bits) if bits else 0
            for bits, count in buckets.items()
            for _ in range(count)
        ]

    if ids == "small":
        numbers = magnitudes(SMALL)
    else:
        numbers = magnitudes(MIXED_POSITIVE) + [-n for n in magnitudes(MIXED_NEGATIVE)]
    draws.shuffle(numbers)
    yield record(numbers, [STRING] * STRINGS)


workload = Workload(
    name="record",
    summary="one record: 1000 integers and 100 equal strings",
    root=record,
    generate=generate,
    parameters=[
        Parameter(
            "ids",
            "small",
            "magnitudes: 16-bit and non-negative, or 1, 2, 4 and 8 bytes mixed",
            ("small", "mixed"),
        ),
        Parameter("seed", 1, "seed of the ids", least=0),
    ],
)
