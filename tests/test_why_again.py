"""Tests of ``why --resume``, which goes on with what an earlier ``why`` kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.test_advise import with_orders
from tests.test_why import ONE, TWO, why

from serbench.cli import parts_timed
from serbench.cli.effort import Effort
from serbench.cli.ends import Interrupted
from serbench.cli.ends import kept as going_on
from serbench.cli.options import TableFormat
from serbench.cli.parts_timed import Timing
from serbench.cli.why import why as command
from serbench.errors import SelectionError
from serbench.measure.store import Run
from serbench.report.kept import why_of
from serbench.report.why import Why

CODEC = ["python/msgpack:dict"]


@pytest.fixture(scope="module", name="home")
def home_with_orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_orders(
        tmp_path_factory.mktemp("home"), [{"id": n, "note": f"n {n}"} for n in range(300, 306)]
    )


def runs_of(home: Path) -> list[Run]:
    return [Run(each.parent) for each in sorted((home / "runs").glob("*/manifest.json"))]


def rounds_of(run: Run) -> dict[str, set[int]]:
    """The workload of each cell that writes → the numbers of its rounds."""
    return {
        cell[1]: {*samples.rounds}
        for cell, samples in run.taken.cells.items()
        if cell[3].startswith("serialize")
    }


def test_rounds_are_kept_and_others_follow(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(home))
    command("orders", CODEC, path=["note"], rounds=1, drop=0)
    (run,) = runs_of(home)
    workloads = ("orders", "orders/empty=*", "orders/empty=note")
    assert rounds_of(run) == {each: {1} for each in workloads}
    capsys.readouterr()
    command(resume=run.id, rounds=2, format=TableFormat.json)
    told = {each["path"]: each["bytes"] for each in json.loads(capsys.readouterr().out)}
    (again,) = runs_of(home)
    assert rounds_of(again) == {each: {1, 2} for each in workloads}
    assert told == {"": 1 + 3 + 3 + 5 + 6, "note": 5, "*": 1 + 3 + 1 + 5 + 1}
    monkeypatch.setattr(Run, "manifest", changed(run))
    with pytest.raises(SelectionError, match="orders has other messages than in run"):
        command(resume=run.id)


def changed(run: Run) -> Any:
    """The manifest of a run, with another digest of the messages."""
    manifest = run.manifest
    manifest.datasets["orders"].sha256 = "0" * 64
    return manifest


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"resume": "x", "codec": CODEC}, "--resume uses the selection of the run; expected no -w"),
        ({"resume": "x", "drop": 0}, "--resume uses the selection of the run; expected no -w"),
        ({"resume": "x"}, "unknown run 'x'"),
    ],
)
def test_what_cannot_go_on_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch, words: dict[str, Any], said: str
) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(home))
    with pytest.raises(SelectionError, match=said):
        command(**words)


def timing(
    monkeypatch: pytest.MonkeyPatch, effort: Effort, asked: list[Any], fails: Sequence[int] = ()
) -> Any:
    """A timing whose runs are not made: each is added to ``asked``, and those of these numbers fail."""

    def timed(job: Any, units: Any, effort: Effort, core: int | None) -> None:
        asked.append((job.again.id, effort.rounds, effort.max_time))
        if len(asked) in fails:
            raise Interrupted("interrupted")

    monkeypatch.setattr(parts_timed, "timed", timed)
    monkeypatch.setattr(Timing, "_made_again", lambda *_: (SimpleNamespace(), []))
    monkeypatch.setattr(parts_timed, "replace", lambda of, **to: replaced(of, to))
    return Timing(cast(Any, None), [], effort, None)


def replaced(of: Any, to: dict[str, Any]) -> Any:
    return SimpleNamespace(**to) if isinstance(of, SimpleNamespace) else replace(of, **to)


def two_runs(folder: Path) -> Why:
    found = why(folder, {"x/one": ONE, "x/two": TWO})
    return replace(found, runs=[*found.runs, *why(folder, {"x/one": ONE, "x/two": TWO}, 6).runs])


def test_each_run_gets_its_rounds_again_or_as_many_as_were_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = two_runs(tmp_path)
    names = [run.id for run in found.runs]
    asked: list[Any] = []
    more, interrupted = timing(monkeypatch, Effort(), asked).again(found)
    assert [rounds for _, rounds, _ in asked] == [1 + 8, 1 + 6], "runs that were made up begin no round"
    assert [run.id for run in more.runs] == [name for name, *_ in asked] == names and interrupted is None
    assert all(one is not other for one, other in zip(more.runs, found.runs, strict=True))
    asked = []
    _, interrupted = timing(monkeypatch, Effort(rounds=30), asked, fails=[1]).again(found)
    assert [rounds for _, rounds, _ in asked] == [30] and interrupted


def test_runs_and_parts_that_were_not_timed_share_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = two_runs(tmp_path)
    assert [part.path for part in found.to_time(True)] == ["b[].x"]
    monkeypatch.setattr(Timing, "left_s", 60.0)
    asked: list[Any] = []
    timing(monkeypatch, Effort(max_time=60.0), asked).again(found)
    assert [limit_s for *_, limit_s in asked] == [20.0, 30.0]


def test_an_interrupted_run_has_the_costs_from_its_beginning_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = two_runs(tmp_path)
    first, second = found.runs

    def timed(*_: Any, begun: Any, **__: Any) -> None:
        begun(second)
        raise Interrupted("interrupted")

    monkeypatch.setattr(parts_timed, "timed", timed)
    before = replace(found, runs=[first])
    after, interrupted = Timing(cast(Any, None), [], Effort(), None)._measured(
        before, cast(Any, None), [], None
    )
    kept = why_of(second)
    assert interrupted and kept
    assert [run.id for run in after.runs] == [run.id for run in kept.runs]
    with (
        pytest.raises(Interrupted, match=f"to continue: ./serbench why --resume {second.id}"),
        going_on(second),
    ):
        raise KeyboardInterrupt
