"""How many values messages have inside each other, for libraries that allow only so many."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from serbench.model.parts import parts
from serbench.model.types import Composite, Record, Ref, Type, Union


def levels(composites: Sequence[Composite], steps: int, own: Callable[[Type], int]) -> dict[str, int]:
    """The most values inside each other that a record or union has, by its name, where recursion takes at
    most so many steps.

    Args:
        composites: each after those that it contains other than by a ``Ref``.
        own: how many a value of a type is by itself, without those in it.
    """
    known: dict[str, int] = {}
    for _ in range(steps + 1):
        shallower, known = known, {}

        def of(type: Type, inner: dict[str, int] = known, outer: dict[str, int] = shallower) -> int:
            match type:
                case Ref():
                    return outer.get(type.target.name, 0)
                case Record(name) | Union(name) if name in inner:
                    return inner[name]
                case _:
                    return own(type) + max((of(part) for part in parts(type)), default=0)

        for composite in composites:
            known[composite.name] = of(composite)
    return known
