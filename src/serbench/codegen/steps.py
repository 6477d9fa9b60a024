"""Steps of the conversions that generators write, between values of the domain and of types of an IDL.

``type`` is always the type of a value in the domain, and ``low`` the type that lowering made of it.
``step_of`` gives the kind of step from one to the other; a ``Stepping`` class has a method for each kind,
which writes code for the step in a language and for a library. A conversion consists of functions
(``Wanted``), one for each pair of a record or union with its counterpart, since types may lead back to
themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
    Walk,
)
from serbench.model.parts import resolved


def is_number(low: Type) -> bool:
    """Whether a type is a number, a bool or an enum."""
    return isinstance(low, Enum) or (isinstance(low, Scalar) and bool(low.width))


def has_no_fields(low: Type) -> bool:
    """Whether a type is a record without fields."""
    return isinstance(low, Record) and not low.fields


@dataclass(frozen=True)
class Step:
    """A step of a conversion: a value with its type in the domain and its type in the IDL.

    Attributes:
        kind: ``number`` (also a bool or an enum), ``text``, ``octets``, ``optional``, ``composite`` (a record
            or union, which has a function of its own), ``items`` (of a list or array), ``pairs`` (of a map)
            or ``entries`` (of a map that is a list of records in the IDL).
        type: its type in the domain; the record or union itself where it is referred to.
        low: its type in the IDL; again the record or union itself.
        is_back: whether the domain refers back to it.
    """

    kind: str
    type: Any
    low: Any
    is_back: bool = False

    @property
    def length(self) -> int | None:
        """The number of bytes or items that the domain type fixes; None if it fixes none."""
        return self.type.length if isinstance(self.type, Array | FixedBytes) else None

    @property
    def item(self) -> tuple[Type, Type]:
        """The domain type and the lowered type of an item, or of the value in an optional."""
        return self.type.item, self.low.item

    @property
    def key(self) -> tuple[Type, Type]:
        """The domain type and the lowered type of the keys of a map."""
        return self.type.key, self.low.key

    @property
    def value(self) -> tuple[Type, Type]:
        """The domain type and the lowered type of the values of a map."""
        return self.type.value, self.low.value

    @property
    def is_closed(self) -> bool:
        """Whether the value is of a closed enum, in which every number has a name."""
        return isinstance(self.type, Enum) and not self.type.open


def step_of(type: Type, low: Type) -> Step:
    """The step from a type to its lowered one."""
    own, lower = resolved(type), resolved(low)
    match own, lower:
        case _, Scalar("string"):
            kind = "text"
        case (_, Scalar("bytes")) | (FixedBytes(), FixedBytes()):
            kind = "octets"
        case _, Scalar() | Enum():
            kind = "number"
        case Optional(), Optional():
            kind = "optional"
        case _, Record() | Union():
            kind = "composite"
        case List() | Array(), List():
            kind = "items"
        case Map(), Map():
            kind = "pairs"
        case Map(), List():
            kind = "entries"
        case _:
            raise TypeError(f"{type} is not expected as {low}")
    return Step(kind, own, lower, isinstance(type, Ref))


class Stepping:
    """Base of generators of code for the steps of conversions, with a method named after each kind."""

    def step(self, type: Type, low: Type) -> Step:
        """The step from a type to its lowered one."""
        return step_of(type, low)

    def value(self, type: Type, low: Type, *places: Any) -> Any:
        """Writes code that converts ``type`` to ``low``; ``places`` are the expressions on both sides."""
        return self.take(self.step(type, low), *places)

    def take(self, step: Step, *places: Any) -> Any:
        """Writes code for a step; ``places`` are the expressions for the value in the domain and the IDL."""
        return getattr(self, step.kind)(step, *places)


def values_of(
    type: Any, low: Record, made: str, place: Callable[[str], str], whole: str
) -> Sequence[tuple[Type, str]]:
    """For each field of a lowered record: the domain type, and the expression for the domain's value.

    Args:
        made: the purpose that lowering made the record for (``Lowered.made``); empty for a declared one.
        place: gives the expression for a field by its name, such as ``value.id``.
        whole: the expression for the value that a record was made for; the variable ``key`` has a map's key.
    """
    if made == "empty":
        return []
    if made == "entry":
        return [(type.key, "key"), (type.value, whole)]
    if made:
        return [(type, whole)]
    return [(each.type, place(each.name)) for each in type.fields]


class Wanted:
    """The functions of which a generated conversion consists; each one that is called is written once.

    Args:
        name: gives the name of a function, by its kind and the lowered type.
        end: the sign before the number that is appended where another function has the same name.
        taken: further names that no function may have.
    """

    def __init__(self, name: Callable[[str, Any], str], end: str = "", taken: Iterable[str] = ()):
        self._name = name
        self._end = end
        self._taken = [*taken]
        self._names: dict[tuple[str, Type, Type], str] = {}

    def call(self, kind: str, type: Type, low: Type) -> str:
        """The name of the function that converts ``type`` to ``low``; notes that it has to be written."""
        key = (kind, type, low)
        if key not in self._names:
            name, taken = self._name(kind, low), [*self._taken, *self._names.values()]
            self._names[key] = name if name not in taken else f"{name}{self._end}{len(taken)}"
        return self._names[key]

    def write(self, function: Callable[[str, str, Type, Type], None]) -> None:
        """Writes, by ``function``, every function that was called, also by those that are written here."""
        written = 0
        while written < len(self._names):
            (kind, type, low), name = list(self._names.items())[written]
            function(kind, name, type, low)
            written += 1


def of_graph(root: Record, walk: Walk) -> tuple[Record, Record]:
    """The record types of a graph's nodes and of its edges, found from the root."""
    node = _item_of(root, walk.nodes)
    return node, _item_of(node, walk.edges)


def _item_of(record: Record, name: str) -> Record:
    type = next(field.type for field in record.fields if field.name == name)
    assert isinstance(type, List) and isinstance(type.item, Record)
    return type.item
