"""Workloads that are graphs and are not named ``graph``, to show that codecs ask for the shape of a graph and
not for that name."""

from __future__ import annotations

from serbench.dataset.edges import edge_values
from serbench.model import (
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Walk,
    bool_,
    bytes_,
    f32,
    i64,
    string,
    u8,
)
from serbench.workload import Workload

_surface = Enum("Surface", u8, ["gravel", "asphalt"])
_point = Record("Point", [Field("x", f32), Field("y", f32)])
_sign = Record("Sign", [Field("text", string), Field("at", _point), Field("owner", Optional(string))])

_road = Record(
    "Road",
    [
        Field("place", _point),
        Field("to", i64),
        Field("surface", _surface),
        Field("lanes", Array(u8, 2)),
        Field("toll", bool_),
    ],
)
_town = Record(
    "Town",
    [
        Field("roads", List(_road)),
        Field("place", string),
        Field("signs", List(_sign)),
        Field("by_name", Map(string, _sign)),
        Field("centre", Optional(_point)),
        Field("raw", bytes_),
        Field("closed", List(_road)),
    ],
)
_country = Record("Country", [Field("name", string), Field("towns", List(_town)), Field("flag", _sign)])

_link = Record("Link", [Field("source", u8), Field("target", u8)])
_kind = Record("Kind", [Field("incoming", List(_link)), Field("outgoing", List(_link))])
_net = Record("Net", [Field("strangers", List(_kind))])

GRAPHS = [
    Workload("roads", "", _country, lambda: iter(edge_values(_country)), walk=Walk("towns", "roads", "to")),
    Workload(
        "net",
        "",
        _net,
        lambda: iter(edge_values(_net)),
        walk=Walk("strangers", "outgoing", "target", source="source"),
    ),
]
