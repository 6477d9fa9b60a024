"""Finds the kinds of the values for which several schemas hold at once, and the numbers and strings that
these values may be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

from serbench.imports.json.values import kind_of
from serbench.imports.json_schema.documents import SubSchema
from serbench.imports.json_schema.form import is_number
from serbench.model.types import SCALARS, Scalar, i64, u64

_IMPLIED = {
    "object": (
        "properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "required",
        "minProperties", "maxProperties", "propertyNames", "dependentRequired",
    ),
    "array": (
        "items", "prefixItems", "additionalItems", "unevaluatedItems", "minItems", "maxItems", "uniqueItems",
        "contains",
    ),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "string": ("pattern", "minLength", "maxLength", "format", "contentEncoding", "contentMediaType"),
}  # fmt: skip
"""Kind → keywords by which it is meant if a schema has no type. Taken literally, such a schema allows every
value of another kind, but that is not what people mean."""


@dataclass(frozen=True)
class Numbers:
    """The numbers that schemas allow.

    Attributes:
        low, high: the bounds of whole numbers; None for no bound.
        whole: whether no number has a fraction.
    """

    low: int | None = None
    high: int | None = None
    whole: bool = False

    def either(self, other: Numbers | None) -> Numbers:
        if other is None:
            return self
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Numbers(low, high, self.whole and other.whole)

    @property
    def narrowest(self) -> Scalar | None:
        """The narrowest type for all integers between the bounds, or one of 64 bits if a bound is missing;
        None if no type is wide enough."""
        low, high = self.low, self.high
        if low is None or high is None:
            kinds = [u64] if low is not None and low >= 0 else [i64]
        else:
            kinds = [each for each in SCALARS.values() if each.is_integer and (low >= 0) != each.is_signed]
        low, high = low or 0, high or 0
        return next((each for each in kinds if each.bounds[0] <= low and high <= each.bounds[1]), None)


@dataclass(frozen=True)
class Strings:
    """The strings that schemas allow.

    Attributes:
        members: all strings that are allowed, in the order of the schema; None if any string is.
        format: the ``format`` of the strings; empty if they have none, or several.
    """

    members: tuple[str, ...] | None = None
    format: str = ""

    @classmethod
    def any_of(cls, found: Sequence[Strings]) -> Strings:
        is_open = any(each.members is None for each in found)
        members = dict.fromkeys(text for each in found for text in each.members or ())
        formats = {each.format for each in found}
        return cls(None if is_open else tuple(members), formats.pop() if len(formats) == 1 else "")


def kinds_of(parts: Sequence[SubSchema]) -> tuple[frozenset[str] | None, bool]:
    """Returns the kinds of the values for which all these schemas hold, None if the schemas say nothing about
    the value; and whether the kinds are implied by keywords, and not said by a type."""
    found: frozenset[str] | None = None
    for part in parts:
        for kinds in _said(part.keywords):
            found = kinds if found is None else found & kinds
    if found is not None:
        return found, False
    keywords = [part.keywords for part in parts]
    implied = frozenset(
        kind for kind, words in _IMPLIED.items() if any(word in each for each in keywords for word in words)
    )
    return implied or None, bool(implied)


def _said(keywords: dict[str, Any]) -> list[frozenset[str]]:
    said: list[Iterable[str]] = []
    if (type := keywords.get("type")) is not None:
        said.append(type if isinstance(type, list) else [type])
    if (values := enumerated(keywords)) is not None:
        said.append(map(kind_of, values))
    return [frozenset("number" if each == "integer" else each for each in kinds) for kinds in said]


def enumerated(keywords: dict[str, Any]) -> list[Any] | None:
    """Returns the values that the keywords enumerate; None if they enumerate none."""
    if "const" in keywords:
        return [keywords["const"]]
    values = keywords.get("enum")
    return values if isinstance(values, list) else None


def numbers_of(parts: Sequence[SubSchema]) -> Numbers | None:
    """Returns the numbers for which all these schemas hold, each of which allows some; None if none is
    left."""
    low: int | None = None
    high: int | None = None
    whole = False
    for part in parts:
        keywords = part.keywords
        whole |= _is_whole(keywords)
        lows, highs = _limits(keywords)
        if (values := enumerated(keywords)) is not None:
            numbers = [each for each in values if is_number(each)]
            whole |= all(isinstance(each, int) or each.is_integer() for each in numbers)
            lows.append(floor(min(numbers)))
            highs.append(ceil(max(numbers)))
        low = max((each for each in (low, *lows) if each is not None), default=None)
        high = min((each for each in (high, *highs) if each is not None), default=None)
    return None if low is not None and high is not None and low > high else Numbers(low, high, whole)


def _is_whole(keywords: dict[str, Any]) -> bool:
    type, step = keywords.get("type", "number"), keywords.get("multipleOf", 0.5)
    types = type if isinstance(type, list) else [type]
    return ("integer" in types and "number" not in types) or (step >= 1 and step == floor(step))


def _limits(keywords: dict[str, Any]) -> tuple[list[int], list[int]]:
    """Returns the lower and the upper bounds of whole numbers that the keywords set, in two lists."""
    lows, highs = [], []
    if (low := keywords.get("minimum")) is not None:
        lows.append(floor(low) + 1 if keywords.get("exclusiveMinimum") is True else ceil(low))
    if is_number(low := keywords.get("exclusiveMinimum", True)):
        lows.append(floor(low) + 1)
    if (high := keywords.get("maximum")) is not None:
        highs.append(ceil(high) - 1 if keywords.get("exclusiveMaximum") is True else floor(high))
    if is_number(high := keywords.get("exclusiveMaximum", True)):
        highs.append(ceil(high) - 1)
    return lows, highs


def strings_of(parts: Sequence[SubSchema]) -> Strings | None:
    """Returns the strings for which all these schemas hold; None if none is left."""
    members: dict[str, None] | None = None
    format = ""
    for part in parts:
        format = format or part.keywords.get("format", "")
        if (values := enumerated(part.keywords)) is not None:
            own = dict.fromkeys(each for each in values if isinstance(each, str))
            members = own if members is None else {each: None for each in members if each in own}
    if members is None:
        return Strings(None, format)
    return Strings(tuple(members), format) if members else None
