"""Makes values from the cells of columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from serbench.imports.csv.guessing import BOOLS, INTEGER, MISSING, NOT_NUMBERS, NUMBER
from serbench.imports.json.values import Unfit, logical, scalar
from serbench.model.types import Enum, Logical, Scalar, Type, string

One = Callable[[str], object]
Plain = Callable[[str], str]
Convert = Callable[[Sequence[str]], list[object]]


def guessed(type: Type, is_optional: bool) -> Convert:
    """Returns the function that makes values of a guessed type, which all cells of the column were seen to
    fit."""
    if type == string or isinstance(type, Logical):
        return (lambda cells: [cell or None for cell in cells]) if is_optional else list
    assert isinstance(type, Scalar)
    one: One = BOOLS.__getitem__ if type.name == "bool" else float if type.is_float else int
    if is_optional:
        return lambda cells: [one(cell) if cell else None for cell in cells]
    return lambda cells: [*map(one, cells)]


def wanted(
    type: Type, is_optional: bool, absent_words: bool, plain: Plain = str, enum: Enum | None = None
) -> Convert:
    """Returns the function that makes values of a type that the user set; it raises Unfit for a cell that
    does not fit.

    Args:
        absent_words: whether words such as NA stand for an absent value.
        plain: the function that writes a number in a cell as computers do.
        enum: the enum, if the type is a reference to one.
    """
    one = _careful(type, plain, enum)
    absent = {"", *(MISSING if absent_words else ())}
    if is_optional:
        return lambda cells: [None if cell in absent else one(cell) for cell in cells]
    return lambda cells: [one(cell) for cell in cells]


def _careful(type: Type, plain: Plain, enum: Enum | None) -> One:
    if enum:
        return partial(_member, {enum.wire_name(name): number for name, number in enum.members})
    if type == string:
        return lambda cell: cell
    if isinstance(type, Logical):
        convert = logical(type)
        is_time = type.kind == "timestamp"
        return lambda cell: convert(_integer(cell) if is_time and INTEGER.fullmatch(cell) else cell)
    assert isinstance(type, Scalar)
    if type.name == "bool":
        return _bool
    check = scalar(type)
    read = _number if type.is_float else _integer
    return lambda cell: check(read(plain(cell)))


def _bool(cell: str) -> bool:
    found = {**BOOLS, "1": True, "0": False}.get(cell)
    if found is None:
        raise _unfit(cell, "true or false")
    return found


def _integer(cell: str) -> int:
    if not INTEGER.fullmatch(cell) or len(cell) > 30:
        raise _unfit(cell, "a whole number")
    return int(cell)


def _number(cell: str) -> float:
    if cell in NOT_NUMBERS:
        return NOT_NUMBERS[cell]
    if not NUMBER.fullmatch(cell):
        raise _unfit(cell, "a number")
    return float(cell)


def _member(numbers: Mapping[str, int], cell: str) -> int:
    if cell not in numbers:
        raise _unfit(cell, f"one of {len(numbers)} members")
    return numbers[cell]


def _unfit(cell: str, expected: str) -> Unfit:
    return Unfit(f"a cell of {len(cell)} characters" if cell else "an empty cell", expected)
