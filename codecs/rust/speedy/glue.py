"""What speedy cannot do."""

from __future__ import annotations

from serbench.model import Schema


def fits(schema: Schema, variant: str) -> str | None:
    numbers = (number for enum in schema.enums if not enum.open for _, number in enum.members)
    if any(not 0 <= number <= 0xFFFF_FFFF for number in numbers):
        return "its derive writes the numbers that an enum has in Rust as u32"
    return None
