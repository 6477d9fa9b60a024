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
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import orjson

from serbench.imports.base import Refusal, refused
from serbench.imports.encodings import not_utf8, other_encoding, place_of, wide_encoding
from serbench.imports.json.shape import LEVELS

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode

_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
"""Matches half a surrogate pair that is written as UTF-8 would write it if it were a character."""


class NoJson(Exception):
    """A text is not JSON.

    Attributes:
        found: what is wrong, without quoting the text.
    """

    def __init__(self, text: bytes, found: str):
        super().__init__(found)
        self.text, self.found = text, found


def parse(text: bytes) -> Any:
    """The value that ``text`` holds; raises NoJson."""
    try:
        if text.count(b"[") + text.count(b"{") > LEVELS:
            orjson.loads(text)
        return _decode(text)
    except RecursionError:
        raise NoJson(text, too_deep()) from None
    except (msgspec.MsgspecError, ValueError):
        raise NoJson(text, "no JSON") from None


def no_json(file: Path, fault: NoJson, place: str = "", expected: str = "JSON") -> Refusal:
    """The error for a text that is not JSON, with the line and column of its fault.

    Args:
        place: of the text in the file; empty if it is the whole of it.
    """
    text = fault.text
    if encoding := wide_encoding(text):
        return other_encoding(file, place, encoding)
    try:
        text.decode()
    except UnicodeDecodeError as error:
        where = _place(place, *place_of(text, error.start))
        return _surrogate(file, where) if _SURROGATE.match(text, error.start) else not_utf8(file, where)
    try:
        # In orjson's words if it refuses the text too, since they are clearer.
        orjson.loads(text)
    except orjson.JSONDecodeError as told:
        found, remedy = _told(told, text.decode()[told.pos :], file)
        found, _, instead = found.partition(", expected ")
        return refused(file, _place(place, told.lineno, told.colno), found, instead or expected, remedy)
    return refused(file, place, fault.found, expected)


def _place(place: str, line: int, column: int) -> str:
    """The place of a fault; a text that is a part of a file is mostly one line."""
    return ", ".join(filter(None, (place, "" if place and line == 1 else f"line {line}", f"column {column}")))


def _surrogate(file: Path, place: str) -> Refusal:
    remedy = "JSON in UTF-8 has surrogates only as escapes, and in pairs"
    return refused(file, place, "half a surrogate pair in three bytes", "text in UTF-8", remedy)


def _told(fault: orjson.JSONDecodeError, rest: str, file: Path) -> tuple[str, str]:
    """What is found at a fault, behind which comes ``rest``, and what to do."""
    said = fault.msg.split(": line")[0]
    if rest.startswith(("//", "/*", "#")):
        return "a comment", "JSON has no comments: take them out"
    if "surrogate" in said:
        return said, "JSON in UTF-8 has surrogates only in pairs"
    if "infinity" in said:
        return said, "a double holds up to 1.8e308"
    if "after document" in said and rest.startswith(("{", "[")):
        name = shlex.quote(file.name)
        return "a second document", f"jq -c . {name} > lines.jsonl makes JSON lines of it"
    return said, ""


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
