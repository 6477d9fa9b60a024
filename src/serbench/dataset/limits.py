"""The limits that some codecs set to values of types that they know: floats, integers and keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from serbench.dataset.values import Tell, held, short
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
    string,
)
from serbench.model.parts import describe


@dataclass(frozen=True)
class Limits:
    """The values that a codec takes; None and False are for no limit.

    Attributes:
        float_range: the least and the greatest float.
        most_steps: the most steps of recursion.
        greatest_integer: the greatest integer, and the greatest number of an open enum; other enums have the
            numbers that the schema gives them. The least is as far below -1.
        no_nul_in_keys: whether the keys of maps are strings without a NUL.
        greatest_character: the greatest code point in strings.
    """

    float_range: tuple[float, float] | None = None
    most_steps: int | None = None
    greatest_integer: int | None = None
    no_nul_in_keys: bool = False
    greatest_character: int | None = None

    def and_those(self, other: Limits) -> Limits:
        """The values that both take."""
        ranges = [each.float_range for each in (self, other) if each.float_range]
        return Limits(
            (max(low for low, _ in ranges), min(high for _, high in ranges)) if ranges else None,
            _least(self.most_steps, other.most_steps),
            _least(self.greatest_integer, other.greatest_integer),
            self.no_nul_in_keys or other.no_nul_in_keys,
            _least(self.greatest_character, other.greatest_character),
        )

    def parameters(self) -> dict[str, Any]:
        """The limits as a dataset's header has them. A limit that was added later is left out if it is not
        set, so that the digests of older datasets are what they were."""
        values = asdict(self) | {"float_range": list(self.float_range or ())}
        return {name: value for name, value in values.items() if value is not None and value is not False}

    def fitted(self, type: Type, value: Any) -> Any:
        """The value with all that is beyond a limit replaced by what is nearest within; steps of recursion
        are left as they are."""
        return _fitted(type, value, self._fit) if self._are_of_leaves else value

    def misfit(self, type: Type, value: Any, tell: Tell = short) -> str | None:
        """The place of the first value that is beyond a limit, as ``Scene.points[3].x is 7.5``; None if there
        is none. Steps of recursion are not looked at.

        Args:
            tell: how values are written.
        """
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
        """The value within the limits that is nearest to a value without parts."""
        match type:
            case Scalar() if type.is_float and self.float_range:
                low, high = self.float_range
                return value if low <= value <= high else high if value > high else low
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


def _least(*numbers: int | None) -> int | None:
    return min((each for each in numbers if each is not None), default=None)


Fit = Callable[[Type, Any, bool], Any]
"""Returns the value to put in place of one without parts; it is told whether this is the key of a map."""


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
