"""What the generators of glue have in common: names of types and the breaking of long lines."""

from __future__ import annotations

from serbench.model import Array, Enum, List, Map, Optional, Record, Scalar, Type
from serbench.model.names import snake

WIDTH = 112
"""Columns of a generated line, without its indentation."""


def describe_in_snake(type: Type) -> str:
    """A type as part of a function's name: ``list_of_string``."""
    match type:
        case Scalar(name):
            return name
        case Enum(name) | Record(name):
            return snake(name)
        case List(item):
            return f"list_of_{describe_in_snake(item)}"
        case Array(item, length):
            return f"array_of_{length}_{describe_in_snake(item)}"
        case Map(key, value):
            return f"{describe_in_snake(key)}_to_{describe_in_snake(value)}"
        case Optional(item):
            return f"optional_{describe_in_snake(item)}"
        case _:
            raise TypeError(f"{type!r} has no name")


def is_number(type: Type) -> bool:
    """Whether values have a fixed width: bool, integers, floats and enums."""
    return isinstance(type, Enum) or (isinstance(type, Scalar) and type.width > 0)


def broken(line: str) -> list[str]:
    """``line`` in pieces of at most WIDTH columns, broken where the fewest brackets are open."""
    pieces: list[str] = []
    while len(line) > WIDTH and (at := _break(line, 4 if pieces else 0)):
        pieces.append(line[:at])
        line = "    " + line[at + 1 :]
    return [*pieces, line]


def _break(line: str, indent: int) -> int:
    """The space to break at; 0 where there is none."""
    best, fewest, open_brackets = 0, len(line), 0
    for at, character in enumerate(line[: WIDTH + 1]):
        open_brackets += (character in "([{") - (character in ")]}")
        # Before ? and :, or after these; not so early that little would be gained.
        breaks = character == " " and at > indent + 24 and (line[at - 1] in ",=&|" or line[at + 1] in "?:")
        if breaks and open_brackets <= fewest:
            best, fewest = at, open_brackets
    return best
