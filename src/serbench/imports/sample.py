"""Draws a sample of messages, each equally likely, while all messages are read once, in bounded memory."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

MOST_BYTES = 64 << 20
"""The most canonical bytes of a sample if the user does not say how many messages to take: every iteration is
a pass over all of them."""

_PART = 50
"""One in so many messages are read before it is estimated how many the sample has room for."""

_SPARE = 1.2
"""How many times as many messages as estimated are drawn, since later messages may be smaller."""


@dataclass
class MessageSample:
    """Draws a sample of messages as they come.

    Each message gets a random number, and the messages with the least numbers are kept, as many as there is
    room for ("bottom-k sampling", Cohen and Kaplan, PODC 2007). So each subset of one size is as likely as
    any other, whatever the order of the messages.

    Whether a message is kept depends on its number alone, so most messages of large data need not even be
    encoded. If it is known how many messages there are, those whose number will hardly be small enough are
    left out at once. All messages with lesser numbers are kept, so each subset stays equally likely; but if
    later messages are smaller, the sample may not use all its room.

    Attributes:
        most: how many messages to keep; None for as many as ``most_bytes`` hold.
        count: how many messages there will be, if that is known; else 0.
        read: how many messages there have been.
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
        if self.most and self.count:  # lets through what is asked for and more than 6 standard deviations
            self._beyond = min(1.0, (self.most + 6 * self.most**0.5 + 20) / self.count)

    def pass_over(self, most: int) -> int:
        """Draws how many of the next ``most`` messages come before one that goes into the sample; ``most`` if
        none of them does. The messages passed over, and the one behind them, count as read."""
        draw, beyond = self._draws.random, self._beyond
        for passed in range(most):
            if (key := draw()) < beyond:
                self._key = key
                self.read += passed + 1
                return passed
        self.read += most
        return most

    def keep(self, message: bytes) -> None:
        """Puts the message at which ``pass_over`` stopped, in its canonical encoding, into the sample."""
        heapq.heappush(self._kept, (-self._key, self.read, message))
        self._bytes += len(message)
        while self._is_too_much():
            largest, _, dropped = heapq.heappop(self._kept)
            self._bytes -= len(dropped)
            self._beyond = -largest
        if self.most is None and not self._is_estimated and self.read >= max(1000, self.count // _PART):
            self._estimate()

    def _estimate(self) -> None:
        """Estimates by the size of messages so far how many there is room for, and drops the others."""
        self._is_estimated = True
        if self.count:
            room = self.most_bytes * len(self._kept) / max(1, self._bytes)
            self._beyond = min(self._beyond, _SPARE * room / self.count)
            while self._kept and -self._kept[0][0] >= self._beyond:
                self._bytes -= len(heapq.heappop(self._kept)[2])

    def messages(self) -> Iterator[bytes]:
        """Returns the messages of the sample, in their canonical encoding, in the order in which they
        came."""
        return (message for _, message in sorted((number, message) for _, number, message in self._kept))

    def _is_too_much(self) -> bool:
        if self.most is not None:
            return len(self._kept) > self.most
        return self._bytes > self.most_bytes and len(self._kept) > 1
