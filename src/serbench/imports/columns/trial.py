"""Files of columns as batches of rows; and a program that reads some within bounds, before anything else
does.

A few bytes of such a file can claim petabytes, and damaged ones have crashed the library that reads them. So
a process of its own reads the whole file first: what ends it, or takes more memory or time than data do, is
refused, and the second reading does the same again. Its arguments are the kind of file and files; it prints
what came of each as a line of JSON. It needs nothing of serbench.
"""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

MOST_MEMORY = 1 << 30
"""Bytes that the library may take for one batch."""

LEAST_CPU_S = 20
BYTES_PER_S = 10 << 20
"""Time for any file, and for so many bytes of it: a tenth of the slowest that was seen."""

MOST_ROWS = 4096
_BATCH_BYTES = 8 << 20
"""Of one batch; Parquet is read in such ones, and Arrow as it was written."""

_FILE = b"ARROW1"


def parquet_file(path: str) -> Any:
    """Parquet's metadata, and the way to its rows."""
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 16)


def arrow_reader(path: str) -> Any:
    """The reader of Arrow's file format, or of its stream where a file does not begin as that."""
    import pyarrow

    with open(path, "rb") as file:  # noqa: PTH123
        begins = file.read(len(_FILE))
    source = pyarrow.memory_map(path)
    options = pyarrow.ipc.IpcReadOptions(use_threads=False)
    return (
        pyarrow.ipc.open_file(source, options=options)
        if begins == _FILE
        else pyarrow.ipc.open_stream(source, options=options)
    )


def schema_of(kind: str, path: str) -> Any:
    """The file's schema in Arrow's types."""
    return parquet_file(path).schema_arrow if kind == "parquet" else arrow_reader(path).schema


def batches(kind: str, path: str) -> Iterator[tuple[Any, float]]:
    """The rows of a file, of kind ``parquet`` or ``arrow``, some at a time, each with the share of the file
    that it ends."""
    if kind == "parquet":
        file = parquet_file(path)
        groups = file.num_row_groups
        for number in range(groups):  # each alone: a batch of two may have two dictionaries
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
    """What comes of a whole reading: ``rows``, and where it ended before the end, why and in which column."""
    import pyarrow

    rows = 0
    try:
        for batch, _ in batches(kind, path):
            # Parquet's reader makes what it gives; Arrow's gives what is in the file, which may point
            # anywhere.
            if fault := _fault(batch, full=kind != "parquet"):
                return {"rows": rows, **fault}
            rows += batch.num_rows
    except MemoryError:
        return {"rows": rows, "failed": "memory"}
    except pyarrow.ArrowNotImplementedError as error:
        return {"rows": rows, "failed": "unknown", "what": str(error)}
    except Exception as error:  # of whatever kind
        return {
            "rows": rows,
            "failed": "memory" if "malloc" in str(error) or "memory" in str(error) else "damaged",
        }
    return {"rows": rows}


def _fault(batch: Any, full: bool) -> dict[str, Any]:
    for field, column in zip(batch.schema, batch.columns, strict=True):
        try:
            column.validate(full=full)
        except Exception:  # its message may hold a value
            return {"failed": "damaged", "column": field.name}
    return {}


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
