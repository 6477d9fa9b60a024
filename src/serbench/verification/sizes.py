"""Sizes of a dataset's messages as a codec's own program writes them, also with each compressed by itself, as
for the wire cost."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from serbench.dataset.file import split_messages
from serbench.errors import RunnerError
from serbench.measure.compressors import COMPRESSORS
from serbench.measure.unit import Unit
from serbench.verification.contract import encode_all

COMPRESSOR = "zstd-3"
"""The compressor of ``COMPRESSORS`` by which each message is compressed: the library's default level."""


@dataclass(frozen=True)
class Size:
    """The bytes of all messages of a dataset, as they are and with each message compressed."""

    bytes: int
    compressed: int


def size_of(unit: Unit) -> Size:
    """The size of the messages of a unit that was built; raises RunnerError where its program fails."""
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        file = Path(name) / "encoded"
        encode_all(unit, [unit.data], [file])
        return size_in(file, unit.data.messages)


def size_in(file: Path, expected: int) -> Size:
    """The size of the encoded messages in a file; raises RunnerError where they are not ``expected`` many."""
    messages = [bytes(each) for each in split_messages(file.read_bytes())]
    if len(messages) != expected:
        raise RunnerError(f"{expected} messages were encoded to {len(messages)}")
    compress = COMPRESSORS[COMPRESSOR]().compress
    return Size(sum(map(len, messages)), sum(len(compress(each)) for each in messages))
