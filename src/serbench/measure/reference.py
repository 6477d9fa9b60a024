"""Runs the calibration loop ("reference kernel"): fixed work at the start of each round, which shows how much
the machine's speed varies."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from serbench.errors import RunnerError
from serbench.measure.process import pinned
from serbench.system.files import Positive
from serbench.system.guard import marked_environment

WORK = Path(__file__).with_name("reference_work.py")


class KernelTimes(msgspec.Struct):
    """The nanoseconds that each kind of fixed work took."""

    integer_ns: Positive
    memory_ns: Positive


FIELDS = KernelTimes.__struct_fields__

TIME_LIMIT_S = 30.0
"""The seconds after which the calibration loop is given up. Usually it takes a tenth of a second, so another
process must hold the core."""


def reference_kernel(
    core: int | None, time_limit_s: float = TIME_LIMIT_S, work: Path = WORK
) -> dict[str, int]:
    """Time the fixed work of the program ``work`` in a fresh process pinned to ``core`` (None for no
    pinning); raise RunnerError where the process fails or takes too long.

    Return ``integer_ns``, of hashing 4 MiB out of the nearest caches (SHA-256), and ``memory_ns``, of copying
    64 MiB: each the median of five. The process takes about 0.1 s. Figures are comparable only within one
    machine and one Python.
    """
    # without site packages, whose import takes as long as the work
    command = [sys.executable, "-I", "-S", str(work)]
    environment = marked_environment()
    try:
        with pinned(core):
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=time_limit_s,
                env=environment,
            )
    except subprocess.TimeoutExpired:
        raise RunnerError(f"the calibration loop hung: not finished after {time_limit_s:g} s") from None
    except OSError as error:
        raise RunnerError(f"the calibration loop could not be started: {error}") from error
    if done.returncode:
        raise RunnerError(
            f"the calibration loop ended with status {done.returncode}: {done.stderr.strip()[-2000:]}"
        )
    try:
        return msgspec.structs.asdict(msgspec.json.decode(done.stdout, type=KernelTimes))
    except msgspec.MsgspecError:
        expected = f"{' and '.join(FIELDS)}, whole numbers above 0"
        raise RunnerError(f"the calibration loop printed {done.stdout[:80]!r}; expected {expected}") from None
