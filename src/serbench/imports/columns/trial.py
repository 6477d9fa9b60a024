"""Reads files of columns as batches of rows. This module is also a program that tries whether files can be
read.

A few bytes of such a file can claim petabytes, and damaged files have crashed the library that reads them. So
the program, in a process of its own, reads each file to its end first, within limits. A file that makes the
program crash, or takes more memory or time than honest files do, is refused; the second reading does nothing
else than the first. The program's arguments are the kind of the files and the files; it prints the result for
each file as a line of JSON. It imports nothing else of serbench.
"""

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

MOST_MEMORY = 1 << 30
"""The most bytes of memory that the library may take for one batch."""

LEAST_CPU_S = 20
BYTES_PER_S = 10 << 20
"""The bytes of a file for which reading may take another second of processor time, besides ``LEAST_CPU_S``
for any file: a tenth of the slowest speed that was seen."""

MOST_ROWS = 4096
_BATCH_BYTES = 8 << 20
"""The most bytes of one batch of Parquet (``MOST_ROWS``: rows); Arrow is read in the batches that it has."""

_FILE = b"ARROW1"

OF_A_VALUE = re.compile(r"fit in precision|whole number of days|acceptable range|UTF-?8")
"""Matches pyarrow's words for an array that is sound except for a value that its type does not allow."""

_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def parquet_file(path: str) -> Any:
    """Opens a Parquet file; returns pyarrow's object for it, which has its metadata and reads its rows."""
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 16)


def arrow_reader(path: str) -> Any:
    """Opens a file in Arrow's file format or, if it does not begin like that, in Arrow's stream format."""
    import pyarrow

    with open(path, "rb") as file:  # noqa: PTH123
        begins = file.read(len(_FILE))
    source = pyarrow.memory_map(path)
    options = pyarrow.ipc.IpcReadOptions(use_threads=False)
    opened = pyarrow.ipc.open_file if begins == _FILE else pyarrow.ipc.open_stream
    return opened(source, options=options)


def schema_of(kind: str, path: str) -> Any:
    """Returns the schema of a file in Arrow's types."""
    return parquet_file(path).schema_arrow if kind == "parquet" else arrow_reader(path).schema


def batches(kind: str, path: str) -> Iterator[tuple[Any, float]]:
    """Reads the rows of a file of kind ``parquet`` or ``arrow`` in batches, each with the share of the file
    that has been read at its end; 0 if the share is not known."""
    if kind == "parquet":
        file = parquet_file(path)
        groups = file.num_row_groups
        for number in range(groups):  # each by itself: a batch from two groups may have two dictionaries
            group = file.metadata.row_group(number)
            rows = min(MOST_ROWS, max(1, _BATCH_BYTES * group.num_rows // max(1, group.total_byte_size)))
            done = 0
            for batch in file.iter_batches(batch_size=rows, row_groups=[number], use_threads=False):
                done += batch.num_rows
                yield batch, (number + done / max(group.num_rows, done, 1)) / groups
    else:
        reader = arrow_reader(path)
        if hasattr(reader, "num_record_batches"):
            count = reader.num_record_batches
            yield from ((reader.get_batch(n), (n + 1) / count) for n in range(count))
        else:
            yield from ((batch, 0.0) for batch in reader)


def tried(kind: str, path: str) -> dict[str, Any]:
    """Reads a whole file, and returns the number of ``rows``, and the ``bounds`` of columns of int64, by
    their numbers. If reading failed, returns also why (``failed``), pyarrow's words (``what``), and the
    ``column`` and the ``row`` in its batch if they are known."""
    rows = 0
    bounds: dict[int, tuple[int, int]] = {}
    try:
        for batch, _ in batches(kind, path):
            # Parquet's reader makes new arrays; Arrow's gives those of the file, whose offsets may point
            # anywhere.
            if fault := _fault(batch, full=kind != "parquet"):
                return {"rows": rows, **fault}
            rows += batch.num_rows
            _widen(bounds, batch)
    except NotImplementedError as error:
        return {"rows": rows, "failed": "unknown", "what": str(error)}
    except Exception as error:  # any kind: pyarrow raises its own and Python's
        said = str(error)
        if isinstance(error, MemoryError) or "malloc" in said or "memory" in said:
            return {"rows": rows, "failed": "memory"}
        return {"rows": rows, "failed": "refused", "what": said}
    return {"rows": rows, "bounds": bounds}


def _widen(bounds: dict[int, tuple[int, int]], batch: Any) -> None:
    """Widens the bounds (least and greatest value) of each int64 column to include a batch's values."""
    import pyarrow
    from pyarrow.compute import min_max

    for number, field in enumerate(batch.schema):
        if field.type == pyarrow.int64():
            least, most = min_max(batch.column(number)).as_py().values()
            if least is not None:
                low, high = bounds.get(number, (least, most))
                bounds[number] = min(low, least), max(high, most)


def _fault(batch: Any, full: bool) -> dict[str, Any]:
    for number, field in enumerate(batch.schema):
        try:
            column = batch.column(number)
        except KeyError:  # Python has no arrays of this type, which the mapping refuses by its name
            continue
        try:
            column.validate(full=full)
        except Exception as error:
            said = str(error)
            if OF_A_VALUE.search(said):
                at = {"row": row} if (row := _first_invalid(column)) is not None else {}
                return {"failed": "value", "column": field.name, "type": str(field.type), "what": said, **at}
            # Numbers are left out, since they may be values.
            return {"failed": "invalid", "column": field.name, "what": _NUMBER.sub("…", said)}
    return {}


def _first_invalid(column: Any) -> int | None:
    """Returns the first row whose value is invalid; None if pyarrow cannot take rows out of such a column."""
    import pyarrow

    begin, end = 0, len(column)
    try:
        while end - begin > 1:
            middle = (begin + end) // 2
            if _is_valid(column.take(pyarrow.array(range(begin, middle), pyarrow.int64()))):
                begin = middle
            else:
                end = middle
    except NotImplementedError:
        return None
    return begin


def _is_valid(column: Any) -> bool:
    try:
        column.validate(full=True)
    except ValueError:
        return False
    return True


def main() -> int:
    kind, *paths = sys.argv[1:]
    seconds = LEAST_CPU_S + len(paths) + sum(map(os.path.getsize, paths)) // BYTES_PER_S
    with contextlib.suppress(ImportError, OSError, ValueError):  # not every system has these limits
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    for path in paths:
        sys.stdout.write(f"{json.dumps(tried(kind, path))}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
