"""Finds out by msgspec whether a message adds anything to a shape, ten times as fast as by adding it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from serbench.imports.json.keys import UUID
from serbench.imports.json.parsing import FAULTS, may_repeat
from serbench.imports.json.shape import EXACT, Fields, Node

_UNSUITABLE = re.compile(r'[\x00-\x1f"\\]')
"""Matches characters that msgspec does not allow in the name of a field."""

UUID_TEXT = Annotated[str, Meta(pattern=f"^{UUID}\\Z")]
"""The type of a UUID for msgspec. It must not be in a union with lists or objects: then msgspec 0.22 frees
the pattern once too often, and Python crashes."""


def skimmer(root: Node) -> Skimmer | None:
    """Makes a skimmer of messages for the shape at ``root``; None if msgspec cannot read a key.

    Each fact that a shape notes of all messages becomes a constraint on msgspec's type: the kinds of values,
    whether a member is always present, the bounds of integers (0, exact doubles, 64 bits), and whether
    strings are UUIDs.
    """
    try:
        return Skimmer(msgspec.json.Decoder(_type(root)))
    except Unsuitable:
        return None


class Skimmer:
    """Tells whether messages add nothing to a shape, and have no object with a key twice. A yes is certain; a
    no may be wrong."""

    def __init__(self, decoder: msgspec.json.Decoder[Any]):
        self._decode, self._decode_lines = decoder.decode, decoder.decode_lines

    def adds_nothing(self, text: bytes) -> bool:
        """Whether the message ``text`` adds no fact to the shape; False if that is not certain."""
        try:
            value = self._decode(text)
        except FAULTS:
            return False
        return not may_repeat(text, value)

    def add_nothing(self, lines: bytes) -> int:
        """Returns the number of ``lines`` if each is an object that adds nothing as a message; else 0.

        msgspec asks for no line breaks between messages and allows them within one. Where all of them stand
        between braces, none is within a message; and then, if there are as many messages as lines, no line
        has two.
        """
        breaks = lines.count(b"}\n{")
        if lines.count(b"\n", 0, -1) != breaks:
            return 0
        try:
            values = self._decode_lines(lines)
        except FAULTS:
            return 0
        return 0 if len(values) != breaks + 1 or may_repeat(lines, values) else len(values)


class Unsuitable(Exception):
    """Raised where msgspec cannot read one of the keys of an object."""


def object_type(keys: Sequence[str], kinds: Iterable[tuple[Any, ...]]) -> Any:
    """Makes the class by which msgspec reads objects with these keys; ``kinds`` has for each key the type of
    its values, and the default if the key may be missing. Raises Unsuitable."""
    if any(map(_UNSUITABLE.search, keys)):
        raise Unsuitable
    names = {f"f{n}": key for n, key in enumerate(keys)}
    described: list[Any] = [(name, *kind) for name, kind in zip(names, kinds, strict=True)]
    return msgspec.defstruct("Object", described, rename=names, forbid_unknown_fields=True, kw_only=True)


def _type(node: Node) -> Any:
    kinds: list[Any] = [None] if node.null else []
    if node.flag:
        kinds.append(bool)
    kinds += _numbers(node)
    if node.text:
        kinds.append(UUID_TEXT if node.text.uuid and node.kinds == ("string",) else str)
    if node.items:
        is_empty = not node.items.kinds and not node.items.null
        kinds.append(Annotated[list[Any], Meta(max_length=0)] if is_empty else list[_type(node.items)])  # type: ignore[misc]
    if node.values:
        kinds.append(dict[str, _type(node.values)])  # type: ignore[misc]
    elif fields := node.object:
        kinds.append(object_type([*fields.members], _kinds_in(fields)))
    return reduce(or_, kinds)


def _numbers(node: Node) -> list[Any]:
    if node.low is None or node.high is None:
        return [Annotated[int, Meta(ge=-EXACT, le=EXACT)], float] if node.number else []
    if node.number and (node.low < -EXACT or node.high > EXACT):
        return [float]
    least = 0 if node.low >= 0 and not node.number else -EXACT if node.low >= -EXACT else -(1 << 63)
    most = EXACT if node.high <= EXACT else (1 << 63) - 1
    whole = Annotated[int, Meta(ge=least, le=most)]
    return [whole, float] if node.number else [whole]


def _kinds_in(fields: Fields) -> Iterator[tuple[Any, ...]]:
    for key, node in fields.members.items():
        yield (_type(node) | UnsetType, UNSET) if key in fields.optional else (_type(node),)
