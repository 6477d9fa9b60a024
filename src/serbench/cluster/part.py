"""The part of a run that one machine of a cluster measures, and the progress of all parts."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from serbench.cluster.kinds import ClusterMachine
from serbench.measure.plan import Plan
from serbench.measure.run import Outcome, Progress
from serbench.measure.store import Run
from serbench.measure.taken import Taken


@dataclass
class MachinePart:
    """The part of a run that one machine measures, with its samples so far.

    Attributes:
        outcome: the result of carrying out its plan; None until that has reached its end.
        reason: why the plan did not reach its end; empty if it did.
    """

    member: ClusterMachine
    run: Run
    plan: Plan
    taken: Taken
    outcome: Outcome | None = None
    reason: str = ""


@dataclass
class Together:
    """Adds up the progress of all machines."""

    progress: Progress
    _parts: dict[str, tuple[int, int]] = field(default_factory=dict)
    _done: int = 0
    _total: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str, done: int, total: int, what: str) -> None:
        with self._lock:
            before = self._parts.get(name, (0, 0))
            self._parts[name] = (done, total)
            self._done += done - before[0]
            self._total += total - before[1]
            self.progress.step(self._done, self._total, f"{name}: {what}")


@dataclass(frozen=True)
class OfPart:
    """Receives the progress of one machine, and adds it to that of all."""

    together: Together
    name: str

    def step(self, done: int, total: int, what: str) -> None:
        self.together.add(self.name, done, total, what)
