"""A first look at sizes while programs are built: on a terminal a table that grows, else a line per codec."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Lock

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from serbench.cli.console import like_stderr, stderr
from serbench.codecs.codec import Variant
from serbench.measure.unit import Unit
from serbench.report.screenful import Screen, screenful
from serbench.report.sizes_table import Sized, size_in_words, sizes_table
from serbench.text import safe

_BAR = 3
"""The lines of a terminal that are kept for the progress bar and messages below the table."""

_WHOLE = 1_000_000


class FirstLook:
    """Shows the size of each codec on standard error as soon as it is known, but not of unasked floors."""

    def __init__(self, is_beside: Callable[[Variant], bool] = lambda _: False) -> None:
        self._is_beside = is_beside
        self._known: dict[str, tuple[int, list[Sized]]] = {}
        self._lock = Lock()
        self._drawn: tuple[object, Text] = (None, Text())

    def add(self, unit: Unit, size_bytes: int) -> None:
        """Adds the size of all messages of a unit to the table; may be called from any thread."""
        if self._is_beside(unit.variant):
            return
        sized = Sized(unit.name, size_bytes, not unit.variant.codec.competes)
        messages = unit.data.messages
        with self._lock:
            known = self._known.setdefault(unit.spec.id, (messages, []))[1]
            known.append(sized)
            if not stderr.is_terminal:
                line = safe(size_in_words(messages, sized, known), lines=False)
                print(f"first look: {line}", file=sys.stderr, flush=True)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draws as much of the table as there is room for above the progress bar."""
        if self._known:
            yield self._lines(options.max_width, max(console.size.height - _BAR, 1))

    def leave(self) -> None:
        """Leaves the whole table on the terminal, above what follows."""
        if self._known and stderr.is_terminal:
            stderr.print(self._lines(stderr.width, _WHOLE))

    def _lines(self, width: int, height: int) -> Text:
        """The table as lines, made anew only after a change, since a bar is drawn ten times a second."""
        with self._lock:
            state = (width, height, sum(len(known) for _, known in self._known.values()))
            if self._drawn[0] != state:
                tables = [sizes_table(name, *known) for name, known in self._known.items()]
                lines = screenful(tables, Screen(width, height, like_stderr))
                self._drawn = (state, Text.from_ansi("\n".join(lines), no_wrap=True))
            return self._drawn[1]
