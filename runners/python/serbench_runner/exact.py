"""Checks that a value is exactly of its type, and no imitation: an object that does its work only when it is
looked at would pass for the result of a decoder that has done none."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal

from serbench_runner.errors import Refused

_LEAVES = (bool, bytes, float, int, str)


def require_exact(value: Any, hint: Any, where: str = "the message") -> None:
    """Checks a value against a type hint, part by part: each part must be of the very class, not of a
    subclass.

    Raises:
        Refused: a part is of another class; the text names the place, what was found and what was expected.
    """
    left = [(value, hint, where)]
    while left:
        left.extend(_parts(*left.pop()))


def _parts(value: Any, hint: Any, where: str) -> Iterator[tuple[Any, Any, str]]:
    """Checks a value against a hint, without its parts; yields each part with its own hint and place."""
    origin, found = typing.get_origin(hint), type(value)
    if origin in (typing.Union, types.UnionType):
        yield value, _alternative(value, typing.get_args(hint), where), where
    elif origin is Literal:
        if found is not str or value not in typing.get_args(hint):
            raise _other(where, found, f"one of {', '.join(map(repr, typing.get_args(hint)))}")
    elif origin is list:
        _require(found, list, where)
        (item,) = typing.get_args(hint)
        if item in _LEAVES and set(map(type, value)) <= {item}:
            return  # looking at millions of numbers one by one would take minutes
        yield from ((each, item, f"{where}[{n}]") for n, each in enumerate(value))
    elif origin is dict:
        _require(found, dict, where)
        key, item = typing.get_args(hint)
        for name, each in value.items():
            yield name, key, f"a key of {where}"
            yield each, item, f"{where}[{name!r}]"
    elif typing.is_typeddict(hint):
        _require(found, dict, where)
        # It may have other keys, as PEP 589 has it: those that a program of another schema wrote.
        for name, field in _hints(hint).items():
            if name not in value and type(None) not in typing.get_args(field):
                raise Refused(f"{where} has no key {name!r}")
            yield value.get(name), field, f"{where}[{name!r}]"
    else:
        expected: Any = type(None) if hint is None else hint
        if (found, expected) == (int, float):  # which PEP 484 takes for one, and JSON cannot tell from one
            return
        _require(found, expected, where)
        if expected.__module__.startswith("cell.") and not issubclass(expected, int):
            for name, each in _hints(expected).items():
                yield getattr(value, name), each, f"{where}.{name}"


def _alternative(value: Any, hints: tuple[Any, ...], where: str) -> Any:
    """The one of several hints to which a value belongs: by its class, or by its keys if it is a dict and
    several hints are of dicts, as those of a union's alternatives."""
    dicts = [hint for hint in hints if typing.is_typeddict(hint)]
    for hint in hints:
        if hint in dicts:
            if type(value) is dict and (len(dicts) == 1 or value.keys() == _hints(hint).keys()):
                return hint
        elif (
            type(value) is (typing.get_origin(hint) or hint)
            or (value is None and hint in (None, type(None)))
            or (typing.get_origin(hint) is Literal and value in typing.get_args(hint))
        ):
            return hint
    raise _other(where, type(value), " or ".join(map(str, hints)))


@cache
def _hints(declared: Any) -> Mapping[str, Any]:
    """The type hints of the fields of a class, without those of class variables."""
    found = typing.get_type_hints(declared)
    return {name: hint for name, hint in found.items() if typing.get_origin(hint) is not typing.ClassVar}


def _require(found: type, expected: type, where: str) -> None:
    if found is not expected:
        raise _other(where, found, expected.__name__)


def _other(where: str, found: type, expected: str) -> Refused:
    return Refused(f"{where} is of the class {found.__module__}.{found.__qualname__}, expected {expected}")
