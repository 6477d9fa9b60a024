"""Imports files (IPC, also Feather's second version) and streams of Arrow by pyarrow: a row is a message."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from serbench.imports.base import Format, Imported, Request, refused
from serbench.imports.beginnings import bytes_of
from serbench.imports.columns.files import imported

_OLD = b"FEA1"


def read(request: Request) -> Imported:
    """Imports files of Arrow, as ``Format.read`` does; raises SetupError if pyarrow is not installed."""
    for file in (*request.files, *request.data):
        if _is_old(file):
            remedy = "pyarrow.feather.write_feather(pyarrow.feather.read_table(FILE), NEW) makes one of it"
            raise refused(file, "", "Feather's first version", "its second, which is Arrow", remedy)
    return imported(request, "arrow", "Arrow")


def _is_old(file: Path) -> bool:
    with suppress(OSError), file.open("rb") as stream:  # the trial tells of a file that cannot be read
        return stream.read(len(_OLD)) == _OLD
    return False


_LONGEST_SCHEMA = 1 << 24
"""The most bytes that the schema at the beginning of a stream is expected to have."""

_MARK = bytes_of((b"ARROW1", "begins with ARROW1"), (b"FEA1", "begins with FEA1"))


def beginning(head: bytes) -> str:
    """Tells the user how the first bytes of a file show that it is Arrow's: a file or Feather by its mark, a
    stream by four bytes of ones and the length of its schema, which is a multiple of 8. Empty if they do
    not."""
    length = int.from_bytes(head[4:8], "little")
    if head.startswith(b"\xff\xff\xff\xff") and 0 < length <= _LONGEST_SCHEMA and length % 8 == 0:
        return "begins as Arrow's streams do"
    return _MARK(head)


FORMAT = Format(
    name="arrow",
    title="Arrow",
    suffixes=(".arrow", ".arrows", ".feather", ".ipc"),
    read=read,
    recognises=lambda head: bool(beginning(head)),
    beginning=beginning,
    has_signature=True,
    readings=2,
)
