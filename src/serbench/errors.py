"""Errors that a user can act on: each message says what was found, what was expected and what to do."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from serbench.text import shortened

LONGEST_FAULT = 600
"""The most characters that an error message shows of one fault. A longer fault comes from a damaged file, or
has a name that nobody wrote by hand."""

_MOST_FAULTS = 20
"""The most faults of one schema that an error message shows."""


By = Literal["library", "adapter", ""]
"""Whose code raised an error: that of the codec's library, with what its compiler generates; or that of the
adapter, with glue, domain types and the runner; empty where nobody can tell."""


class SerbenchError(Exception):
    """The base of all errors whose message the command line prints without a traceback: a fault in what the
    user asked for, or in what serbench found."""


def in_lines(before: str, after: str, faults: Sequence[str], most: int) -> str:
    """Return an error message that counts its faults and lists the first ``most`` of them, a line each;
    ``before`` and ``after`` are the words around the count."""
    count = "1 error" if len(faults) == 1 else f"{len(faults)} errors"
    more = [f"and {len(faults) - most} more"] if len(faults) > most else []
    shown = [*(shortened(fault, LONGEST_FAULT) for fault in faults[:most]), *more]
    return "\n  ".join([f"{before} {count}{after}", *shown])


class SchemaError(SerbenchError):
    """The error of a declaration that is not a valid schema. ``problems`` lists every fault with its record
    and field; the message shows the first ones."""

    def __init__(self, schema: str, problems: Sequence[str]):
        self.problems = list(problems)
        super().__init__(in_lines(f"schema {shortened(str(schema), 100)}:", "", problems, _MOST_FAULTS))


class ValueMismatch(SerbenchError):
    """The error of a value that does not fit its declared type."""


class EncodingError(SerbenchError):
    """The error of bytes that are not the canonical encoding of a value of their type."""


class DatasetError(SerbenchError):
    """The error of a dataset file that is truncated, altered, of another version or not a dataset file at
    all, and of data that cannot be written as one."""


class InputError(SerbenchError):
    """The error of a user's schema or data that cannot be imported; it names the file and the place in the
    file."""


class SelectionError(SerbenchError):
    """The error of a name or pattern that selects nothing, or of options that contradict each other."""


class FileError(SerbenchError):
    """The error of a file that cannot be read, or whose content is not as serbench writes it or expects it
    from a user."""


class SetupError(SerbenchError):
    """The error of a program or library that serbench needs, that the machine lacks and that could not be
    installed."""


class BuildError(SerbenchError):
    """The error of a compiler, generator or build tool that ended with an error."""


class RunnerError(SerbenchError):
    """The error of a runner (the program that measures a codec) that crashed, hung, or did not keep to the
    protocol.

    Attributes:
        cell: the cell that is at fault, such as ``decode:reuse``; empty if that is not known.
        signal: the signal that killed the runner; 0 if none did.
        outline: the message without the runner's output, which may contain values of the data; empty if the
            message holds no such output.
        hung: whether the runner gave no answer for too long.
        by_times: whether the only evidence against ``cell`` is how long it took: then it is only suspected,
            until other measurements agree (``measure/agreement.py``).
        by: whose code raised the error that the runner reports, ``library`` or ``adapter``; empty if that is
            not known.
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
        by: By = "",
    ):
        super().__init__(message)
        self.cell = cell
        self.signal = signal
        self.outline = outline
        self.hung = hung
        self.by_times = by_times
        self.by = by


class StoppedEarly(KeyboardInterrupt):
    """Raised where the user or the system interrupts work on many things.

    Attributes:
        results: the results of the things that were finished, in order.
    """

    def __init__(self, results: Sequence[Any]):
        super().__init__()
        self.results = list(results)


def reason_of(error: Exception, is_private: bool) -> str:
    """Return an error's message for journals, tables and files; where the data are private, without what a
    runner printed."""
    if is_private and isinstance(error, RunnerError) and error.outline:
        return f"{error.outline}; its output is not shown, since it may contain values of your data"
    return str(error)


def in_short(reason: str) -> str:
    """Return a reason of failure as tables show it: of a runner's message or output only the first line,
    since the other lines may be a stack trace."""
    told, printed, words = reason.partition("; it printed: ")
    if not printed and not told.startswith("not verified: "):
        return reason
    told, words = told.partition("\n")[0], words.partition("\n")[0]
    return f"{told}{printed}{words}" if words else told


def unknown(kind: str, found: str, known: Iterable[str]) -> SelectionError:
    """Return the error for a name that does not exist; it suggests the most similar names that do."""
    names = sorted(known)
    near = get_close_matches(found, names, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"
    return SelectionError(f"unknown {kind} '{found}'; {hint}")


@contextlib.contextmanager
def loading(file: Path) -> Iterator[None]:
    """While this context lasts, turn whatever a Python file raises while it is loaded into a FileError that
    names the file and the line."""
    try:
        yield
    except SerbenchError as error:
        raise FileError(f"{file}{line_of(file, error)}: {error}") from error
    except (Exception, SystemExit) as error:
        raise FileError(
            f"{file}{line_of(file, error)} cannot be loaded: {type(error).__name__}: {error}"
        ) from error


def line_of(file: Path, error: BaseException) -> str:
    """Return the line at which a Python file failed when it was run, as ``, line 12``; empty if the traceback
    does not have it."""
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        frames.append((error.filename or "", error.lineno))
    lines = [line for name, line in frames if Path(name).resolve() == file.resolve()]
    return f", line {lines[-1]}" if lines else ""
