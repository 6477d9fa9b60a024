"""Damages files of columns, and imports them: each has to end with values of the schema or an InputError.

``python -m tests.mutated_columns parquet 100`` tries so many, in a process of its own, so that a crash is seen for what it is.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from tests.columns_drawn import DrawnTable, written
from tests.csv_drawn import drawn_csv
from tests.mutations import MOST_BYTES, MOST_S, Bounds, damaged, most_memory

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.imports import formats
from serbench.imports.base import Request
from serbench.paths import PROJECT

MOST_VALUES = 10_000

FORMATS = {"parquet": "parquet", "arrow": "arrow", "arrows": "arrow", "feather": "arrow", "csv": "csv"}


def sound(kind: str, folder: Path, draws: random.Random) -> Path:
    """A sound file that follows from its draws."""
    if kind == "csv":
        file = folder / "m.csv"
        file.write_bytes(drawn_csv(draws)[0])
        return file
    rows = draws.choice((1, 10, 100))
    return written(folder, kind, DrawnTable(draws, rows).table, rows=draws.choice((5, 1000)))


def mutant(data: bytes, draws: random.Random) -> bytes:
    """Some bytes changed where they are, or damaged in any way: most of what is moved is seen at once."""
    if draws.random() < 0.3:
        return damaged(data, draws)
    changed = bytearray(data)
    for _ in range(draws.choice((1, 1, 3))):
        changed[draws.randrange(len(data))] = draws.choice((0, 0xFF, 0x7F, draws.randrange(256)))
    return bytes(changed)


def attempt(file: Path, format: str) -> None:
    try:
        found = formats()[format].read(Request((file,)))
        schema = found.schema("s")
        for n, value in enumerate(found.values() if found.values else ()):
            problem = find_mismatch(schema.root, value)
            assert problem is None, problem
            if n == MOST_VALUES:
                break
    except InputError as error:
        assert len(str(error)) < 3000 and "\x1b" not in str(error), str(error)
        raise


def hold_mutants(kind: str, count: int) -> None:
    """Tries so many in a process of its own, and asserts what came of them."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(PROJECT / "src"), str(PROJECT)))}
    command = [sys.executable, "-m", "tests.mutated_columns", kind, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT, env=environment)
    assert done.returncode == 0, f"status {done.returncode} after: {done.stderr[-3000:]}"
    found = json.loads(done.stdout)
    assert not found["bad"], "\n".join(found["bad"][:20])
    assert found["results"] + found["messages"] == count and found["messages"] > count // 4 and found["results"]
    assert found["peak_kib"] * 1024 < MOST_BYTES


def main() -> None:
    """Prints what came of it as JSON on standard output."""
    kind, count, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
    signal.signal(signal.SIGALRM, _hangs)
    resource.setrlimit(resource.RLIMIT_DATA, (4 * MOST_BYTES, 4 * MOST_BYTES))
    bounds = Bounds(kind, 1)
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        for number in range(first, first + count):
            draws = random.Random(f"{kind}/{number}")
            file = sound(kind, Path(name), draws)
            file.write_bytes(mutant(file.read_bytes(), draws))
            faulthandler.dump_traceback_later(4 * MOST_S, exit=True)
            print(f"at {number}", file=sys.stderr, flush=True)
            bounds.attempt(number, kind, partial(attempt, file, FORMATS[kind]))
    faulthandler.cancel_dump_traceback_later()
    found: dict[str, Any] = {"results": bounds.results, "messages": bounds.messages, "bad": bounds.bad}
    print(json.dumps(found | {"peak_kib": most_memory() // 1024}))


def _hangs(signal_number: int, frame: object) -> None:
    raise TimeoutError(f"took longer than {MOST_S} s")


if __name__ == "__main__":
    main()
