"""The file of what timed passes left, which serbench judges (docs/protocol.md, "What passes leave")."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

CANONICAL, ENCODED, SUM = range(3)
"""The kinds of records: canonical bytes of a domain object, bytes that were encoded, or a sum."""


class Left:
    """A file to which records are appended; each is written at once, so that it is there when the process
    dies."""

    def __init__(self, path: str):
        self._file = Path(path).open("ab", buffering=0)  # noqa: SIM115  # for as long as the process lives

    def add(self, cell: str, kind: int, message: int, edits: Sequence[int], rest: bytes, walks: bool) -> None:
        """Appends what an operation left of a message while edits of these numbers were in force.

        Args:
            cell: ``OPERATION:MEMORY``.
            walks: whether a sum is that of a walk.
        """
        name = cell.encode()
        record = b"".join(
            (
                struct.pack("<B", len(name)),
                name,
                struct.pack("<BBII", kind, walks, message, len(edits)),
                struct.pack(f"<{len(edits)}I", *edits),
                rest,
            )
        )
        self._file.write(struct.pack("<I", len(record)) + record)
