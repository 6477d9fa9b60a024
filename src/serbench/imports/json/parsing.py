"""Reads one JSON message into Python values, and finds the keys that an object has twice.

RFC 8259 leaves some things open. So that nothing is lost unnoticed, this is what the readers do there:

- whole numbers of any size are read as they are (msgspec; orjson would make doubles of those beyond 64 bits);
- numbers that no double holds, NaN and Infinity, and halves of surrogate pairs are refused by both;
- if an object has a key twice, both keep the last value; ``repeated_keys`` tells of it;
- more than 1,024 levels are refused by orjson, which looks first if there may be so many.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import orjson

from serbench.imports.json.shape import LEVELS

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class NoJson(Exception):
    """A text is not JSON; the message says what is wrong without quoting the text."""


def parse(text: bytes) -> Any:
    """The value that ``text`` holds; raises NoJson."""
    try:
        if text.count(b"[") + text.count(b"{") > LEVELS:
            orjson.loads(text)
        return _decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise NoJson(_fault(text, error)) from None


def _fault(text: bytes, error: Exception) -> str:
    """What is wrong with a text, in orjson's words if it refuses the text too, since they are clearer."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as told:
        return f"{told.msg.split(': line')[0]}, in column {told.colno}" + (
            f" of line {told.lineno}" if told.lineno > 1 else ""
        )
    if isinstance(error, RecursionError):
        return too_deep()
    return "no JSON"


def too_deep() -> str:
    return f"more than {LEVELS} nested objects and lists"


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
