"""Answers questions about recursive types, for code that makes values of them and asks at each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from serbench.model import List, Map, Optional, Record, Ref, Type, Union
from serbench.model.parts import back_references, parts, reaches_back

Answer = TypeVar("Answer")

_ENDLESS = 1 << 30


def steps_to_end(type: Type, begun: frozenset[str] = frozenset()) -> int:
    """Return the fewest steps of recursion that a value of ``type`` can have. ``begun`` names the records and
    unions that contain the value."""
    match type:
        case Optional() | List() | Map():
            return 0
        case Ref(name):
            return _ENDLESS if name in begun else 1 + steps_to_end(type.target, begun)
        case Record(name):
            return max((steps_to_end(part, begun | {name}) for part in parts(type)), default=0)
        case Union(name, alternatives):
            return min(0 if a.type is None else steps_to_end(a.type, begun | {name}) for a in alternatives)
        case _:
            return max((steps_to_end(part, begun) for part in parts(type)), default=0)


def soonest(type: Union) -> list[int]:
    """Return the indices of the alternatives whose values can end after the fewest steps of recursion."""
    steps = [0 if a.type is None else steps_to_end(a.type) for a in type.alternatives]
    return [k for k, each in enumerate(steps) if each == min(steps)]


def leads_back(type: Type, inside: bool) -> bool:
    """Whether a type (an optional, list or map) leads back, so that its value is empty when no step is left.

    ``inside`` says that the value is part of a recursive one. Then references in the records and unions that
    the type holds count too; else two records that hold each other would never end.
    """
    return reaches_back(type) if inside else any(True for _ in back_references(type))


def ways_back(type: Union) -> list[int]:
    """Return the indices of the alternatives whose values can hold a reference back, so that recursion
    continues."""
    return [k for k, a in enumerate(type.alternatives) if a.type is not None and reaches_back(a.type)]


class TypeAnswers:
    """A cache of answers to questions about types: without it, each step of making a value would visit all
    parts of its type."""

    def __init__(self) -> None:
        self._of: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    def __call__(self, ask: Callable[..., Answer], type: Any, *more: Any) -> Answer:
        """Return ``ask(type, *more)``, from the cache if it was asked before."""
        key = (ask, id(type), *more)
        if key not in self._of:
            self._of[key] = (ask(type, *more), type)  # the type is kept so that no other object gets its id
        answer: Answer = self._of[key][0]
        return answer
