"""Logical types as they are declared: each is a meaning over a plain type."""

from __future__ import annotations

from serbench.model.types import FixedBytes, Logical, Scalar, bytes_, i32, i64


def timestamp(unit: str, zoned: bool = True) -> Logical:
    """Units since 1970-01-01 00:00, before it negative."""
    return Logical("timestamp", i64, unit, zoned)


def date() -> Logical:
    """Days since 1970-01-01, before it negative."""
    return Logical("date", i32)


def time_of_day(unit: str) -> Logical:
    """Units since midnight."""
    return Logical("time", i32 if unit in ("s", "ms") else i64, unit)


def duration(unit: str) -> Logical:
    """Units, of either sign."""
    return Logical("duration", i64, unit)


def decimal(precision: int, scale: int, base: Scalar | FixedBytes | None = None) -> Logical:
    """An unscaled number of at most ``precision`` digits over an integer, or big-endian two's complement over
    bytes."""
    return Logical("decimal", base or bytes_, precision=precision, scale=scale)


def uuid(base: Scalar | FixedBytes | None = None) -> Logical:
    """Sixteen bytes in the order of RFC 9562, or their text."""
    return Logical("uuid", base or FixedBytes(16))
