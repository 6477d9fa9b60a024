"""Reads one JSON message into Python values, and finds the keys that an object has twice.

RFC 8259 leaves some things open. So that nothing is lost unnoticed, this is what the readers do there:

- whole numbers of any size are read as they are (msgspec; orjson would make doubles of those beyond 64 bits);
- numbers that no double holds, NaN and Infinity, and halves of surrogate pairs are refused by both libraries;
- if an object has a key twice, both libraries keep the last value; ``repeated_keys`` finds such keys;
- more than 1,024 levels are refused by orjson, which reads a text first if it may have so many.
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
from serbench.imports.json.paths import ITEM, joined, member, shown_briefly
from serbench.imports.json.shape import LEVELS
from serbench.imports.strangers import TO_JSON

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[{}\[\]]', re.DOTALL)
"""Matches strings, which may hold braces, and what begins and ends objects and lists."""

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode

FAULTS = (msgspec.MsgspecError, ValueError, RecursionError)
"""The errors by which msgspec, and orjson too, refuse a text."""

_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
"""Matches half a surrogate pair that is written as UTF-8 would write it if it were a character."""


class NoJson(Exception):
    """Raised for a text that is not JSON.

    Attributes:
        found: the fault in words, without quoting the text.
    """

    def __init__(self, text: bytes, found: str):
        super().__init__(found)
        self.text, self.found = text, found


class TooDeep(NoJson):
    """Raised for a text of more levels than are read, valid or not; ``path`` leads to the first too many."""

    def __init__(self, text: bytes, levels: int, path: str):
        super().__init__(text, f"{levels:,} nested objects and lists")
        self.path = path


def parse(text: bytes) -> Any:
    """Returns the value that ``text`` holds; raises NoJson, or TooDeep if it has more levels than are
    read."""
    try:
        if text.count(b"[") + text.count(b"{") > LEVELS:
            orjson.loads(text)
        return _decode(text)
    except RecursionError:
        raise too_deep(text) from None
    except (msgspec.MsgspecError, ValueError) as error:
        raise (too_deep(text) if "depth limit" in str(error) else NoJson(text, "no JSON")) from None


def no_json(file: Path, fault: NoJson, place: str = "", expected: str = "JSON") -> Refusal:
    """Returns the error for a text that is not JSON, with the line and column of its fault.

    Args:
        place: the place of the text in the file; empty if it is the whole of it.
    """
    text = fault.text
    if encoding := wide_encoding(text):
        return other_encoding(file, place, encoding)
    if isinstance(fault, TooDeep):
        where = ", ".join(filter(None, (place, shown_briefly(fault.path))))
        remedy = (
            "take apart or leave out what is inside there; no library reads messages that deep by default"
        )
        return refused(file, where, fault.found, f"at most {LEVELS}", remedy)
    try:
        text.decode()
    except UnicodeDecodeError as error:
        where = _place(place, *place_of(text, error.start))
        if not _SURROGATE.match(text, error.start):
            return not_utf8(file, where, text)
        remedy = "JSON in UTF-8 has surrogates only as escapes, and in pairs"
        return refused(file, where, "half a surrogate pair in three bytes", "text in UTF-8", remedy)
    try:
        # In orjson's words if it refuses the text too, since they are clearer.
        orjson.loads(text)
    except orjson.JSONDecodeError as told:
        found, remedy = _told(told, text.decode(), file)
        found, _, instead = found.partition(", expected ")
        return refused(file, _place(place, told.lineno, told.colno), found, instead or expected, remedy)
    return refused(file, place, fault.found, expected)


_VALUE = re.compile(r'[{\["]|-?\d|(true|false|null)\b')
"""Matches the beginning of a value of JSON."""

_NO_JSON = tuple(
    (re.compile(sign), found, remedy)
    for sign, found, remedy in (
        (
            r"\)\]\}',?\n",
            "a line that keeps browsers from running it",
            "tail -n +2 {} > data.json takes it out",
        ),
        (r"//|/\*|#", "a comment", "JSON has no comments: take them out"),
        (
            r"-?(NaN|Infinity)\b",
            "NaN or Infinity",
            "JSON has finite numbers alone: write null in their place",
        ),
        (r"'|(None|True|False)\b", "a value as Python prints it", "json.dumps of Python writes JSON"),
        (r"undefined\b", "undefined", "JSON has null in its place"),
        (r"\0", "a zero byte", "is the file cut off, or padded? tr -d '\\000' < {} takes such bytes out"),
        (r"[\w.$]+\(", "a call, as in JSONP", "take out what is around the JSON"),
        (r"\A(---|[\w-]+:\s)", "text such as YAML", TO_JSON),
        (r"[A-Za-z_$][\w$]*\s*:", "a key without quotes", "JSON has keys in double quotes"),
    )
)
"""Signs that a text which is no JSON often has where its fault is: a pattern, its name, and what to do about
it, where {} stands for the file."""

_REMEDIES = {
    "surrogate": "JSON in UTF-8 has surrogates only in pairs",
    "infinity": "a double holds up to 1.8e308",
    "trailing comma": "JSON has no comma behind the last of several: take it out",
    "end of data": "is the file cut off? get it anew",
}
"""Words of orjson → what to do."""


def _place(place: str, line: int, column: int) -> str:
    """Returns the place of a fault in words, without line 1 of a text that is only a part of a file."""
    return ", ".join(filter(None, (place, "" if place and line == 1 else f"line {line}", f"column {column}")))


def _told(fault: orjson.JSONDecodeError, text: str, file: Path) -> tuple[str, str]:
    """Returns what was found at the fault of a text, and what to do about it."""
    said = fault.msg.split(": line")[0]
    name = shlex.quote(str(file))
    if "after document" in said and _VALUE.match(text, fault.pos):
        return "a second document", f"jq -c . {name} > lines.jsonl makes JSON lines of it"
    if "after document" in said and text[fault.pos] == ",":
        remedy = f"sed 's/,[[:space:]]*$//' {name} > lines.jsonl takes such commas out"
        return "a comma behind a document", remedy
    for sign, found, remedy in _NO_JSON:
        if sign.match(text, fault.pos):
            return found, remedy.replace("{}", name)
    return said, next((remedy for words, remedy in _REMEDIES.items() if words in said), "")


def too_deep(text: bytes) -> TooDeep:
    """Returns the fault of a text of more than ``LEVELS`` levels: the first place that has more, and how many
    levels the text has there."""
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
    return TooDeep(text, most, joined(way))


def _step(within: bytes, key: bytes) -> str:
    """Returns the step of a path that leads to the object or list behind ``key``, in an object or list that
    begins with the sign ``within``."""
    if within == b"[":
        return ITEM
    try:
        return member("", json.loads(key)).removeprefix(".")
    except ValueError:
        return "…"


def may_repeat(text: bytes, value: Any) -> bool:
    """Whether an object in ``text``, which was read as ``value``, may have a key twice.

    The text of the value, written again, has as many colons as ``text``, unless a member was lost with its
    colon. Colons in strings are the same in both texts, unless one is written as an escape.
    """
    if b"\\u003" in text:
        return True
    try:
        return _encode(value).count(b":") != text.count(b":")
    except (*FAULTS, OverflowError):
        return True


def repeated_keys(text: bytes) -> Iterator[tuple[str, ...]]:
    """Finds each key that an object has more than once; returns it behind the keys that lead to the object,
    where ``[]`` stands for the items of a list."""
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
