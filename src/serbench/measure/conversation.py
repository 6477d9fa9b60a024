"""The events that a runner may print in answer to a command, and how many of them, so that it cannot go on
forever."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from serbench.errors import RunnerError
from serbench.measure.said import Compressed, Event, Failed, SampleSaid, WireSampleSaid


class Expected(Protocol):
    """Receives a runner's events between ``hello`` and ``done``, refusing those that may not come."""

    def take(self, event: Event) -> None:
        """Accept the next event; raise RunnerError where it may not come now."""

    def missing(self) -> str:
        """Return the next event that is still to come, for a message; empty if none is."""

    def at_work(self) -> str:
        """Return what the runner is doing until its next event, as the end of the phrase ``it gave up
        while``."""
        return f"taking {self.missing()}" if self.missing() else "ending"


_WORK = {
    "called": "timing single calls",
    "checked": "checking within a process",
    "encoded": "encoding",
    "decoded": "decoding",
    "probed": "probing",
    "relayed": "relaying",
    "updated": "changing values",
}
"""Kind of the next event → what the runner is doing until then, in words."""


class Answers:
    """Accepts one event for each command, of the given kinds in this order, and no other event."""

    def __init__(self, *kinds: str):
        self._left = list(kinds)

    def take(self, event: Event) -> None:
        if not self._left or event.kind != self._left[0]:
            raise RunnerError(f"the runner sent '{event.kind}'; expected {self.missing() or 'done'}")
        self._left.pop(0)

    def missing(self) -> str:
        return f"'{self._left[0]}'" if self._left else ""

    def at_work(self) -> str:
        return _WORK.get(self._left[0], f"working towards '{self._left[0]}'") if self._left else "ending"


class Samples(Expected):
    """Accepts a fixed number of samples of each cell, in the order requested, and no other event."""

    def __init__(self, cells: Sequence[str], samples: int):
        self.cells = list(cells)
        self.samples = samples
        self.finished: list[str] = []
        self._taken = 0

    def take(self, event: Event) -> None:
        if not isinstance(event, SampleSaid):
            raise RunnerError(f"the runner sent '{event.kind}'; expected {self.missing() or 'done'}")
        if event.cell not in self.cells:
            raise RunnerError(f"the runner sent a sample of {event.cell}, which was not requested")
        if event.cell in self.finished:
            raise RunnerError(
                f"the runner sent more samples of {event.cell} than the {self.samples} requested",
                cell=event.cell,
            )
        expected = self.cells[len(self.finished)]
        if event.cell != expected:
            raise RunnerError(
                f"the runner sent a sample of {event.cell}; expected {self.missing()}", cell=expected
            )
        self._taken += 1
        if self._taken == self.samples:
            self.finished.append(expected)
            self._taken = 0

    def missing(self) -> str:
        if len(self.finished) == len(self.cells):
            return ""
        return f"sample {self._taken + 1} of {self.samples} of {self.cells[len(self.finished)]}"


class WireSamples(Expected):
    """Accepts only, for each compressor, ``compressed`` or ``failed``, and after ``compressed`` between one
    and ``samples`` samples of each cell; one is enough if a pass takes long."""

    def __init__(self, cells: Sequence[str], samples: int):
        self._left = dict.fromkeys(cells, samples)
        self._known: set[str] = set()
        self._begun: set[str] = set()

    def take(self, event: Event) -> None:
        if isinstance(event, WireSampleSaid):
            if event.compressor not in self._known or self._left.get(event.cell, 0) < 1:
                raise RunnerError(f"found an unexpected sample of {event.cell}")
            self._left[event.cell] -= 1
            self._begun.add(event.cell)
        elif isinstance(event, Compressed | Failed):
            own = [cell for cell in self._left if cell.partition(":")[0] == event.compressor]
            if event.compressor in self._known or not own:
                raise RunnerError(f"found an unexpected '{event.kind}' of {event.compressor}")
            self._known.add(event.compressor)
            if isinstance(event, Failed):
                for cell in own:
                    del self._left[cell]
        else:
            raise RunnerError(
                f"the process sent '{event.kind}'; expected a sample or the result of a compressor"
            )

    def missing(self) -> str:
        left = [cell for cell in self._left if cell not in self._begun]
        return f"samples of {left[0]}" if left else ""
