"""How the command line ends: every end that a user or the system brings about is one message and a status of
its own.

| status | |
| --- | --- |
| 0 | all that was asked for is done |
| 1 | a codec failed, a regression was found, or the machine is not to be trusted |
| 2 | what was asked for cannot be done |
| 130, 143, 129 | interrupted: by Ctrl-C, SIGTERM, SIGHUP |
| 141 | who read standard output went away |
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

from serbench.command import COMMAND
from serbench.errors import SerbenchError
from serbench.measure.store import Run
from serbench.text import safe

_signal = signal.SIGINT
"""What interrupted last."""


class Interrupted(SerbenchError):
    """The user or the system wants an end; the message says what was kept."""


@contextlib.contextmanager
def kept(run: Run) -> Iterator[None]:
    """Says, where measuring is interrupted or the system refuses something, what was kept and how to go on.

    Raises:
        Interrupted: by Ctrl-C or a signal.
        SerbenchError: the disk is full or the like.
    """
    how = (
        f"what was measured so far is kept: {COMMAND} show {run.id}; to continue: {COMMAND} run --resume "
        f"{run.id}"
    )
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; {how}") from None
    except OSError as error:
        raise SerbenchError(f"{described(error)}; {how}") from error


def described(error: OSError) -> str:
    """What the system refused, of which file, and what may help."""
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
    """Does the work of a command, and ends the process as it came out."""
    for name in ("SIGTERM", "SIGHUP"):
        # What is ignored stays so: nohup asks for it.
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) != signal.SIG_IGN:
            signal.signal(getattr(signal, name), _interrupt)
    if hasattr(signal, "SIGPIPE"):  # who reads only the beginning need not hear of it
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal of another character set gets escapes
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
        except (OSError, ValueError):  # so that the interpreter does not try once more
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(status)


def _outcome(work: Callable[[], object]) -> tuple[int, str]:
    """The status of the process, and what is to be said to the user."""
    try:
        work()
        return 0, ""
    except SystemExit as end:  # the library of the command line ends so, and makes 130 of Ctrl-C
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
    """As Ctrl-C: what runs is ended and what was measured is kept."""
    global _signal
    _signal = signal.Signals(number)
    raise KeyboardInterrupt
