"""Edits: what values of a dataset may become while a process measures, so that a codec which remembers its
last output gives a wrong one.

An edit replaces a few bytes of a message's canonical encoding by as many others: those of an integer, or of a
character of a text, with its lowest bit changed. So nothing moves, and since the new value has as many digits
as the old one, no format needs more or fewer bytes for it. Counts, keys, enums, truth values and the presence
of optionals are never edited. Floats are edited only where a dataset has nothing else to edit, since the
neighbour of a float has another number of digits. Where messages need not keep their lengths, all but counts,
keys and presence is edited.

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
from serbench.errors import DatasetError
from serbench.model import Enum, FixedBytes, Type, bool_, bytes_, string
from serbench.system.whole import write_atomically

MAGIC = b"SERBEDIT"
VERSION = 1
EDITION = 2
"""The edition of the code that draws edits; raise it when that code changes. It is part of the names of files
with edits, so that files of an earlier edition are not used."""

_HEADER = struct.Struct("<8sII")
_EDIT = struct.Struct("<III")

MESSAGES = 64
"""The most messages of a dataset that have edits."""

EDITS = 256
"""The most edits of a message. They are drawn from all of it, so a codec that recognizes a message by a few
of its values misses most edits."""

VALUES = 200_000
"""The most values of all messages together that may be edited; the largest datasets have ten million."""


@dataclass(frozen=True)
class Edit:
    """A place in a message, and new bytes for it.

    Attributes:
        message: the index of the message in the dataset.
        offset: the place of the first byte in the message's canonical encoding.
        bytes: the new bytes, which replace as many.
    """

    message: int
    offset: int
    bytes: bytes


def edits_of(dataset: Dataset, floats: bool = True, resizes: bool = False) -> list[Edit]:
    """Return the edits of a dataset, in order of messages and offsets, the same ones each time; none if no
    value may change. With ``floats``, floats may change, where no other value may. With ``resizes``, encoded
    messages may become longer or shorter: then floats change besides others, and so do truth values, enums
    and small numbers. As far as the number of edits allows, each value has one."""
    draws = random.Random(dataset.sha256)
    # The last message always has edits: it is what a pass ends with, unless the pass can begin anywhere.
    others = draws.sample(range(dataset.messages - 1), min(MESSAGES, dataset.messages) - 1)
    chosen = sorted([*others, dataset.messages - 1])
    root, wanted = dataset.schema().root, set(chosen)
    messages = [(n, bytes(message)) for n, message in enumerate(dataset.read_messages()) if n in wanted]
    for of_floats in (False, True) if floats and not resizes else (floats and resizes,):
        edits = [
            edit
            for n, message in messages
            for edit in _edits_of(root, n, message, draws, of_floats, resizes, VALUES // len(chosen))
        ]
        if edits:
            return edits
    return []


def edits_beside(dataset: Dataset, floats: bool = True) -> str | None:
    """Return the file with a dataset's edits, which lies beside the dataset and is written if it does not
    exist yet; None if no value may change. ``floats`` is as for ``edits_of``: False for a codec that rounds
    floats, which cannot tell a float from its neighbour."""
    kind = "" if floats else "-no-floats"
    path = dataset.path.with_name(f"{dataset.path.name}.edits-{EDITION}{kind}")
    if not path.exists():
        write_edits(path, edits_of(dataset, floats))
    return str(path) if path.stat().st_size > _HEADER.size else None


def read_edits(path: Path) -> list[Edit]:
    """Return the edits of a file that ``write_edits`` wrote; raise DatasetError where it is not such a
    file."""
    body = path.read_bytes()
    found: list[Edit] = []
    try:
        magic, version, count = _HEADER.unpack_from(body)
        if (magic, version) != (MAGIC, VERSION):
            raise DatasetError(f"{path} is no file of edits of version {VERSION}; delete it and run again")
        at = _HEADER.size
        for _ in range(count):
            message, offset, length = _EDIT.unpack_from(body, at)
            at += _EDIT.size
            (becomes,) = struct.unpack_from(f"{length}s", body, at)
            at += length
            found.append(Edit(message, offset, becomes))
    except struct.error as error:
        raise DatasetError(f"{path} is cut off; delete it and run again") from error
    return found


def write_edits(path: Path, edits: Sequence[Edit]) -> None:
    """Write a file of edits."""
    body = b"".join(_EDIT.pack(edit.message, edit.offset, len(edit.bytes)) + edit.bytes for edit in edits)
    write_atomically(path, _HEADER.pack(MAGIC, VERSION, len(edits)) + body)


def _edits_of(
    root: Type, number: int, message: bytes, draws: random.Random, floats: bool, resizes: bool, values: int
) -> list[Edit]:
    by_leaf = [
        list(islice(_becomes(leaf, message, floats, resizes), values))
        for leaf in islice(leaves(root, message, resizes), values)
    ]
    ones: list[tuple[int, bytes]] = []
    if resizes:
        ones = [each.pop(draws.randrange(len(each))) for each in by_leaf if each]
        ones = draws.sample(ones, min(EDITS, len(ones)))
    found = [each for own in by_leaf for each in own][:values]
    drawn = sorted([*ones, *draws.sample(found, min(EDITS - len(ones), len(found)))])
    return [Edit(number, offset, becomes) for offset, becomes in drawn]


def _becomes(leaf: Leaf, message: bytes, floats: bool, resizes: bool) -> Iterator[tuple[int, bytes]]:
    """Yield, for each place of a leaf that may change, the offset in the message and the new bytes."""
    raw = message[leaf.offset : leaf.offset + leaf.length]
    if isinstance(leaf.type, Enum):
        yield from ((leaf.offset, other) for other in _other_member(leaf.type, raw))
    elif leaf.type == bool_:
        yield leaf.offset, bytes([raw[0] ^ 1])
    elif leaf.logical == "decimal":
        # Else its neighbour may not be in its shortest form, or have more digits than the precision.
        if resizes and leaf.type == bytes_ and int.from_bytes(raw, "big", signed=True) >= 2:
            yield leaf.offset, raw[:-1] + bytes([raw[-1] ^ 1])
    elif leaf.type == string:
        for at, byte in enumerate(raw):
            if 0x30 <= byte <= 0x39:
                yield leaf.offset + at, bytes([byte ^ 1])
            elif 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A:  # a letter becomes its neighbour
                yield leaf.offset + at, bytes([((byte - 1) ^ 1) + 1])
    elif leaf.type == bytes_ or isinstance(leaf.type, FixedBytes):
        for at, byte in enumerate(raw):
            yield leaf.offset + at, bytes([byte ^ 1])
    elif leaf.type.is_float:
        if floats and raw[-1] & 0x7F < 0x70:  # neither infinite nor NaN
            yield leaf.offset, bytes([raw[0] ^ 1]) + raw[1:]
    else:
        value = int.from_bytes(raw, "little", signed=leaf.type.is_signed)
        # 2k and 2k + 1 have equally many digits, in decimal and in binary. Numbers below 2 stay, since some
        # formats leave out a zero.
        other = (abs(value) ^ 1) * (-1 if value < 0 else 1)
        low, _ = leaf.type.bounds
        if (abs(value) >= 2 or resizes) and other >= low:
            yield leaf.offset, other.to_bytes(len(raw), "little", signed=leaf.type.is_signed)


def _other_member(type: Enum, raw: bytes) -> Iterator[bytes]:
    """Yield the bytes of the member of an enum that follows the one with the bytes ``raw``, if there are
    two."""
    signed = type.underlying.is_signed
    numbers = [number for _, number in type.members]
    value = int.from_bytes(raw, "little", signed=signed)
    other = numbers[(numbers.index(value) + 1) % len(numbers)] if value in numbers else numbers[0]
    if other != value:
        yield other.to_bytes(len(raw), "little", signed=signed)
