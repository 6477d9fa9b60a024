"""Lets no process outlive what it was started for: neither the runner that started it, nor serbench itself.

Two means, both of Linux; elsewhere there are process groups alone. serbench becomes the parent of orphans
(``PR_SET_CHILD_SUBREAPER`` of prctl(2)), so that what a runner has left can be found and ended, also in
another session. And a second program waits for the end of serbench, see watchdog.py, since who is killed by
SIGKILL cannot end anything any more. Neither runs code between fork and exec, as ``PR_SET_PDEATHSIG`` would
take, which is not inherited by children either.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MARK = "SERBENCH_MARK"
"""In the environment of all that is to end with serbench."""

_PR_SET_CHILD_SUBREAPER = 36

_PASSES, _PAUSE_S = 1000, 0.001
"""An orphan that a second of SIGKILL does not end hangs in the kernel."""

_LEAVING_S = 2.0
"""What a process of a runner has to end by itself when the runner has ended."""

starting = threading.Lock()
"""Held while a runner is started and registered: until then, who ends another one would take it for an
orphan."""

_runners: dict[int, frozenset[int]] = {}
"""Those that have not ended yet, each of which leads a session of its own; with the orphans that were there
before it."""


@dataclass(frozen=True)
class _Watch:
    """The program that waits for the end of this process."""

    owner: int
    mark: str
    process: subprocess.Popen[bytes] | None


_watch: _Watch | None = None


def marked_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a process that is to end with serbench: this one's, or ``environment``, with the
    mark."""
    return {**(os.environ if environment is None else environment), MARK: _watching().mark}


def _watching() -> _Watch:
    """Begins to watch over this process, if nothing does yet."""
    global _watch
    with starting:
        if _watch is None or _watch.owner != os.getpid():
            mark = secrets.token_hex(16)
            _watch = _Watch(os.getpid(), mark, _start_watchdog(mark) if sys.platform == "linux" else None)
        return _watch


def _start_watchdog(mark: str) -> subprocess.Popen[bytes] | None:
    command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("watchdog.py")), f"{MARK}={mark}"]
    with contextlib.suppress(OSError, AttributeError):  # a C library without prctl
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:  # the worst is that something outlives a killed serbench
        return None


def register(runner: int) -> None:
    """Registers this process, which leads a session of its own, so that it is not taken for an orphan."""
    _runners[runner] = frozenset(_orphans_of(runner))


def left_behind(runner: subprocess.Popen[bytes]) -> list[str]:
    """The name and number of each process that a registered runner, which has ended, has left and that does
    not end by itself, as the daemon of a library may when its program is gone. None while other runners live,
    whose they may be."""
    end = time.monotonic() + _LEAVING_S
    while True:
        with starting:
            if _runners.keys() != {runner.pid}:
                return []
            left = sorted(set(_orphans_of(runner.pid)) - _runners[runner.pid])
            for process in left:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(process, os.WNOHANG)
            named = [f"{name} ({process})" for process in left if (name := _name_of(process))]
        if not named or time.monotonic() > end:
            return named
        time.sleep(_PAUSE_S)


def _name_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text(errors="replace").strip()
    except OSError:
        return ""  # it has ended


def end_all(runner: subprocess.Popen[bytes]) -> int:
    """Kills a registered runner and all that it has started and left, in whatever session; returns its
    status. May be called again."""
    with starting:
        if runner.pid in _runners:
            _end_all(runner.pid)
            runner.wait()  # before it is forgotten, or another thread would wait for it as for an orphan
            _runners.pop(runner.pid, None)
    return runner.wait()


def _end_all(runner: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(runner, signal.SIGKILL)
    if hasattr(os, "waitid"):
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, runner, os.WEXITED | os.WNOWAIT)
    for _ in range(_PASSES):
        orphans = _orphans_of(runner)  # their own children come to us when they have ended
        if not orphans:
            break
        for process in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process, os.WNOHANG)
        time.sleep(_PAUSE_S)


def _orphans_of(runner: int) -> list[int]:
    """Children of this process that it has not started: they are in the runner's session, or in one that they
    made themselves. None where such a list is not to be had."""
    watchdog = _watch.process.pid if _watch and _watch.process else 0
    others = {os.getsid(0), watchdog, *_runners} - {runner}
    orphans = []
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for process in map(int, task.read_bytes().split()):
                with contextlib.suppress(ProcessLookupError):
                    if process != runner and os.getsid(process) not in others:
                        orphans.append(process)
    return orphans
