"""Errors that a user can act on. Each says what was found, what was expected and what to do."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from serbench.text import shortened

LONGEST_FAULT = 600
"""The most characters that an error message shows of one fault. A longer one comes from a damaged file, or
has a name that nobody wrote by hand."""

_MOST_FAULTS = 20
"""How many faults of one schema an error message shows."""


class SerbenchError(Exception):
    """A fault in what the user asked for or in what serbench found; the command line prints it without a
    traceback."""


def in_lines(before: str, after: str, faults: Sequence[str], most: int) -> str:
    """How many faults there are, between the words around it, and the first of them, a line each."""
    count = "1 error" if len(faults) == 1 else f"{len(faults)} errors"
    more = [f"and {len(faults) - most} more"] if len(faults) > most else []
    shown = [*(shortened(fault, LONGEST_FAULT) for fault in faults[:most]), *more]
    return "\n  ".join([f"{before} {count}{after}", *shown])


class SchemaError(SerbenchError):
    """A declaration that is not a valid schema. ``problems`` lists every fault with its record and field; the
    message has the first ones."""

    def __init__(self, schema: str, problems: Sequence[str]):
        self.problems = list(problems)
        super().__init__(in_lines(f"schema {shortened(str(schema), 100)}:", "", problems, _MOST_FAULTS))


class ValueMismatch(SerbenchError):
    """A value that does not fit its declared type."""


class EncodingError(SerbenchError):
    """Bytes that are not the canonical encoding of their type."""


class DatasetError(SerbenchError):
    """A dataset file that is truncated, altered, of another version, or not a dataset file at all; or data
    that cannot be made into one."""


class InputError(SerbenchError):
    """A user's schema or data that cannot be imported; names the file and the place in it."""


class SelectionError(SerbenchError):
    """A name or pattern that selects nothing."""


class FileError(SerbenchError):
    """A file that cannot be read, or that is not (in all its lines) as serbench writes it or expects it from
    a user."""


class SetupError(SerbenchError):
    """Something that serbench needs on the machine is not there and could not be installed."""


class BuildError(SerbenchError):
    """A compiler, generator or build tool ended with an error."""


class RunnerError(SerbenchError):
    """A runner crashed, hung, or did not keep to the protocol.

    Attributes:
        cell: the cell whose fault it is, such as ``decode:reuse``; empty if that is not known.
        signal: the signal that killed it; 0 if none did.
        outline: the message without what the runner printed, which may contain values of the data; empty if
            the message has nothing that it printed.
        hung: whether it gave no answer for too long.
        by_times: whether times alone say so, of ``cell``: then it is no more than a suspicion, until other
            looks agree (``measure/agreement.py``).
    """

    def __init__(
        self,
        message: str,
        cell: str = "",
        signal: int = 0,
        outline: str = "",
        *,
        hung: bool = False,
        by_times: bool = False,
    ):
        super().__init__(message)
        self.cell = cell
        self.signal = signal
        self.outline = outline
        self.hung = hung
        self.by_times = by_times


class StoppedEarly(KeyboardInterrupt):
    """The user or the system interrupted work on many things.

    Attributes:
        results: the results of those things that were done, in their order.
    """

    def __init__(self, results: Sequence[Any]):
        super().__init__()
        self.results = list(results)


def reason_of(error: Exception, is_private: bool) -> str:
    """Why something failed, for journals, tables and files; if the data are private, without what a runner
    printed."""
    if is_private and isinstance(error, RunnerError) and error.outline:
        return f"{error.outline}; its output is not shown, since it may contain values of your data"
    return str(error)


def in_short(reason: str) -> str:
    """A reason as tables show it. Of what a runner said or printed, that is the first line: the others may be
    a stack trace."""
    told, printed, words = reason.partition("; it printed: ")
    if not printed and not told.startswith("not verified: "):
        return reason
    told, words = told.partition("\n")[0], words.partition("\n")[0]
    return f"{told}{printed}{words}" if words else told


def unknown(kind: str, found: str, known: Iterable[str]) -> SelectionError:
    """The error for a name that does not exist, with the nearest names that do."""
    names = sorted(known)
    near = get_close_matches(found, names, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"
    return SelectionError(f"unknown {kind} '{found}'; {hint}")


@contextlib.contextmanager
def loading(file: Path) -> Iterator[None]:
    """Turns whatever a Python file raises while it is loaded into a FileError with the file and the line."""
    try:
        yield
    except SerbenchError as error:
        raise FileError(f"{file}{line_of(file, error)}: {error}") from error
    except (Exception, SystemExit) as error:
        raise FileError(
            f"{file}{line_of(file, error)} cannot be loaded: {type(error).__name__}: {error}"
        ) from error


def line_of(file: Path, error: BaseException) -> str:
    """The line at which a Python file failed when it was run, as ``, line 12``; empty if that is not
    known."""
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        frames.append((error.filename or "", error.lineno))
    lines = [line for name, line in frames if Path(name).resolve() == file.resolve()]
    return f", line {lines[-1]}" if lines else ""
