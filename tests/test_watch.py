"""Tests of the display of a run that goes on: the growing table, and the bars of building and measuring."""

from __future__ import annotations

import io
import os
import re
import threading
from pathlib import Path

import pytest
from rich.console import Console
from tests.pages import MadeUp, variants
from tests.support import PATHS
from tests.test_pipeline import Quiet, make_run, task

from serbench.cli import console
from serbench.cli.printing import Shown
from serbench.cli.watching import Watch, can_watch
from serbench.codecs.codec import Variant
from serbench.languages.cpp.generate import COUNTING, MINIMAL, target_name
from serbench.languages.cpp.steps import telling
from serbench.measure.plan import Plan
from serbench.measure.run import execute
from serbench.measure.store import Journal, Run
from serbench.measure.taken import Taken
from serbench.report.rows import rows_of
from serbench.report.run_table import run_tables
from serbench.report.screenful import Screen, screenful
from serbench.report.table import Table
from serbench.report.tables import times_of
from serbench.selecting.catalogue import load_variants

TWO = ["fake/a", "fake/b"]


def begun(run: Run) -> Taken:
    """The state of a run before its first process, without samples."""
    return Taken.of(run.events())


def console_like(width: int, out: io.StringIO) -> Console:
    return Console(file=out, width=width, highlight=False, emoji=False)


def shown(tables: list[Table], width: int, height: int) -> list[str]:
    return [line.rstrip() for line in screenful(tables, Screen(width, height, console_like))]


def tables_of(run: Run, taken: Taken, width: int = 120) -> list[Table]:
    now = run.so_far(taken)
    return times_of(now, rows_of(now), None, width=width)


def test_cells_without_samples_are_waiting_and_not_failed(tmp_path: Path) -> None:
    run = make_run(tmp_path, TWO)
    taken = begun(run)
    (table,) = tables_of(run, taken)
    assert [line[0] for line in table.rows] == TWO
    assert all("waiting" in line for line in table.rows)
    assert table.verdict[0].text == "no: nothing is measured yet"
    with Journal(run) as journal:
        execute(Plan([task("fake/a")], 6, seed=1), journal, Quiet(), taken=taken)
    (table,) = tables_of(run, taken)
    assert [(line[0], "waiting" in line) for line in table.rows] == [("fake/a", False), ("fake/b", True)]
    assert table.verdict[0].text == "with care: it is still being measured"
    notes = " ".join(table.notes)
    assert "not finished" not in notes and "Without figures" not in notes and "waiting" not in notes
    whole = run_tables(Run(run.directory), rows_of(Run(run.directory)), 120)[-1]
    assert "fake/b (failed)" in " ".join(whole.notes)


def test_what_is_watched_is_what_the_journal_has(tmp_path: Path) -> None:
    run = make_run(tmp_path, TWO)
    taken = begun(run)
    between = []

    class Watching:
        def step(self, done: int, total: int, what: str) -> None:
            known = Run(run.directory, going_on=True)
            assert rows_of(run.so_far(taken)) == rows_of(known)
            # All samples of the processes so far: none is at work.
            between.append(sum(samples.count for samples in taken.cells.values()))

    with Journal(run) as journal:
        execute(Plan([task("fake/a"), task("fake/b")], 2, seed=1), journal, Watching(), taken=taken)
    assert between == [0, 9, 18, 27]
    assert rows_of(run.so_far(taken)) == rows_of(Run(run.directory))


def test_progress_never_goes_back(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    class Recording:
        def step(self, done: int, total: int, what: str) -> None:
            told.append((done, total))

    run = make_run(tmp_path, [*TWO, "fake/restless"])
    tasks = [task("fake/a"), task("fake/b"), task("fake/restless", "restless@deserialize:reuse")]
    with Journal(run) as journal:
        execute(Plan(tasks, 6, seed=1, target=0.02, most_rounds=9), journal, Recording())
    assert [done for done, _ in told] == list(range(len(told)))
    assert [total for _, total in told[:18]] == [18] * 18
    assert len(told) > 18 and all(done < total for done, total in told)


def test_a_table_that_is_taller_than_the_terminal_says_how_many_rows_there_are_more(tmp_path: Path) -> None:
    run = MadeUp(variants(40), missing=0, rounds=6, wire=False).write(tmp_path)
    rows = [line[0] for line in tables_of(run, run.taken)[0].rows]
    for width, height in ((80, 24), (60, 12), (100, 200), (40, 6), (20, 3), (80, 1)):
        lines = shown(tables_of(run, run.taken, width), width, height)
        assert len(lines) <= height and all(len(line) <= width for line in lines), (width, height)
    lines = shown(tables_of(run, run.taken), 120, 40)
    rule = next(n for n, line in enumerate(lines) if line.startswith(" ───"))
    seen = [line.split()[0] for line in lines[rule + 1 : -1]]
    assert seen == rows[: len(seen)] and 5 <= len(seen) < 40
    assert lines[-1] == f"… {40 - len(seen)} more rows"
    assert any("Fastest to write" in line for line in lines)
    whole = shown(tables_of(run, run.taken), 120, 200)
    assert whole[-1] != lines[-1] and any(line.startswith("× to the best") for line in whole)


def test_notes_give_way_before_the_verdict_and_that_before_rows(tmp_path: Path) -> None:
    run = MadeUp(variants(5), missing=0, wire=False).write(tmp_path)
    tables = tables_of(run, run.taken)
    whole = shown(tables, 120, 99)
    told = [line for line in whole if line.startswith("× to the best")]
    less = shown(tables, 120, len(whole) - 1)
    assert told and not any(line.startswith("×") for line in less)
    assert "Size against time" in "\n".join(less) and shown(tables, 120, len(less)) == less
    least = shown(tables, 120, len(less) - 2)
    assert "Size against time" not in "\n".join(least) and "Fastest to write" in "\n".join(least)
    assert "more row" not in least[-1]


class Drawn:
    """A terminal of a given size that remembers the text written to it."""

    def __init__(self, patch: pytest.MonkeyPatch, columns: int = 100, lines: int = 40):
        self.size = os.terminal_size((columns, lines))
        patch.setattr(os, "get_terminal_size", lambda *_: self.size)
        self.out = io.StringIO()
        self.out.fileno = lambda: 2  # type: ignore[method-assign]
        patch.setattr("sys.stderr", self.out)

    def taken(self) -> str:
        """The text that was written since the last call."""
        text = self.out.getvalue()
        self.out.seek(0)
        self.out.truncate()
        return text


def test_a_table_is_drawn_over_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path, TWO)
    terminal, threads = Drawn(monkeypatch), threading.active_count()
    monkeypatch.setattr("serbench.cli.watching.LEAST_S", 0)
    monkeypatch.setattr("serbench.cli.watching.SHARE", float("inf"))
    with Watch(run, begun(run), None, Shown()) as watch:
        watch.step(1, 8, "round 1 of 2")
        assert threading.active_count() == threads
        first = terminal.taken()
        assert "fake/a" in first and "1/8" in first and "\x1b[2J" not in first and "A\x1b" not in first
        lines = first.count("\n")
        watch.step(2, 8, "round 1 of 2")
        assert terminal.taken().startswith(f"\r\x1b[{lines}A")
        terminal.size = os.terminal_size((60, 20))
        watch.step(3, 8, "round 1 of 2")
        assert terminal.taken().startswith("\x1b[2J\x1b[H")
    assert re.fullmatch(r"\r\x1b\[\d+A\x1b\[J\x1b\[\?25h", terminal.taken())


