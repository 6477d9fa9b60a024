"""The file with the results of timed passes, which serbench judges (docs/protocol.md, "What passes
leave")."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

CANONICAL, ENCODED, SUM = range(3)
"""The kinds of records: canonical bytes of a domain object, encoded bytes, or a sum."""


class Left:
    """A file to which records are appended. Each record is written at once, so that it is not lost if the
    process dies."""

    def __init__(self, path: str):
        self._file = Path(path).open("ab", buffering=0)  # noqa: SIM115  # for as long as the process lives

    def add(self, cell: str, kind: int, message: int, edits: Sequence[int], rest: bytes, walks: bool) -> None:
        """Appends the result of an operation on a message, with the numbers of the edits that were in force.

        Args:
            cell: ``OPERATION:MEMORY``.
            kind: whether the result is canonical bytes, encoded bytes or a sum.
            rest: the result itself.
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
