"""Tests of the ends of processes: of runners, of processes that runners have started, and of serbench
itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.test_pipeline import FAKE, Quiet, make_run, measure, task

from serbench.cli.ends import Interrupted, kept
from serbench.errors import RunnerError, SerbenchError
from serbench.measure.conversation import Answers
from serbench.measure.events import Resume, UnitEvent
from serbench.measure.plan import Plan
from serbench.measure.process import run_runner
from serbench.measure.resume import check_resumable
from serbench.measure.run import execute
from serbench.measure.store import Journal, Run
from serbench.paths import PROJECT
from serbench.report.rows import rows_of

linux = pytest.mark.skipif(sys.platform != "linux", reason="done by means of Linux")
TESTS = f"import sys; sys.path[:0] = {[str(Path(__file__).parent), *sys.path]!r}\n"


def lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(done: object, limit_s: float = 20.0) -> bool:
    assert callable(done)
    end = time.monotonic() + limit_s
    while not done() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(done())


def read_pids(path: Path) -> list[int]:
    return [int(word) for word in path.read_text().split()] if path.exists() else []


@pytest.fixture
def pids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file in which a fake runner writes the numbers of its own process and of those that it has started;
    those that still live are killed after the test."""
    path = tmp_path / "pids"
    monkeypatch.setenv("FAKE_PIDS", str(path))
    yield path
    for process in read_pids(path):
        if lives(process):
            os.kill(process, signal.SIGKILL)