def test_an_interruption_leaves_the_last_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path, TWO)
    terminal = Drawn(monkeypatch)
    with pytest.raises(KeyboardInterrupt), Watch(run, begun(run), None, Shown()) as watch:
        watch.step(1, 8, "round 1 of 2")
        terminal.taken()
        raise KeyboardInterrupt
    left = terminal.taken()
    assert "fake/a" in left and left.endswith("\n\x1b[?25h")


def test_drawing_takes_a_small_share_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path, TWO)
    terminal = Drawn(monkeypatch)
    now, spent = [100.0], [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("time.process_time", lambda: spent.__setitem__(0, spent[0] + 0.1) or spent[0])
    with Watch(run, begun(run), None, Shown()) as watch:
        drawn = []
        for tenth in range(60):
            now[0] = 100 + tenth / 10
            watch.step(tenth, 60, "round")
            if "fake/a" in terminal.taken():
                drawn.append(tenth)
    assert drawn == [0, 20, 40]  # a tenth of a second of every two


def test_without_a_terminal_watching_is_left_out_and_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert not can_watch(["time"])
    terminal = Console(file=io.StringIO(), force_terminal=True)
    monkeypatch.setattr("serbench.cli.watching.stderr", terminal)
    assert not can_watch(["time"])
    assert capsys.readouterr().err.count("--watch is ignored without a terminal") == 2
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert can_watch(["time", "wire"]) and not can_watch(["compile_time"])
    assert "none are measured" in capsys.readouterr().err
    monkeypatch.setenv("TERM", "dumb")
    assert not can_watch(["time"])


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_bar_keeps_its_count_and_the_time_left(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(console, "stderr", Console(file=out, width=width, force_terminal=True))
    what = "round 2 of 9, cpp/handwritten:unsafe × record:ids=small, and more of it"
    with console.Steps("measuring") as steps:
        for done in (100, 101, 102):
            steps.step(done, 1224, what)
    last = [
        line for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue()).split("\r") if "102" in line
    ][-1]
    assert re.search(r"measuring ━+[╸╺]?━* +102/1224 +(\d:\d\d:\d\d|-:--:--) round 2", last) and "…" in last
    assert len(last.split("\n")[0].rstrip()) <= width


def test_steps_of_a_build_say_whom_they_are_for() -> None:
    known = load_variants(PATHS.codecs)
    cereal = known["cpp/cereal"]
    pairs: dict[str, tuple[Variant, str]] = {}
    for variant in (cereal, known["cpp/bitsery:stream"], known["cpp/protobuf:default"]):
        pairs |= {target_name(variant, "record", end): (variant, "record") for end in ("", MINIMAL, COUNTING)}
    said: list[str] = []
    progress = telling(pairs, lambda done, total, what: said.append(what))
    steps = {
        "Building CXX object x/bitsery.stream.record.dir/main.cpp.o": "cpp/bitsery:stream for record",
        "Linking CXX executable cells/cereal.default.record": f"{cereal.id} for record",
        "Linking CXX executable cells/cereal.default.record.minimal": f"{cereal.id} for record",
        "Building CXX object x/cereal.default.record.counting.dir/x.cpp.o": f"{cereal.id} for record",
        "Building CXX object CMakeFiles/serbench_runner.dir/clock.cpp.o": "all codecs",
        "Linking CXX static library libserbench_runner.a": "all codecs",
        "Building CXX object CMakeFiles/serbench_workload_record.dir/shared.cpp.o": "all codecs for record",
        "Linking CXX static library x/libserbench_idl_protobuf_record.a": "cpp/protobuf for record",
        "Building C object _deps/CMakeFiles/yyjson.dir/yyjson.c.o": "yyjson",
        "protoc record.proto": "protoc record.proto",
        "Running a tool on /somewhere/else": "",
    }
    for step in steps:
        progress(1, 2, step)
    assert said == list(steps.values())
