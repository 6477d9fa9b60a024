"""Damages Avro schemas and container files, and imports them: each has to end with values of the schema or an InputError.

``python -m tests.mutated_avro avsc 100`` tries so many, in a process of its own, so that a crash is seen for what it is.
"""

from __future__ import annotations

import faulthandler
import json
import random
import resource
import signal
import sys
import tempfile
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro
from tests.avro_drawn import DrawnSchema, as_written, imported, parsed, value_of
from tests.mutations import MOST_BYTES, MOST_S, Bounds, damaged, json_mutant, most_memory

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.imports.avro import read
from serbench.imports.base import Request

MOST_VALUES = 10_000


def sound(kind: str, folder: Path, draws: random.Random) -> bytes:
    """A sound file that follows from its draws: ``avsc`` or ``avro``."""
    schema = DrawnSchema(draws).json
    if kind == "avsc":
        return json.dumps(schema).encode()
    root = imported(folder, schema).schema("s").root
    theirs, named = parsed(schema)
    messages = [as_written(theirs, root, value_of(root, draws), named) for _ in range(draws.choice((1, 10, 100)))]
    out = BytesIO()
    fastavro.writer(out, theirs, messages, codec=draws.choice(("null", "null", "deflate")), sync_interval=500)
    return out.getvalue()


def mutant(kind: str, data: bytes, draws: random.Random) -> bytes:
    """Damaged: of a container that has its blocks as they are the schema, the blocks without it, or any bytes."""
    if kind == "avsc":
        return json_mutant(data, draws)
    begin = data.find(b"avro.schema") + 40
    return damaged(data, draws) if draws.random() < 0.3 else data[:begin] + damaged(data[begin:], draws)


def attempt(file: Path) -> None:
    try:
        found = read(Request((file,)))
        schema = found.schema("s")
        for n, value in enumerate(found.values() if found.values else ()):
            problem = find_mismatch(schema.root, value)
            assert problem is None, problem
            if n == MOST_VALUES:
                break
    except InputError as error:
        assert len(str(error)) < 3000 and "\x1b" not in str(error), str(error)
        raise


def main() -> None:
    """Prints what came of it as JSON on standard output."""
    kind, count, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
    signal.signal(signal.SIGALRM, _hangs)
    resource.setrlimit(resource.RLIMIT_DATA, (4 * MOST_BYTES, 4 * MOST_BYTES))
    bounds = Bounds(kind, 1)
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        folder = Path(name)
        for number in range(first, first + count):
            draws = random.Random(f"{kind}/{number}")
            data = mutant(kind, sound(kind, folder, draws), draws)
            file = folder / f"mutant.{kind}"
            file.write_bytes(data)
            faulthandler.dump_traceback_later(4 * MOST_S, exit=True)
            print(f"at {number}", file=sys.stderr, flush=True)
            bounds.attempt(number, kind, partial(attempt, file))
    faulthandler.cancel_dump_traceback_later()
    found: dict[str, Any] = {"results": bounds.results, "messages": bounds.messages, "bad": bounds.bad}
    print(json.dumps(found | {"peak_kib": most_memory() // 1024}))


def _hangs(signal_number: int, frame: object) -> None:
    raise TimeoutError(f"took longer than {MOST_S} s")


if __name__ == "__main__":
    main()
