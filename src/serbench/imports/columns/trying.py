"""Runs trial.py in a process of its own, which reads files of columns before anything else does."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from serbench.errors import LONGEST_FAULT, InputError
from serbench.imports.base import refused
from serbench.imports.columns.trial import LEAST_CPU_S, MOST_MEMORY
from serbench.imports.following import was_read
from serbench.imports.strangers import HEAD, stranger
from serbench.text import safe, shortened

ROWS_PER_BYTE = 1000
"""The most rows for each byte of a file. Columns with a single value are packed to almost nothing, but a file
that claims more rows than this was made to do harm."""

_AT_ONCE = 500
"""How many files one process reads."""

_OUT_OF_TIME = (signal.SIGXCPU, signal.SIGKILL)

_DAMAGED = "the file is cut off, damaged, or made by a writer that does not keep to the format"

_OF_DAMAGE = re.compile(
    r"thrift|flatbuffer|magic|not an arrow file|null field|too (short|small)|end of (stream|file)|corrupt"
    r"|to read|read out|malformed|negative|decompression|advertised|metadata length|smaller than"
    r"|file size|null or length|invalid (ipc|block|base64)|unexpected empty|header-type|message of type"
    r"|codec can't decode|codec failed|out of (bounds|range)\.?$",
    re.IGNORECASE,
)
"""Matches pyarrow's words for bytes that end too early, or are not of the format. pyarrow has other words for
whole files that hold something that it cannot read or the format does not allow."""

_VALUES = {
    "precision": ("a decimal of more digits", "as many digits as its type has"),
    "days": ("a date64 with a time of day", "milliseconds of whole days"),
    "range": ("a time of day that is not within a day", "one that is"),
    "UTF": ("text that is not valid UTF-8", "text"),
}
"""A word of pyarrow's about an invalid value → what is found, and what is expected."""


Bounds = dict[int, tuple[int, int]]
"""Number of a column → its least and its greatest value."""


def check(kind: str, title: str, files: Sequence[Path]) -> Bounds:
    """Checks that files of kind ``parquet`` or ``arrow`` can be read to their end; returns the least and
    the greatest value of each column of int64.

    Raises:
        InputError: a file cannot be read, crashes the library, or takes more memory or time than honest files
            do.
    """
    for file in files:
        try:
            with file.open("rb") as stream:
                head = stream.read(HEAD)
        except OSError as error:
            raise refused(
                file, "", f"a file that cannot be read ({error.strerror})", f"a file of {title}"
            ) from error
        if (fault := stranger(file, head, f"a file of {title}")) and fault.found != fault.expected:
            raise fault
    bounds: Bounds = {}
    for begin in range(0, len(files), _AT_ONCE):
        some = files[begin : begin + _AT_ONCE]
        for file, found in zip(some, _tried(kind, some), strict=False):
            if failed := found.get("failed"):
                raise _refusal(failed, found, title, file)
            was_read(file.stat().st_size)
            if found["rows"] > (size := file.stat().st_size) * ROWS_PER_BYTE:
                raise refused(file, "", f"{found['rows']} rows in {size} bytes", "as many as bytes can hold")
            for number, (least, most) in found["bounds"].items():
                low, high = bounds.get(int(number), (least, most))
                bounds[int(number)] = min(low, least), max(high, most)
    return bounds


def _tried(kind: str, files: Sequence[Path]) -> list[dict[str, Any]]:
    """Returns the result of the process for each file, up to the file at which the process ended."""
    # The system's own allocator takes memory only as it is needed, so the limit is one on what a file needs.
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-P", str(Path(__file__).with_name("trial.py")), kind, *map(str, files)]
    done = subprocess.run(command, capture_output=True, env=environment, stdin=subprocess.DEVNULL)
    try:
        found = [json.loads(line) for line in done.stdout.splitlines()]
    except ValueError:
        found = []
    ended = {"failed": "time" if -done.returncode in _OUT_OF_TIME else "crash", "rows": 0}
    return found if len(found) == len(files) else [*found, ended]


def _refusal(failed: str, found: dict[str, Any], title: str, file: Path) -> InputError:
    said = " ".join(safe(found.get("what", ""), lines=False).split())
    said = f" ({shortened(said, LONGEST_FAULT)})" if said else ""
    place = f"behind row {found['rows']}" if found["rows"] else ""
    if "row" in found:
        place = f"row {found['rows'] + found['row'] + 1}"
    if "column" in found:
        place = ", ".join(filter(None, (place, shortened(safe(found["column"], lines=False), 300))))
    expected, remedy = f"a file of {title}", _DAMAGED
    match failed:
        case "memory":
            what = f"data that take more than {MOST_MEMORY >> 20} MiB of memory at once"
            expected = "smaller parts"
            remedy = "if the file is not damaged, write it with smaller row groups or batches"
        case "time":
            what = f"data that take more than {LEAST_CPU_S} s to unpack"
            expected, remedy = "data that expand less when unpacked", ""
        case "unknown":
            what, expected = f"what pyarrow does not read{said}", f"{title} that it reads"
            remedy = "write the file with other types, or another compression"
        case "value":
            what, expected = next(words for word, words in _VALUES.items() if word in found["what"])
            what = f"{what} in a column of {shortened(safe(found['type'], lines=False), 200)}"
            remedy = "correct the value, or leave the column out"
        case "refused" if said and not _OF_DAMAGE.search(said):
            what, expected = f"what pyarrow refuses{said}", f"{title} that it reads"
            remedy = "write it anew with a writer that keeps to the format, or without what pyarrow names"
        case "crash":
            what = "bytes that make pyarrow crash"
        case _:
            what = f"bytes that are no {title}{said}"
    return refused(file, place, what, expected, remedy)
