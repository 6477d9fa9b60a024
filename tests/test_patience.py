"""Tests of how long a runner may be silent, on an idle machine and on one with busy cores."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from serbench.measure import patience
from serbench.measure.patience import MOST_TIMES, Patience

LIMIT_S = 60.0


class Machine:
    """A made-up clock, and made-up times for which a runner's threads waited for a core."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.now = 1000.0
        self.delays = {"7": 500.0}
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(patience, "_delays", lambda process: dict(self.delays))

    def passes(self, seconds: float, waited: float = 0.0) -> None:
        self.now += seconds
        self.delays["7"] += waited


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


def test_silence_counts_from_the_last_word(machine: Machine) -> None:
    held = Patience(7, LIMIT_S)
    machine.passes(59)
    held.renew()
    machine.passes(59)
    assert not held.is_over()
    machine.passes(1)
    assert held.is_over()


def test_time_that_others_had_the_core_is_added(machine: Machine) -> None:
    held = Patience(7, LIMIT_S)
    machine.passes(60, waited=45)
    assert not held.is_over() and held.deadline == machine.now + 45
    machine.passes(45, waited=30)
    assert not held.is_over() and held.deadline == machine.now + 30
    machine.passes(30)
    assert held.is_over()


def test_what_a_thread_waited_before_is_not_added(machine: Machine) -> None:
    held = Patience(7, LIMIT_S)
    machine.passes(30, waited=30)
    held.renew()
    machine.passes(60)
    assert held.is_over()


def test_no_runner_is_waited_for_without_end(machine: Machine) -> None:
    held = Patience(7, LIMIT_S)
    for _ in range(100):
        machine.passes(LIMIT_S, waited=2 * LIMIT_S)
        if held.is_over():
            break
    assert machine.now - 1000 == MOST_TIMES * LIMIT_S


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the system does not tell who waited")
def test_threads_of_children_are_seen() -> None:
    command = [sys.executable, "-c", "import subprocess; subprocess.run(['sleep', '60'])"]
    with subprocess.Popen(command, start_new_session=True) as started:
        try:
            end = time.monotonic() + 30
            while len(seen := patience._delays(started.pid)) < 2 and time.monotonic() < end:
                time.sleep(0.05)
        finally:
            os.killpg(started.pid, signal.SIGKILL)
    assert len(seen) == 2 and min(seen.values()) >= 0


def test_a_process_that_has_ended_has_no_threads() -> None:
    """A process may end after it was listed and before its folder in /proc is opened. Then it has no threads,
    and that is no error."""
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    assert patience._threads(ended.pid) == [] and patience._delays(ended.pid) == {}
