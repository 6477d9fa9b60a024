"""Compares a runner's clock with ours, since a runner times itself."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from serbench.errors import RunnerError

SHARE, SLACK_NS = 0.1, 500_000_000
"""What a runner's time may lie outside of ours: clocks are steered, and on a busy machine we hear of the last
word late."""


@dataclass
class Clocks:
    """Ours from before a runner is started, and from its first word, to its last.

    The runner's begins in between: when its libraries have been loaded and before it has said a word, for
    which a runner may load more of them.
    """

    started_ns: int = field(default_factory=time.monotonic_ns)
    greeted_ns: int = 0

    def greet(self) -> None:
        """The first word has come."""
        self.greeted_ns = time.monotonic_ns()

    def compare(self, elapsed_ns: int) -> None:
        """Holds what the runner says with its last word to our clock.

        Args:
            elapsed_ns: by the runner's clock, from before its first word to its last; 0 where it does not
                tell.

        Raises:
            RunnerError: it took longer than since it was started, or less long than since its first word.
        """
        now = time.monotonic_ns()
        least, most = now - self.greeted_ns, now - self.started_ns
        if elapsed_ns and not least * (1 - SHARE) - SLACK_NS <= elapsed_ns <= most * (1 + SHARE) + SLACK_NS:
            raise RunnerError(
                f"the runner reports {elapsed_ns / 1e9:.3f} s by its own clock, but by ours it took "
                f"{least / 1e9:.3f} s from its first event and {most / 1e9:.3f} s from its start: "
                "something in it has replaced the clock"
            )
