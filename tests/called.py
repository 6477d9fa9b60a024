"""Single calls that a runner of a real codec times, held to what docs/protocol.md says of them."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from serbench.measure.calls import read_calls
from serbench.stats.quantiles import quantiles

CALLS = 120


def check_calls(command: Sequence[str], data: str, folder: Path) -> None:
    """Holds a runner that offers ``roundtrip`` to the protocol, with warm-up and without."""
    for n, more in enumerate((["--warmup-ns", "20000000"], ["--message", "3"])):
        out = folder / f"calls{n}"
        begun = time.monotonic_ns()
        status, events = _said(command, data, "roundtrip:fresh", "--out", str(out), *more)
        elapsed = time.monotonic_ns() - begun
        hello, called, _ = events
        assert status == 0 and (hello["event"], called["event"]) == ("hello", "called")
        assert (called["operation"], called["memory"]) == ("roundtrip", "fresh")
        assert called["calls"] == CALLS and (called["warmups"] > 0) == (n == 0)
        times = read_calls(out, CALLS)
        assert 0 < sum(times) <= called["elapsed_ns"]
        assert called["elapsed_ns"] + called["loading_ns"] + called["preparing_ns"] < elapsed
        assert 0 < called["resolution_ns"] <= 1_000_000
        assert 0 <= called["clock_ns"] <= quantiles(times)["p75"]
        assert all(isinstance(number, int) for number in called.get("collections", {}).values())
    out = folder / "few"
    _, events = _said(command, data, "roundtrip:fresh", "--out", str(out), "--longest-ns", "1")
    assert events[1]["calls"] == 1 and len(read_calls(out, 1)) == 1
    for cell, words in (("roundtrip", "expected OPERATION:MEMORY"), ("fly:fresh", "no operation fly")):
        status, events = _said(command, data, cell, "--out", str(out))
        assert status == 1 and words in events[-1]["message"]


def _said(command: Sequence[str], data: str, cell: str, *words: str) -> tuple[int, list[dict[str, Any]]]:
    own = ["calls", "--dataset", data, "--cell", cell, "--calls", str(CALLS), "--place", "7"]
    own += words if "--longest-ns" in words else [*words, "--longest-ns", "60000000000"]
    done = subprocess.run([*command, *own], capture_output=True, text=True, timeout=120)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]
