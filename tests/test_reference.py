"""Tests of the reference kernel: its figures, the cores on which it runs, and the effect of its failures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from serbench.errors import RunnerError
from serbench.measure.reference import reference_kernel


def test_it_times_both_kinds_of_work() -> None:
    found = reference_kernel(None)
    assert set(found) == {"integer_ns", "memory_ns"}
    # From what no processor reaches to what none is slow enough for: 4 MiB hashed, and 64 MiB copied.
    assert 200_000 < found["integer_ns"] < 10_000_000_000
    assert 200_000 < found["memory_ns"] < 10_000_000_000


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system pins no processes")
def test_the_work_is_pinned_and_its_parent_is_not(tmp_path: Path) -> None:
    before = os.sched_getaffinity(0)
    program = tmp_path / "work.py"
    program.write_text(
        'import os; print(\'{"integer_ns": %d, "memory_ns": 1}\' % (1 + '
        "10 * list(os.sched_getaffinity(0))[0]))"
    )
    for core in before:
        assert reference_kernel(core, work=program)["integer_ns"] == 1 + 10 * core
    assert os.sched_getaffinity(0) == before


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; sys.exit('no memory')", "ended with status 1: no memory"),
        ("print('warm')", r"printed 'warm\\n'; expected integer_ns and memory_ns, whole numbers above 0"),
        ('print(\'{"integer_ns": 0, "memory_ns": 5}\')', "expected integer_ns and memory_ns"),
        ("print('{\"integer_ns\": 5}')", "expected integer_ns and memory_ns"),
        ("import time; time.sleep(60)", "hung: not finished after 0.5 s"),
    ],
)
def test_a_failure_says_what_happened(tmp_path: Path, program: str, said: str) -> None:
    path = tmp_path / "work.py"
    path.write_text(program)
    with pytest.raises(RunnerError, match=said):
        reference_kernel(None, time_limit_s=0.5 if "sleep" in program else 30, work=path)
