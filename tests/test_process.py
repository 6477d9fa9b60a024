"""Tests of runners' processes: the command that starts them, the cores on which they run, and what they
report at their end."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.test_pipeline import FAKE

from serbench.errors import RunnerError
from serbench.measure.conversation import Answers
from serbench.measure.placement import copies_run
from serbench.measure.process import on_cores, pinned, run_runner
from serbench.measure.said import Hello
from serbench.system.cores import usable_cores


def test_a_runner_that_does_not_end_with_done_is_not_trusted() -> None:
    with pytest.raises(RunnerError, match="ended without the event 'done'"):
        list(run_runner([*FAKE, "no_done", "check"], Answers("checked"), silence_limit_s=20))


@pytest.mark.skipif(not copies_run(), reason="this system executes no files in memory")
def test_each_process_runs_from_a_copy_of_its_own() -> None:
    script = (
        "import json, os; print(json.dumps({'event': 'hello', 'protocol': 1, "
        "'codec': os.readlink('/proc/self/exe')}));"
        'print(\'{"event": "done"}\')'
    )
    (hello,) = run_runner([sys.executable, "-c", script], Answers(), copied=True)
    assert isinstance(hello, Hello) and hello.codec.startswith("/memfd:serbench-runner")


def test_a_system_without_files_in_memory_runs_the_executable_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError

    monkeypatch.setattr("os.memfd_create", refuse, raising=False)
    assert copies_run() is False
    assert len(list(run_runner([*FAKE, "none", "check"], Answers("checked"), copied=True))) == 2


def test_who_ends_a_runner_ends_none_that_another_thread_has_just_started() -> None:
    greeting = """printf '{"event": "hello", "protocol": 1}\\n{"event": "done"}\\n'"""

    def run(_: int) -> int:
        return len(list(run_runner(["/bin/sh", "-c", greeting], Answers())))

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert list(pool.map(run, range(200))) == [1] * 200


def test_what_is_started_may_get_more_cores_than_its_parent_has() -> None:
    every = os.sched_getaffinity(0)
    if len(every) < 2:
        pytest.skip("needs two cores")
    told = [sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))"]
    with pinned(max(every)):
        with on_cores(every):
            assert usable_cores() == len(every)
            assert subprocess.check_output(told, text=True).strip() == str(sorted(every))
        with on_cores(()):
            assert usable_cores() == 1
        assert os.sched_getaffinity(0) == {max(every)}
    assert os.sched_getaffinity(0) == every


def test_runners_are_pinned_to_the_core_asked_for() -> None:
    print_mask = "import os; print(os.sched_getaffinity(0))"
    before = subprocess.run([sys.executable, "-c", print_mask], capture_output=True, text=True, check=True)
    with pinned(0):
        child = subprocess.run([sys.executable, "-c", print_mask], capture_output=True, text=True, check=True)
    assert child.stdout.strip() == "{0}"
    after = subprocess.run([sys.executable, "-c", print_mask], capture_output=True, text=True, check=True)
    assert after.stdout == before.stdout
