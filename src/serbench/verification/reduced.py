"""Makes a message that does harm as short as a bounded number of tries can."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

TRIES = 1000
"""Messages that are tried at most."""

MOST_S = 20.0
"""Seconds after which nothing more is tried."""

_AT_ONCE = 50

StillDoes = Callable[[Sequence[bytes]], Sequence[bool]]
"""Whether each of some messages still does the same harm."""


def reduced(message: bytes, still_does: StillDoes, tries: int = TRIES, most_s: float = MOST_S) -> bytes:
    """The shortest message that was found by leaving out parts, smaller and smaller ones; ``message`` itself
    where all of it is needed."""
    deadline = time.monotonic() + most_s
    size = len(message)
    while size:
        shorter = None
        candidates = _without(message, size)
        while (
            shorter is None
            and (some := list(islice(candidates, min(_AT_ONCE, tries))))
            and time.monotonic() < deadline
        ):
            tries -= len(some)
            shorter = next((each for each, does in zip(some, still_does(some), strict=True) if does), None)
        if tries <= 0 or time.monotonic() >= deadline:
            return message if shorter is None else shorter
        if shorter is None:
            size //= 2
        else:
            message = shorter
            size = min(size, len(message))
    return message


def _without(message: bytes, size: int) -> Iterator[bytes]:
    """The message without each part of so many bytes, the last part first: what comes before decides how the
    rest is read."""
    for end in range(len(message), 0, -size):
        yield message[: max(end - size, 0)] + message[end:]
