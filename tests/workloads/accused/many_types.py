"""A message of 50 kB with 180 record types below its root."""

from __future__ import annotations

import random
import string as text
from collections.abc import Iterator, Mapping
from typing import Any

from serbench.model import Field, List, Optional, Record, Type, bool_, bytes_, f64, i64, string, u32
from serbench.workload import Workload

GROUPS, PARTS = 12, 14
"""The number of groups, and of parts in each; every group and every part is a record type of its own."""

KINDS: Mapping[str, Type] = {
    "number": i64,
    "title": string,
    "ratio": f64,
    "ratios": List(f64),
    "is_open": bool_,
    "names": List(string),
    "blob": bytes_,
    "note": Optional(string),
    "size": u32,
}
"""Name of a field → its type. A part has some of them, one after another."""


def _part(number: int) -> Record:
    fields = [[*KINDS.items()][(number + n) % len(KINDS)] for n in range(4 + number % 5)]
    return Record(f"Part{number}", [Field(name, kind) for name, kind in fields])


def _group(number: int) -> Record:
    parts = [_part(PARTS * number + n) for n in range(PARTS)]
    return Record(f"Group{number}", [Field(each.name.lower(), each) for each in parts])


root = Record("Types", [Field(each.name.lower(), each) for each in map(_group, range(GROUPS))])


def _drawn(draw: random.Random) -> dict[str, Any]:
    """Return a value of each field of ``KINDS``."""

    def letters(count: int) -> str:
        return "".join(draw.choices(text.ascii_lowercase, k=count))

    return {
        "number": draw.getrandbits(62),
        "title": letters(30),
        "ratio": draw.random(),
        "ratios": [draw.random() for _ in range(24)],
        "is_open": draw.random() < 0.5,
        "names": [letters(20) for _ in range(4)],
        "blob": draw.randbytes(80),
        "note": letters(20),
        "size": draw.getrandbits(31),
    }


def generate() -> Iterator[Any]:
    draw = random.Random(180)

    def part(kind: Any) -> Any:
        own = _drawn(draw)
        return kind(**{each.name: own[each.name] for each in kind.fields})

    def group(kind: Any) -> Any:
        return kind(**{each.name: part(each.type) for each in kind.fields})

    yield root(**{each.name: group(each.type) for each in root.fields})


workload = Workload("many_types", "one message of 180 record types", root, generate)
