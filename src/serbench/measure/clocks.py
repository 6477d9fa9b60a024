"""Compares a runner's clock with ours, since a runner times itself."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from serbench.errors import RunnerError

SHARE, SLACK_NS = 0.1, 500_000_000
"""How far a runner's time may lie outside of ours, as a share of it and in nanoseconds: clocks are steered,
and on a busy machine we hear the last word late."""


@dataclass
class Clocks:
    """Times a runner by our clock: from before it is started to its last word, and from its first word to its
    last.

    The runner's own time begins between the two: when its libraries have been loaded, and before its first
    word, for which it may load more of them.
    """

    started_ns: int = field(default_factory=time.monotonic_ns)
    greeted_ns: int = 0

    def greet(self) -> None:
        """Notes the time of the first word."""
        self.greeted_ns = time.monotonic_ns()

    def compare(self, elapsed_ns: int) -> None:
        """Compares the time that a runner reports with its last word to ours.

        Args:
            elapsed_ns: the time from before the runner's first word to its last by its own clock; 0 if it
                does not tell.

        Raises:
            RunnerError: the runner reports more time than since it was started, or less than since its first
                word.
        """
        now = time.monotonic_ns()
        least, most = now - self.greeted_ns, now - self.started_ns
        if elapsed_ns and not least * (1 - SHARE) - SLACK_NS <= elapsed_ns <= most * (1 + SHARE) + SLACK_NS:
            raise RunnerError(
                f"the runner reports {elapsed_ns / 1e9:.3f} s by its own clock, but by ours it took "
                f"{least / 1e9:.3f} s from its first event and {most / 1e9:.3f} s from its start: "
                "something in it has replaced the clock"
            )
