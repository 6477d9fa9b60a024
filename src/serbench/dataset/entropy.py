"""Messages of high entropy, by which a codec is caught that hides data outside of its bytes: if it writes
such messages in fewer bytes than their entropy, it must keep the rest elsewhere.

They have the shape of a dataset's first messages, but values that are drawn evenly. If each of 2ⁿ equally
likely values is to have an encoding of its own, nearly all of them take n bits: at most one in 2ᵏ takes fewer
than n - k bits, since there are no more such encodings (C. E. Shannon, "A Mathematical Theory of
Communication", 1948, proves it for mean lengths).
"""

from __future__ import annotations

import math
import random
import string as characters
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeGuard

from serbench.dataset.file import Dataset
from serbench.dataset.leaves import Leaf, leaves
from serbench.model import Enum, FixedBytes, Scalar, Type, bytes_, string

MESSAGES = 4
LEAVES = 20_000
"""The most values that are drawn for all messages together."""

SLACK_BITS = 128
"""How many bits below the entropy are still accepted; an honest codec needs fewer than that once in 2¹²⁸
times."""

_ALPHABET = (characters.ascii_letters + characters.digits).encode()

_EACH = 256 // len(_ALPHABET)
"""How many bytes stand for the same letter, so that letters which are drawn as bytes are drawn evenly; bytes
that are left over stand for none."""


@dataclass(frozen=True)
class Drawn:
    """Messages with drawn values.

    Attributes:
        messages: the canonical bytes of each.
        bits: the entropy of all messages together.
    """

    messages: Sequence[bytes]
    bits: float

    @property
    def least_bytes(self) -> int:
        """The fewest bytes that all messages together can take, however they are encoded."""
        return max(0, math.ceil((self.bits - SLACK_BITS) / 8))


def drawn_like(dataset: Dataset, integers: bool = True, greatest: int | None = None) -> Drawn:
    """Return messages of high entropy with the shape of the first ones of a dataset, the same ones each time.

    Floats and values of logical types are not changed, since not every library takes any bytes for them.

    Args:
        integers: whether integers may get any value; those of a graph must not, since they are the indices of
            nodes.
        greatest: the greatest integer that the codec takes, if it declares one.
    """
    root, draws = dataset.schema().root, random.Random(f"entropy/{dataset.sha256}")
    drawn = [
        _drawn(root, bytes(message), draws, integers, greatest)
        for message in islice(dataset.read_messages(), MESSAGES)
    ]
    return Drawn([message for message, _ in drawn], sum(bits for _, bits in drawn))


def _drawn(
    root: Type, message: bytes, draws: random.Random, integers: bool, greatest: int | None
) -> tuple[bytes, float]:
    whole, bits = bytearray(message), 0.0
    for leaf in islice(leaves(root, message), LEAVES // MESSAGES):
        end = leaf.offset + leaf.length
        if leaf.type == string and not leaf.logical:
            whole[leaf.offset : end] = _text(leaf.length, draws)
            bits += leaf.length * math.log2(len(_ALPHABET))
        elif not _takes_any(leaf, integers):
            continue
        elif greatest is not None and _goes_beyond(leaf.type, greatest):
            least = max(leaf.type.bounds[0], -greatest - 1)
            number = draws.randint(least, greatest)
            whole[leaf.offset : end] = number.to_bytes(leaf.length, "little", signed=leaf.type.is_signed)
            bits += math.log2(greatest - least + 1)
        else:
            whole[leaf.offset : end] = draws.randbytes(leaf.length)
            bits += 8 * leaf.length
    return bytes(whole), bits


def _text(length: int, draws: random.Random) -> bytes:
    """Return letters that are drawn evenly: several at once, since a message may have millions."""
    even = len(_ALPHABET) * _EACH
    letters, none = (_ALPHABET * _EACH).ljust(256), bytes(range(even, 256))
    drawn = b""
    while len(drawn) < length:
        drawn += draws.randbytes(length - len(drawn)).translate(letters, none)
    return drawn


def _goes_beyond(type: Type, greatest: int) -> TypeGuard[Scalar]:
    return isinstance(type, Scalar) and bool(type.width) and type.bounds[1] > greatest


def _takes_any(leaf: Leaf, integers: bool) -> bool:
    """Whether any bytes are a value of a leaf's type, and every library takes all of these values."""
    if leaf.logical or leaf.type == string or isinstance(leaf.type, Enum):
        return False
    return leaf.type == bytes_ or isinstance(leaf.type, FixedBytes) or (integers and not leaf.type.is_float)
