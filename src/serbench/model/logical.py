"""Logical types as they are declared: each is a meaning over a plain type."""

from __future__ import annotations

from serbench.model.types import FixedBytes, Logical, Scalar, bytes_, i32, i64


def timestamp(unit: str, zoned: bool = True) -> Logical:
    """A timestamp: a number of ``unit`` since 1970-01-01 00:00, negative before."""
    return Logical("timestamp", i64, unit, zoned)


def date() -> Logical:
    """A date: a number of days since 1970-01-01, negative before."""
    return Logical("date", i32)


def time_of_day(unit: str) -> Logical:
    """A time of day: a number of ``unit`` since midnight."""
    return Logical("time", i32 if unit in ("s", "ms") else i64, unit)


def duration(unit: str) -> Logical:
    """A duration: a number of ``unit``, of either sign."""
    return Logical("duration", i64, unit)


def decimal(precision: int, scale: int, base: Scalar | FixedBytes | None = None) -> Logical:
    """A decimal: an unscaled number of at most ``precision`` digits, ``scale`` of them behind the point, as
    an integer or as big-endian two's complement in bytes, as ``base`` says."""
    return Logical("decimal", base or bytes_, precision=precision, scale=scale)


def uuid(base: Scalar | FixedBytes | None = None) -> Logical:
    """A UUID: sixteen bytes in the order of RFC 9562, or their text."""
    return Logical("uuid", base or FixedBytes(16))
