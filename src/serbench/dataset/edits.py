"""What values of a dataset may become while a process measures: so that what is remembered of before is
wrong.

An edit is a few bytes of a message's canonical encoding that others of the same length take the place of: an
integer or a character of a text with its lowest bit changed, so that nothing moves and that no encoding of it
grows or shrinks, as far as a neighbour has as many digits. Counts, keys, enums, truth values and the presence
of optionals stay; floats change only where there is nothing else, since a neighbour of a float has other
digits.

Layout, little-endian (``docs/protocol.md`` has it for authors of runners)::

    magic          8 bytes  "SERBEDIT"
    version        u32      1
    edits          u32
    per edit: message u32, offset u32, length u32, and so many bytes
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from serbench.dataset.file import Dataset
from serbench.dataset.leaves import Leaf, leaves
from serbench.model import FixedBytes, Type, bytes_, string
from serbench.whole import write_atomically

MAGIC = b"SERBEDIT"
VERSION = 1
EDITION = 2
"""Of what is drawn here, since files are kept."""

_HEADER = struct.Struct("<8sII")
_EDIT = struct.Struct("<III")

MESSAGES = 64
"""So many messages have edits at most."""

EDITS = 256
"""So many edits has a message at most, drawn from all of it: who knows a message by a few of its values
misses most of them."""

VALUES = 200_000
"""So many values are looked at, over all messages, since the largest have ten million."""


@dataclass(frozen=True)
class Edit:
    """Bytes in place of as many of a message from ``offset`` on."""

    message: int
    offset: int
    bytes: bytes


def edits_of(dataset: Dataset) -> list[Edit]:
    """The edits of a dataset, the same ones each time, in order; none where nothing in it may change."""
    draws = random.Random(dataset.sha256)
    # The last one is what passes end with, where they cannot begin anywhere.
    others = draws.sample(range(dataset.messages - 1), min(MESSAGES, dataset.messages) - 1)
    chosen = sorted([*others, dataset.messages - 1])
    root, wanted = dataset.schema().root, set(chosen)
    messages = [(n, bytes(message)) for n, message in enumerate(dataset.read_messages()) if n in wanted]
    for floats in (False, True):
        edits = [
            edit
            for n, message in messages
            for edit in _edits_of(root, n, message, draws, floats, VALUES // len(chosen))
        ]
        if edits:
            return edits
    return []


def edits_beside(dataset: Dataset) -> str | None:
    """The file of a dataset's edits, beside it, made where there is none yet; None where nothing in it may
    change."""
    path = dataset.path.with_name(f"{dataset.path.name}.edits-{EDITION}")
    if not path.exists():
        write_edits(path, edits_of(dataset))
    return str(path) if path.stat().st_size > _HEADER.size else None


def write_edits(path: Path, edits: Sequence[Edit]) -> None:
    """Writes a file of edits."""
    body = b"".join(_EDIT.pack(edit.message, edit.offset, len(edit.bytes)) + edit.bytes for edit in edits)
    write_atomically(path, _HEADER.pack(MAGIC, VERSION, len(edits)) + body)


def _edits_of(
    root: Type, number: int, message: bytes, draws: random.Random, floats: bool, values: int
) -> list[Edit]:
    found = [
        each
        for leaf in islice(leaves(root, message), values)
        for each in islice(_becomes(leaf, message, floats), values)
    ]
    drawn = sorted(draws.sample(found[:values], min(EDITS, len(found[:values]))))
    return [Edit(number, offset, becomes) for offset, becomes in drawn]


def _becomes(leaf: Leaf, message: bytes, floats: bool) -> Iterator[tuple[int, bytes]]:
    """The offsets of bytes of a leaf that may change, and what they may become."""
    raw = message[leaf.offset : leaf.offset + leaf.length]
    if leaf.logical == "decimal":
        return  # a neighbour may be no shortest form, or beyond the precision
    if leaf.type == string:
        for at, byte in enumerate(raw):
            if 0x30 <= byte <= 0x39:
                yield leaf.offset + at, bytes([byte ^ 1])
            elif 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A:  # of letters, the neighbour in the alphabet
                yield leaf.offset + at, bytes([((byte - 1) ^ 1) + 1])
    elif leaf.type == bytes_ or isinstance(leaf.type, FixedBytes):
        for at, byte in enumerate(raw):
            yield leaf.offset + at, bytes([byte ^ 1])
    elif leaf.type.is_float:
        if floats and raw[-1] & 0x7F < 0x70:  # neither infinite nor no number
            yield leaf.offset, bytes([raw[0] ^ 1]) + raw[1:]
    else:
        value = int.from_bytes(raw, "little", signed=leaf.type.is_signed)
        # Of two neighbours 2k and 2k + 1 both have as many digits, also in binary; zero is left out by some
        # formats.
        other = (abs(value) ^ 1) * (-1 if value < 0 else 1)
        low, _ = leaf.type.bounds
        if abs(value) >= 2 and other >= low:
            yield leaf.offset, other.to_bytes(len(raw), "little", signed=leaf.type.is_signed)
