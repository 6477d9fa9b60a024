"""Values of the type model: whether one fits its type and the limits that a codec sets, and where two
differ."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Logical,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
    bytes_,
    f32,
    string,
)
from serbench.model.parts import describe

Tell = Callable[[Any], str]
"""A function by which an error message writes a value: ``short``, or ``kind_of`` if the data are private."""


def short(value: Any) -> str:
    """Return the value as Python writes it, cut to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def kind_of(value: Any) -> str:
    """Return the kind and length of a value, for errors about private data, whose values must not be
    shown."""
    match value:
        case None:
            return "nothing"
        case str():
            return f"a text of {len(value)} characters"
        case bytes():
            return f"{len(value)} bytes"
        case bool():
            return "a bool"
        case int():
            return f"{'a negative' if value < 0 else 'an'} integer of {value.bit_length()} bits"
        case float():
            return "a float"
        case list() | tuple() | dict():
            return f"{len(value)} items"
        case _:
            return type(value).__name__


def held(type: Type, value: Any, path: str, tell: Tell = short) -> Iterator[tuple[str, Type, Any]]:
    """Yield the path, the type and the value of each part of a value, except the keys of maps."""
    match type:
        case Optional(item):
            if value is not None:
                yield path, item, value
        case List(item) | Array(item, _):
            yield from ((f"{path}[{n}]", item, each) for n, each in enumerate(value))
        case Map(_, item):
            yield from ((f"{path}[{tell(key)}]", item, each) for key, each in value.items())
        case Record(_, fields):
            pairs = zip(fields, value, strict=True)
            yield from ((f"{path}.{field.name}", field.type, each) for field, each in pairs)
        case Union(_, alternatives):
            chosen = alternatives[value[0]]
            if chosen.type is not None:
                yield f"{path}.{chosen.name}", chosen.type, value[1]
        case Logical():
            yield path, type.base, value
        case Ref():
            yield path, type.target, value


def find_mismatch(type: Type, value: Any, tell: Tell = short) -> str | None:
    """Return the first place where ``value`` does not fit ``type``, as ``Graph.nodes[3].id: found 70000,
    expected u16``; None if it fits."""
    return _mismatch(type, value, describe(type), tell)


def _mismatch(type: Type, value: Any, path: str, tell: Tell) -> str | None:
    match type:
        case Scalar():
            return None if _is_scalar(type, value) else f"{path}: found {tell(value)}, expected {type.name}"
        case FixedBytes(length):
            fits = isinstance(value, bytes) and len(value) == length
            return None if fits else f"{path}: found {tell(value)}, expected {length} bytes"
        case Enum(name, underlying, members):
            if type.open:
                return _mismatch(underlying, value, path, tell)
            known = {v for _, v in members}
            return (
                None
                if _is_int(value) and value in known
                else f"{path}: found {tell(value)}, expected a value of enum {name}: {sorted(known)}"
            )
        case Union() if found := _union_mismatch(type, value, path, tell):
            return found
        case List() | Array() if not isinstance(value, list | tuple):
            return f"{path}: found {tell(value)}, expected {describe(type)}"
        case Array(_, length) if len(value) != length:
            return f"{path}: found {len(value)} items, expected {length}"
        case Map() if not isinstance(value, dict):
            return f"{path}: found {tell(value)}, expected {describe(type)}"
        case Map(key) if odd := [found for k in value if (found := _mismatch(key, k, f"{path} key", tell))]:
            return odd[0]
        case Record(_, fields) if not isinstance(value, tuple) or len(value) != len(fields):
            return f"{path}: found {tell(value)}, expected a tuple of {len(fields)} fields"
        case _ if not isinstance(type, Type):
            return f"{path}: {type!r} is not a type"
    for place, part, each in held(type, value, path, tell):
        if found := _mismatch(part, each, place, tell):
            return found
    return None


