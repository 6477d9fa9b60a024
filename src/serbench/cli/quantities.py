"""Times and percentages as people type them, one way for every option."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import typer

TIMES = "in seconds, or as 90s, 5m or 1h30m"
"""The words of help for every option that takes a time."""

_UNITS = {
    "ms": (0.001, r"ms|millis(?:econds?)?|milliseconds?"),
    "d": (86400.0, r"d|days?"),
    "h": (3600.0, r"h|hrs?|hours?"),
    "m": (60.0, r"m|mins?|minutes?"),
    "s": (1.0, r"s|secs?|seconds?"),
}
"""Unit → its seconds, and a pattern of its names."""

_NAMED = "|".join(f"(?P<{unit}>{names})" for unit, (_, names) in _UNITS.items())
_NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_PART = re.compile(rf"\s*({_NUMBER})\s*(?:{_NAMED})(?![a-z])", re.I)


def seconds(least: float) -> Callable[[str | float], float]:
    """A function that reads a time of at least ``least`` seconds: ``90``, ``90s``, ``1.5 min``, ``1h30m``; a
    number alone is of seconds. A float, as defaults are, is returned as it is."""

    def time(text: str | float) -> float:
        found = text if isinstance(text, float) else _seconds(text)
        if found is None or not math.isfinite(found):
            raise typer.BadParameter(f"found '{text}', expected a time {TIMES}")
        if found < least:
            raise typer.BadParameter(f"found '{text}', expected at least {least:g} s")
        return found

    return time


def _seconds(text: str) -> float | None:
    if re.fullmatch(rf"\s*(?:{_NUMBER})\s*", text):
        return float(text)
    total, at, smallest = 0.0, 0, math.inf
    while part := _PART.match(text, at):
        unit = _UNITS[part.lastgroup or ""][0]
        if unit >= smallest:  # 30m1h is more likely a slip than a time
            return None
        total, at, smallest = total + float(part[1]) * unit, part.end(), unit
    return total if at and not text[at:].strip() else None


def percent(text: str | float) -> float:
    """The share 0.02 for ``2%``, ``2 %`` and ``2``. A number below 1 without a sign may be meant as a share,
    so it is refused. A float, as defaults are, is returned as it is."""
    if isinstance(text, float):
        return text
    number = text.strip().removesuffix("%").rstrip()
    found = float(number) if re.fullmatch(_NUMBER, number) else 0.0
    if not 0 < found < 100:
        raise typer.BadParameter(f"found '{text}', expected a percentage above 0 and below 100, such as 2%")
    if found < 1 and "%" not in text:
        raise typer.BadParameter(
            f"found '{text}', which may be a percentage or a share; expected {found:g}% or {100 * found:g}%"
        )
    return found / 100
