"""Some of many messages, drawn evenly in one reading, in bounded memory."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

MOST_BYTES = 64 << 20
"""Canonical bytes that are taken where the user does not say how many messages: every iteration is a pass over all of them."""


@dataclass
class Sample:
    """Each message gets a random number, and those with the least are kept: as many as there is room for ("bottom-k sampling",
    Cohen and Kaplan, PODC 2007). So each subset of one size is as likely as any other, whatever the order of the messages.

    Attributes:
        most: messages to keep; None for as many as ``most_bytes`` hold.
        read: messages that there were.
    """

    seed: int
    most: int | None = None
    most_bytes: int = MOST_BYTES
    read: int = 0
    _kept: list[tuple[float, int, bytes]] = field(default_factory=list)
    _bytes: int = 0
    _beyond: float = 1.0

    def of(self, messages: Iterable[bytes]) -> Iterator[bytes]:
        """The messages of the sample in their order, after all were read."""
        draws = Random(self.seed)
        for message in messages:
            self._offer(draws.random(), message)
        return (message for _, message in sorted((number, message) for _, number, message in self._kept))

    def _offer(self, key: float, message: bytes) -> None:
        self.read += 1
        if key >= self._beyond:
            return
        heapq.heappush(self._kept, (-key, self.read, message))
        self._bytes += len(message)
        while self._is_too_much():
            largest, _, dropped = heapq.heappop(self._kept)
            self._bytes -= len(dropped)
            self._beyond = -largest

    def _is_too_much(self) -> bool:
        if self.most is not None:
            return len(self._kept) > self.most
        return self._bytes > self.most_bytes and len(self._kept) > 1
