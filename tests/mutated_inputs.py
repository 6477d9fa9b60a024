"""Damages random files of data and schemas, and imports them: each import has to end with values of the
schema or with an error.

``PYTHONPATH=src:. .venv/bin/python -m tests.mutated_inputs parquet 100`` tries 100 files in a process of its
own, so that a crash is noticed; ``--first 4711`` begins with the file of that number. A kind and a number
always give the same file. Kinds of files whose mutants are all made from one valid file are in
mutated_files.py.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import fastavro
from tests import avro_drawn, json_schema_drawn
from tests.csv_drawn import drawn_csv
from tests.mutations import MOST_BYTES, MOST_S, Bounds, damaged, json_mutant, lines_mutant, most_memory

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.imports import formats
from serbench.imports.base import Request
from serbench.paths import PROJECT

MOST_VALUES = 10_000

Damaged = Callable[[Path, random.Random], tuple[str, Request]]
"""A function that writes a mutant into a folder; it returns the format by which the mutant is imported, and
the request."""


def avro_schema(folder: Path, draws: random.Random) -> tuple[str, Request]:
    schema = json.dumps(avro_drawn.DrawnSchema(draws).json).encode()
    return "avro", Request((_written(folder / "mutant.avsc", json_mutant(schema, draws)),))


def avro_container(folder: Path, draws: random.Random) -> tuple[str, Request]:
    """Writes a random Avro container with damaged bytes. In most files the damage begins only inside the
    schema, so that the import still takes the file for Avro.

    Returns:
        The format in which the import is to read the file, and the request to import it.
    """
    schema = avro_drawn.DrawnSchema(draws).json
    root = avro_drawn.imported(folder, schema).schema("s").root
    theirs, named = avro_drawn.parsed(schema)
    values = (avro_drawn.value_of(root, draws) for _ in range(draws.choice((1, 10, 100))))
    out = BytesIO()
    messages = [avro_drawn.as_written(theirs, root, value, named) for value in values]
    fastavro.writer(out, theirs, messages, codec=draws.choice(("null", "null", "deflate")), sync_interval=500)
    data = out.getvalue()
    begin = data.find(b"avro.schema") + 40
    mutant = damaged(data, draws) if draws.random() < 0.3 else data[:begin] + damaged(data[begin:], draws)
    return "avro", Request((_written(folder / "mutant.avro", mutant),))


def columns(folder: Path, draws: random.Random, kind: str, format: str) -> tuple[str, Request]:
    from tests.columns_drawn import DrawnTable, written  # which needs pyarrow

    file = written(
        folder, kind, DrawnTable(draws, draws.choice((1, 10, 100))).table, rows=draws.choice((5, 1000))
    )
    return format, Request((_written(file, changed(file.read_bytes(), draws)),))


def csv(folder: Path, draws: random.Random) -> tuple[str, Request]:
    return "csv", Request((_written(folder / "mutant.csv", changed(drawn_csv(draws)[0], draws)),))


def json_schema(folder: Path, draws: random.Random) -> tuple[str, Request]:
    """Writes a damaged JSON Schema, and three documents that are valid against the undamaged schema.

    Returns:
        The format in which the import is to read the schema, and the request to import both files.
    """
    schema = json_schema_drawn.DrawnSchema(draws).json
    file = _written(folder / "mutant.json", json_mutant(json.dumps(schema).encode(), draws))
    documents = json_schema_drawn.Documents(schema, draws)
    data = b"".join(json.dumps(documents.one()).encode() + b"\n" for _ in range(3))
    return "json-schema", Request((file,), (_written(folder / "data.jsonl", data),))


_OBJECT = {
    "id": 1, "+1": -0.5, "when": "2026-11-22T15:04:05Z", "uuid": "0f8fad5b-d9cb-469f-a165-70867728950e",
    "none": None, "mixed": "x", "tree": {"v": 1, "kids": [{"v": 2, "kids": [{"v": 3, "kids": []}]}]},
    "map": {"1": [1, 2], "2": []}, "big": 2**63,
}  # fmt: skip
_OBJECTS = [_OBJECT, {**_OBJECT, "mixed": [1]}, {"id": 2, "new": {"a": "b"}}]


def json_data(folder: Path, draws: random.Random, framing: str) -> tuple[str, Request]:
    """Writes damaged messages in JSON: in lines, as items of a list, or a single one.

    Returns:
        The format in which the import is to read the file, and the request to import it, which either names
            this framing or leaves it to the import to recognise one.
    """
    if framing == "lines":
        mutant = lines_mutant(b"".join(json.dumps(each).encode() + b"\n" for each in _OBJECTS * 3), draws)
    else:
        mutant = json_mutant(json.dumps(_OBJECTS if framing == "items" else _OBJECT).encode(), draws)
    return "json", Request(
        (_written(folder / "mutant.json", mutant),), framing=draws.choice(("", "", framing))
    )


def changed(data: bytes, draws: random.Random) -> bytes:
    """A copy of the bytes in which one to three are replaced, or sometimes any damage is done. Replaced bytes
    are more frequent, since readers notice most insertions and deletions before they read far."""
    if draws.random() < 0.3:
        return damaged(data, draws)
    mutant = bytearray(data)
    for _ in range(draws.choice((1, 1, 3))):
        mutant[draws.randrange(len(data))] = draws.choice((0, 0xFF, 0x7F, draws.randrange(256)))
    return bytes(mutant)


def _written(file: Path, data: bytes) -> Path:
    file.write_bytes(data)
    return file


KINDS: dict[str, Damaged] = {
    "avsc": avro_schema,
    "avro": avro_container,
    "parquet": partial(columns, kind="parquet", format="parquet"),
    **{kind: partial(columns, kind=kind, format="arrow") for kind in ("arrow", "arrows", "feather")},
    "csv": csv,
    "json_schema": json_schema,
    **{f"json_{framing}": partial(json_data, framing=framing) for framing in ("lines", "items", "one")},
}


def attempt(format: str, request: Request) -> None:
    try:
        found = formats()[format].read(request)
        schema = found.schema("s")
        for value in islice(found.values() if found.values else (), MOST_VALUES):
            problem = find_mismatch(schema.root, value)
            assert problem is None, problem
    except InputError as error:
        assert len(str(error)) < 5000 and "\x1b" not in str(error), str(error)
        raise


def hold_mutants(kind: str, count: int) -> None:
    """Tries ``count`` mutants in a process of its own, and asserts that each ended as it has to."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(PROJECT / "src"), str(PROJECT)))}
    command = [sys.executable, "-m", "tests.mutated_inputs", kind, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT, env=environment)
    assert done.returncode == 0, f"status {done.returncode} after: {done.stderr[-3000:]}"
    found = json.loads(done.stdout)
    assert not found["bad"], "\n".join(found["bad"][:20])
    assert (
        found["results"] + found["messages"] == count and found["messages"] > count // 5 and found["results"]
    )
    assert found["peak_kib"] * 1024 < MOST_BYTES


def main() -> None:
    """Tries mutants as the command line asks, and prints the results as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    signal.signal(signal.SIGALRM, _hangs)
    resource.setrlimit(resource.RLIMIT_DATA, (4 * MOST_BYTES, 4 * MOST_BYTES))
    bounds = Bounds(given.kind, 1)
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        for number in range(given.first, given.first + given.count):
            faulthandler.dump_traceback_later(4 * MOST_S, exit=True)
            print(f"at {number}", file=sys.stderr, flush=True)
            format, request = KINDS[given.kind](Path(folder), random.Random(f"{given.kind}/{number}"))
            bounds.attempt(number, given.kind, partial(attempt, format, request))
    faulthandler.cancel_dump_traceback_later()
    found: dict[str, Any] = {"results": bounds.results, "messages": bounds.messages, "bad": bounds.bad}
    print(json.dumps(found | {"peak_kib": most_memory() // 1024}))


def _hangs(signal_number: int, frame: object) -> None:
    raise TimeoutError(f"took longer than {MOST_S} s")


if __name__ == "__main__":
    main()
