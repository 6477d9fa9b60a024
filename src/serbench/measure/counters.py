"""Counts instructions, allocations and peak memory of whole processes: instructions by perf or valgrind's
callgrind, allocations by a program that counts its own, peak memory by the system. None of them changes the
programs that are timed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from serbench.errors import RunnerError, SetupError
from serbench.languages.install import need
from serbench.measure.conversation import Expected
from serbench.measure.process import run_runner
from serbench.measure.said import Allocated, Event, PeakSaid

A = TypeVar("A", Allocated, PeakSaid)

Counts = Mapping[str, int]
"""The counts of one process: ``instructions``, or ``allocations`` and ``allocated_bytes``."""


@dataclass(frozen=True)
class Tool:
    """A program that runs another one and counts its instructions.

    Attributes:
        name: the name and version, for tables.
        words: the words in front of the command that is counted; ``OUT`` stands for the file that the tool
            writes.
        read: returns the instructions in what the tool wrote; raises RunnerError where it is not as expected.
        least: how many instructions must lie between two counts, so that other differences between processes
            (the digits of printed times, page faults) are below a tenth of the promised 0.1 %.
    """

    name: str
    words: tuple[str, ...]
    read: Callable[[str], int]
    least: int


def perf_tool() -> Tool | None:
    """Return perf as a tool; None where it cannot count instructions here, as in many virtual machines."""
    perf = shutil.which("perf")
    if not perf:
        return None
    tool = Tool(
        "perf", (perf, "stat", "-x", ",", "-e", "instructions:u", "-o", "OUT", "--"), read_perf, 200_000_000
    )
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        out = Path(folder) / "out"
        done = subprocess.run([*_words(tool, out), "true"], capture_output=True, text=True)
        try:
            works = done.returncode == 0 and tool.read(out.read_text()) > 0
        except (OSError, RunnerError):
            return None
    return tool if works else None


# valgrind counts "rep movsb", by which glibc copies more than 2 kB, as an instruction for each byte: 17,130
# for the 17,016 bytes of record in place of the 1,712 of a loop over vectors.
_VECTOR_COPIES = "GLIBC_TUNABLES=" + ":".join(
    f"glibc.cpu.x86_rep_{what}_threshold=1000000000000" for what in ("movsb", "stosb")
)


def callgrind_tool() -> Tool:
    """Return valgrind's callgrind as a tool; raise SetupError, which says how to get valgrind, where there is
    none."""
    path = need("valgrind", "valgrind")
    done = subprocess.run([path, "--version"], capture_output=True, text=True)
    version = done.stdout.strip().removeprefix("valgrind-")
    if done.returncode or not version:
        raise SetupError(f"'{path} --version' ended with status {done.returncode}: {done.stderr.strip()}")
    words = ("env", _VECTOR_COPIES, path, "-q", "--tool=callgrind", "--callgrind-out-file=OUT")
    return Tool(f"valgrind {version} callgrind", words, read_callgrind, 2_000_000)


@cache
def counting_tool() -> Tool | None:
    """Return a tool that counts instructions on this machine; None where there is none."""
    try:
        return perf_tool() or callgrind_tool()
    except SetupError:
        return None


def read_perf(text: str) -> int:
    """Return the instructions in the output of ``perf stat -x , -e instructions:u``: the sum of the first
    fields of the lines on this event, of which there are several where cores are of several kinds."""
    lines = [line.split(",") for line in text.splitlines() if "instructions" in line]
    counted = [int(fields[0]) for fields in lines if fields[0].isdigit()]
    if not counted:
        found = " ".join(fields[0] for fields in lines) or "nothing"
        raise RunnerError(f"perf reported {found!r} instructions; expected a number")
    return sum(counted)


def read_callgrind(text: str) -> int:
    """Return the instructions of a whole program in callgrind's profile (section "Callgrind Format
    Specification" of valgrind's manual)."""
    if not (
        re.search(r"^events: Ir\b", text, re.MULTILINE)
        and (totals := re.search(r"^totals: (\d+)", text, re.MULTILINE))
    ):
        raise RunnerError(
            "callgrind's profile has no line 'totals: N' for the event Ir; this version of "
            "valgrind is not supported"
        )
    return int(totals[1])


def count_instructions(
    tool: Tool, command: Sequence[str], expected: Expected, core: int | None, limit_s: float
) -> tuple[list[Event], Counts]:
    """Run a runner under a tool; return its events and the ``instructions`` of the whole process. Raise
    RunnerError where the runner fails, or the tool's output cannot be read."""
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        out = Path(folder) / "out"
        events = list(run_runner([*_words(tool, out), *command], expected, core, limit_s))
        try:
            return events, {"instructions": tool.read(out.read_text())}
        except OSError as error:
            raise RunnerError(f"it wrote nothing: {error}") from error


def told_at_the_end(
    afterword: type[A], command: Sequence[str], expected: Expected, core: int | None, limit_s: float
) -> tuple[list[Event], A]:
    """Run a runner that counts for itself, or whose starter counts; return the runner's other events, and the
    event with the counts of the whole process (an ``afterword``), which comes last. Raise RunnerError where
    the runner fails or that event is missing."""
    *events, last = run_runner(command, expected, core, limit_s, afterword=afterword)
    assert isinstance(last, afterword)  # a runner that ends otherwise is an error
    return events, last


def _words(tool: Tool, out: Path) -> list[str]:
    return [word.replace("OUT", str(out)) for word in tool.words]
