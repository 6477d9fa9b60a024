"""Tests of runs that machines of one kind share: their common results, machines that are lost, and the tables
of such runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.fake_cluster import ORDER, announced
from tests.sharing import CELLS, CODECS, LINKS, Alike, fleet, head, measure, ratios_of, rounds_of
from tests.test_cli import serbench
from tests.test_cluster import PLAN, at_once
from tests.test_pipeline import Quiet

from serbench.cli.report import known_here
from serbench.cli.serve import page_of
from serbench.cluster.measuring import Measuring
from serbench.cluster.messages import Prepared, Reply
from serbench.cluster.pool import Gone
from serbench.measure.parts import out_of_line, parts_of, shown_parts, whole_or_part
from serbench.measure.plan import Plan, Task
from serbench.measure.store import Journal, Run
from serbench.page.assets import Assets
from serbench.page.contents import contents
from serbench.paths import PROJECT, Paths
from serbench.report.machines_table import machine_of, machines_tables, titled_parts
from serbench.report.rows import rows_of
from serbench.report.verdict_lines import next_step

assert at_once  # the fixture that lets nothing wait


def test_machines_of_a_kind_make_every_round_together(tmp_path: Path) -> None:
    run = head(tmp_path)
    measure(fleet(2), run)
    for codec, rounds in rounds_of(run).items():
        assert rounds == dict.fromkeys(range(1, PLAN.rounds + 1), 2 if codec in LINKS else 1), codec
    assert all(part.taken.ended for part in parts_of(run))
    (kind,) = shown_parts(run)
    assert {(row.status, row.rounds) for row in rows_of(kind)} == {("ok", PLAN.rounds)}


def test_a_kind_is_shown_as_one_run(tmp_path: Path) -> None:
    run = head(tmp_path)
    measure(fleet(2), run)
    assert [title for title, _ in titled_parts(run)] == ["zen4: "]
    (kind,) = shown_parts(run)
    assert kind.id == f"{run.id}/zen4" and machine_of(kind) == {"kind": "zen4"}
    assert rows_of(whole_or_part(tmp_path, f"{run.id}/zen4")) == rows_of(kind)
    assert whole_or_part(tmp_path, f"{run.id}/box1").directory.name == "box1"


def test_how_fast_equal_machines_are_is_taken_out_of_ratios(tmp_path: Path) -> None:
    run = head(tmp_path)
    measure(fleet(2, [0.9, 1.1]), run, plan=replace(PLAN, rounds=6))
    (kind,) = shown_parts(run)
    ratios = [row.ratio.estimate for row in rows_of(kind) if row.ratio]
    assert len(ratios) == len(CODECS) * CELLS and ratios == pytest.approx([1.0] * len(ratios))
    raw = [row.time.estimate for part in parts_of(run) for row in rows_of(part) if row.time]
    assert max(raw) / min(raw) == pytest.approx(1.1 / 0.9)
    assert machines_tables(run)[-1].notes[0].startswith("The machines of zen4 shared the cells. They are")


def test_a_machine_that_is_not_like_the_others_is_named_and_left_out(tmp_path: Path) -> None:
    run, said = head(tmp_path), list[str]()
    measure(fleet(4, [0.99, 1.0, 1.01, 1.5]), run, said, plan=replace(PLAN, rounds=6))
    assert out_of_line(run) == {"box3": pytest.approx(1.5, rel=0.02)}
    assert said == ["box3 is out of line: it takes 1.49 times as long as others of its kind"]
    told = {row[0]: row[3:] for row in machines_tables(run)[-1].rows}
    assert told["box3"] == ("out of line", "takes 1.49 times as long as others of its kind")
    assert told["box0"] == ("measured", "")
    # the others measure again the cells that were dealt to it
    (kind,) = shown_parts(run)
    assert {row.rounds for row in rows_of(kind) if row.codec not in LINKS} == {6}


def test_of_two_machines_nobody_says_which_is_out_of_line(tmp_path: Path) -> None:
    run = head(tmp_path)
    measure(fleet(2, [1.0, 2.0]), run)
    assert out_of_line(run) == {}


def test_what_a_lost_machine_had_to_do_others_of_its_kind_do(tmp_path: Path) -> None:
    run, pool, said = head(tmp_path), fleet(3), list[str]()
    pool.returns = False
    pool.dies = lambda at, question: at == "tcp://1" and pool.asked.count((at, "measure")) == 3
    measure(pool, run, said)
    assert said == ["box1 (zen4) is lost: its worker is gone"]
    (kind,) = shown_parts(run)
    assert {(row.status, row.rounds) for row in rows_of(kind) if row.codec not in LINKS} == {
        ("ok", PLAN.rounds)
    }
    assert not any(count > 1 for codec in CODECS[2:] for count in rounds_of(run)[codec].values())


def test_a_shared_run_that_was_stopped_is_completed_by_the_machines_that_there_are(tmp_path: Path) -> None:
    run, pool = head(tmp_path), fleet(2)
    pool.returns = False
    pool.dies = lambda at, question: pool.asked.count((at, "measure")) == 4
    measure(pool, run)
    before = sum(sum(rounds.values()) for rounds in rounds_of(run).values())
    measure(fleet(3), Run(run.directory))
    again = Run(run.directory)
    (kind,) = shown_parts(again)
    assert 0 < before < len(CODECS) * PLAN.rounds
    assert {(row.status, row.rounds) for row in rows_of(kind) if row.codec not in LINKS} == {
        ("ok", PLAN.rounds)
    }
    assert not any(count > 1 for codec in CODECS[2:] for count in rounds_of(again)[codec].values())


def test_where_nothing_can_be_measured_nothing_is(tmp_path: Path) -> None:
    run, pool = head(tmp_path), fleet(2)

    def plan_of(tasks: Sequence[Task], before: Run | None) -> Plan:
        return PLAN  # it has no tasks

    with Journal(run) as journal:
        of_all = Measuring(pool, msgspec.structs.replace(ORDER, codecs=CODECS), run, journal, lambda _: None)
        of_all.measure(of_all.prepare(pool.members(), plan_of, Quiet()), Quiet())
    assert all(part.taken.ended and not part.taken.cells for part in parts_of(run))


def test_rounds_are_added_until_ratios_are_known(tmp_path: Path) -> None:
    pool = fleet(2)
    pool.noise = 0.05
    run = head(tmp_path)
    measure(pool, run, plan=replace(PLAN, rounds=6, target=0.02, most_rounds=40))
    (kind,) = shown_parts(run)
    rows = [row for row in rows_of(kind) if row.ratio]
    assert "which makes ratios uncertain by" in machines_tables(run)[-1].notes[0]
    assert max(row.rounds for row in rows) > 6
    assert all(row.ratio.relative_reach <= 0.02 for row in rows if row.ratio and row.rounds < 40)


def test_a_codec_that_one_machine_lacks_is_measured_by_the_other(tmp_path: Path) -> None:
    run = head(tmp_path)
    measure(replace(fleet(2), faults={"tcp://1": "crash@deserialize:reuse"}, starts=True), run)
    (kind,) = shown_parts(run)
    failed = [row for row in rows_of(kind) if row.status == "failed"]
    assert [(row.codec, row.operation, row.memory) for row in failed] == [("fake/f", "deserialize", "reuse")]
    assert failed[0].reason.endswith(" (on box1)")


def test_a_machine_that_is_lost_at_once_leaves_the_others_on_one_level(tmp_path: Path) -> None:
    run, pool = head(tmp_path), fleet(3, [0.8, 1.25, 1.0])
    pool.returns = False
    pool.dies = lambda at, question: at == "tcp://2" and question == "measure"
    measure(pool, run, plan=replace(PLAN, rounds=6))
    assert ratios_of(run) == pytest.approx([1.0] * len(CODECS) * CELLS)


def test_a_machine_without_the_links_is_set_on_one_level_by_all_that_it_measured(tmp_path: Path) -> None:
    class Lacking(Alike):
        def ask(self, address: str, question: str, data: bytes) -> bytes:
            answer = super().ask(address, question, data)
            if question != "prepare" or address != "tcp://2":
                return answer
            made = msgspec.json.decode(msgspec.json.decode(answer, type=Reply).value, type=Prepared)
            tasks = tuple(task for task in made.tasks if task.codec not in LINKS)
            made = msgspec.structs.replace(made, tasks=tasks)
            return msgspec.json.encode(Reply(value=msgspec.Raw(msgspec.json.encode(made))))

    whole = fleet(3, [0.8, 1.25, 1.0])
    run = head(tmp_path)
    measure(Lacking(whole.machines, factors=whole.factors), run, plan=replace(PLAN, rounds=9))
    assert ratios_of(run) == pytest.approx([1.0] * len(CODECS) * CELLS)


def test_what_absent_machines_have_measured_is_not_measured_again(tmp_path: Path) -> None:
    run, pool = head(tmp_path), fleet(2)
    pool.returns = False
    pool.dies = lambda at, question: pool.asked.count((at, "measure")) == 4
    measure(pool, run, plan=replace(PLAN, rounds=6))
    others = fleet(3)
    del others.machines["tcp://1"]  # type: ignore[attr-defined]
    measure(others, Run(run.directory), plan=replace(PLAN, rounds=6))
    (kind,) = shown_parts(Run(run.directory))
    assert {row.rounds for row in rows_of(kind) if row.codec not in LINKS} == {6}
    for codec in CODECS[len(LINKS) :]:
        assert set(rounds_of(Run(run.directory))[codec].values()) == {1}
    assert kind.taken.ended


def test_a_kind_keeps_its_name_among_other_machines(tmp_path: Path) -> None:
    run, pool = head(tmp_path), fleet(2)
    other = {"tcp://9": announced("strange", model="1")}
    measure(replace(pool, machines={**pool.machines, **other}), run)
    measure(pool, Run(run.directory))
    names = {part.directory.name for part in shown_parts(Run(run.directory))}
    assert names == {"zen4 (model none)", "zen4 (model 1)"}
    told = {row[0]: row[1] for row in machines_tables(Run(run.directory))[-1].rows}
    assert told == {"box0": "zen4 (model none)", "box1": "zen4 (model none)", "strange": "zen4 (model 1)"}


def test_a_run_is_at_its_end_once_nothing_is_wanted_whoever_was_lost(tmp_path: Path) -> None:
    run, pool = head(tmp_path), fleet(3)
    pool.returns = False
    pool.dies = lambda at, question: at == "tcp://1" and pool.asked.count((at, "measure")) == 3
    measure(pool, run)
    assert shown_parts(run)[0].taken.ended
    stopped, pool = head(tmp_path), fleet(2)
    pool.returns = False
    pool.dies = lambda at, question: pool.asked.count((at, "measure")) == 4
    measure(pool, stopped)
    (kind,) = shown_parts(stopped)
    assert not kind.taken.ended
    said = f"run --resume {stopped.id} --cluster ADDRESS"
    assert said in next_step(kind, [])


def test_an_error_on_one_machine_ends_the_others_soon(tmp_path: Path) -> None:
    pool = fleet(2)

    def full(address: str, question: str) -> bool:
        if address == "tcp://0" and pool.asked.count((address, "measure")) == 3:
            raise OSError(28, "No space left on device")
        return False

    pool.dies = full
    with pytest.raises((OSError, Gone)):
        measure(pool, head(tmp_path), plan=replace(PLAN, rounds=200))
    assert pool.asked.count(("tcp://1", "measure")) < 200


def test_show_has_a_table_for_each_kind(tmp_path: Path) -> None:
    run = head(tmp_path / "runs")
    measure(fleet(2), run, plan=replace(PLAN, rounds=6))
    done = serbench(tmp_path, "show", run.id)
    assert done.returncode == 0, done.stderr
    assert "zen4: fake: 1 message" in done.stdout and "The machines of zen4 shared the cells" in done.stdout
    told = json.loads(serbench(tmp_path, "show", run.id, "--format", "json").stdout)
    assert {each["kind"] for each in told if "operation" in each and "codec" in each} == {"zen4"}


@pytest.mark.parametrize(
    "arguments", [("report",), ("plot",), ("export", "--format", "csv"), ("export", "-t", "samples")]
)
def test_whatever_takes_a_run_takes_one_that_was_shared(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    run = head(tmp_path / "runs")
    measure(fleet(2), run, plan=replace(PLAN, rounds=6))
    command, *others = arguments
    output = ["-O", str(tmp_path / "out")] if command != "export" else []
    done = serbench(tmp_path, command, run.id, *others, *output)
    assert done.returncode == 0, done.stderr
    assert "zen4" in done.stdout or "/box1," in done.stdout or (tmp_path / "out").exists()


def test_a_machines_own_part_says_of_whom_it_is(tmp_path: Path) -> None:
    run = head(tmp_path)
    measure(fleet(2), run)
    part = whole_or_part(tmp_path, f"{run.id}/box0")
    assert machine_of(part) == {"machine": "box0", "kind": "zen4"}


def test_a_machine_may_be_called_as_its_kind(tmp_path: Path) -> None:
    pool = Alike({"tcp://0": announced("zen4"), "tcp://1": announced("box1")})
    run = head(tmp_path)
    measure(pool, run)
    (kind,) = shown_parts(run)
    assert {row.rounds for row in rows_of(kind)} == {PLAN.rounds}
    assert whole_or_part(tmp_path, f"{run.id}/zen4").taken.cells == kind.taken.cells


def test_a_kind_of_one_machine_shares_with_nobody(tmp_path: Path) -> None:
    run = head(tmp_path)
    measure(fleet(1), run)
    assert machines_tables(run)[-1].notes == []


def test_a_page_that_follows_a_shared_run_is_made(tmp_path: Path) -> None:
    run = head(tmp_path)
    measure(fleet(2), run, plan=replace(PLAN, rounds=6))
    followed = page_of(shown_parts(run), known_here(Paths(PROJECT, tmp_path)), Assets("", ""))
    assert followed.changed().count("box") == 2 and "zen4" in followed.made()
    (kind,) = contents(shown_parts(run), known_here(Paths(PROJECT, tmp_path)), "")["runs"]
    assert kind["part"] == {"of": run.id, "machine": "zen4", "kind": "zen4"}
