"""Patterns of types, in the form of declarations: ``u64``, ``optional<*>``, ``array<record, *>``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from serbench.errors import SerbenchError, unknown
from serbench.model.parts import parts
from serbench.model.types import SCALARS, Array, Enum, FixedBytes, Logical, Record, Ref, Scalar, Type

ANY = "*"

_PARTS = {"list": 1, "array": 1, "map": 2, "optional": 1}
_KINDS = ("timestamp", "date", "time", "duration", "decimal", "uuid")
_NAMES = {
    *SCALARS, *_PARTS, *_KINDS, "integer", "record", "empty record", "union", "enum", "open enum",
    "wide enum", "u64 enum", "open u64 enum", "recursion", "fixed bytes",
}  # fmt: skip
_TOKEN = re.compile(r"\s*((?:empty |open u64 |open |wide |u64 |fixed )?\w+|[<>,*])")


@dataclass(frozen=True)
class Pattern:
    """A pattern that types match or do not match.

    Attributes:
        name: the name of a scalar, or the kind of another type, such as ``list``; ``*`` for any type.
        parts: patterns for the types that it is made of; empty for a record, whatever its fields are.
        length: how many items an array has; None for any number.
    """

    name: str
    parts: tuple[Pattern, ...] = ()
    length: int | None = None

    def fits(self, type: Type) -> bool:
        if self.name == ANY:
            return True
        if self.name not in _names(type) or (
            self.length is not None and isinstance(type, Array) and type.length != self.length
        ):
            return False
        return all(part.fits(each) for part, each in zip(self.parts, parts(type), strict=False))


def _names(type: Type) -> tuple[str, ...]:
    """The words by which a pattern may name ``type``, whatever its parts are."""
    match type:
        case Scalar(name):
            return (name, "integer") if type.is_integer else (name,)
        case Logical(kind):
            return (kind,)
        case FixedBytes():
            return ("fixed bytes",)
        case Ref():
            return ("recursion",)
        case Record(_, fields):
            return ("record",) if fields else ("record", "empty record")
        case Enum(_, _, members):
            fits = all(-(1 << 31) <= value < 1 << 31 for _, value in members)
            is_u64 = type.underlying.name == "u64"
            words = {
                "enum": True,
                "open enum": type.open,
                "wide enum": not fits or (type.open and type.underlying.width == 8),
                "u64 enum": is_u64,
                "open u64 enum": is_u64 and type.open,
            }
            return tuple(word for word, is_so in words.items() if is_so)
        case _:
            return (type.__class__.__name__.lower(),)


@cache
def parse_pattern(text: str) -> Pattern:
    """The pattern that ``text`` describes.

    Raises:
        SerbenchError: ``text`` is no pattern, or names an unknown type; the message has the nearest names.
    """
    words = _TOKEN.findall(text)
    pattern, left = _parsed(text, words)
    if left or re.sub(r"\s", "", "".join(words)) != re.sub(r"\s", "", text):
        raise _no_pattern(text)
    return pattern


def _parsed(text: str, words: list[str]) -> tuple[Pattern, list[str]]:
    """The pattern at the beginning of ``words``, and the words behind it."""
    name, left = (words[0], words[1:]) if words else ("", [])
    if name == ANY:
        return Pattern(ANY), left
    if name not in _NAMES:
        raise unknown("type", name, _NAMES) if re.match(r"[^\W\d]", name) else _no_pattern(text)
    made, length, opening = [], None, "<"
    for _ in range(_PARTS.get(name, 0)):
        part, left = _parsed(text, _after(text, left, opening))
        made.append(part)
        opening = ","
    if name == "array":
        found, *left = _after(text, left, ",") or [""]
        if found != ANY and not found.isdecimal():
            raise _no_pattern(text)
        length = None if found == ANY else int(found)
    return Pattern(name, tuple(made), length), _after(text, left, ">") if made else left


def _after(text: str, words: list[str], expected: str) -> list[str]:
    if words[:1] != [expected]:
        raise _no_pattern(text)
    return words[1:]


def _no_pattern(text: str) -> SerbenchError:
    return SerbenchError(
        f"found '{text}', expected a type such as u64, optional<*>, list<bytes>, "
        "array<record, *> or map<*, enum>"
    )
