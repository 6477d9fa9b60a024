"""The bytes of each message as one codec writes them, and after compression."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from serbench.dataset.file import split_messages
from serbench.measure.compressors import COMPRESSORS
from serbench.measure.conversation import Answers
from serbench.measure.process import run_runner
from serbench.measure.unit import Unit

BY = "zstd-3"
"""The compressor: its users' default."""

_compressor = cache(COMPRESSORS[BY])


@dataclass(frozen=True)
class Lengths:
    """The mean bytes of a workload's messages, each compressed by itself, as on the wire."""

    bytes: float
    compressed: float


def lengths_of(unit: Unit) -> Lengths:
    """Return the lengths of a built unit's messages.

    Raises:
        RunnerError: its program fails, or writes no such file.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "messages"
        command = [*unit.command, "encode", "--dataset", str(unit.data.path), "--out", str(file)]
        for _ in run_runner(command, Answers("encoded")):
            pass
        messages = list(split_messages(file.read_bytes()))
    compressor = _compressor()
    return Lengths(fmean(map(len, messages)), fmean(len(compressor.compress(bytes(m))) for m in messages))
