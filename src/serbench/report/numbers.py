"""Numbers for readers: with units, and never with more digits than the interval supports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from serbench.stats.summary import Interval

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_DIGITS_OF_ENDS = 3
_SAYS_NOTHING = 1000
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


def significant_digits(interval: Interval) -> int:
    """The number of digits to print, 2 or 3: one unit of the last is at least a quarter of the interval."""
    relative = interval.relative_half_width
    if relative <= 0:
        return 3 if interval.coverage > 0 else 2
    half = relative * interval.estimate / 2
    digits = 1 + math.floor(math.log10(interval.estimate)) - math.ceil(math.log10(half) - 1e-12)
    return max(2, min(3, digits))


def rounded(value: float, digits: int) -> str:
    """Write ``value`` with so many significant ``digits``, never in exponent form."""
    if value == 0:
        return "0"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    # Rounding up may give a leading digit more: 9.996 is 10.0.
    decimals = digits - 1 - math.floor(math.log10(abs(round(value, decimals))))
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def duration(interval: Interval) -> str:
    """Return a time as ``12.7 µs``."""
    return " ".join(_in_unit(interval.estimate, significant_digits(interval), _UNITS))


def spread(interval: Interval) -> str:
    """Half the interval's width as ``±1.2 %``, at most ``±>100 %``; empty where there is no interval."""
    if interval.coverage <= 0:
        return ""
    if interval.relative_half_width >= 1:
        return "±>100 %"
    digits = 1 if interval.relative_half_width < 0.0995 else 0
    return f"±{max(0.1, 100 * interval.relative_half_width):.{digits}f} %"


def percent(share: float) -> str:
    """Return a share as ``97 %``."""
    return f"{100 * share:.0f} %"


def ratio(interval: Interval) -> str:
    """Return a ratio as ``×1.34``."""
    return f"×{rounded(interval.estimate, significant_digits(interval))}"


def between(interval: Interval) -> str:
    """Write the ends of an interval, ``(1.30 to 1.38)``; empty where there is none, or it reaches so far (a
    thousand times the estimate) that it says nothing."""
    if interval.coverage <= 0 or interval.relative_reach > _SAYS_NOTHING:
        return ""
    return f"({rounded(interval.low, _DIGITS_OF_ENDS)} to {rounded(interval.high, _DIGITS_OF_ENDS)})"


def speed(size_bytes: int, interval: Interval) -> str:
    """Megabytes (10⁶ bytes) per second, for ``size_bytes`` in the time of an interval in nanoseconds."""
    return rounded(size_bytes / interval.estimate * 1e3, significant_digits(interval))


def mean_size(size: float) -> str:
    """Write the bytes of one message; an average below 1,000 has digits behind the point."""
    return (
        count(round(size)) if size == round(size) or size >= 1000 else rounded(size, 4 if size >= 100 else 3)
    )


def size_per_message(size_bytes: int, messages: int) -> str:
    """Return the bytes of one message, from those of all messages and their number."""
    return count(size_bytes) if messages <= 1 else mean_size(size_bytes / messages)


def count(value: int | None) -> str:
    """Return a number as ``12,571``; a dash for None."""
    return "–" if value is None else f"{value:,}"


def growth_in_words(growth: Mapping[str, int]) -> str:
    """Name the cells that take more memory with every pass: ``encode:reuse (283 bytes a pass)``."""
    return ", ".join(
        f"{cell} ({count(bytes)} byte{'s' if bytes != 1 else ''} a pass)" for cell, bytes in growth.items()
    )


def quantity(value: float, digits: int, unit: str = "") -> str:
    """Write ``12.3 kB`` with so many significant ``digits``; a whole number below 1,000 keeps all digits."""
    shown, prefix = _in_unit(value, digits, _PREFIXES)
    return f"{int(value) if not prefix and value == int(value) else shown} {prefix}{unit}".rstrip()


def _in_unit(value: float, digits: int, units: Sequence[tuple[float, str]]) -> tuple[str, str]:
    """Write a value in the greatest unit in which at least 1 is shown, else in the last. The rounded value
    decides: 999.7 ns with three digits are 1.00 µs."""
    shown = [(rounded(value / scale, digits), unit) for scale, unit in units]
    return next((each for each in shown if float(each[0].replace(",", "")) >= 1), shown[-1])
