"""Keeps runs of serbench from disturbing each other. Every lock is held by the system, so it ends with its
process, however that ends."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from serbench.errors import SerbenchError
from serbench.system.command import words_to_keep

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

_held: dict[str, IO[bytes] | socket.socket] = {}
"""Locked files and bound sockets, which stay open until this process ends."""

CORE = "serbench-core-"
"""The beginning of the name of a core's lock, which all processes of the machine share; the core's number
follows."""

_LOOK_S = 1.0


def wait_for_home(home: Path, announce: Callable[[str], None]) -> None:
    """Wait until no other process builds or measures in ``home``, and keep others from doing so until this
    process ends: no other process may rebuild what is being measured, and builds would disturb a measurement.
    Raise OSError where the folder cannot be written."""
    path = str(home / "lock")
    if fcntl is not None and path not in _held:
        _held[path] = _waited_for(home, announce, shared=False)


@contextlib.contextmanager
def using_home(home: Path, announce: Callable[[str], None], shared: bool = False) -> Iterator[None]:
    """Wait as ``wait_for_home`` does, and keep others out only while this context lasts. Processes that all
    ask for a ``shared`` home may use it at the same time: they measure what is built, each on its own
    core."""
    if fcntl is None or str(home / "lock") in _held:
        yield
        return
    with _waited_for(home, announce, shared):
        yield


@contextlib.contextmanager
def holding(path: Path) -> Iterator[None]:
    """Wait until no other process holds the lock of a file, and hold it while this context lasts."""
    with path.open("a+b") as file:
        if fcntl is not None:
            with contextlib.suppress(OSError):  # some network file systems have no locks
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _waited_for(home: Path, announce: Callable[[str], None], shared: bool) -> IO[bytes]:
    """Wait for the lock of a folder, and return the file that is locked; closing it ends the lock."""
    home.mkdir(parents=True, exist_ok=True)
    file = (home / "lock").open("a+b")
    if not lock(file, shared):
        file.seek(0)
        who = file.read(200).decode(errors="replace").strip() or "another process"
        announce(f"waiting for {who}, which is using {home}; to work in another folder: SERBENCH_HOME=FOLDER")
        fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    file.truncate(0)
    words = " ".join(words_to_keep(sys.argv[1:]))
    file.write(f"process {os.getpid()} (serbench {words})"[:200].encode(errors="replace"))
    file.flush()
    return file


def lock(file: IO[bytes], shared: bool = False) -> bool:
    """Lock an open file until it is closed; return False where another process has locked it. Several
    processes that ask for a ``shared`` lock may hold it at the same time."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        # Some network file systems have no locks.
    return True


def claim_core(wanted: int | None, fixed: bool, announce: Callable[[str], None]) -> int | None:
    """Claim a core on which no other serbench measures, until this process ends, and return it: ``wanted`` if
    that is free. Wait while there is none; raise SerbenchError where this process may not use ``wanted``.

    Args:
        wanted: None if processes cannot be pinned; then no core is claimed.
        fixed: whether to wait for ``wanted`` rather than take another core.
    """
    if wanted is None or sys.platform != "linux":
        return wanted
    allowed = sorted(os.sched_getaffinity(0), reverse=True)
    if wanted not in allowed:
        raise SerbenchError(
            f"core {wanted} is not among the allowed ones: {', '.join(map(str, sorted(allowed)))}"
        )
    choice = [wanted] if fixed else [wanted, *(core for core in allowed if core != wanted)]
    told = False
    while True:
        for core in choice:
            if _claim(core):
                if core != wanted:
                    announce(f"another serbench is measuring on core {wanted}; using core {core} instead")
                return core
        if not told:
            cores = (
                f"core {wanted}" if len(choice) == 1 else f"each of the cores {', '.join(map(str, choice))}"
            )
            announce(f"waiting: another serbench is measuring on {cores}")
            told = True
        time.sleep(_LOOK_S)


@contextlib.contextmanager
def using_core(core: int | None) -> Iterator[None]:
    """Claim a core as ``claim_core`` with ``fixed`` does, but only while this context lasts, and without an
    announcement."""
    if core is None or sys.platform != "linux" or _name_of(core) in _held:
        yield
        return
    while not _claim(core):
        time.sleep(_LOOK_S)
    try:
        yield
    finally:
        _held.pop(_name_of(core)).close()


def _name_of(core: int) -> str:
    return f"\0{CORE}{core}"


def _claim(core: int) -> bool:
    """Claim a core; return False if another process has claimed it.

    The claim is a name that the kernel gives to one process at a time: an abstract socket (unix(7)), which
    needs no folder and no rights, and is gone with the process.
    """
    name = _name_of(core)
    if name in _held:
        return True
    with contextlib.ExitStack() as stack:
        claim = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        try:
            claim.bind(name)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
        stack.pop_all()
        _held[name] = claim
    return True
