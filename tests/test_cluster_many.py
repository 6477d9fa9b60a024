"""Tests of measuring on more machines than a process may open files by default, and of memory that does not
grow with the number of machines."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.simulated_fleet import Fleet, measured

from serbench.measure.parts import parts_of
from serbench.paths import PROJECT

AT_ONCE = """
import sys, threading
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit, setrlimit
from tests.simulated_fleet import Fleet, measured

together = threading.Barrier(100)

class AtOnce(Fleet):
    def ask(self, address, question, data):
        if question == "refer":  # when each machine has its journal open
            together.wait(20)
        return super().ask(address, question, data)

setrlimit(RLIMIT_NOFILE, (64, getrlimit(RLIMIT_NOFILE)[1]))
measured(Path(sys.argv[1]), AtOnce(100, failing=0), codecs=1, rounds=1)
"""


def test_there_are_as_many_journals_as_machines(tmp_path: Path) -> None:
    """Each machine has its own journal, though there are more machines than files that most systems let a
    process open by default."""
    pytest.importorskip("resource", reason="needs limits of processes")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT / "src"), str(PROJECT)])}
    command = [sys.executable, "-c", AT_ONCE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert not done.returncode, done.stderr


def test_no_machine_looks_through_the_parts_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = list[Path]()
    glob = Path.glob

    def seen(self: Path, pattern: str) -> Iterator[Path]:
        looks.append(self)
        return glob(self, pattern)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "glob", seen)
        run = measured(tmp_path, Fleet(8, failing=0), codecs=1, rounds=1)
    assert len(parts_of(run)) == 8
    assert not looks
