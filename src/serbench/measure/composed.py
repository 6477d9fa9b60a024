"""Operations that consist of others, and count as constant-time views if one of their parts does; and those
that are another one under a name of their own."""

from __future__ import annotations

from collections.abc import Collection, Sequence

PARTS_OF_VIEWS = {"native_roundtrip": ("encode", "decode")}
"""Operation → its parts. The operation counts as a view where a part is one, since that part then does none
of the work that it does for other codecs."""


SAME_WORK = {"read": ("decode_traverse", "deserialize")}
"""Operation → the ones whose code it is: the first where a codec offers it, else the second and a sum of
domain objects. Verification looks at these alone."""


def views_by_their_parts(views: Collection[str]) -> set[str]:
    """Return the operations that count as views because a part of them is among ``views``."""
    return {operation for operation, parts in PARTS_OF_VIEWS.items() if any(part in views for part in parts)}


def looked_at(measured: Sequence[str], offered: Sequence[str]) -> tuple[str, ...]:
    """Return the offered operations that verification watches and times: those that will be measured, with
    their parts, or all of them if that is not known."""
    named = {own for each in measured for own in SAME_WORK.get(each, (each,))}
    parts = {part for operation in named for part in PARTS_OF_VIEWS.get(operation, ())}
    wanted = {*named, *parts} or {*offered}
    return tuple(each for each in offered if each in wanted and each not in SAME_WORK)
