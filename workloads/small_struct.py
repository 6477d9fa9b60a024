"""The record of alecthomas/go_serialization_benchmarks, with values distributed as there. The original seeds
its random draws by the clock; here a parameter does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.drawing.draws import below, mt19937
from serbench.model import Field, Record, bool_, f64, i64, string, timestamp
from serbench.workload import Parameter, Workload

small_struct = Record(
    "SmallStruct",
    [
        Field("name", string),
        Field("birth_day", timestamp("ns")),
        Field("phone", string),
        Field("siblings", i64),
        Field("spouse", bool_),
        Field("money", f64),
    ],
)

NAME_DIGITS, PHONE_DIGITS = 16, 10
FIRST_NS = 1_751_587_200_000_000_000
"""The date of the published report, 4 July 2025, in nanoseconds since 1970. In the original, each record has
the time at which it was made."""
BETWEEN_NS = 1_000


def generate(count: int, seed: int) -> Iterator[Any]:
    draw = mt19937(seed)

    def hexadecimal(digits: int) -> str:
        drawn = "".join(f"{below(draw, 256):02x}" for _ in range((digits + 1) // 2))
        return drawn[:digits]

    for n in range(count):
        yield small_struct(
            name=hexadecimal(NAME_DIGITS),
            birth_day=FIRST_NS + n * BETWEEN_NS + below(draw, BETWEEN_NS),
            phone=hexadecimal(PHONE_DIGITS),
            siblings=below(draw, 5),
            spouse=below(draw, 2) == 1,
            money=(draw() << 21 | draw() >> 11) / 2**53,
        )


workload = Workload(
    name="small_struct",
    summary="many small records: two short strings, a time, a number, a flag, a double",
    root=small_struct,
    generate=generate,
    parameters=[
        Parameter("count", 1000, "number of records, each a message", least=1),
        Parameter("seed", 1, "seed of the values", least=0),
    ],
)
