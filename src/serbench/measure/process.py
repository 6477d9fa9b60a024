"""Starts runners, pinned and with time limits, and reads the events that they print.

Everything that a runner prints is bounded: the length of a line, how much of standard error is kept, which
events may come and how many, and how long each may take. So neither time nor memory grow with its output.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import subprocess
import sys
import time
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from serbench.errors import RunnerError
from serbench.measure.conversation import Expected
from serbench.measure.patience import Patience, longest_wait, waits_of
from serbench.measure.placement import fresh_copy, path_of
from serbench.measure.said import Done, Error, Event, Hello, parse_event
from serbench.system import alone
from serbench.system.guard import end_all, left_behind, marked_environment, register, starting

SILENCE_LIMIT_S = 60.0
"""The seconds without output after which a runner is taken to hang; time for which it waited for a core does
not count. The largest single step known, preparing the full graph for the slowest codec, takes some 5 s
here."""

LINE_LIMIT = 1 << 20
"""The most bytes of a line, far more than any event has."""

_STDERR_KEPT = 4000
_CHUNK = 1 << 16
_CLASS = re.compile(r"\*?[A-Za-z_$][\w$]*((\.|::)[A-Za-z_$][\w$]*){0,9}", re.ASCII)
_LONGEST_CLASS = 100
_LOOK_S = 0.05
"""The seconds between two checks whether a runner has ended, on a system that does not notify."""

_SHARE, _SLACK_NS = 0.1, 500_000_000
"""How far a runner's reported time may lie outside of the time that we measured, as a share of our time and
in nanoseconds: clocks are steered, and on a busy machine we see the last event late, also where its scheduler
does not tell how long we waited for a core."""


def run_runner(
    command: Sequence[str],
    expected: Expected,
    core: int | Sequence[int] | None = None,
    silence_limit_s: float = SILENCE_LIMIT_S,
    copied: bool = False,
    afterword: type[Event] | None = None,
) -> Generator[Event, None, None]:
    """Run one runner and yield its events as they come, beginning with ``hello`` and without the closing
    ``done``.

    Args:
        expected: the events that may come between ``hello`` and ``done``; only these count as a sign of life,
            so that a runner which prints for ever is ended like one that is silent.
        core: the core on which the runner is to run, or several of them; None for any.
        copied: whether to run a fresh copy of the executable ``command[0]`` (``placement.py``).
        afterword: the type of an event that has to come after ``done``, from the program that started or
            ended the runner.

    Raises:
        RunnerError: the runner crashed, exited with an error, fell silent, printed something unexpected, or
            ended without ``done``, at whatever time. Has the end of its standard error.
    """
    environment = marked_environment()
    try:
        with pinned(core), fresh_copy(command[0]) if copied else contextlib.nullcontext() as copy, starting:
            clocks = Clocks()
            process = _start(command, copy, environment)
            register(process.pid)
    except OSError as error:
        raise RunnerError(f"the runner could not be started: {error}") from error
    with _Output(process, silence_limit_s) as output:
        try:
            yield from _events(output, clocks, expected, afterword)
        except RunnerError as error:
            end_all(process)
            outline = error.outline or str(error)
            # A runner that suspects a cell has said all there is to say.
            said = str(error) if error.by_times else output.with_stderr(str(error))
            raise RunnerError(said, **{**vars(error), "outline": outline}) from error
        finally:
            end_all(process)


def run_to_end(command: Sequence[str], expected: Expected, silence_limit_s: float) -> None:
    """Run one runner as ``run_runner`` does, for a caller who needs none of its events."""
    for _ in run_runner(command, expected, silence_limit_s=silence_limit_s):
        pass


def option_words(**options: object) -> list[str]:
    """Return the words of command-line options, named by the keywords; options whose value is None are left
    out."""
    return [
        word
        for name, value in options.items()
        if value is not None
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]


def measuring_words(
    dataset: object,
    cells: Sequence[str],
    sample_ns: int,
    samples: int,
    place: int,
    edits: str | None = None,
    **further: int | str | None,
) -> list[str]:
    """Return the command ``measure`` with the options that every measuring process gets, so that a codec
    cannot tell a process of a round from one of verification. ``further`` are more options."""
    shown = {"dataset": dataset, "cells": ",".join(cells), "sample_ns": sample_ns, "samples": samples}
    return ["measure", *option_words(**shown, place=place, edits=edits, **further)]


def apart(folder: Path, hidden: Sequence[Path] = ()) -> list[str]:
    """Return the words in front of a command that isolate its process (``system/alone.py``): it can write to
    ``folder`` alone, and the ``hidden`` folders look empty to it."""
    return [sys.executable, "-I", "-S", alone.__file__, str(folder), *map(str, hidden), "--"]


def _start(
    command: Sequence[str], copy: int | None, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a runner, from ``copy`` where there is one and the system lets it be executed."""

    def start(executable: str | None, kept: tuple[int, ...]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            executable=executable,
            pass_fds=kept,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # so that what a runner starts can be ended with it
        )

    if copy is not None:
        with contextlib.suppress(PermissionError):
            return start(path_of(copy), (copy,))
    return start(None, ())


