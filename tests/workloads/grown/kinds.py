"""What the second edition of the type model has besides unions and recursion, each thing once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.dataset.edges import edge_values
from serbench.model import (
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    bool_,
    date,
    decimal,
    duration,
    i32,
    i64,
    string,
    time_of_day,
    timestamp,
    u8,
    u64,
    uuid,
)
from serbench.workload import Workload

nothing = Record("Nothing", [])
status = Enum("Status", i32, [("unset", 0), ("ok", 1), ("failed", 2)], aliases=[("error", 2)], open=True)
flags = Enum("Flags", u64, [("none", 0), ("top", 1 << 63), ("all", (1 << 64) - 1)])
offset = Enum("Offset", i64, [("least", -(1 << 63)), ("zero", 0)], open=True)
reaction = Enum("Reaction", u8, ["up", "down"], wire=[("up", "+1"), ("down", "-1")])
empties = Record(
    "Empties",
    [
        Field("one", nothing),
        Field("maybe", Optional(nothing)),
        Field("some", List(nothing)),
        Field("by_name", Map(string, nothing)),
    ],
)
enums = Record(
    "Enums",
    [
        Field("status", status),
        Field("flags", flags),
        Field("offset", Optional(offset)),
        Field("statuses", List(status)),
        Field("reactions", List(reaction)),
    ],
)
keys = Record(
    "Keys",
    [
        Field("by_bool", Map(bool_, string)),
        Field("by_reaction", Map(reaction, u8)),
        Field("by_status", Map(status, i32)),
    ],
)
octets = Record(
    "Octets",
    [
        Field("digest", FixedBytes(20)),
        Field("maybe", Optional(FixedBytes(1))),
        Field("all", List(FixedBytes(4))),
    ],
)
named = Record(
    "Named",
    [
        Field("id", i32, wire="@id", number=19_500),
        Field("plus_one", u8, wire="+1", number=70_000),
        Field("from_address", string, wire="from-address", number=(1 << 29) - 1),
        Field("type", string, number=3, default="none"),
    ],
    wire="shop.v1.Named",
)
logical = Record(
    "Logical",
    [
        Field("created", timestamp("ns")),
        Field("updated", Optional(timestamp("ms"))),
        Field("opened", timestamp("us", zoned=False)),
        Field("due", date()),
        Field("at", time_of_day("us")),
        Field("took", duration("ns")),
        Field("price", decimal(18, 2)),
        Field("amount", decimal(9, 4, i32)),
        Field("balance", decimal(38, 10, FixedBytes(16))),
        Field("id", uuid()),
        Field("trace", uuid(string)),
        Field("ids", List(uuid())),
    ],
)
kinds = Record(
    "Kinds",
    [
        Field("empties", empties),
        Field("enums", enums),
        Field("keys", keys),
        Field("octets", octets),
        Field("named", named),
        Field("logical", logical),
    ],
)


def generate() -> Iterator[Any]:
    yield from edge_values(workload.schema.root)


workload = Workload(name="kinds", summary="every new kind of field", root=kinds, generate=generate)