def _union_mismatch(type: Union, value: Any, path: str, tell: Tell) -> str | None:
    """Return why a value is not one of a union, apart from faults inside the alternative's value; None if it
    is."""
    if (
        not isinstance(value, tuple)
        or len(value) != 2
        or not _is_int(value[0])
        or not 0 <= value[0] < len(type.alternatives)
    ):
        return (
            f"{path}: found {tell(value)}, expected the index of an alternative of {type.name} "
            f"(0 to {len(type.alternatives) - 1}) and its value"
        )
    chosen = type.alternatives[value[0]]
    if chosen.type is None and value[1] is not None:
        return f"{path}.{chosen.name}: found {tell(value[1])}, expected None"
    return None


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_scalar(type: Scalar, value: Any) -> bool:
    if type.name == "bool":
        return isinstance(value, bool)
    if type == bytes_:
        return isinstance(value, bytes)
    if type == string:
        try:
            return isinstance(value, str) and value.encode() is not None
        except UnicodeEncodeError:  # a lone surrogate
            return False
    if type.is_float:
        if not isinstance(value, float | int) or isinstance(value, bool):
            return False
        try:
            struct.pack(f"<{type.struct_format}", value)
        except (OverflowError, struct.error):
            return False
        return True
    low, high = type.bounds
    return _is_int(value) and low <= value <= high


def first_difference(
    type: Type, expected: Any, found: Any, float_absolute: float = 0.0, tell: Tell = short
) -> str | None:
    """Return the first place where ``found`` differs from ``expected``, both values of ``type``; None if they
    are equal.

    Floats are compared by their bits, so 0.0 and -0.0 differ. With ``float_absolute``, floats with different
    bits are compared by value, and may differ by so much.
    """
    if are_same(expected, found):
        return None
    return _difference(type, expected, found, describe(type), float_absolute, tell)


def are_same(one: Any, other: Any) -> bool:
    """Return whether two values are seen to be the same at a glance: their texts are equal, which tell all
    floats but NaNs apart. Where it returns False, they may be the same nevertheless."""
    text = repr(one)
    return text == repr(other) and "nan" not in text


def _difference(
    type: Type, expected: Any, found: Any, path: str, float_absolute: float, tell: Tell
) -> str | None:
    match type:
        case Scalar() | Enum() | FixedBytes():
            if _same_scalar(type, expected, found, float_absolute):
                return None
            return f"{path}: found {tell(found)}, expected {tell(expected)}"
        case Optional() if (expected is None) != (found is None):
            return f"{path}: found {tell(found)}, expected {tell(expected)}"
        case List() | Array() if len(expected) != len(found):
            return f"{path}: found {len(found)} items, expected {len(expected)}"
        case Map():
            if expected.keys() != found.keys():
                return f"{path}: found keys {tell(sorted(found))}, expected {tell(sorted(expected))}"
            found = {key: found[key] for key in expected}
        case Union(_, alternatives) if (chosen := alternatives[expected[0]]) is not (
            other := alternatives[found[0]]
        ):
            return f"{path}: found alternative {other.name}, expected {chosen.name}"
        case _ if not isinstance(type, Type):
            raise TypeError(f"{type!r} has no values")
    pairs = zip(held(type, expected, path, tell), held(type, found, path, tell), strict=True)
    for (place, part, one), (*_, other) in pairs:
        if difference := _difference(part, one, other, place, float_absolute, tell):
            return difference
    return None


def steps_of(type: Type, value: Any) -> int:
    """Return the number of steps of recursion around the deepest part of a value."""
    deepest = 0
    for _, part, each in held(type, value, "", lambda key: ""):
        if not isinstance(part, Scalar):
            deepest = max(deepest, steps_of(part, each))
    return deepest + isinstance(type, Ref)


def _same_scalar(type: Scalar | Enum | FixedBytes, expected: Any, found: Any, float_absolute: float) -> bool:
    if isinstance(type, Scalar) and type.is_float:
        if struct.pack("<d", expected) == struct.pack("<d", found):
            return True
        return bool(float_absolute and (expected == found or abs(expected - found) <= float_absolute))
    return bool(expected == found)


