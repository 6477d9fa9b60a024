"""Messages with a longer or shorter list, in canonical bytes: it gets items that the data have in the same
place."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from serbench.changes.drawn import COPIED_BYTES
from serbench.changes.paths import Place, places
from serbench.dataset.coders import COUNT
from serbench.dataset.lists import Listed, lists_in
from serbench.errors import ValueMismatch
from serbench.model import List, Schema

_SEED = "items of longer lists"


@dataclass(frozen=True)
class Longest:
    """The list of a workload that has the most items in a message.

    Attributes:
        path: the path of the list.
        item_bytes: the bytes by which all messages together grow with one more item in each of their lists.
        other_bytes: the bytes of all messages without the items of these lists.
    """

    path: str
    item_bytes: float
    other_bytes: float


def lists_of(schema: Schema) -> list[Place]:
    """Return the places of a schema that hold a list."""
    return [place for place in places(schema) if place.type is not None and isinstance(place.inner, List)]


def longest_of(schema: Schema, messages: Sequence[bytes], path: str = "") -> Longest | None:
    """Return the list that has the most items in one of these messages, as far as they are looked at, or that
    at a path; None where no message has an item in it."""
    most, bytes, counts, items = (Counter[tuple[tuple[str, str], int]]() for _ in range(4))
    seen = list(_first(messages))
    for message in seen:
        for each in lists_in(schema.root, message):
            at = (each.of, each.depth)
            most[at] = max(most[at], each.items)
            bytes[at] += each.bounds[-1] - each.bounds[0]
            counts[at] += 1
            items[at] += each.items
    named = {_key(each): each.path for each in reversed(lists_of(schema)) if path in ("", each.path)}
    known = [at for at in named if most[at]]
    if not known:
        return None
    at = max(known, key=lambda each: most[each])
    share = len(messages) / len(seen)
    whole = sum(map(len, messages))
    return Longest(named[at], share * counts[at] * bytes[at] / items[at], whole - share * bytes[at])


def lengthened(schema: Schema, place: Place, messages: Sequence[bytes], number: int) -> Iterator[bytes]:
    """Yield the messages, each list at a place with so many items: its own, and then items that are drawn of
    those that the messages have there. Fewer items are a beginning of more. Lists inside of such a list stay
    as they are.

    Raises:
        ValueMismatch: no message has an item there.
    """
    pool = [
        message[begin:end]
        for message in _first(messages)
        for each in _at(schema, place, message)
        for begin, end in pairwise(each.bounds)
    ]
    if not pool:
        raise ValueMismatch(f".{place.path}: no message has an item of this list that could be drawn")
    for n, message in enumerate(messages):
        pieces, done = list[bytes](), 0
        for k, each in enumerate(_at(schema, place, message)):
            draws = random.Random(f"{_SEED} {n} {k}")
            own = [message[begin:end] for begin, end in islice(pairwise(each.bounds), number)]
            more = draws.choices(pool, k=number - len(own))
            pieces += [message[done : each.offset], COUNT.pack(number), *own, *more]
            done = each.bounds[-1]
        yield b"".join([*pieces, message[done:]])


def _at(schema: Schema, place: Place, message: bytes) -> Iterator[Listed]:
    """The lists of a message at a place, without those inside of one of them."""
    end = 0
    for each in lists_in(schema.root, message):
        if (each.of, each.depth) == _key(place) and each.offset >= end:
            yield each
            end = each.bounds[-1]


def _key(place: Place) -> tuple[tuple[str, str], int]:
    return (place.owner, place.part), place.items


def _first(messages: Sequence[bytes]) -> Iterator[bytes]:
    """The first messages, as many as have the bytes of which copies are made; at least one."""
    taken = 0
    for message in messages:
        if taken and taken + len(message) > COPIED_BYTES:
            return
        taken += len(message)
        yield bytes(message)
