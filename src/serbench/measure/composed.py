"""Operations that consist of others: they count as constant-time views if one of their parts does."""

from __future__ import annotations

from collections.abc import Collection, Sequence

PARTS_OF_VIEWS = {"native_roundtrip": ("encode", "decode")}
"""Operation → its parts. The operation counts as a view where a part is one, since that part then does none
of the work that it does for other codecs."""


def views_by_their_parts(views: Collection[str]) -> set[str]:
    """Return the operations that count as views because a part of them is among ``views``."""
    return {operation for operation, parts in PARTS_OF_VIEWS.items() if any(part in views for part in parts)}


def looked_at(measured: Sequence[str], offered: Sequence[str]) -> tuple[str, ...]:
    """Return the offered operations that verification watches and times: those that will be measured, with
    their parts, or all of them if that is not known."""
    parts = {part for operation in measured for part in PARTS_OF_VIEWS.get(operation, ())}
    return tuple(each for each in offered if not measured or each in {*measured, *parts})
