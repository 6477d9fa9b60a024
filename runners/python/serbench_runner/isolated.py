"""Runs the decoding of a hostile message in a child process, and judges how the child ends."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path

from serbench_runner.errors import told

MOST_MEMORY = 1 << 30
"""The most bytes of memory that decoding a hostile message may ask for."""

_LONGER_BY_THE_CLOCK = 2
"""The limit by the clock, as a multiple of the limit in processor time: on a busy machine, a short call may
wait for a core for seconds."""

_REASON = 200


@dataclass(frozen=True)
class Outcome:
    """The outcome of decoding a message; ``harm`` is empty if the message was accepted, or refused by an
    exception that programs catch. ``by`` says whose code raised it, where that is known."""

    accepted: bool
    reason: str = ""
    harm: str = ""
    by: str = ""


def limit_memory(most: int) -> None:
    """Limits the address space of this process to ``most`` bytes."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(
        resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
    )


def answered(call: Callable[[], object], origin: Callable[[BaseException], str]) -> Outcome:
    """The outcome of a call. An error that is not an ``Exception`` counts as harm, since programs do not
    catch it. ``origin`` tells whose code raised an error."""
    try:
        call()
    except MemoryError as error:
        return Outcome(False, told(error)[:_REASON], "memory", origin(error))
    except Exception as error:
        return Outcome(False, told(error)[:_REASON], "", origin(error))
    except BaseException as error:
        return Outcome(False, told(error)[:_REASON], "crash", origin(error))
    return Outcome(True)


def isolated(call: Callable[[], object], origin: Callable[[BaseException], str], limit_ms: int) -> Outcome:
    """The outcome of a call, as ``answered`` tells it, in a child process, which may ask for ``MOST_MEMORY``
    and take ``limit_ms`` of processor time."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        _be_child(call, origin, limit_ms, write)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        note = pipe.read()
    _, status = os.waitpid(child, 0)
    return _judged(status, note, limit_ms)


def _be_child(
    call: Callable[[], object], origin: Callable[[BaseException], str], limit_ms: int, write: int
) -> None:
    os.dup2(2, 1)  # text that a library prints is no event
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit_memory(_used_memory() + MOST_MEMORY)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, limit_ms / 1000)
    signal.setitimer(signal.ITIMER_REAL, _LONGER_BY_THE_CLOCK * limit_ms / 1000)
    outcome = answered(call, origin)
    if outcome.harm != "memory":
        with suppress(BaseException):
            call()  # once more, so that what was made is destroyed too
    os.write(write, json.dumps(astuple(outcome)).encode())
    sys.stderr.flush()
    os._exit(0)


def _judged(status: int, note: bytes, limit_ms: int) -> Outcome:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in (signal.SIGPROF, signal.SIGALRM):
            reason = f"no end after {limit_ms} ms of processor time, or twice as long"
            return Outcome(False, reason, "hang")
        return Outcome(False, f"killed by signal {number} ({signal.strsignal(number)})", "crash")
    if not note:
        return Outcome(False, f"ended the process with status {os.WEXITSTATUS(status)}", "crash")
    return Outcome(*json.loads(note))


def _used_memory() -> int:
    """The bytes of address space that this process has now."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return MOST_MEMORY
