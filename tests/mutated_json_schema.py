"""Damages JSON Schemas, and imports them: each has to end with values of the schema or an InputError.

``python -m tests.mutated_json_schema 100`` tries so many, in a process of its own, so that a crash is seen for what it is.
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
from pathlib import Path

from tests.json_schema_drawn import Documents, DrawnSchema
from tests.mutations import MOST_BYTES, MOST_S, Bounds, json_mutant, most_memory

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.imports.base import Request
from serbench.imports.json_schema import FORMAT


def attempt(file: Path, data: Path) -> None:
    try:
        found = FORMAT.read(Request((file,), (data,)))
        schema = found.schema("s")
        for value in found.values() if found.values else ():
            problem = find_mismatch(schema.root, value)
            assert problem is None, problem
    except InputError as error:
        assert len(str(error)) < 3000 and "\x1b" not in str(error), str(error)
        raise


def main() -> None:
    """Prints what came of it as JSON on standard output."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    signal.signal(signal.SIGALRM, _hangs)
    resource.setrlimit(resource.RLIMIT_DATA, (4 * MOST_BYTES, 4 * MOST_BYTES))
    bounds = Bounds("json-schema", 1)
    with tempfile.TemporaryDirectory(prefix="serbench-") as name:
        file, data = Path(name) / "mutant.json", Path(name) / "data.jsonl"
        for number in range(first, first + count):
            draws = random.Random(f"json-schema/{number}")
            schema = DrawnSchema(draws).json
            file.write_bytes(json_mutant(json.dumps(schema).encode(), draws))
            data.write_text("".join(json.dumps(Documents(schema, draws).one()) + "\n" for _ in range(3)))
            faulthandler.dump_traceback_later(4 * MOST_S, exit=True)
            print(f"at {number}", file=sys.stderr, flush=True)
            bounds.attempt(number, "import", partial(attempt, file, data))
    faulthandler.cancel_dump_traceback_later()
    found = {"results": bounds.results, "messages": bounds.messages, "bad": bounds.bad, "peak_kib": most_memory() // 1024}
    print(json.dumps(found))


def _hangs(signal_number: int, frame: object) -> None:
    raise TimeoutError(f"took longer than {MOST_S} s")


if __name__ == "__main__":
    main()
