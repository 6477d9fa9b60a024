"""Computes how deep messages nest, since some libraries read deep messages only if their limit is raised."""

from __future__ import annotations

from serbench.idl.lower import Lowered
from serbench.model import List, Map, Record, Type, Union
from serbench.model.parts import led_back_to, parts
from serbench.model.types import MAX_DEPTH


def deepest(types: Lowered) -> int:
    """The most records, unions, lists and maps inside each other in a message; 0 if no type leads back to
    itself, since the limits of libraries are enough for such messages."""
    if not led_back_to(types.composites):
        return 0
    levels: dict[str, int] = {}

    def level(type: Type) -> int:
        match type:
            case Record(name) | Union(name):
                return levels[name]
            case _:
                inner = max(map(level, parts(type)), default=0)
                return inner + (2 if isinstance(type, Map) else isinstance(type, List))

    for each in types.composites:  # each comes after those that it holds
        levels[each.name] = 1 + max(map(level, parts(each)), default=0)
    return (MAX_DEPTH + 1) * max(levels.values())
