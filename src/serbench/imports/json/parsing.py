"""Reads one JSON message into Python values, and finds the keys that an object has twice.

RFC 8259 leaves some things open. So that nothing is lost unnoticed, this is what the readers do there:

- whole numbers of any size are read as they are (msgspec; orjson would make doubles of those beyond 64 bits);
- numbers that no double holds, NaN and Infinity, and halves of surrogate pairs are refused by both;
- if an object has a key twice, both keep the last value; ``repeated_keys`` tells of it;
- more than 1,024 levels are refused by orjson, which looks first if there may be so many.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import orjson

from serbench.imports.json.paths import ITEM, joined, member
from serbench.imports.json.shape import LEVELS

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[{}\[\]]', re.DOTALL)
"""Matches strings, which may hold braces, and what begins and ends objects and lists."""

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class NoJson(Exception):
    """A text is not JSON; the message says what is wrong without quoting the text."""


class TooDeep(NoJson):
    """A text has more levels than are read, valid or not. ``path`` leads to the first level too many."""

    def __init__(self, levels: int, path: str):
        super().__init__(f"{levels:,} nested objects and lists")
        self.path = path


def parse(text: bytes) -> Any:
    """The value that ``text`` holds; raises NoJson, and TooDeep if it has more levels than readers take."""
    try:
        if text.count(b"[") + text.count(b"{") > LEVELS:
            orjson.loads(text)
        return _decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise _fault(text, error) from None


def _fault(text: bytes, error: Exception) -> NoJson:
    """What is wrong with a text, in orjson's words if it refuses the text too, since they are clearer."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as told:
        if "limit" not in told.msg:
            return NoJson(
                f"{told.msg.split(': line')[0]}, in column {told.colno}"
                + (f" of line {told.lineno}" if told.lineno > 1 else "")
            )
        return too_deep(text)
    return too_deep(text) if isinstance(error, RecursionError) else NoJson("no JSON")


def too_deep(text: bytes) -> TooDeep:
    """What is wrong with a text of more than ``LEVELS`` levels: where it first has more, and how many it has
    there."""
    most, levels, key = 0, 0, b""
    steps: list[str] = []
    way: list[str] = []
    within: list[bytes] = []
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in (b"{", b"["):
            levels += 1
            most = max(most, levels)
            if not way:
                steps += [_step(within[-1], key)] if within else []
                within.append(token)
                way = steps[:] if levels > LEVELS else way
        elif token in (b"}", b"]"):
            levels = max(levels - 1, 0)
            if way and levels <= LEVELS:
                break
            del steps[max(levels - 1, 0) :], within[levels:]
        else:
            key = token
    return TooDeep(most, joined(way))


def _step(within: bytes, key: bytes) -> str:
    """The step of a path that leads to the object or list that begins behind ``key`` in another one."""
    if within == b"[":
        return ITEM
    try:
        return member("", json.loads(key)).removeprefix(".")
    except ValueError:
        return "…"


def may_repeat(text: bytes, value: Any) -> bool:
    """Whether an object in ``text``, which was read as ``value``, may have a key twice.

    If the value is written again, it has as many colons as ``text``, unless a member was lost with its colon.
    Colons in strings are the same in both, unless one is written as an escape.
    """
    if b"\\u003" in text:
        return True
    try:
        return _encode(value).count(b":") != text.count(b":")
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
        return True


def repeated_keys(text: bytes) -> Iterator[tuple[str, ...]]:
    """For each key that an object has more than once: the keys that lead to it, and itself; ``[]`` stands for
    the items of a list."""
    try:
        # Numbers do not matter here, and some would be too long for Python.
        value = json.loads(text, object_pairs_hook=_Pairs, parse_int=len, parse_float=len)
    except (ValueError, RecursionError):
        return
    left: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while left:
        path, value = left.pop()
        if isinstance(value, _Pairs):
            yield from ((*path, key) for key, n in Counter(key for key, _ in value).items() if n > 1)
            left += (((*path, key), each) for key, each in value)
        elif isinstance(value, list):
            left += (((*path, "[]"), each) for each in value)


class _Pairs(list[tuple[str, Any]]):
    pass
