"""Some of many messages, drawn evenly in one reading, in bounded memory."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

MOST_BYTES = 64 << 20
"""Canonical bytes that are taken where the user does not say how many messages: every iteration is a pass
over all of them."""

_PART = 50
"""Of all messages, after which it is estimated for how many there is room."""

_SPARE = 1.2
"""Times as many as there seems to be room for, which are drawn at first."""


@dataclass
class Sample:
    """Each message gets a random number, and those with the least are kept: as many as there is room for
    ("bottom-k sampling", Cohen and Kaplan, PODC 2007). So each subset of one size is as likely as any other,
    whatever the order of the messages.

    Whether a message is kept follows from its number alone, so most of large data need not even be encoded.
    Where it is known how many there are, those whose number is hardly small enough are left at once. All
    that have lesser numbers are kept, so each subset stays as likely; only their bytes may come to less than
    there is room for, where messages get smaller later on.

    Attributes:
        most: messages to keep; None for as many as ``most_bytes`` hold.
        count: messages that there will be, where that is known; else 0.
        read: messages that there were.
    """

    seed: int
    most: int | None = None
    most_bytes: int = MOST_BYTES
    count: int = 0
    read: int = 0
    _kept: list[tuple[float, int, bytes]] = field(default_factory=list)
    _bytes: int = 0
    _key: float = 0.0
    _beyond: float = 1.0
    _is_estimated: bool = False

    def __post_init__(self) -> None:
        self._draws = Random(self.seed)
        if self.most and self.count:  # more than 6 standard deviations more than are asked for
            self._beyond = min(1.0, (self.most + 6 * self.most**0.5 + 20) / self.count)

    def wants(self) -> bool:
        """Whether the next message is one of the sample, as far as they were read; to be asked once for
        each."""
        self.read += 1
        self._key = self._draws.random()
        return self._key < self._beyond

    def keep(self, message: bytes) -> None:
        """Takes the canonical bytes of the message that was last asked for, which is wanted."""
        heapq.heappush(self._kept, (-self._key, self.read, message))
        self._bytes += len(message)
        while self._is_too_much():
            self._drop()
        if self.most is None and not self._is_estimated and self.read >= max(1000, self.count // _PART):
            self._estimate()

    def _drop(self) -> None:
        largest, _, dropped = heapq.heappop(self._kept)
        self._bytes -= len(dropped)
        self._beyond = -largest

    def _estimate(self) -> None:
        """Leaves what will have no room if all messages are as large as those so far."""
        self._is_estimated = True
        if self.count:
            room = self.most_bytes * len(self._kept) / max(1, self._bytes)
            self._beyond = min(self._beyond, _SPARE * room / self.count)
            while self._kept and -self._kept[0][0] >= self._beyond:
                self._bytes -= len(heapq.heappop(self._kept)[2])

    def messages(self) -> Iterator[bytes]:
        """Those of the sample in their order."""
        return (message for _, message in sorted((number, message) for _, number, message in self._kept))

    def _is_too_much(self) -> bool:
        if self.most is not None:
            return len(self._kept) > self.most
        return self._bytes > self.most_bytes and len(self._kept) > 1
