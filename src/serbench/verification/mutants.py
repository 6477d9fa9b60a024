"""Makes hostile messages from valid ones: wrong in the ways in which disks, networks, other versions and
attackers make them wrong.

Nothing is known of the format. Counts, lengths and offsets are hit because numbers of every width, wrong in
typical ways, are written over all places, and more often over the front of a message, where such fields
are.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence

INPUTS = 1000
"""How many hostile messages are made for a decoder."""

SEED = "serbench hostile"

_FRONT = 64
"""How many bytes count as the front of a message, from which half of the places are drawn."""

_LONGEST = 1 << 18
"""The most bytes that are made by repeating a part: enough levels for any parser that calls itself at each
level."""

_PART = 64

_NUMBERS = [
    0, 1, -1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 1 << 16, 0x7FFFFFFF, 1 << 31, 0xFFFFFFFE, 1 << 32, 1 << 40,
    (1 << 61) + 1, (1 << 62) - 1, (1 << 63) - 1, 1 << 63, 1_000_000, 100_000_000, 1_000_000_000,
]  # fmt: skip
"""Numbers that are written into messages: extremes of every width, products that overflow, and counts that
are too large for their message yet not for a machine."""

_DEEP = _LONGEST
"""How many times each possible byte is repeated to make a message. A byte that opens a container, such as
``[``, makes more levels than a stack has room for, and a byte that begins a length makes that length huge."""

_SHORT = [bytes([byte]) * length for length in (1, 4, 8, 16) for byte in (0x00, 0x01, 0x7F, 0x80, 0xFF)]

Mutation = Callable[[random.Random, bytes, Sequence[bytes]], bytes]
"""A function that returns a changed copy of a message; it is also given all messages of the same codec."""


def mutants(originals: Sequence[bytes], count: int = INPUTS) -> Iterator[bytes]:
    """Yield the given number of distinct messages, none of them an original; the same ones for the same
    ``originals``, which are messages that the codec wrote itself, at least one."""
    known = set(originals)
    made = 0
    for mutant in _drawn(originals):
        if made == count:
            return
        if mutant not in known:
            known.add(mutant)
            made += 1
            yield mutant


def _drawn(originals: Sequence[bytes]) -> Iterator[bytes]:
    """Yield hostile messages without end; some of them may be equal."""
    yield b""
    yield from _SHORT
    yield from (bytes([byte]) * _DEEP for byte in range(256))
    for number in itertools.count():
        draw = random.Random(f"{SEED} {number}")  # no mutant depends on those before it
        yield MUTATIONS[number % len(MUTATIONS)](draw, draw.choice(originals), originals)


def truncated(draw: random.Random, message: bytes, _: Sequence[bytes]) -> bytes:
    """Cut the message off at a drawn place."""
    return message[: _place(draw, message)]


def extended(draw: random.Random, message: bytes, others: Sequence[bytes]) -> bytes:
    """Append bytes to the message: zeros, ones, drawn bytes, itself or another message."""
    tails = [
        bytes(_PART),
        b"\xff" * _PART,
        draw.randbytes(draw.randint(1, _PART)),
        message,
        draw.choice(others),
    ]
    return message + draw.choice(tails)


def with_flipped_bits(draw: random.Random, message: bytes, _: Sequence[bytes]) -> bytes:
    """Flip one to eight bits at drawn places."""
    changed = bytearray(message)
    for _bit in range(draw.choice((1, 1, 2, 8))):
        if changed:
            changed[_place(draw, message)] ^= 1 << draw.randrange(8)
    return bytes(changed)


def with_drawn_bytes(draw: random.Random, message: bytes, _: Sequence[bytes]) -> bytes:
    """Overwrite one to eight bytes with drawn ones."""
    return _written_over(message, _place(draw, message), draw.randbytes(draw.randint(1, 8)))


def with_number(draw: random.Random, message: bytes, _: Sequence[bytes]) -> bytes:
    """Overwrite bytes with a number: of fixed width in either byte order, or with seven bits per byte."""
    number, width = draw.choice(_NUMBERS), draw.choice((1, 2, 4, 8))
    fixed = (number & ((1 << 8 * width) - 1)).to_bytes(width, draw.choice(("little", "little", "big")))
    return _written_over(
        message, _place(draw, message), draw.choice((fixed, fixed, _varint(number & ((1 << 64) - 1))))
    )


def with_ones(draw: random.Random, message: bytes, _: Sequence[bytes]) -> bytes:
    """Set all bits of 1, 2, 4 or 8 bytes, or all but the highest bit of the last or the first byte, as in a
    positive number."""
    width = draw.choice((1, 2, 4, 8))
    ones = [b"\xff" * width, b"\xff" * (width - 1) + b"\x7f", b"\x7f" + b"\xff" * (width - 1)]
    return _written_over(message, _place(draw, message), draw.choice(ones))


def with_repeated_part(draw: random.Random, message: bytes, _: Sequence[bytes]) -> bytes:
    """Repeat a drawn part of the message, up to a million times."""
    start, end = _part(draw, message)
    times = draw.choice((1, 1, 2, 16, 255, 1 << 20))
    part = message[start:end]
    again = part * min(times, _LONGEST // max(len(part), 1))
    return message[:end] + again + message[end:]


def without_part(draw: random.Random, message: bytes, _: Sequence[bytes]) -> bytes:
    """Remove a drawn part of the message."""
    start, end = _part(draw, message)
    return message[:start] + message[end:]


def with_part_of_another(draw: random.Random, message: bytes, others: Sequence[bytes]) -> bytes:
    """Replace a drawn part of the message by a part of another one."""
    other = draw.choice(others)
    (start, end), (first, last) = _part(draw, message), _part(draw, other)
    return message[:start] + other[first:last] + message[end:]


MUTATIONS: tuple[Mutation, ...] = (
    truncated, extended, with_flipped_bits, with_drawn_bytes, with_number, with_ones, with_number,
    with_repeated_part, without_part, with_part_of_another,
)  # fmt: skip
"""The mutations, which take turns, so that all have an equal share; numbers come twice, since counts are what
most decoders trust."""


def _place(draw: random.Random, message: bytes) -> int:
    """Return the index of a drawn byte, half of the time at the front; 0 for an empty message."""
    most = min(len(message), _FRONT) if draw.random() < 0.5 else len(message)
    return draw.randrange(max(most, 1))


def _part(draw: random.Random, message: bytes) -> tuple[int, int]:
    """Return where a drawn part begins and ends: mostly a few bytes, sometimes up to the whole message."""
    start = _place(draw, message)
    most = len(message) - start if draw.random() < 0.2 else min(len(message) - start, _PART)
    return start, start + (draw.randint(1, most) if most else 0)


def _written_over(message: bytes, place: int, written: bytes) -> bytes:
    """Return the message with ``written`` in place of as many bytes; it may reach beyond the message's
    end."""
    return message[:place] + written + message[place + len(written) :]


def _varint(number: int) -> bytes:
    """Return a number in groups of seven bits, the lowest first, of which all but the last have the highest
    bit set."""
    digits = bytearray()
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*digits, number])
