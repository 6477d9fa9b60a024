"""A runner's clock beside ours: who times itself is looked at from outside."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from serbench.errors import RunnerError

SHARE, SLACK_NS = 0.1, 250_000_000
"""What the two may differ by: we hear of the first word and of the last when we get to it, which on a busy machine is late."""


@dataclass
class Clocks:
    """Ours from a runner's first word to its last; the runner's begins right before, when its libraries have been loaded."""

    begun_ns: int = field(default_factory=time.monotonic_ns)

    def compare(self, elapsed_ns: int) -> None:
        """Holds what the runner says to our clock.

        Args:
            elapsed_ns: by the runner's clock, from right before its first word to its last; 0 where it does not tell.

        Raises:
            RunnerError: they differ by more than being late makes.
        """
        ours_ns = time.monotonic_ns() - self.begun_ns
        if elapsed_ns and abs(ours_ns - elapsed_ns) > SHARE * ours_ns + SLACK_NS:
            raise RunnerError(
                f"by its own clock the runner took {elapsed_ns / 1e9:.3f} s, by ours {ours_ns / 1e9:.3f} s: something in it has "
                "replaced the clock"
            )
