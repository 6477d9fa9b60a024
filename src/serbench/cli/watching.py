"""``run --watch``: show the table of a run on the terminal while it is measured.

The table is drawn between two processes, by the thread that starts them, and so never while a sample is
timed. It is what ``show`` would print now: the same rows, ranks and verdict, made from the samples so far.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Collection

from rich.markup import escape

from serbench.cli.console import announce, like_stderr, progress_bar, stderr
from serbench.cli.printing import Shown
from serbench.measure.store import Run
from serbench.measure.taken import Taken
from serbench.report.rows import rows_of
from serbench.report.screenful import Screen, screenful
from serbench.report.tables import times_of
from serbench.selecting.suite import Suite
from serbench.text import safe

LEAST_S = 0.5
"""The fewest seconds between two drawings."""

SHARE = 0.05
"""The share of the time that drawing may take: a longer table is drawn less often."""

_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"
_CUT, _WRAP = "\x1b[?7l", "\x1b[?7h"  # cut off, or wrap, lines that are too long for the terminal
_CLEAR, _ERASE_LINE, _ERASE_BELOW = "\x1b[2J\x1b[H", "\x1b[K", "\x1b[J"


def can_watch(metrics: Collection[str]) -> bool:
    """Whether there is a terminal to draw on and times to show; announces what is missing."""
    if not (sys.stdout.isatty() and stderr.is_terminal) or os.environ.get("TERM") == "dumb":
        announce("--watch is ignored without a terminal; the table is printed when the run ends")
    elif "time" not in metrics:
        announce("--watch is ignored, since it shows times and none are measured")
    else:
        return True
    return False


class Watch:
    """Draws the table of a run and a bar in the same place; an interruption leaves them as they are.

    Args:
        taken: the samples so far; they grow while the run is measured.
        suite: the suite of the run; None if it has none.
        view: how the table will be shown when the run has ended.
    """

    def __init__(self, run: Run, taken: Taken, suite: Suite | None, view: Shown):
        self._run, self._taken, self._suite, self._view = run, taken, suite, view
        self._bar = progress_bar()
        self._task = self._bar.add_task("", total=None, label="measuring")
        self._size: os.terminal_size | None = None
        self._lines = 0
        self._next = 0.0

    def __enter__(self) -> Watch:
        sys.stderr.write(_HIDE)
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if isinstance(error, KeyboardInterrupt):
                self._draw()
            sys.stderr.write("\n" if error else self._upwards() + _ERASE_BELOW)
        finally:
            sys.stderr.write(_SHOW)
            sys.stderr.flush()

    def step(self, done: int, total: int, what: str) -> None:
        """Shows that ``done`` of ``total`` processes are over, and that ``what`` is next."""
        self._bar.update(self._task, completed=done, total=total, description=escape(safe(what, lines=False)))
        if time.monotonic() >= self._next:
            begun = time.process_time()
            self._draw()
            self._next = time.monotonic() + max(LEAST_S, (time.process_time() - begun) / SHARE)

    def _draw(self) -> None:
        size = os.get_terminal_size(sys.stderr.fileno())
        lines = self.lines(size)
        # If the width has changed, the terminal has wrapped the old lines anew: nobody knows how many they
        # are.
        begin = self._upwards() if self._size in (None, size) else _CLEAR
        self._size, self._lines = size, len(lines)
        *first, last = lines
        drawn = "".join(f"{_ERASE_LINE}{line}\n" for line in first)
        # The rest is erased before the last line is drawn: afterwards the cursor may be on its last column.
        sys.stderr.write(begin + _CUT + drawn + _ERASE_BELOW + last + _WRAP)
        sys.stderr.flush()

    def _upwards(self) -> str:
        """The characters that move the cursor to the beginning of the first line that was drawn."""
        return f"\r\x1b[{self._lines - 1}A" if self._lines > 1 else "\r"

    def lines(self, size: os.terminal_size) -> list[str]:
        """The lines to draw on a terminal of this size: the table, an empty line and the bar."""
        now = self._run.so_far(self._taken)
        rows = rows_of(now, self._view.relative_to)
        tables = times_of(now, rows, self._suite, self._view.published, self._view.relative_to, size.columns)
        out = io.StringIO()
        like_stderr(size.columns, out).print(self._bar.get_renderable(), end="")
        shown = screenful(tables, Screen(size.columns, max(size.lines - 2, 1), like_stderr))
        return [*shown, "", out.getvalue().rstrip("\n")]
