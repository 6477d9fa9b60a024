"""Values of a fixed width: neighbours among them are packed by one ``struct.Struct``."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from serbench.codegen.source import Source
from serbench.codegen.words import words
from serbench.languages.python.access import Access
from serbench.languages.python.code import suite
from serbench.languages.python.domain import KEYWORDS
from serbench.model import Array, Enum, FixedBytes, Record, Ref, Scalar, Type, Union
from serbench.model.names import snake

RESERVED = KEYWORDS | words(
    """data at end out value read write traverse walk struct Struct Any array len list dict bytes bytearray
    bool sum range map sorted key item name type each pair ValueError str int float"""
)
"""Names that generated functions give to no local variable, since they use them otherwise."""


@dataclass(frozen=True)
class FixedWidth:
    """A value of a fixed width: its letters of ``struct``, and the expression for it.

    Attributes:
        many: whether ``value`` is the expression for a list of several numbers.
    """

    letters: str
    value: str
    many: bool = False


@dataclass
class FixedRun:
    """Neighbouring values of fixed widths, which are packed together.

    Attributes:
        named: letters → the name of the object that packs them, for all functions of a module.
    """

    named: dict[str, str]
    leaves: list[FixedWidth] = field(default_factory=list)

    def struct(self) -> str:
        """Return the name of the object that packs the values."""
        return self.name(leaf.letters for leaf in self.leaves)

    def name(self, letters: Iterable[str]) -> str:
        """Return the name of the object that packs values of these letters."""
        joined = compressed(letters)
        return self.named.setdefault(joined, f"_{joined.replace('?', 'o')}")

    @property
    def size(self) -> int:
        return struct.calcsize(f"<{compressed(leaf.letters for leaf in self.leaves)}")


def compressed(letters: Iterable[str]) -> str:
    """Return the format of ``struct`` for letters: ``3f16s`` for ``f f f 16s``."""
    text, last, count = "", "", 0
    for each in [*letters, ""]:
        if each == last and len(each) == 1:
            count += 1
            continue
        text += f"{count if count > 1 else ''}{last}"
        last, count = each, 1
    return text


def letter(type: Type) -> str:
    """Return the letter of ``struct`` for a number; empty for any other type."""
    match type:
        case Scalar():
            return type.struct_format
        case Enum():
            return type.underlying.struct_format
        case _:
            return ""


def is_fixed(type: Type) -> bool:
    """Whether all values of a type take the same number of bytes, and hold at most one list of numbers."""
    return fixed_parts(type) is not None and sum(isinstance(p, Array) for p in fixed_parts(type) or ()) <= 1


def fixed_parts(type: Type) -> list[Type] | None:
    """Return the numbers, arrays of numbers and fixed bytes that a value of a fixed width is made of; None
    for any other type."""
    match type:
        case Scalar() | Enum():
            return [type] if letter(type) else None
        case FixedBytes():
            return [type]
        case Array(item, _):
            return [type] if letter(item) else None
        case Record(_, fields):
            held: list[Type] = []
            for each in fields:
                own = fixed_parts(each.type)
                if own is None:
                    return None
                held += own
            return held
        case _:
            return None


def function_of(type: Record | Union | Ref) -> str:
    """Return the part of a type's name in the names of its functions, such as ``weapon`` for ``Weapon``."""
    return snake(type.name)


def singular(name: str) -> str:
    """Return a name for one of several: ``weapons`` → ``weapon``."""
    return name[:-1] if len(name) > 2 and name.endswith("s") and not name.endswith("ss") else f"{name}_item"


def alternatives(out: Source, access: Access, union: Union) -> Iterator[tuple[int, Type | None, str]]:
    """Write a branch for each alternative of the union ``value``; yield the alternative's index, and the type
    and place of its value, for which the loop's body writes the content of the branch."""
    if access.is_dict:
        out("((name, item),) = value.items()")
    for index, each in enumerate(union.alternatives):
        told = f"type(value) is {access.classes[union.name, each.name]}"
        if access.is_dict:
            told = f"name == {access.quoted(union.name, each.name)}"
        with branch(out, index, told):
            yield index, each.type, "item" if access.is_dict else "value.value"
    with suite(out, "else:"):
        out(f'raise ValueError(f"{{value!r}} is no {union.name}")')


def branch(out: Source, index: int, condition: str) -> AbstractContextManager[None]:
    """Write ``if`` for the branch with index 0, and ``elif`` for others, around what the body writes."""
    return suite(out, f"{'elif' if index else 'if'} {condition}:")
