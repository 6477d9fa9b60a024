"""Counts what a whole process does: instructions by perf or valgrind's callgrind, allocations by an
executable that counts its own, and peak memory by the system. None of them touches the executables that are
timed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from serbench.errors import RunnerError, SetupError
from serbench.languages.install import need
from serbench.measure.conversation import Expected
from serbench.measure.process import run_runner
from serbench.measure.said import Allocated, Event, PeakSaid

Counts = Mapping[str, int]
"""A tool's counts of one process: ``instructions``, or ``allocations`` and ``allocated_bytes``."""


@dataclass(frozen=True)
class Tool:
    """A program that runs another one and counts its instructions.

    Attributes:
        name: its name with its version, for tables.
        words: come before the command that is counted; ``OUT`` in them is the file to write to.
        read: finds the instructions in what the tool wrote; raises RunnerError where that has an unknown
            form.
        least: how many instructions must lie between two counts of passes, so that what else differs between
            processes (the digits of printed times, page faults) is below a tenth of the promised 0.1 %.
    """

    name: str
    words: tuple[str, ...]
    read: Callable[[str], int]
    least: int


def perf_tool() -> Tool | None:
    """perf, where it truly counts instructions here; virtual machines often have no counters."""
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
    """valgrind's callgrind.

    Raises:
        SetupError: there is no valgrind; says how to get it.
    """
    path = need("valgrind", "valgrind")
    done = subprocess.run([path, "--version"], capture_output=True, text=True)
    version = done.stdout.strip().removeprefix("valgrind-")
    if done.returncode or not version:
        raise SetupError(f"'{path} --version' ended with status {done.returncode}: {done.stderr.strip()}")
    words = ("env", _VECTOR_COPIES, path, "-q", "--tool=callgrind", "--callgrind-out-file=OUT")
    return Tool(f"valgrind {version} callgrind", words, read_callgrind, 2_000_000)


@cache
def counting_tool() -> Tool | None:
    """A tool that counts instructions here; None where there is none."""
    try:
        return perf_tool() or callgrind_tool()
    except SetupError:
        return None


def read_perf(text: str) -> int:
    """The instructions of ``perf stat -x , -e instructions:u``: the first field of each line about this
    event. There are several lines where a processor has cores of several kinds."""
    lines = [line.split(",") for line in text.splitlines() if "instructions" in line]
    counted = [int(fields[0]) for fields in lines if fields[0].isdigit()]
    if not counted:
        found = " ".join(fields[0] for fields in lines) or "nothing"
        raise RunnerError(f"perf reported {found!r} instructions; expected a number")
    return sum(counted)


def read_callgrind(text: str) -> int:
    """The instructions of a whole program, from callgrind's profile (section "Callgrind Format Specification"
    of valgrind's manual)."""
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
    """Runs a runner under a tool; returns its events, and ``instructions`` of the whole process.

    Raises:
        RunnerError: the runner failed, or said nothing for ``limit_s``, or the tool wrote what cannot be
            read.
    """
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        out = Path(folder) / "out"
        events = list(run_runner([*_words(tool, out), *command], expected, core, limit_s))
        try:
            return events, {"instructions": tool.read(out.read_text())}
        except OSError as error:
            raise RunnerError(f"it wrote nothing: {error}") from error


def count_allocations(
    command: Sequence[str], expected: Expected, core: int | None, limit_s: float
) -> tuple[list[Event], Counts]:
    """Runs a runner that counts its own allocations; returns its events, and ``allocations`` and
    ``allocated_bytes`` of the whole process.

    Raises:
        RunnerError: the runner failed, or did not tell what it counted.
    """
    *events, last = run_runner(command, expected, core, limit_s, afterword=Allocated)
    assert isinstance(last, Allocated)  # a runner that ends otherwise is an error
    return events, {"allocations": last.allocations, "allocated_bytes": last.allocated_bytes}


def _words(tool: Tool, out: Path) -> list[str]:
    return [word.replace("OUT", str(out)) for word in tool.words]


def peak_bytes(
    launcher: Sequence[str], command: Sequence[str], expected: Expected, core: int | None, limit_s: float
) -> tuple[list[Event], int]:
    """Runs a runner by itself; returns its events and its peak resident memory in bytes.

    Args:
        launcher: starts the command and tells its peak. Without it, on Linux, a process would inherit the
            peak of the one that forked it.

    Raises:
        RunnerError: the runner failed.
    """
    *events, last = run_runner([*launcher, *command], expected, core, limit_s, afterword=PeakSaid)
    assert isinstance(last, PeakSaid)
    return events, last.bytes
