"""Compares the results of ``run --quick`` while the machine does other work with those on an idle machine.

``PYTHONPATH=src python -m tests.beside --times 5`` makes five runs beside each kind of other work and prints
the comparison. Each run takes a minute or two; the machine must do nothing else.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from serbench.paths import PROJECT

SERBENCH = str(PROJECT / "serbench")
LOOP = "while :; do :; done"
COMPILING = (
    "while :; do c++ -std=c++20 -O2 -Irunners/cpp/include -c runners/cpp/source/main.cpp -o /dev/null; done"
)


def loads(home: Path) -> dict[str, list[str]]:
    """Kinds of other work by name, each as a list of shell commands; ``home`` is the home folder of a second
    serbench that some of them run."""
    other = f"SERBENCH_HOME={home} {SERBENCH}"
    return {
        "idle": [],
        "two busy loops": [LOOP, LOOP],
        "a compilation": [COMPILING],
        "another verify": [f"while :; do {other} verify -w record -c cpp/cereal -c cpp/msgpack; done"],
        "another run": [f"while :; do {other} run --quick -w record -c cpp/cereal -c cpp/msgpack; done"],
    }


@contextlib.contextmanager
def beside(commands: Sequence[str]) -> Iterator[None]:
    """Keeps shell commands running for as long as the context lasts."""
    started = [
        subprocess.Popen(
            ["sh", "-c", command],
            cwd=PROJECT,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for command in commands
    ]
    try:
        yield
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


Records = list[dict[str, Any]]


def measured(arguments: Sequence[str]) -> Records:
    """Runs ``run --quick --format json``; returns the records that the run printed of its cells and its
    verdict."""
    done = subprocess.run(
        [SERBENCH, "run", "--quick", "--format", "json", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    found: Records = json.loads(done.stdout)
    return found


def winners(run: Records) -> dict[str, str]:
    """Operation → the fastest codec by the verdict, or ``not known``."""
    said = {}
    for each in run:
        if each.get("verdict") == "fastest":
            codecs = sorted(each["codecs"])
            told = "not known" if each.get("not_known") or not codecs else " or ".join(codecs)
            said[f"{each['operation']}:{each['memory']}"] = told
    return said


def figures(run: Records) -> dict[str, dict[str, Any]]:
    """The records of cells that have a time, by codec and operation."""
    return {f"{r['codec']} {r['operation']}:{r['memory']}": r for r in run if r.get("time_ns")}


def tell(runs: dict[str, list[Records]]) -> None:
    """Prints the verdicts under each kind of other work, and how often the intervals of runs on a busy
    machine hold the time that was measured on an idle one."""
    for name, own in runs.items():
        for cell in winners(own[0]):
            counts = Counter(winners(run)[cell] for run in own)
            print(f"{name:16} {cell:20} {', '.join(f'{n} × {who}' for who, n in counts.most_common())}")
    idle = [figures(run) for run in runs["idle"]]
    for value, interval in (("time_ns", "interval_ns"), ("ratio_best", "ratio_interval")):
        true = {cell: median(run[cell][value] for run in idle) for cell in idle[0]}
        for name, own in runs.items():
            held = off = count = 0
            logs: list[float] = []
            for run in map(figures, own):
                for cell, row in run.items():
                    if cell in true and row.get(interval) and row[value] != 1:
                        low, high = row[interval]
                        held += low <= true[cell] <= high
                        off += not low <= true[cell] <= high
                        logs.append(abs(math.log(row[value] / true[cell])))
                        count += 1
            print(
                f"{name:16} {value:10} {held} of {count} intervals hold the idle median; "
                f"apart by {100 * median(logs):.1f} % in the median, {100 * max(logs):.1f} % at most"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="a file for all that the runs said")
    parser.add_argument("rest", nargs="*", help="what to select, after --: -w monsters -c cpp/cereal")
    asked = parser.parse_args()
    runs: dict[str, list[Records]] = {}
    with tempfile.TemporaryDirectory() as home:
        known = loads(Path(home))
        for turn in range(asked.times):
            for name, commands in known.items():
                with beside(commands):
                    time.sleep(5 if commands else 0)
                    runs.setdefault(name, []).append(measured(asked.rest))
                print(f"{turn + 1} of {asked.times}, {name}: {winners(runs[name][-1])}", file=sys.stderr)
                if asked.keep:
                    asked.keep.write_text(json.dumps(runs))
    tell(runs)


if __name__ == "__main__":
    main()
