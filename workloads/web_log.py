"""HTTP request logs: ``log`` of djkoloski/rust_serialization_benchmark, drawn exactly as published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.drawing.rand import Rand, pcg32
from serbench.model import Field, List, Record, string, u8, u16, u64
from serbench.workload import Parameter, Workload

address = Record("Address", [Field(f"x{n}", u8) for n in range(4)])
log = Record(
    "Log",
    [
        Field("address", address),
        Field("identity", string),
        Field("userid", string),
        Field("date", string),
        Field("request", string),
        Field("code", u16),
        Field("size", u64),
    ],
)
logs = Record("Logs", [Field("logs", List(log))])

USERS = ("-", "alice", "bob", "carmen", "david", "eric", "frank", "george", "harry")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
ZONES = tuple(f"{'-' if hours < 0 else '+'}{abs(hours):02}00" for hours in range(-12, 13))
METHODS = ("GET", "POST", "PUT", "UPDATE", "DELETE")
ROUTES = (
    *("/favicon.ico", "/css/index.css", "/css/font-awsome.min.css", "/img/logo-full.svg"),
    *("/img/splash.jpg", "/api/login", "/api/logout"),
)
PROTOCOLS = ("HTTP/1.0", "HTTP/1.1", "HTTP/2", "HTTP/3")
CODES = (
    *range(100, 104),
    *(*range(200, 209), 226),
    *range(300, 309),
    *(*range(400, 419), *range(421, 427), 428, 429, 431, 451),
    *(*range(500, 509), 510, 511),
)


def _date(rand: Rand) -> str:
    day, month, year = rand.in_range(1, 29), rand.one_of(MONTHS), rand.in_range(1970, 2022)
    hour, minute, second = rand.in_range(0, 24), rand.in_range(0, 60), rand.in_range(0, 60)
    return f"{day}/{month}/{year}:{hour}:{minute}:{second} {rand.one_of(ZONES)}"


def _log(rand: Rand) -> Any:
    date = _date(rand)
    request = f"{rand.one_of(METHODS)} {rand.one_of(ROUTES)} {rand.one_of(PROTOCOLS)}"
    return log(
        address=address(*(rand.u8() for _ in range(4))),
        identity="-",
        userid=rand.one_of(USERS),
        date=date,
        request=request,
        code=CODES[rand.size_in(0, len(CODES))],
        size=rand.size_in(0, 100_000_000),
    )


def generate(lines: int) -> Iterator[Any]:
    rand = Rand(pcg32(3141592653, 5897932384))
    yield logs([_log(rand) for _ in range(rand.size_in(lines, lines + 1))])


workload = Workload(
    name="web_log",
    summary="one list of web log lines: small records of many short strings",
    root=logs,
    generate=generate,
    parameters=[Parameter("lines", 10_000, "number of lines in the list", least=1)],
)