@dataclass(frozen=True)
class Limits:
    """The limits of the values that a codec takes; None and False mean no limit.

    Attributes:
        float_range: the least and the greatest float; NaN is beyond any.
        most_steps: the most steps of recursion.
        greatest_integer: the greatest integer, and the greatest number of an open enum; other enums have the
            numbers of the schema. The least is as far below -1.
        no_nul_in_keys: whether strings that are keys of maps must not contain NUL.
        greatest_character: the greatest code point in strings.
    """

    float_range: tuple[float, float] | None = None
    most_steps: int | None = None
    greatest_integer: int | None = None
    no_nul_in_keys: bool = False
    greatest_character: int | None = None

    def and_those(self, other: Limits) -> Limits:
        """Return limits each of which is the stricter of the two: values within them fit ``other`` too."""
        ranges = [each.float_range for each in (self, other) if each.float_range]
        return Limits(
            (max(low for low, _ in ranges), min(high for _, high in ranges)) if ranges else None,
            _least(self.most_steps, other.most_steps),
            _least(self.greatest_integer, other.greatest_integer),
            self.no_nul_in_keys or other.no_nul_in_keys,
            _least(self.greatest_character, other.greatest_character),
        )

    def parameters(self) -> dict[str, Any]:
        """Return the limits as a dataset's header has them. A limit that is not set is left out, so that a
        new kind of limit does not change the digests of older datasets."""
        # JSON, which headers are in, has no infinities.
        ends = [end if math.isfinite(end) else str(end) for end in self.float_range or ()]
        values = asdict(self) | {"float_range": ends}
        return {name: value for name, value in values.items() if value is not None and value is not False}

    def fitted(self, type: Type, value: Any) -> Any:
        """Return the value with each part that is beyond a limit replaced by the nearest value within; steps
        of recursion are not changed."""
        return _fitted(type, value, self._fit) if self._are_of_leaves else value

    def misfit(self, type: Type, value: Any, tell: Tell = short) -> str | None:
        """Return the place of the first value that is beyond a limit, as ``Scene.points[3].x is 7.5``; None
        if there is none. ``tell`` writes the value. Steps of recursion are not counted."""
        return _misfit(type, value, self._fit, tell, describe(type)) if self._are_of_leaves else None

    @property
    def _are_of_leaves(self) -> bool:
        return bool(
            self.float_range
            or self.no_nul_in_keys
            or self.greatest_integer is not None
            or self.greatest_character is not None
        )

    def _fit(self, type: Type, value: Any, is_key: bool) -> Any:
        """Return the value within the limits that is nearest to ``value``, a number, string or bytes."""
        match type:
            case Scalar() if type.is_float and self.float_range:
                low, high = self.float_range
                if low <= value <= high:
                    return value
                nearest = high if value > high else low
                return max(min(nearest, GREATEST_F32), -GREATEST_F32) if type == f32 else nearest
            case Scalar() if isinstance(value, int) and self.greatest_integer is not None:
                return max(min(value, self.greatest_integer), -self.greatest_integer - 1)
            case Logical():
                return self._fit(type.base, value, is_key)
            case Enum() if type.open and self.greatest_integer is not None:
                return max(min(value, self.greatest_integer), -self.greatest_integer - 1)
            case Scalar() if type == string:
                return self._fit_text(value, is_key)
            case _:
                return value

    def _fit_text(self, value: str, is_key: bool) -> str:
        if is_key and self.no_nul_in_keys:
            value = value.replace("\0", "")
        if self.greatest_character is None or value.isascii():
            return value
        greatest = chr(self.greatest_character)
        return "".join(min(each, greatest) for each in value)


NO_LIMITS = Limits()

FINITE = (-sys.float_info.max, sys.float_info.max)
"""The range of floats that has all but infinities and NaN."""

GREATEST_F32 = 3.4028234663852886e38


def _least(*numbers: int | None) -> int | None:
    return min((each for each in numbers if each is not None), default=None)


Fit = Callable[[Type, Any, bool], Any]
"""A function of a type without parts, its value, and whether this is the key of a map; returns the value that
takes its place, such as the nearest one within limits."""


def _fitted(type: Type, value: Any, fit: Fit) -> Any:
    match type:
        case Optional(item):
            return None if value is None else _fitted(item, value, fit)
        case List(item) | Array(item, _):
            return [_fitted(item, each, fit) for each in value]
        case Map(key, item):
            return {fit(key, k, True): _fitted(item, each, fit) for k, each in value.items()}
        case Record(_, fields):
            return tuple(_fitted(f.type, each, fit) for f, each in zip(fields, value, strict=True))
        case Union(_, alternatives):
            chosen = alternatives[value[0]].type
            return value if chosen is None else (value[0], _fitted(chosen, value[1], fit))
        case Ref():
            return _fitted(type.target, value, fit)
        case _:
            return fit(type, value, False)


def _misfit(type: Type, value: Any, fit: Fit, tell: Tell, path: str) -> str | None:
    match type:
        case Scalar() | FixedBytes() | Enum() | Logical():
            fitting = fit(type, value, False)
            return None if fitting is value or fitting == value else f"{path} is {tell(value)}"
        case Map(key) if odd := [each for each in value if fit(key, each, True) != each]:
            return f"a key of {path} is {tell(odd[0])}"
    for place, part, each in held(type, value, path, tell):
        if found := _misfit(part, each, fit, tell, place):
            return found
    return None
