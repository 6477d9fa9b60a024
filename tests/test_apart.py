"""Tests that the processes of a verification know nothing of each other, and that clocks and leftover files
are checked from outside of them."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from tests.support import has_namespaces

from serbench.errors import RunnerError
from serbench.measure.process import Clocks, apart

namespaces = pytest.mark.skipif(not has_namespaces(), reason="this system gives no namespaces")


def run(folder: Path, script: str, *hidden: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*apart(folder, hidden), "sh", "-c", script], capture_output=True, text=True, check=False
    )


@namespaces
def test_a_process_can_write_to_its_folder_alone(tmp_path: Path) -> None:
    own, other = tmp_path / "own folder", tmp_path / "other"
    for folder in (own, other):
        folder.mkdir()
    assert run(own, "echo kept > file").returncode == 0
    assert (own / "file").read_text() == "kept\n"
    for place in (other, Path("/tmp"), Path("/dev/shm"), Path.cwd()):
        assert "Read-only" in run(own, f"echo lost > {place}/serbench-lost").stderr
        assert not (place / "serbench-lost").exists()


@namespaces
def test_what_is_hidden_looks_empty(tmp_path: Path) -> None:
    own, data = tmp_path / "own", tmp_path / "data"
    for folder in (own, data):
        folder.mkdir()
    (data / "file").write_text("values")
    assert run(own, f"cat {data}/file").stdout == "values"
    assert run(own, f"ls -A {data}", data).stdout == ""
    assert (data / "file").read_text() == "values"


def test_a_process_has_a_home_of_its_own_and_its_status_is_told(tmp_path: Path) -> None:
    assert run(tmp_path, "echo $HOME $TMPDIR; pwd -P").stdout.split() == [str(tmp_path)] * 2 + [
        str(tmp_path.resolve())
    ]
    assert run(tmp_path, "exit 7").returncode == 7
    done = subprocess.run([*apart(tmp_path), "no-such-program"], capture_output=True, text=True, check=False)
    assert (done.returncode, "no-such-program could not be started" in done.stderr) == (1, True)


@namespaces
def test_shared_memory_and_ports_of_others_are_not_there(tmp_path: Path) -> None:
    assert run(tmp_path, "cat /proc/net/dev | grep -c :").stdout == "1\n"  # its own loopback
    assert (
        run(tmp_path, "readlink /proc/self/ns/ipc").stdout != str(Path("/proc/self/ns/ipc").readlink()) + "\n"
    )


def test_a_clock_that_goes_slowly_or_jumps_is_told() -> None:
    now = time.monotonic_ns()
    clocks = Clocks(started_ns=now - 6_000_000_000, greeted_ns=now - 3_000_000_000)
    clocks.compare(2_950_000_000)
    clocks.compare(5_950_000_000)  # most of it before its first word, for which it loaded libraries
    clocks.compare(0)  # it does not tell
    for wrong in (1_000_000_000, 9_000_000_000):
        told = (
            rf"the runner reports {wrong / 1e9:.3f} s by its own clock, but by ours it took 3\.0.. "
            r"s from its first event and 6\.0.. s from"
        )
        with pytest.raises(RunnerError, match=told):
            clocks.compare(wrong)


def test_a_runner_is_not_accused_of_the_time_for_which_we_had_no_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits = {"1": 5.0, "2": 8.0}
    monkeypatch.setattr("serbench.measure.process.waits_of", lambda _: dict(waits))
    now = time.monotonic_ns()
    clocks = Clocks(now - 1_800_000_000)
    clocks.greet()
    clocks.greeted_ns = now - 1_700_000_000
    with pytest.raises(RunnerError, match="replaced the clock"):
        clocks.compare(800_000_000)
    waits["2"] += 0.4
    clocks.compare(800_000_000)
    with pytest.raises(RunnerError, match="replaced the clock"):
        clocks.compare(300_000_000)
