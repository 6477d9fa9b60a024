"""Decides the types of bools, numbers and strings: inferred from the values, or as the user wants them."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.imports.base import setting
from serbench.imports.epochs import hint, of_fractions
from serbench.imports.json.paths import shown
from serbench.imports.json.shape import EXACT, Node
from serbench.imports.json.texts import MOST_DISTINCT, Text
from serbench.model.types import Logical, Scalar, Type, bool_, f64, i64, string, u64

ENUM_SEEN = 100
"""The least number of strings that a place must have for an enum to be proposed."""

ENUM_TIMES = 10
"""An enum is proposed for strings of which each occurs so many times on average."""

BEYOND = "whole numbers beyond 64 bits become doubles, which hold 53 bits, as in most JSON readers"
_INEXACT = "whole numbers beyond 53 bits among numbers with a fraction: doubles round them"

_TIMES = {"timestamp": "times as in RFC 3339", "local timestamp": "times without a zone", "date": "dates"}
"""The forms of texts that a setting makes numbers of, in words."""


@dataclass(frozen=True)
class Simple:
    """The type that bools, numbers or strings get, why they get it, and what is lost by it."""

    type: Type
    why: str = ""
    losses: tuple[str, ...] = ()


def may_be_enum(count: int, distinct: int) -> bool:
    """Whether so many strings, of which so many are different, look like members of an enum, which then is
    proposed to the user. An enum is made only if the user says so: its members would put values of somebody's
    data into schemas, sources and reports, and the next file may have others."""
    return count >= max(ENUM_SEEN, ENUM_TIMES * distinct) and 1 < distinct < MOST_DISTINCT


def simple_type(node: Node, path: str, kind: str = "") -> Simple | None:
    """Decides the type of the bools, numbers or strings at a path; None if they cannot be what the user
    wants.

    ``kind`` is the one whose type is asked for if values are of several kinds; empty if they are of one kind,
    or all are null.

    Whole numbers become i64 however small they are: JSON has no widths, the next number may be larger, and
    formats whose integers take as many bytes as they need are no larger for it.
    """
    if node.wanted.type:
        return _as_wanted(node, node.wanted.type)
    if node.flag and kind in ("", "boolean"):
        return Simple(bool_)
    if kind != "string" and (node.number or node.low is not None):
        return _number(node, path)
    if node.text and not kind:  # nothing is known of the form of strings among values of other kinds
        return _text(node.text, path)
    return Simple(string)


def _number(node: Node, path: str = "") -> Simple:
    low, high = node.low or 0, node.high or 0
    if node.number:
        least = node.least if node.low is None else min(node.least, node.low)
        why = of_fractions(path, "those in the sample", least, max(node.greatest, high), "numbers")
        return Simple(f64, why, (_INEXACT,) if low < -EXACT or high > EXACT else ())
    if low >= -(1 << 63) and high < 1 << 63:
        why = "; ".join(filter(None, ("all are whole numbers", hint(path, shown(path), "they", low, high))))
        return Simple(i64, why)
    if low >= 0 and high < 1 << 64:
        return Simple(u64, "all are whole numbers, none is negative, and some are beyond 63 bits")
    return Simple(f64, "some whole numbers are beyond 64 bits", (BEYOND,))


def _text(text: Text, path: str) -> Simple:
    if text.uuid:
        return Simple(Logical("uuid", string), "all are UUIDs; they remain strings")
    if why := times(text, shown(path), "those in the sample"):
        return Simple(string, why)
    if text.looks == "digits" and (why := hint(path, shown(path), "those in the sample", *text.digits)):
        return Simple(string, why)
    if text.looks == "decimal" and (why := of_fractions(path, "those in the sample", *text.digits, "texts")):
        return Simple(string, why)
    distinct = len(text.distinct)
    if may_be_enum(text.count, distinct):
        said = setting(shown(path), "enum")
        return Simple(string, f"{distinct} different strings in the sample; {said} makes an enum of them")
    return Simple(string)


def times(text: Text, shown: str, which: str) -> str:
    """Tells the user the setting that makes numbers of texts that are times or dates; empty if they are none.

    Args:
        shown: the path of the texts as the user writes it in a setting.
        which: the texts that were looked at, in words.
    """
    if not (what := _TIMES.get(text.looks or "")):
        return ""
    if not text.setting:
        return f"{which} are {what}; they stay texts, since no unit holds all of them in 64 bits"
    return f"{which} are {what}; {setting(shown, text.setting)} makes numbers of them"


def _as_wanted(node: Node, type: Scalar | Logical) -> Simple | None:
    kinds = set(node.kinds)
    if isinstance(type, Logical):
        is_text = kinds <= {"string"}
        if type.kind == "uuid":
            return Simple(type) if is_text else None
        if is_text and kinds:
            return Simple(type, losses=(f"text becomes a {type.kind}: JSON codecs write a number",))
        return Simple(type) if type.kind == "timestamp" and kinds <= {"integer"} else None
    if type.is_float:
        losses = ("numbers are rounded to single precision",) if type.name == "f32" else _number(node).losses
        return Simple(type, losses=losses) if kinds <= {"integer", "number"} else None
    if type.is_integer:
        return Simple(type) if kinds <= {"integer", "number"} else None
    return Simple(type) if kinds <= {"string" if type == string else "boolean"} else None