@linux
@pytest.mark.parametrize("environment", ["kept", "cleared"])
def test_what_a_runner_has_started_in_another_session_is_named_and_ends_with_it(
    pids: Path, environment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if environment == "cleared":
        monkeypatch.setenv("FAKE_CLEARED", "1")
    with pytest.raises(RunnerError, match=r"left processes behind, which were killed: .*\(\d+\)"):
        list(run_runner([*FAKE, "escape@end", "check"], Answers("checked")))
    runner, child = read_pids(pids)
    assert not lives(runner) and not lives(child)


@linux
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_hung_runner_and_its_children_do_not_outlive_a_killed_serbench(
    pids: Path, how: signal.Signals
) -> None:
    script = (
        f"{TESTS}import test_ends as t; list(t.run_runner([*t.FAKE, 'escape_and_hang@check', "
        "'check'], t.Answers('checked')))"
    )
    with subprocess.Popen([sys.executable, "-c", script]) as process:
        assert wait_until(lambda: len(read_pids(pids)) == 2)
        assert all(map(lives, read_pids(pids)))
        process.send_signal(how)
    assert wait_until(lambda: not any(map(lives, read_pids(pids))))


@linux
def test_ninja_and_what_it_builds_do_not_outlive_a_killed_serbench(pids: Path, tmp_path: Path) -> None:
    command = f"echo $$$$ >> {pids} && sleep 600"
    rules = [f"rule wait\n  command = {command}\n", *(f"build {name}: wait\n" for name in "ab")]
    (tmp_path / "build.ninja").write_text("".join(rules))
    script = f"""{TESTS}
import os
from pathlib import Path
from serbench.languages.cpp.ninja import Ninja
Ninja(Path({str(tmp_path)!r}), os.environ).build(["-j2", "a", "b"], lambda *_: None)
"""
    with subprocess.Popen([sys.executable, "-c", script]) as process:
        assert wait_until(lambda: len(read_pids(pids)) == 2) and all(map(lives, read_pids(pids)))
        process.kill()
    assert wait_until(lambda: not any(map(lives, read_pids(pids))))


def test_a_runner_that_fills_standard_error_keeps_its_end(tmp_path: Path) -> None:
    with pytest.raises(RunnerError) as caught:
        list(run_runner([*FAKE, "stderr@check", "check"], Answers("checked")))
    assert str(caught.value).endswith("yyyythe end of it") and len(str(caught.value)) < 5000


@linux
def test_a_line_without_end_takes_no_memory() -> None:
    """An endless line of a runner ends in an error before it fills the memory of serbench. The most memory of
    the process is read from /proc, since ``getrusage`` of a new process begins with the memory of its
    parent."""
    script = f"""{TESTS}
import re, test_ends as t
try:
    list(t.run_runner([*t.FAKE, "endless_line@check", "check"], t.Answers("checked")))
except t.RunnerError as error:
    print(str(error)[:60], re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    said, _, kilobytes = done.stdout.rpartition(" ")
    assert (
        said.startswith("the runner printed a line of more than 1048576 bytes") and int(kilobytes) < 400_000
    )


def test_a_runner_that_was_killed_is_tried_again_when_the_run_goes_on(tmp_path: Path) -> None:
    """The runner is killed in round 1 of 6, after its last sample; when the run is continued, all six of its
    rounds are measured, each together with the fastest codec, so that every row has a ratio."""
    good, bad = task("fake/good"), task("fake/bad", "crash@end")
    run, outcome, _ = measure(tmp_path, [good, bad], rounds=6)
    assert len(outcome.failures) == 3 and all(
        "killed by signal 9" in reason for reason in outcome.failures.values()
    )
    with Journal(run) as journal:
        journal.append({"event": "resume"})
        taken = Run(run.directory).taken
        assert not taken.failures and len(taken.retried) == 3
        outcome = execute(Plan([good, task("fake/bad")], 6, seed=1), journal, Quiet(), taken=taken)
    rows = rows_of(Run(run.directory))
    assert not outcome.failures and {
        (row.status, row.codec == "fake/good" or row.rounds) for row in rows
    } == {
        ("ok", True),
        ("ok", 6),
    }
    assert all(row.ratio for row in rows)


def test_a_runner_that_was_killed_while_it_was_verified_is_tried_again(tmp_path: Path) -> None:
    good, late = task("fake/good"), task("fake/late")
    run, _, _ = measure(tmp_path, [good], rounds=6)
    who = {"codec": "fake/late", "workload": "fake", "compiler": ""}
    with Journal(run) as journal:
        journal.append(
            {"event": "unit", **who, "status": "failed", "reason": "killed", "signal": int(signal.SIGKILL)}
        )
    taken = Run(run.directory).taken
    now = [
        UnitEvent(
            codec="fake/late",
            workload="fake",
            status="ok",
            operations=("serialize", "deserialize"),
            executable="ab",
        )
    ]
    check_resumable(run.manifest, run.manifest, taken, now)  # its status is another, and that is no reason
    with Journal(run) as journal:
        for event in (Resume(), *now):
            journal.append(msgspec.to_builtins(event))
        execute(Plan([good, late], 6, seed=1), journal, Quiet(), taken=Run(run.directory).taken)
    rows = [row for row in rows_of(Run(run.directory)) if row.codec == "fake/good"]
    assert all(row.rounds > 6 for row in rows)  # as the reference of those that came later
    assert {len(Run(run.directory).taken.rounds_of(late.cell(o))) for o in late.operations} == {6}


def test_a_runner_that_crashed_by_itself_is_not_tried_again(tmp_path: Path) -> None:
    run, outcome, _ = measure(tmp_path, [task("fake/bad", "abort@end")], rounds=1)
    with Journal(run) as journal:
        journal.append({"event": "resume"})
    assert Run(run.directory).taken.failures == outcome.failures != {}


def serbench(home: Path, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SERBENCH_HOME": str(home), "PYTHONPATH": str(PROJECT / "src")}
    options = {"stdout": subprocess.PIPE, **options}
    command = [sys.executable, "-m", "serbench", *arguments]
    return subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, **options)  # type: ignore[call-overload,no-any-return]


@linux
def test_a_full_disk_behind_standard_output_is_a_message(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = serbench(tmp_path, "list", "suites", stdout=full)
    assert (done.returncode, done.stderr) == (2, "error: output cannot be written: No space left on device\n")


def test_who_reads_only_the_beginning_hears_nothing(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        done = serbench(tmp_path, "list", "suites", stdout=closed)
    assert (abs(done.returncode), done.stderr) == (signal.SIGPIPE, "")


def test_a_file_where_a_folder_is_expected_is_named(tmp_path: Path) -> None:
    run, _, _ = measure(tmp_path / "runs", [task("fake/a"), task("fake/b")])
    taken = tmp_path / "README.md"
    taken.touch()
    done = serbench(tmp_path, "plot", run.id, "-O", str(taken))
    assert (done.returncode, done.stderr) == (
        2,
        f"error: {taken}: found a file, expected a folder\n",
    )
    done = serbench(taken, "verify", "-c", "cpp/memcpy", "-w", "record", "--no-install")
    assert (
        done.returncode == 2 and done.stderr.startswith(f"error: {taken}") and "Traceback" not in done.stderr
    )


def test_what_cannot_be_resumed_is_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", ["fake/a"])
    done = serbench(tmp_path, "run", "--resume", "")
    assert done.returncode == 2 and "found '', expected the id of a run" in done.stderr
    done = serbench(tmp_path, "run", "--resume", run.id, "--iterations", "5")
    assert done.returncode == 2 and "--resume uses the run's own --iterations" in done.stderr
    with Journal(run):
        done = serbench(tmp_path, "run", "--resume", run.id)
    assert done.returncode == 2 and f"run {run.id} is still being measured by another process" in done.stderr


def test_an_interrupted_run_says_what_is_kept(tmp_path: Path) -> None:
    run = make_run(tmp_path, ["fake/a"])
    with (
        pytest.raises(
            Interrupted,
            match=f"is kept: ./serbench show {run.id}; to continue: ./serbench run --resume {run.id}",
        ),
        kept(run),
    ):
        raise KeyboardInterrupt
    with pytest.raises(SerbenchError, match=f"x: No space left on device; .*--resume {run.id}"), kept(run):
        raise OSError(28, "No space left on device", "x")


@pytest.mark.parametrize(
    ("how", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_is_an_end_with_a_word(how: signal.Signals, status: int) -> None:
    work = f"os.kill(os.getpid(), {int(how)}), time.sleep(9)"
    done = _end_well_with(work, "default_int_handler" if how == signal.SIGINT else "SIG_DFL", how)
    assert (done.returncode, done.stderr) == (status, "interrupted\n")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_is_ignored_when_serbench_starts_stays_so(how: signal.Signals) -> None:
    """Serbench goes on ignoring a signal that was ignored when it was started; ``nohup``, and ``&`` in a
    shell, start programs in this way."""
    done = _end_well_with(f"os.kill(os.getpid(), {int(how)}), print('done')", "SIG_IGN", how)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def _end_well_with(work: str, handler: str, how: signal.Signals) -> subprocess.CompletedProcess[str]:
    """Runs ``work`` in a process that handles the signal with ``handler``, whatever handler the tests
    themselves were started with."""
    script = f"{TESTS}import os, signal, time; signal.signal({int(how)}, signal.{handler})\n"
    script += f"from serbench.cli.ends import end_well; end_well(lambda: ({work}))"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)


def test_a_full_disk_leaves_whole_lines_in_the_journal(tmp_path: Path) -> None:
    run = make_run(tmp_path, ["fake/a"])
    script = f"""{TESTS}
import resource, test_ends as t
from pathlib import Path
run = t.Run(Path({str(run.directory)!r}))
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    with t.Journal(run) as journal:
        t.execute(t.Plan([t.task("fake/a")], 1000, 1), journal, t.Quiet())
except OSError as error:
    print(error.strerror)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "File too large\n"
    content = run.journal.read_bytes()
    assert 4000 < len(content) <= 5000 and all(map(json.loads, content.splitlines()))
    with Journal(run) as journal:
        execute(Plan([task("fake/a")], 6, 1), journal, Quiet(), taken=run.taken)
    assert [(row.status, row.rounds) for row in rows_of(Run(run.directory))] == [("ok", 6)] * 3


def test_two_processes_share_neither_a_home_nor_a_core(tmp_path: Path) -> None:
    script = f"""{TESTS}
from pathlib import Path
from serbench.system import locks
from serbench.system.locks import claim_core, wait_for_home
locks.CORE = "test {tmp_path.name} {os.getpid()} "  # a run on this machine is not in the way
said = []
core = max(__import__("os").sched_getaffinity(0)) if sys.platform == "linux" else None
wait_for_home(Path({str(tmp_path)!r}), said.append)
print(claim_core(core, False, said.append), core, *said, flush=True)
sys.stdin.readline()
"""
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdin and first.stdout
        core, wanted, *_ = first.stdout.readline().split()
        elsewhere = script.replace(f"Path({str(tmp_path)!r})", f"Path({str(tmp_path / 'other')!r})")
        others = (
            subprocess.run(
                [sys.executable, "-c", elsewhere], input="\n", capture_output=True, text=True, timeout=60
            )
            if (sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1)
            else None
        )
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as second:
            assert second.stdin and second.stdout
            time.sleep(0.5)
            assert second.poll() is None
            first.communicate("\n")
            said = second.stdout.readline()
            assert f"waiting for process {first.pid} (serbench ), which is using {tmp_path}" in said
            second.communicate("\n")
    if others:
        free = others.stdout.split()[0]
        assert free != core or core != wanted
        assert f"another serbench is measuring on core {wanted}; using core {free} instead" in others.stdout
