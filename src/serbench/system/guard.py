"""Ends every process that outlives what it was started for: the runner that started it, or serbench itself.

On Linux there are two means for that; elsewhere there are only process groups. First, serbench becomes the
parent of orphans (``PR_SET_CHILD_SUBREAPER`` of prctl(2)), so processes that a runner leaves behind can be
found and ended, even in another session. Second, another program waits until serbench has ended
(watchdog.py), since a serbench that is killed by SIGKILL cannot end anything any more. Neither needs code to
run between fork and exec, as ``PR_SET_PDEATHSIG`` would; and that is not inherited by children either.
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
"""The environment variable that marks all processes which are to end with serbench."""

_PR_SET_CHILD_SUBREAPER = 36

_PASSES, _PAUSE_S = 1000, 0.001
"""How often orphans are killed, and the seconds in between. An orphan that survives a second of SIGKILL hangs
in the kernel."""

_LEAVING_S = 2.0
"""The seconds in which processes that a runner has started may end by themselves after the runner has
ended."""

starting = threading.Lock()
"""The lock that is held while a runner is started and registered: without it, a thread that ends another
runner would take the new one for an orphan."""

_runners: dict[int, frozenset[int]] = {}
"""Each runner that has not ended yet, the leader of its own session → the orphans that existed before it."""


@dataclass(frozen=True)
class _Watch:
    """The watchdog: the program that waits until this process has ended.

    Attributes:
        owner: the process that it watches.
        mark: the value of the environment variable ``MARK`` in the processes that it will end.
        process: the watchdog's process; None if it could not be started, or the system is not Linux.
    """

    owner: int
    mark: str
    process: subprocess.Popen[bytes] | None


_watch: _Watch | None = None


def marked_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for a process that is to end with serbench: this process's own or
    ``environment``, with the mark."""
    return {**(os.environ if environment is None else environment), MARK: _watching().mark}


def _watching() -> _Watch:
    """Return the watchdog of this process; start it if there is none yet."""
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
    """Register a runner, which leads its own session, so that it is not taken for an orphan."""
    _runners[runner] = frozenset(_orphans_of(runner))


def left_behind(runner: subprocess.Popen[bytes]) -> list[str]:
    """Return the processes that a registered runner, which has ended, has left behind and that do not end by
    themselves, each as ``name (number)``.

    They get ``_LEAVING_S`` to end, since the daemon of a library may do so when its program is gone. The list
    is empty while other runners live, since the processes may be theirs.
    """
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
    """Kill a registered runner and all processes that it has started or left behind, in any session, and
    return the runner's exit status. May be called again."""
    with starting:
        if runner.pid in _runners:
            _end_all(runner.pid)
            runner.wait()  # while it is registered: else another thread might wait for it as for an orphan
            _runners.pop(runner.pid, None)
    return runner.wait()


def _end_all(runner: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(runner, signal.SIGKILL)
    if hasattr(os, "waitid"):
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, runner, os.WEXITED | os.WNOWAIT)
    for _ in range(_PASSES):
        orphans = _orphans_of(runner)  # when one has ended, its own children become ours
        if not orphans:
            break
        for process in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process, os.WNOHANG)
        time.sleep(_PAUSE_S)


def _orphans_of(runner: int) -> list[int]:
    """Return the children of this process that it did not start itself: they are in the runner's session, or
    in one that they have made themselves. Empty if the system offers no list of children."""
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
