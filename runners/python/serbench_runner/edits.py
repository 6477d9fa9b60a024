"""Edits: changes of values while a process measures (docs/protocol.md, "Edits")."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from serbench_runner.errors import Refused

_HEADER = struct.Struct("<8sII")
_EDIT = struct.Struct("<III")

_OTHERS = 4
"""The number of messages that change in addition to the last one of a pass."""

_MOST_IN_FORCE = 3
"""The most edits of a message that are in force. They are few, so that a codec which recognises a message by
a few of its values does not see the change."""

Edit = tuple[int, int, bytes]
"""The number of an edit in its file, an offset in the canonical bytes of a message, and the bytes that
replace as many bytes there."""

Forced = Mapping[int, frozenset[int]]
"""The index of a message → its edits that are in force; a message that is missing here has none in force."""


class Edits:
    """All edits of a dataset: for each message, bytes that may replace some of its canonical bytes.

    Args:
        alone: whether at most one edit of a message is drawn. Every second edit is never drawn then, but left
            in ``spared`` (numbers in the file) for messages that a process has not seen before.
        place: a number that is even or odd, as the edits are which are spared: a process draws those that
            another one spares.

    Raises:
        Refused: the file is not one of edits, or has an edit beyond the end of its message.
    """

    def __init__(self, path: str, canonical: Sequence[bytes], alone: bool = False, place: int = 1):
        data = Path(path).read_bytes()
        if len(data) < _HEADER.size or _HEADER.unpack_from(data)[:2] != (b"SERBEDIT", 1):
            raise Refused(f"{path} is no file of edits of version 1")
        self.canonical = canonical
        self.by_message: dict[int, list[Edit]] = {}
        at = _HEADER.size
        for number in range(_HEADER.unpack_from(data)[2]):
            if len(data) - at < _EDIT.size:
                raise Refused(f"{path} is cut off")
            message, offset, size = _EDIT.unpack_from(data, at)
            at += _EDIT.size
            if message >= len(canonical) or offset + size > len(canonical[message]):
                raise Refused(f"{path} has an edit of message {message} that is not within it")
            self.by_message.setdefault(message, []).append((number, offset, data[at : at + size]))
            at += size
        self._numbers = list(self.by_message)
        self._alone, self._odd = alone, place % 2
        own = self.by_message.values() if alone else ()
        self.spared = [each[0] for edits in own if len(edits) > 1 for each in edits[self._odd :: 2]]

    def __len__(self) -> int:
        return sum(map(len, self.by_message.values()))

    def draw_message(self, draws: random.Random) -> int:
        """A random message among those that have edits."""
        return draws.choice(self._numbers)

    def draw(self, message: int, draws: random.Random) -> frozenset[int]:
        """A random choice of edits of a message that has some."""
        count = len(self.by_message[message])
        if self._alone:
            return frozenset({draws.randrange((1 - self._odd) % count, count, 2)})
        return frozenset(draws.randrange(count) for _ in range(draws.randint(1, _MOST_IN_FORCE)))

    def draw_several(self, message: int, unlike: Forced, draws: random.Random) -> Forced:
        """A random choice of edits for a message and a few others; the edits of the message differ from those
        in ``unlike``."""
        drawn = {self.draw_message(draws): frozenset[int]() for _ in range(_OTHERS)}
        drawn[message] = frozenset()
        drawn = {each: self.draw(each, draws) for each in drawn}
        if unlike.get(message) == drawn[message]:
            del drawn[message]
        return drawn

    def applied(self, message: int, edits: frozenset[int]) -> bytes:
        """The canonical bytes of a message after these edits."""
        whole = bytearray(self.canonical[message])
        for n in edits:
            _, offset, own = self.by_message[message][n]
            whole[offset : offset + len(own)] = own
        return bytes(whole)

    def numbers(self, message: int, edits: frozenset[int]) -> list[int]:
        """The numbers that these edits of a message have in the file of edits."""
        return [self.by_message[message][n][0] for n in sorted(edits)]


def become(old: Any, new: Any) -> bool:
    """Makes an object equal to another of the same shape, in place: objects inside it stay, and only
    immutable values are replaced. Returns False if ``old`` itself is immutable."""
    kind = type(old)
    if kind is not type(new) or kind in (str, bytes, int, float, bool, type(None)):
        return False
    if kind is list:
        if len(old) != len(new):
            old[:] = new
        else:
            for n, each in enumerate(new):
                if not become(old[n], each):
                    old[n] = each
        return True
    if kind is dict:
        if old.keys() != new.keys():
            old.clear()
            old.update(new)
        else:
            for name, each in new.items():
                if not become(old[name], each):
                    old[name] = each
        return True
    names = getattr(kind, "__annotations__", None)
    if names is None or isinstance(old, int):
        return False
    for name in names:
        each = getattr(new, name)
        if not become(getattr(old, name), each):
            setattr(old, name, each)
    return True
