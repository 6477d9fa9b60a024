"""Messages of a few bytes, of which times tell least."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from serbench.model import Field, List, Optional, Record, f64, string, u32
from serbench.workload import Parameter, Workload

line = Record("Line", [Field("sku", string), Field("count", u32), Field("price", f64)])
order = Record("Order", [Field("name", string), Field("note", Optional(string)), Field("lines", List(line))])

MESSAGES = 20
NAME_BYTES, LINE_BYTES = 7, 21
"""The bytes of a name of five letters, and of a line, in the format of Protocol Buffers."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def generate(bytes: int) -> Iterator[Any]:
    draw = random.Random(bytes)
    for _ in range(MESSAGES):
        lines = [
            line(sku="".join(draw.choices(LETTERS, k=6)), count=draw.randint(1, 127), price=draw.random())
            for _ in range((bytes - NAME_BYTES) // LINE_BYTES)
        ]
        yield order(name="".join(draw.choices(LETTERS, k=5)), note=None, lines=lines)


workload = Workload(
    name="orders",
    summary="orders of 7 bytes and some lines of 21 bytes",
    root=order,
    generate=generate,
    parameters=[Parameter("bytes", 7, "the bytes of a message in the format of Protocol Buffers", least=7)],
)
