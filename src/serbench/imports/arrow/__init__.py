"""Arrow files (IPC, which is also Feather's second version) and streams, read by pyarrow: a row is a
message."""

from __future__ import annotations

from pathlib import Path

from serbench.imports.base import Format, Imported, Request, refused
from serbench.imports.columns.files import imported

_OLD = b"FEA1"


def read(request: Request) -> Imported:
    """The schema and rows of Arrow files.

    Raises:
        InputError: the files are not Arrow, do not fit together, or have what the type model cannot express.
        SetupError: pyarrow is not installed.
    """
    for file in (*request.files, *request.data):
        if _begins(file) == _OLD:
            remedy = "pyarrow.feather.write_feather(pyarrow.feather.read_table(FILE), NEW) makes one of it"
            raise refused(file, "", "Feather's first version", "its second, which is Arrow", remedy)
    return imported(request, "arrow", "Arrow")


def _begins(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(len(_OLD))
    except OSError as error:
        raise refused(
            file, "", f"a file that cannot be read ({error.strerror})", "a file of Arrow"
        ) from error


FORMAT = Format(
    name="arrow",
    title="Arrow",
    suffixes=(".arrow", ".arrows", ".feather", ".ipc"),
    read=read,
    readings=2,
)
