"""Samples for tests of adapters that cheat: the rounds of a run."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.test_pipeline import Quiet, make_run

from serbench.measure.plan import Plan, Task
from serbench.measure.run import execute
from serbench.measure.store import Journal
from serbench.measure.unit import Unit
from serbench.selecting.selection import Operation

SAMPLES = 4
SAMPLE_NS = 20_000_000


def refusals(unit: Unit, operations: Sequence[Operation], rounds: int = 1, **further: Any) -> list[str]:
    """Measures a verified unit; returns why cells fail, which is empty for an honest adapter. ``further`` are
    more attributes of the plan."""
    task = Task.of(unit, operations)
    assert task and task.edits and task.operations == tuple(operations)
    plan = Plan([task], rounds, 1, sample_ns=SAMPLE_NS, samples=SAMPLES, **further)
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder), [unit.variant.id])
        with Journal(run) as journal:
            return [*execute(plan, journal, Quiet()).failures.values()]
