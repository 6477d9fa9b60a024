"""How the command line ends. If the user or the system ends it, there is one message, and an exit status of
its own.

| status | meaning |
| --- | --- |
| 0 | all that was asked for is done |
| 1 | a codec failed, a regression was found, or the machine is not to be trusted |
| 2 | what was asked for cannot be done |
| 130, 143, 129 | interrupted by Ctrl-C, SIGTERM, SIGHUP |
| 141 | the program that read standard output has ended |
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import NoReturn, TypeVar

from serbench.cluster.pool import Gone
from serbench.errors import SerbenchError, StoppedEarly
from serbench.measure.store import Run
from serbench.report.kept import why_of
from serbench.system.command import COMMAND
from serbench.text import safe

T = TypeVar("T")

_signal = signal.SIGINT
"""The signal that interrupted last."""


class Interrupted(SerbenchError):
    """The user or the system has interrupted a run; the message says what was kept."""


@contextlib.contextmanager
def kept(run: Run) -> Iterator[None]:
    """Adds to the error of an interruption, or of the system, what was kept and how to go on.

    Raises:
        Interrupted: Ctrl-C or a signal came.
        SerbenchError: the disk is full or the like, or the cluster is gone.
    """
    where = " --cluster ADDRESS" if run.manifest.cluster else ""
    command = "why" if why_of(run) else "run"
    how = (
        f"what was measured so far is kept: {COMMAND} show {run.id}; to continue: {COMMAND} {command} "
        f"--resume {run.id}{where}"
    )
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; {how}") from None
    except (OSError, Gone) as error:
        said = described(error) if isinstance(error, OSError) else error
        raise SerbenchError(f"{said}; {how}") from error


def as_far_as_it_goes(work: Callable[[], Iterable[T]], wanted: int) -> tuple[list[T], int]:
    """The results of work until it is interrupted, and how many of the ``wanted`` ones are lacking then."""
    done: list[T] = []
    try:
        for result in work():
            done.append(result)
        return done, 0
    except StoppedEarly as stopped:
        done = stopped.results
    except KeyboardInterrupt:  # the results until then are there
        pass
    return done, wanted - len(done)


def end_shown(failed: bool, lacking: int = 0) -> None:
    """Ends a command whose tables are shown, with status 1 if something failed.

    Raises:
        Interrupted: some results are lacking.
    """
    if lacking:
        raise Interrupted(
            f"interrupted; what was found until then is shown, and {lacking} more were not looked at"
        )
    if failed:
        sys.exit(1)


def described(error: OSError) -> str:
    """An error of the system in words: the file, the refusal, and what may help."""
    if error.filename is None:
        return f"output cannot be written: {error.strerror or error}"
    where = f"{error.filename}: "
    if isinstance(error, FileExistsError | NotADirectoryError):
        return f"{where}found a file, expected a folder"
    said = f"{where}{error.strerror or error}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{said}; free some space, or have serbench write elsewhere with SERBENCH_HOME=FOLDER"
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return f"{said}; to have serbench write elsewhere: SERBENCH_HOME=FOLDER"
    return said


def end_well(work: Callable[[], object]) -> NoReturn:
    """Does the work of a command, and ends the process with the message and status of its outcome."""
    for name in ("SIGTERM", "SIGHUP"):
        # A signal that is ignored stays ignored: nohup asks for that.
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) != signal.SIG_IGN:
            signal.signal(getattr(signal, name), _interrupt)
    if hasattr(signal, "SIGPIPE"):  # no message if the reader of our output stops early
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal with another character set gets escapes
            stream.reconfigure(errors="backslashreplace")
    try:
        status, message = _outcome(work)
        sys.stdout.flush()
    except OSError as error:
        status, message = 2, f"error: {described(error)}"
    if message:
        with contextlib.suppress(OSError, ValueError):
            print(safe(message), file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # the stream is replaced, or the interpreter would flush it once more
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(status)


def _outcome(work: Callable[[], object]) -> tuple[int, str]:
    """The exit status of the process, and the message for the user; empty if there is none."""
    try:
        work()
        return 0, ""
    except SystemExit as end:  # typer ends commands by this, and turns Ctrl-C into 130
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        return (128 + _signal, "interrupted") if status == 130 else (status, "")
    except KeyboardInterrupt:
        return 128 + _signal, "interrupted"
    except Interrupted as end:
        return 128 + _signal, str(end)
    except SerbenchError as error:
        return 2, f"error: {error}"
    except OSError as error:
        return 2, f"error: {described(error)}"


def _interrupt(number: int, _: FrameType | None) -> None:
    """Treats a signal as Ctrl-C: running processes are ended, and what was measured is kept."""
    global _signal
    _signal = signal.Signals(number)
    raise KeyboardInterrupt
