"""Starts runners, pinned and with time limits, and reads the events that they print."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from typing import IO, Any

from serbench.errors import RunnerError
from serbench.measure.placement import fresh_copy, path_of

Event = dict[str, Any]

PROTOCOL = 1
"""The version of docs/protocol.md that runners speak."""

SILENCE_LIMIT_S = 60.0
"""A runner that says nothing for so long hangs: the largest single step known, preparing the full graph for the
slowest codec, takes some 5 s here."""

_STDERR_KEPT = 4000


def run_runner(
    command: Sequence[str], core: int | None = None, silence_limit_s: float = SILENCE_LIMIT_S, copied: bool = False
) -> Iterator[Event]:
    """Runs one runner and yields its events as they come, without the closing ``done``.

    Args:
        copied: run a fresh copy of ``command[0]``, see placement.py.

    Raises:
        RunnerError: it crashed, exited with an error, fell silent, printed something that is no event, or ended without
            ``done``. Holds the end of its standard error.
    """
    with tempfile.TemporaryFile() as stderr:
        try:
            with pinned(core), fresh_copy(command[0]) if copied else contextlib.nullcontext() as copy:
                process = _start(command, stderr, copy)
        except OSError as error:
            raise RunnerError(f"the runner could not be started: {error}") from error
        try:
            yield from _events(process, silence_limit_s)
        except RunnerError as error:
            _end(process)
            raise RunnerError(_with_stderr(str(error), stderr)) from error
        finally:
            _end(process)


def _start(command: Sequence[str], stderr: IO[bytes], copy: int | None) -> subprocess.Popen[bytes]:
    """Starts a runner, from ``copy`` where there is one and the system lets it be executed."""
    if copy is not None:
        with contextlib.suppress(PermissionError):
            return _popen(command, stderr, path_of(copy), (copy,))
    return _popen(command, stderr, None, ())


def _popen(command: Sequence[str], stderr: IO[bytes], executable: str | None, kept: tuple[int, ...]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        executable=executable,
        pass_fds=kept,
        stdout=subprocess.PIPE,
        stderr=stderr,
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # so that what a runner starts can be ended with it
    )


@contextlib.contextmanager
def pinned(core: int | None) -> Iterator[None]:
    """Children started inside run on ``core``; a child inherits the mask it is started with."""
    if core is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measuring_core() -> int | None:
    """The core that runners are pinned to: the last one allowed, since the first handles most interrupts."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def _events(process: subprocess.Popen[bytes], silence_limit_s: float) -> Iterator[Event]:
    lines: queue.Queue[bytes | None] = queue.Queue()
    threading.Thread(target=_read_lines, args=(process, lines), daemon=True).start()
    done = False
    while True:
        try:
            line = lines.get(timeout=silence_limit_s)
        except queue.Empty:
            raise RunnerError(f"the runner hangs: it said nothing for {silence_limit_s:g} s") from None
        if line is None:
            break
        event = _parse(line)
        if event["event"] == "error":
            raise RunnerError(str(event.get("message", "the runner reports an error without a message")))
        if event["event"] == "done":
            done = True
        else:
            yield event
    try:
        status = process.wait(timeout=silence_limit_s)
    except subprocess.TimeoutExpired:
        raise RunnerError("the runner hangs: it closed its output and did not end") from None
    if status < 0:
        raise RunnerError(f"the runner was killed by signal {-status}")
    if status > 0:
        raise RunnerError(f"the runner ended with status {status}")
    if not done:
        raise RunnerError("the runner ended without the event 'done'")


def _read_lines(process: subprocess.Popen[bytes], lines: queue.Queue[bytes | None]) -> None:
    assert process.stdout
    with process.stdout as stdout:
        for line in stdout:
            lines.put(line)
    lines.put(None)


def _parse(line: bytes) -> Event:
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        shown = line[:80].decode(errors="replace").rstrip()
        raise RunnerError(f"the runner printed {shown!r}; expected one JSON object with 'event' a line")
    return event


def _with_stderr(message: str, stderr: Any) -> str:
    stderr.seek(0)
    said = stderr.read().decode(errors="replace").strip()
    if not said or said == message:
        return message
    return f"{message}; it printed: {said[-_STDERR_KEPT:]}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kills the runner and whatever it started; a child that lives on would hold the pipe that its output is read from."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
