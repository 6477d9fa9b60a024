"""How deep messages nest: for libraries whose readers have a limit, which their users raise where data are
deep."""

from __future__ import annotations

from collections.abc import Iterator

from serbench.idl.lower import Lowered
from serbench.model import List, Map, Record, Ref, Type, Union
from serbench.model.parts import back_references, parts
from serbench.model.types import MAX_DEPTH


def deepest(types: Lowered) -> int:
    """At most so many records, unions, lists and maps are inside each other in a message; 0 where no type
    leads back to itself, so that libraries' own limits are enough."""
    if not any(_back(types)):
        return 0
    levels: dict[str, int] = {}

    def level(type: Type) -> int:
        match type:
            case Record(name) | Union(name):
                return levels[name]
            case _:
                inner = max(map(level, parts(type)), default=0)
                return inner + (2 if isinstance(type, Map) else isinstance(type, List))

    for each in types.composites:  # each after those it holds
        levels[each.name] = 1 + max(map(level, parts(each)), default=0)
    return (MAX_DEPTH + 1) * max(levels.values())


def _back(types: Lowered) -> Iterator[Ref]:
    for each in types.composites:
        for part in parts(each):
            yield from back_references(part)
