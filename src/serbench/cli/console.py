"""Writes to standard error while something takes time: announcements, and progress with the time left."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self, cast

from rich import progress
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.table import Column

from serbench.report.gathering import gathered
from serbench.system.files import Loaded
from serbench.text import long_time, safe

stderr = Console(stderr=True, highlight=False, emoji=False)


def announce(message: str, *, whole: bool = False) -> None:
    """Prints a message on standard error; a ``whole`` one without breaks at the width of the terminal."""
    stderr.print(escape(safe(message)), soft_wrap=whole)


def tell_loaded(*loaded: Loaded[Any]) -> None:
    """Announces for each folder which of its declarations are used instead of others with the same name, and
    for each declaration that could not be loaded why it is left out."""
    for each in loaded:
        for line in in_place_of_others(each):
            announce(line)
        for name, error in each.broken.items():
            announce(f"{name} is left out: {error}")


def in_place_of_others(loaded: Loaded[Any]) -> list[str]:
    """A line for each folder whose declarations are used instead of others with the same name."""
    by_folder = gathered((loaded.folders[name], name) for name in loaded.passed_over)
    return [
        f"{', '.join(names)}: used from {folder}, instead of others with the same name"
        for folder, names in by_folder.items()
    ]


def like_stderr(width: int, out: io.StringIO) -> Console:
    """A console that writes to ``out`` in the colours of the terminal."""
    return Console(
        file=out,
        width=width,
        force_terminal=True,
        color_system=cast(Any, stderr.color_system),
        no_color=stderr.no_color,
        highlight=False,
        emoji=False,
    )


class ProgressBar(progress.Progress):
    """A progress bar that draws something else above itself."""

    above: RenderableType | None = None

    def get_renderables(self) -> Iterable[RenderableType]:
        if self.above is not None:
            yield self.above
        yield from super().get_renderables()


def progress_bar(*before: progress.ProgressColumn) -> ProgressBar:
    """A progress bar: the columns ``before``, then a label, the bar, its count and the time left, all never
    cut off, and the description of what is being done as far as there is room."""
    return ProgressBar(
        *before,
        progress.TextColumn("{task.fields[label]}", table_column=_whole()),
        progress.BarColumn(bar_width=20, table_column=_whole()),
        progress.MofNCompleteColumn(table_column=_whole()),
        progress.TimeRemainingColumn(table_column=_whole()),
        progress.TextColumn(
            "{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")
        ),
        console=stderr,
        transient=True,
        expand=True,
    )


def _whole() -> Column:
    return Column(no_wrap=True)


class _Telling:
    """Shows progress: with a bar on a terminal, elsewhere with a line for each tenth of the work.

    Args:
        bar: a bar without tasks, to which one is added.
        total: the steps of that task, if they are known from the beginning.
        fields: values for the columns of the bar.
    """

    def __init__(self, bar: progress.Progress, total: float | None = None, **fields: Any):
        self._bar = bar if stderr.is_terminal else None
        self._task = bar.add_task("", total=total, **fields)
        self._last_tenth, self._begun = -1, time.monotonic()

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def _tell(self, tenth: int, line: str) -> None:
        self._last_tenth = tenth
        print(line, file=sys.stderr, flush=True)


class Steps(_Telling):
    """Shows the progress of steps, and how long those that are left take, as far as that is known.

    Args:
        above: shown above the bar on a terminal, for as long as the bar is there.
    """

    LONG_S = 20

    def __init__(self, label: str, above: RenderableType | None = None):
        bar = progress_bar(progress.SpinnerColumn(table_column=_whole()))
        bar.above = above
        super().__init__(bar, label=label)
        self._label, self._last_done = label, 0

    def step(self, done: int, total: int, what: str) -> None:
        """Shows that ``done`` of ``total`` steps are over, and that ``what`` is being done."""
        said = safe(what, lines=False)
        if self._bar:
            self._bar.update(self._task, completed=done, total=total, description=escape(said))
            return
        tenth, begins_anew = 10 * done // max(total, 1), done < self._last_done
        self._last_done = done
        if begins_anew:
            self._begun = time.monotonic()
        if tenth > self._last_tenth or begins_anew:
            self._tell(tenth, f"{self._label} {done}/{total} {said}{self._left(done, total)}")

    def _left(self, done: int, total: int) -> str:
        """Words on how long the steps left take; empty where those before took too little time to tell."""
        taken = time.monotonic() - self._begun
        if not 0 < done < total or taken < self.LONG_S:
            return ""
        return f", about {long_time(taken * (total - done) / done)} more"


class ReadingProgress(_Telling):
    """Shows the progress of reading files; where there is no terminal, only once it takes long.

    Args:
        size: bytes of the files.
        times: how many times they will probably be read; if they are read more often, the total grows.
    """

    LONG_S = 10

    def __init__(self, size: int, times: int):
        self._size, self._total, self._done = max(size, 1), max(size, 1) * times, 0
        bar = progress.Progress(
            progress.SpinnerColumn(),
            progress.TextColumn("reading"),
            progress.BarColumn(bar_width=20),
            progress.TaskProgressColumn(),
            progress.DownloadColumn(),
            progress.TimeRemainingColumn(),
            progress.TextColumn("left"),
            console=stderr,
            transient=True,
        )
        super().__init__(bar, self._total)

    def more(self, count: int) -> None:
        """Adds to the number of bytes read."""
        self._done += count
        while self._done > self._total:
            self._total += self._size
        if self._bar:
            self._bar.update(self._task, completed=self._done, total=self._total)
            return
        tenth = 10 * self._done // self._total
        if tenth > max(self._last_tenth, 0) and (taken := time.monotonic() - self._begun) > self.LONG_S:
            left = taken * (self._total - self._done) / self._done
            self._tell(tenth, f"reading: {tenth}0 % of {self._total / 1e6:,.0f} MB, {left:.0f} s left")


@contextmanager
def running_count(label: str) -> Iterator[Callable[[int], None]]:
    """A function that shows a running count when the total is not known; on a terminal only."""
    if not stderr.is_terminal:
        yield lambda so_far: None
        return
    with stderr.status(label) as status:
        yield lambda so_far: status.update(f"{label}: {so_far:,}")
