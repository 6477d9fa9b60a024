"""Writes what messages and enums of Protocol Buffers keep of their parts that are gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from serbench.idl.lower import Lowered
from serbench.idl.oneofs import HINT, message_parts, placed_in
from serbench.model import Enum, Gone, Optional, Record, Union
from serbench.model.types import Composite

_MAX_MEMBER = (1 << 31) - 1
"""The greatest number of an enum's member."""


def gone_in(low: Composite, types: Lowered) -> list[Gone]:
    """The parts that a record's or union's message had once, also those of oneofs that lie in it.

    A oneof that lay in the message counts as its alternatives. Where other parts have the names or numbers of
    these, the oneof was a message of its own.
    """
    parts = message_parts(low, types)
    found: list[Gone] = []
    for each in low.gone:
        held = each.type.item if HINT in each.hints and isinstance(each.type, Optional) else None
        inside = held.alternatives if isinstance(held, Union) else ()
        is_apart = all(
            part.name != own.name and part.number != own.number for part in parts for own in inside
        )
        found += [Gone(own.name, own.number) for own in inside] if inside and is_apart else [each]
    if isinstance(low, Record):
        placed = (placed_in(field, types) for field in low.fields)
        found += [each for union in placed if union is not None for each in union.gone]
    return found


def reserved(gone: Sequence[Gone], most: int) -> list[str]:
    """The lines by which a message or an enum keeps the numbers and names of its parts that are gone.

    Args:
        most: the greatest number that a part can have, for which the word is ``max``.
    """
    numbers = [each.numbers for each in gone if each.number is not None]
    ends = [(n.start, n[-1]) for n in sorted(numbers, key=lambda numbers: numbers.start)]
    lines = []
    if ends:
        told = (f"{a}" if a == b else f"{a} to {'max' if b == most else b}" for a, b in ends)
        lines.append(f"reserved {', '.join(told)};")
    if names := [f'"{each.name}"' for each in gone if each.name]:
        lines.append(f"reserved {', '.join(names)};")
    return lines


def reserved_members(enum: Enum, is_zero_made: bool) -> list[str]:
    """The lines by which an enum keeps its members that are gone.

    Args:
        is_zero_made: whether the first member of the file is none of the schema's. It has the number 0, which
            then cannot be kept.
    """
    gone = enum.gone
    if is_zero_made:
        gone = tuple(replace(each, number=None) if each.numbers == range(1) else each for each in gone)
    return reserved(gone, _MAX_MEMBER)
