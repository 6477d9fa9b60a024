"""Reads and writes datasets, and files of messages (docs/protocol.md)."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

from serbench_runner.errors import Refused

_HEADER = struct.Struct("<8sIIQQ32s32s")
_LENGTH = struct.Struct("<I")


def read_dataset(path: str, schema: str) -> list[bytes]:
    """The canonical bytes of each message of a dataset, which must have the schema with this SHA-256."""
    data = Path(path).read_bytes()
    if len(data) < _HEADER.size:
        raise Refused(f"{path} is too short for a dataset")
    magic, version, header, messages, body, _, found = _HEADER.unpack_from(data)
    if magic != b"SERBENCH":
        raise Refused(f"{path} is no dataset")
    if version != 1:
        raise Refused(f"{path} has version {version}; this runner reads version 1")
    if found.hex() != schema:
        raise Refused(f"{path} has the schema {found.hex()}; this runner was built for {schema}")
    begin = _HEADER.size + header
    if len(data) != begin + body:
        raise Refused(f"{path} has {len(data)} bytes; its header promises {begin + body}")
    found_messages = _split(data, begin)
    if len(found_messages) != messages:
        raise Refused(f"{path} does not hold as many messages as it promises")
    return found_messages


def read_messages(path: str) -> list[bytes]:
    """The messages of a file that ``encode`` wrote."""
    return _split(Path(path).read_bytes(), 0)


def write_messages(path: str, messages: Iterable[bytes]) -> tuple[int, int]:
    """Writes messages, each behind its length; returns the number of messages, and that of their bytes."""
    count = size = 0
    with Path(path).open("wb") as file:
        for message in messages:
            if len(message) >= 1 << 32:
                raise Refused("a message is longer than 2^32 - 1 bytes")
            file.write(_LENGTH.pack(len(message)))
            file.write(message)
            count += 1
            size += len(message)
    return count, size


def _split(data: bytes, at: int) -> list[bytes]:
    messages = []
    while at < len(data):
        if len(data) - at < _LENGTH.size:
            raise Refused("a message's length is cut off")
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        if len(data) - at < length:
            raise Refused("a message is cut off")
        messages.append(data[at : at + length])
        at += length
    return messages
