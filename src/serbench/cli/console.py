"""What goes to standard error while something takes time: announcements and progress with an estimate."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from serbench.files import Loaded
from serbench.text import safe

stderr = Console(stderr=True, highlight=False, emoji=False)


def announce(message: str) -> None:
    """One line on standard error."""
    stderr.print(escape(safe(message)))


def tell_broken(*loaded: Loaded[Any]) -> None:
    """A line for each declaration that could not be loaded; the others are used."""
    for each in loaded:
        for name, error in each.broken.items():
            announce(f"{name} is left out: {error}")


class Steps:
    """A progress bar on a terminal; elsewhere a line now and then."""

    def __init__(self, label: str):
        self._label = label
        self._bar: Progress | None = None
        self._last_tenth = -1

    def __enter__(self) -> Steps:
        if stderr.is_terminal:
            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.fields[label]}"),
                BarColumn(bar_width=20),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.description}"),
                console=stderr,
                transient=True,
            )
            self._task = self._bar.add_task("", total=None, label=self._label)
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()

    def step(self, done: int, total: int, what: str) -> None:
        """``done`` of ``total`` steps are over, and ``what`` is at work."""
        if self._bar:
            self._bar.update(self._task, completed=done, total=total, description=escape(safe(what, lines=False)))
            return
        tenth = 10 * done // max(total, 1)
        if tenth > self._last_tenth:
            self._last_tenth = tenth
            print(f"{self._label} {done}/{total} {safe(what, lines=False)}", file=sys.stderr, flush=True)
