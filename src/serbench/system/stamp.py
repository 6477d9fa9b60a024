"""Stamps: files that record for which state of its inputs a step was done, so that it is not repeated."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from serbench.system.whole import write_atomically

ASK_AGAIN_S = 600
"""The seconds after which a package manager is asked again for what it could not get: a network may be back,
or somebody may have installed it."""


def sha256_of(*parts: str | bytes) -> str:
    """Return the digest of texts and bytes, which also depends on where each of them ends."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(b"%d\n" % len(data) + data)
    return digest.hexdigest()


def contents(folder: Path, files: Iterable[Path]) -> Iterator[str | bytes]:
    """Yield, for a digest, each file's name below ``folder`` and its bytes, in the order of their paths."""
    for path in sorted(files):
        yield str(path.relative_to(folder))
        yield path.read_bytes()


@dataclass(frozen=True)
class Stamp:
    """A file that records for which state of its inputs a step was last done.

    It is removed before the step begins and written once the step has succeeded. So a step is done again when
    its inputs have changed, when it has failed, and when it was interrupted.

    Attributes:
        state: the digest of everything on which the step depends.
        made: a file that the step makes; where it is missing, the step was not done.
    """

    path: Path
    state: str
    made: Path | None = None

    def holds(self) -> bool:
        """Whether the step was done for this state."""
        if self.made and not self.made.exists():
            return False
        return self.path.exists() and self.path.read_bytes() == self.state.encode()

    def clear(self) -> None:
        """Record that the step is not done."""
        self.path.unlink(missing_ok=True)

    def set(self) -> None:
        """Record that the step is done."""
        write_atomically(self.path, self.state)

    def once(self, step: Callable[[], str], keeps_failure: bool = False) -> str:
        """Do a step unless it was done for this state; return why it failed, or an empty text, as ``step``
        does. With ``keeps_failure``, a step that failed for this state is not repeated for
        ``ASK_AGAIN_S``."""
        if self.holds():
            return ""
        if keeps_failure and (said := self.failure()):
            return said
        self.clear()
        if said := step():
            if keeps_failure:
                write_atomically(self._failed, f"{self.state}\n{said}")
            return said
        self.set()
        return ""

    def failure(self) -> str:
        """Return why the step failed for this state, if that was at most ``ASK_AGAIN_S`` ago; else an empty
        text."""
        if not (self._failed.exists() and time.time() - self._failed.stat().st_mtime < ASK_AGAIN_S):
            return ""
        state, _, said = self._failed.read_text(errors="replace").partition("\n")
        return said if state == self.state else ""

    @property
    def _failed(self) -> Path:
        return self.path.with_name(f"{self.path.name}.failed")
