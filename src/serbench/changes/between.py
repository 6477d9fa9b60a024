"""The change from one schema to another, which is found by the names and numbers of their parts."""

from __future__ import annotations

from typing import Any

from serbench.changes.change import Change, Convert, refused
from serbench.changes.convert import Converter, Source
from serbench.changes.free import FREE
from serbench.changes.kinds import between_roots
from serbench.errors import SelectionError
from serbench.model import Schema


def between(old: Schema, new: Schema) -> Change:
    """The change that leads from one schema to another. A part is the same where its name is, or else where
    its number is and neither name stands in the other type.

    Raises:
        SelectionError: the root has no part of the other, or a part has a type of which no value can be
            one of the other, with its path.
    """
    text = f"{old.name} to {new.name}"
    if not any(source is not None for source in matched(old.root, new.root)):
        raise refused(text, f"no field of {old.root.name} is one of {new.root.name}, by name or number")
    try:
        return between_roots(text, old, new, matched, matched)
    except SelectionError as error:
        raise refused(text, str(error)) from error


def read_as(source: Schema, target: Schema) -> Convert:
    """The conversion of a value of ``source`` to what a reader of ``target`` should have of it. FREE stands
    where no value of one part's type is one of the other's."""
    return Converter(matched, strict=False, unreadable=[]).of(source.root, target.root)


def shared(source: Schema, target: Schema) -> Convert:
    """The conversion of ``read_as``, with FREE also in parts that ``source`` lacks."""
    lenient = Converter(matched, strict=False, lacking=lambda part: FREE, unreadable=[])
    return lenient.of(source.root, target.root)


def unreadable(source: Schema, target: Schema) -> list[str]:
    """The parts of ``target`` that are in ``source`` with a type of which no value is one of theirs: a line
    for each, with its path.

    Raises:
        SelectionError: the roots have nothing else in common.
    """
    found: list[str] = []
    Converter(matched, strict=False, unreadable=found).of(source.root, target.root)
    common = sum(each is not None for each in matched(source.root, target.root))
    lost = sum("." not in line.partition(":")[0] for line in found)
    if common <= lost:
        reasons = found or [f"no field of {source.root.name} is one of {target.root.name}, by name or number"]
        raise SelectionError("; ".join(reasons))
    return found


def matched(source: Any, target: Any) -> list[Source]:
    """The source of each part of ``target`` in ``source``, both records or both unions."""
    names = {part.name for part in source.parts}
    free = {part.number: part.name for part in source.parts} if names else {}
    taken = {part.name for part in target.parts}
    found: list[Source] = []
    for part in target.parts:
        name = part.name if part.name in names else free.get(part.number)
        is_same = part.name in names or (name is not None and name not in taken)
        found.append((name,) if name is not None and is_same else None)
    return found
