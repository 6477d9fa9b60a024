"""Conditions on messages, such as ``status=paid``: only those that match are read further by a filter.

The value that a condition compares with is a value of the data, so nothing keeps or tells it: neither an
error, nor a table, nor a run.
"""

from __future__ import annotations

import math
import operator
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from serbench.changes.change import refused
from serbench.changes.paths import Place, item_of, place_of, places
from serbench.changes.reading import refuse_single
from serbench.errors import SelectionError
from serbench.model import Enum, Logical, Optional, Record, Scalar, Schema, Union
from serbench.model.parts import describe, resolved

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_CONDITION = re.compile(r"\s*([^=!<>]+?)\s*(!=|<=|>=|<|>|=)(?![=<>])\s*(.*?)\s*", re.DOTALL)
_PATH = re.compile(r"[\w.]+(\[[^\]]*\][\w.]*)*")
_BOOLS = {"false": False, "true": True}
_NO_ORDER = ("=", "!=")

_DATED = re.compile(r"\d{4}-\d\d-\d\d.*")
_MOMENTS = "a date such as 2026-11-28, or one with a time such as 2026-11-28T12:30:00Z"
_PER_UNIT = {"": 86_400_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
"""Unit of a timestamp → nanoseconds in it; a date, which has no unit, counts days."""


@dataclass(frozen=True)
class Condition:
    """One condition: some value at ``path`` compares by ``operator`` as it should. An absent value never
    does, nor does one of an alternative that the message has not; with ``[]`` one of the items has to.

    Attributes:
        holds: whether a message meets it.
    """

    path: str
    operator: str
    holds: Callable[[Any], bool] = field(compare=False, repr=False)


@dataclass(frozen=True)
class Filter:
    """The conditions on the messages of a workload, all of which have to hold, and what is read for them.

    Attributes:
        reads: the id of the workload whose programs read the paths of the conditions.
        then: the ids of those that read more of the messages that match; empty where everything is read.
    """

    conditions: Sequence[Condition]
    reads: str
    then: Sequence[str]

    def matches(self, message: Any) -> bool:
        """Whether a message, as ``decode`` gives it, meets all conditions."""
        return all(each.holds(message) for each in self.conditions)


def conditions_of(schema: Schema, texts: Sequence[str]) -> list[Condition]:
    """Return the conditions that texts such as ``lines[].n>=5`` mean.

    Raises:
        SelectionError: a text is no condition, its path leads to no number, text, bool or enum, or the value
            is none of that type. No error has the value.
    """
    return [_condition(schema, text) for text in texts]


def _condition(schema: Schema, text: str) -> Condition:
    found = _CONDITION.fullmatch(text)
    if not found or _leads_nowhere(schema, *found.group(1, 3)):
        raise SelectionError(
            f"--where: expected PATH OPERATOR VALUE, such as id=5, with an operator of {' '.join(OPERATORS)}"
        )
    path, sign, value = found.groups()
    told = f"--where {path} {sign} …"
    refuse_single(path, told)
    place = place_of(schema, path)
    type, meaning = _compared(schema, place, told)
    if sign not in _NO_ORDER and (isinstance(type, Enum) or type.name == "bool"):
        kind = "an enum" if isinstance(type, Enum) else "a bool"
        raise refused(told, f"{path} is {kind}, which has no order; expected = or !=")
    literal, compare = _literal(type, meaning, value, told), OPERATORS[sign]
    names = re.findall(r"\w+", path)

    def holds(message: Any) -> bool:
        return any(compare(each, literal) for each in _values_at(schema.root, message, names))

    return Condition(path, sign, holds)


def _leads_nowhere(schema: Schema, path: str, value: str) -> bool:
    """Whether a text is no path, or the path stands in the place of the value. An error that told such a text
    might tell the value."""
    known = {each.path for each in places(schema)}
    return not _PATH.fullmatch(path) or (value in known and path not in known)


def _compared(schema: Schema, place: Place, told: str) -> tuple[Enum | Scalar, Logical | None]:
    """The type of the values at a place, which a condition can compare, and their meaning, if any."""
    type = place.inner if place.type is not None else None
    meaning = type if isinstance(type, Logical) else None
    type = meaning.base if meaning else type
    if isinstance(type, Enum) or (isinstance(type, Scalar) and type.name != "bytes"):
        return type, meaning
    if item_of(type) is not None:
        raise refused(told, f"{place.path} has items; expected {place.path}[], which means any of them")
    what = "has no value" if type is None else f"is {describe(type)}"
    if isinstance(type, Record | Union):
        what = f"is a {'record' if isinstance(type, Record) else 'union'}"
    inside = (each.path for each in places(schema) if each.path.startswith(f"{place.path}."))
    such = next(
        (f" such as {path}" for path in inside if isinstance(place_of(schema, path).type, Scalar)), ""
    )
    raise refused(told, f"{place.path} {what}; expected the path of a number, text, bool or enum{such}")


def _literal(type: Enum | Scalar, meaning: Logical | None, text: str, told: str) -> Any:
    """The value of a type that a text means; the error says which values there are."""
    is_moment = meaning is not None and meaning.kind in ("timestamp", "date")
    if isinstance(type, Enum):
        known = {**{type.wire_name(name): number for name, number in type.members}, **dict(type.aliases)}
        known |= dict(type.members)
        if text not in known:
            raise refused(told, f"it has no such member; expected one of {', '.join(dict(type.members))}")
        return known[text]
    if type.name == "string":
        return text
    try:
        if meaning and is_moment and _DATED.fullmatch(text):
            return _count_of(meaning, text)
        return _BOOLS[text] if type.name == "bool" else _number(type, text)
    except (KeyError, ValueError, OverflowError):
        expected = _MOMENTS if is_moment else _values_of(type)
        name = describe(meaning or type)
        raise refused(told, f"its type {name} has no such value; expected {expected}") from None


def _count_of(meaning: Logical, text: str) -> int:
    """The count of a timestamp's or a date's unit from 1970-01-01 until a moment, which is in UTC unless it
    names its own offset; raises ValueError where the text names none, or one between two counts."""
    moment = datetime.fromisoformat(text)
    since = moment.replace(tzinfo=moment.tzinfo or UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    count, rest = divmod(since // timedelta(microseconds=1) * 1000, _PER_UNIT[meaning.unit])
    if rest:
        raise ValueError
    return count


def _number(type: Scalar, text: str) -> int | float:
    """The number of this type that a text means; raises ValueError or OverflowError where there is none."""
    if type.is_float:
        value = float(text)
        if math.isnan(value):
            raise ValueError
        (rounded,) = struct.unpack(f"<{type.struct_format}", struct.pack(f"<{type.struct_format}", value))
        return float(rounded)
    low, high = type.bounds
    if not low <= int(text) <= high:
        raise ValueError
    return int(text)


def _values_of(type: Scalar) -> str:
    if type.name == "bool":
        return " or ".join(_BOOLS)
    if type.is_float:
        return "a number"
    low, high = type.bounds
    return f"a whole number from {low} to {high}"


def _values_at(type: Any, value: Any, names: Sequence[str]) -> Iterator[Any]:
    """Yield the values to which the names of fields and alternatives lead, through all items."""
    type = resolved(type)
    if isinstance(type, Optional):
        if value is not None:
            yield from _values_at(type.item, value, names)
    elif (item := item_of(type)) is not None:
        for each in value.values() if isinstance(value, dict) else value:
            yield from _values_at(item, each, names)
    elif not names:
        yield value
    elif isinstance(type, Union):
        alternative = type.alternatives[value[0]]
        if alternative.name == names[0]:
            yield from _values_at(alternative.type, value[1], names[1:])
    else:
        at = next(n for n, part in enumerate(type.fields) if part.name == names[0])
        yield from _values_at(type.fields[at].type, value[at], names[1:])
