"""Tests of the process that forks commands for other tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.started import started

from serbench.paths import PROJECT


@pytest.mark.parametrize(
    ("words", "status"), [(["list", "operations"], 0), (["run", "-w", "monster"], 2), (["show", "../x"], 2)]
)
def test_a_forked_command_says_what_a_started_one_says(tmp_path: Path, words: list[str], status: int) -> None:
    further = {"COLUMNS": "60", "SERBENCH_PATH": ""}
    own = {"PYTHONPATH": str(PROJECT / "src"), "SERBENCH_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "serbench", *words]
    one = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, **own, **further}
    )
    other = started(*words, home=tmp_path, folder=tmp_path, further=further)
    assert one.returncode == other.returncode == status
    assert (one.stdout, one.stderr) == (other.stdout, other.stderr)
    assert max(len(line) for line in one.stdout.splitlines() or [""]) <= 60
