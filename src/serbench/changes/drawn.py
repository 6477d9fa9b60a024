"""Messages in a drawn order, as many as are asked for: where there are not so many, copies with other values.

A processor learns the branches of a few messages that come again and again, and keeps these in its
caches. So a copy has other values than its message: each number, text, enum or bool becomes one that the data
have at the same field, drawn anew. Mean sizes stay the same on the average. Counts, keys, presence and chosen
alternatives stay as they are in the message.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.dataset.coders import COUNT
from serbench.dataset.leaves import Leaf, leaves
from serbench.model import Scalar, Schema, bytes_, string

_SEED = "messages in a drawn order"

COPIED_BYTES = 4 << 20
"""The most bytes of the messages that copies are made of, apart from the first one. Their values are held in
memory, and to find those of more messages would take minutes."""

OTHERS = 64
"""How many numbers take the place of one that is the only value of its field."""

_Field = tuple[tuple[str, str], Any, str]


@dataclass(frozen=True)
class _Template:
    """A message in pieces.

    Attributes:
        pieces: the values, and the bytes between them.
        places: the indices of the values of each field among the pieces.
    """

    pieces: Sequence[bytes]
    places: Mapping[_Field, Sequence[int]]

    def filled(self, values: Mapping[_Field, Sequence[bytes]], draws: random.Random) -> bytes:
        """A copy of the message, with values that are drawn from those of each field."""
        pieces = list(self.pieces)
        for field, places in self.places.items():
            for place, value in zip(places, draws.choices(values[field], k=len(places)), strict=True):
                pieces[place] = value
        return b"".join(pieces)


def drawn(schema: Schema, messages: Sequence[bytes], number: int) -> Iterator[bytes]:
    """Yield so many messages of a schema, in canonical bytes: first those that there are, in a drawn order,
    then copies with other values. The first of them are the same for each number."""
    draws = random.Random(_SEED)
    order = draws.sample(range(len(messages)), len(messages))
    yield from (bytes(messages[at]) for at in order[:number])
    if number > len(order):
        yield from _copies(schema, [bytes(messages[at]) for at in order], number - len(order), draws)


def _copies(schema: Schema, messages: Sequence[bytes], number: int, draws: random.Random) -> Iterator[bytes]:
    templates, known = [], dict[_Field, list[bytes]]()
    taken = 0
    for message in messages:
        if taken and taken + len(message) > COPIED_BYTES:
            break
        taken += len(message)
        templates.append(_template(schema, message, known))
    values = {field: [*own, *_others(field, own, draws)] for field, own in known.items()}
    for _ in range(number):
        yield draws.choice(templates).filled(values, draws)


def _template(schema: Schema, message: bytes, known: dict[_Field, list[bytes]]) -> _Template:
    """The template of a message; its values are added to those that are known of their fields."""
    pieces, places, at = list[bytes](), dict[_Field, list[int]](), 0
    for leaf in leaves(schema.root, message, chosen=True):
        begin, end = leaf.offset - _count_bytes(leaf), leaf.offset + leaf.length
        field = (leaf.of, leaf.type, leaf.logical)
        places.setdefault(field, []).append(len(pieces) + 1)
        known.setdefault(field, []).append(message[begin:end])
        pieces += [message[at:begin], message[begin:end]]
        at = end
    return _Template([*pieces, message[at:]], places)


def _count_bytes(leaf: Leaf) -> int:
    """The bytes of the count in front of a text or bytes, which goes along with them."""
    return COUNT.size if leaf.type in (string, bytes_) else 0


def _others(field: _Field, known: Sequence[bytes], draws: random.Random) -> Iterator[bytes]:
    """Numbers with as many bits as the only value of a field has, since nothing else would differ in copies
    of a single message; none for other types, or where there are several values."""
    _, type, logical = field
    if len({*known}) > 1 or logical or not isinstance(type, Scalar) or not type.is_integer:
        return
    width = len(known[0])
    value = int.from_bytes(known[0], "little", signed=type.is_signed)
    bits = max(value, -1 - value).bit_length() - 1  # also right for the type's least number
    for _ in range(OTHERS if bits > 0 else 0):
        other = draws.getrandbits(bits) | 1 << bits
        yield (-other if value < 0 else other).to_bytes(width, "little", signed=type.is_signed)