def pinned(core: int | Sequence[int] | None) -> contextlib.AbstractContextManager[None]:
    """While this context lasts, processes that this thread starts run on ``core``, or on these cores."""
    return on_cores((core,) if isinstance(core, int) else core or ())


@contextlib.contextmanager
def on_cores(cores: Collection[int]) -> Iterator[None]:
    """While this context lasts, run this thread and the processes that it starts on ``cores``; where
    ``cores`` is empty, change nothing. A process inherits the cores that are set when it starts."""
    if not cores or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measuring_core() -> int | None:
    """Return the core that runners are pinned to: the last of the allowed ones, since the first handles most
    interrupts."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


@dataclass
class Clocks:
    """Measures a runner's time by our clock, since a runner times itself: from before it is started to its
    last event, and from its first event to its last.

    The runner's own time begins between its start and its first event: when its first libraries have been
    loaded. We see its last event late where other processes keep us from a core, so that time may be missing
    in the runner's.
    """

    started_ns: int = field(default_factory=time.monotonic_ns)
    greeted_ns: int = 0
    waits: Mapping[str, float] = field(default_factory=lambda: waits_of(os.getpid()))

    def greet(self) -> None:
        """Note the time of the first event."""
        self.greeted_ns, self.waits = time.monotonic_ns(), waits_of(os.getpid())

    def compare(self, elapsed_ns: int) -> None:
        """Compare ``elapsed_ns``, the time that a runner reports with its last event (0 for none), to ours;
        raise RunnerError where it is longer than the time since the start, or shorter than since the first
        event."""
        now = time.monotonic_ns()
        least, most = now - self.greeted_ns, now - self.started_ns
        waited = round(longest_wait(self.waits, waits_of(os.getpid())) * 1e9)
        shortest = (least - waited) * (1 - _SHARE) - _SLACK_NS
        if elapsed_ns and not shortest <= elapsed_ns <= most * (1 + _SHARE) + _SLACK_NS:
            raise RunnerError(
                f"the runner reports {elapsed_ns / 1e9:.3f} s by its own clock, but by ours it took "
                f"{least / 1e9:.3f} s from its first event and {most / 1e9:.3f} s from its start: "
                "something in it has replaced the clock"
            )


def _events(
    output: _Output, clocks: Clocks, expected: Expected, afterword: type[Event] | None
) -> Iterator[Event]:
    """Yield the events of a runner; raise RunnerError for an event that is not expected now, and where one is
    missing."""
    greeted = done = ended = False
    for line in output.lines():
        event = parse_event(line)
        if isinstance(event, Error):
            at = expected.at_work() if greeted else "starting"
            raise RunnerError(
                event.message[:_STDERR_KEPT],
                event.suspected,
                outline=f"the runner gave up while {at}{_kind(event)}",
                by_times=bool(event.suspected),
                by=event.by,
            )
        if afterword is not None and isinstance(event, afterword) and not ended:
            ended = True  # also of a runner that failed, which its status tells
        elif done or ended:
            raise RunnerError(f"the runner sent '{event.kind}' after its last event")
        elif isinstance(event, Hello) == greeted:
            raise RunnerError(f"the runner sent '{event.kind}'; expected 'hello' first, and once")
        elif isinstance(event, Done):
            done = True
            clocks.compare(event.elapsed_ns)
            if missing := expected.missing():
                raise RunnerError(f"the runner sent 'done'; expected {missing}")
            continue
        elif not greeted:
            greeted = True
            clocks.greet()
        else:
            expected.take(event)
        yield event
    output.wait()
    left = left_behind(output.process)
    status = end_all(output.process)
    if status < 0:
        raise RunnerError(f"the runner was killed by signal {-status}", signal=-status)
    if status > 0:
        raise RunnerError(f"the runner ended with status {status}")
    if not done:
        raise RunnerError("the runner ended without the event 'done'")
    if left:
        raise RunnerError(f"the runner left processes behind, which were killed: {', '.join(left[:10])}")
    if afterword is not None and not ended:
        raise RunnerError(f"the last event is 'done'; expected '{afterword.__struct_config__.tag}' after it")


def _kind(event: Error) -> str:
    """Return the class of the exception that a runner reports, in parentheses; empty where what it says
    cannot be the name of a class, since it might be a value of the data."""
    return f" ({event.kind})" if len(event.kind) <= _LONGEST_CLASS and _CLASS.fullmatch(event.kind) else ""


class _Output:
    """A runner's output, read as it is written: the lines of standard output, and the end of standard
    error."""

    def __init__(self, process: subprocess.Popen[bytes], silence_limit_s: float):
        assert process.stdout and process.stderr
        self.process = process
        self._patience = Patience(process.pid, silence_limit_s)
        self._begun = bytearray()  # a line that has no end yet
        self._stderr = b""
        self._selector = selectors.DefaultSelector()
        self._stdout_open = True
        for stream in (process.stdout, process.stderr):
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream.fileno(), selectors.EVENT_READ)
        self._exit: int | None = None
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                self._exit = os.pidfd_open(process.pid)
                self._selector.register(self._exit, selectors.EVENT_READ)
        self._exited = False

    def __enter__(self) -> _Output:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        if self._exit is not None:
            os.close(self._exit)

    def lines(self) -> Iterator[bytes]:
        """Yield each line, until the output is closed or the runner has ended; raise RunnerError where a line
        is too long or none comes in time. The time limit starts anew when the caller asks for the next
        line."""
        searched = 0
        self._patience.renew()
        while True:
            end = self._begun.find(b"\n", searched)
            if end >= 0:
                line = bytes(self._begun[:end])
                del self._begun[: end + 1]
                searched = 0
                yield line
                self._patience.renew()
                continue
            searched = len(self._begun)
            if searched > LINE_LIMIT:
                raise RunnerError(
                    f"the runner printed a line of more than {LINE_LIMIT} bytes; "
                    f"it begins with {bytes(self._begun[:40])!r}"
                )
            if not self._stdout_open:
                break
            if self._patience.is_over():
                silence = f"no output for {self._patience.limit_s:g} s; --time-limit waits longer"
                raise RunnerError(f"the runner hung: {silence}", hung=True)
            # All that it said before its end can be read once its end is seen; a child of it may hold the
            # output open.
            if not self._look() and self._exited:
                break
        if self._begun:
            yield bytes(self._begun)

    def wait(self) -> None:
        """Wait until the runner has ended; raise RunnerError where that takes too long."""
        self._patience.renew()
        while not self._exited:
            if self._patience.is_over():
                raise RunnerError("the runner hung: it closed its output but did not exit", hung=True)
            self._look()

    def _look(self) -> bool:
        """Wait until the runner writes something, ends or its time is over, and read what it wrote; return
        whether it wrote to standard output."""
        assert self.process.stdout
        wait_s = 0.0 if self._exited else max(self._patience.deadline - time.monotonic(), 0.0)
        if self._exit is None:
            self._exited = self.process.poll() is not None
            wait_s = min(wait_s, _LOOK_S)
        said = False
        for key, _ in self._selector.select(wait_s):
            if key.fd == self._exit:
                self._exited = True
                self._selector.unregister(key.fd)
                said = True  # look once more for its last words
                continue
            chunk = os.read(key.fd, _CHUNK)
            if not chunk:
                self._selector.unregister(key.fd)
            if key.fd != self.process.stdout.fileno():
                self._stderr = (self._stderr + chunk)[-_STDERR_KEPT:]
            else:
                said = True
                self._begun += chunk
                self._stdout_open = bool(chunk)
        return said

    def with_stderr(self, message: str) -> str:
        """Return the message, followed by the end of what the runner, which has ended, wrote to standard
        error."""
        assert self.process.stderr
        with contextlib.suppress(OSError, ValueError):  # there is no more, or it is closed
            left = os.read(self.process.stderr.fileno(), _CHUNK)
            self._stderr = (self._stderr + left)[-_STDERR_KEPT:]
        said = self._stderr.decode(errors="replace").strip()
        return f"{message}; it printed: {said}" if said and said != message else message
