"""Stands in for valgrind: runs the command and writes a profile whose figures follow from its options.

A process starts with 5,000,000 instructions and 70 allocations. ``FAKE_COST`` gives the instructions of a
pass, and a pass allocates 3 blocks of 100 bytes. ``FAKE_VALGRIND`` names a fault: ``crash``, ``hang``,
``silent`` (writes no profile) or ``thread`` (its first process with each number of passes allocates 4 blocks
more; ``FAKE_SEEN`` is the folder that remembers which numbers were seen). With ``--tool=counting`` this
program stands in for a runner that counts its own allocations, with ``--tool=peak`` for the program that
measures the peak memory of a runner.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

COST = int(os.environ.get("FAKE_COST", "40000"))
FAULT = os.environ.get("FAKE_VALGRIND", "")


def is_first(passes: int) -> bool:
    """Whether this process is the first that makes this number of passes: by the fault ``thread``, only the
    first allocates more."""
    try:
        (Path(os.environ["FAKE_SEEN"]) / str(passes)).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def main() -> None:
    if sys.argv[1:] == ["--version"]:
        print("valgrind-3.99.0")
        return
    first = next(n for n, word in enumerate(sys.argv[1:], 1) if not word.startswith("-"))
    options = dict(word.lstrip("-").partition("=")[::2] for word in sys.argv[1:first])
    command = sys.argv[first:]
    asked = int(command[command.index("--iterations") + 1])
    passes = asked + max(asked // 100, 1)
    if FAULT == "crash":
        print("vex amd64->IR: unhandled instruction bytes: 0x62", file=sys.stderr)
        sys.exit(132)
    if FAULT == "hang":
        time.sleep(600)
    status = subprocess.run(command).returncode
    if FAULT == "silent":
        sys.exit(status)
    if options["tool"] == "callgrind":
        text = (
            "# callgrind format\nversion: 1\nevents: Ir\n\nfn=(1) main\n12 300\n\n"
            f"totals: {5_000_000 + COST * passes}\n"
        )
        Path(options["callgrind-out-file"]).write_text(text)
    elif options["tool"] == "peak":
        print(json.dumps({"event": "peak", "bytes": 6_000_000}))
    else:
        blocks = 70 + 3 * passes + (4 if FAULT == "thread" and is_first(passes) else 0)
        print(json.dumps({"event": "allocated", "allocations": blocks, "allocated_bytes": 100 * blocks}))
    sys.exit(status)


if __name__ == "__main__":
    main()
