"""Computes how deep messages nest, for libraries that limit the depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from serbench.model.parts import led_back_to, parts
from serbench.model.schema import Schema
from serbench.model.types import MAX_DEPTH, Array, Composite, List, Map, Record, Ref, Type, Union


def nested_in_schema(schema: Schema) -> Iterator[int]:
    """Yields the most records, lists and so on inside each other in a message with 0, 1, 2, … steps back."""
    return nested(schema.composites, schema.root, lambda type: isinstance(type, _AROUND))


_AROUND = Record | Union | List | Array | Map


def nested(composites: Sequence[Composite], root: Record, own: Callable[[Type], int]) -> Iterator[int]:
    """The most values inside each other that a message has where recursion takes at most 0, 1, 2 and so on
    steps, up to ``MAX_DEPTH``; only the first where no type leads back.

    Args:
        composites: each after those that it contains other than by a ``Ref``.
        root: the type of messages, one of ``composites``.
        own: how many levels a value of a type adds by itself, without those in it: 0 or 1, say.
    """
    known: dict[str, int] = {}
    for _ in range(MAX_DEPTH + 1 if led_back_to(composites) else 1):
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
        yield known[root.name]
