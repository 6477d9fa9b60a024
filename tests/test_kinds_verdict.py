"""Tests of the verdict on a run of several machines, which says for which kinds of machines a statement of
the single machines' verdicts holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fleets import Times, fleet
from tests.simulated_fleet import Fleet, measured
from tests.test_cli import serbench

from serbench.measure.store import Run
from serbench.report.kinds_lines import kinds_tables
from serbench.report.kinds_verdict import kinds_verdicts
from serbench.report.machines_table import parts_with_rows
from serbench.report.show import markdown

THREE: Times = {"a": (100, 300), "b": (200, 200), "c": (400, 400)}
OTHER: Times = {"a": (300, 300), "b": (200, 200), "c": (400, 400)}
CLOSE: Times = {"a": (100, 300), "b": (100.2, 200), "c": (400, 400)}


def said(run: Run) -> dict[str, str]:
    (table,) = kinds_tables(parts_with_rows(run))
    return {each.label: each.text for each in table.verdict}


def records(run: Run) -> dict[str, Any]:
    (table,) = kinds_tables(parts_with_rows(run))
    return {f"{each['verdict']} {each.get('operation', '')}".strip(): each for each in table.verdict_records}


def test_what_all_machines_say_holds_on_all_kinds(tmp_path: Path) -> None:
    slow = {codec: tuple(3 * each for each in times) for codec, times in THREE.items()}
    run = fleet(tmp_path, {"m": ("zen4", THREE), "n": ("zen4", THREE), "o": ("old", slow)})
    (table,) = kinds_tables(parts_with_rows(run))
    assert table.title == "w: 3 machines of 2 kinds"
    lines = said(run)
    assert lines["Trust"] == "yes on all 3 machines"
    assert lines["Fastest to write"] == "a; holds on all 2 kinds of machines"
    assert lines["Fastest to read"] == "b; holds on all 2 kinds of machines"
    assert lines["Smallest"] == "a, b, c; holds on all 2 kinds of machines"
    assert "Best in both" not in lines
    assert records(run)["fastest_by_kind serialize"]["holds_on_all_kinds"] is True


def test_what_kinds_do_not_share_is_told_by_kind(tmp_path: Path) -> None:
    machines = {"m": ("zen4", THREE), "n": ("old", OTHER), "o": ("zen5", THREE)}
    lines = said(run := fleet(tmp_path, machines))
    assert lines["Fastest to write"] == "old: b; zen4 and zen5: a"
    assert lines["Fastest to read"] == "b; holds on all 3 kinds of machines"
    assert lines["Best in both"] == "old: b; zen4 and zen5: no codec"
    told = records(run)["fastest_by_kind serialize"]
    assert (told["holds_on_all_kinds"], told["first_on_all_machines"]) == (False, [])
    assert [(each["kind"], each["answers"][0]["codecs"]) for each in told["kinds"]] == [
        ("old", ["b"]),
        ("zen4", ["a"]),
        ("zen5", ["a"]),
    ]


def test_too_close_to_call_is_an_answer_of_its_own(tmp_path: Path) -> None:
    machines = {"m": ("zen4", THREE), "n": ("old", CLOSE)}
    lines = said(run := fleet(tmp_path, machines, noise={"m": 0.01, "n": 0.05}))
    assert lines["Fastest to write"] in (
        f"old: too close to call: {both}; zen4: a. a is first, or too close to call, on all"
        for both in ("a, b", "b, a")
    )
    told = records(run)["fastest_by_kind serialize"]
    assert (told["holds_on_all_kinds"], told["first_on_all_machines"]) == (False, ["a"])
    assert [each["answers"][0]["too_close_to_call"] for each in told["kinds"]] == [True, False]


def test_where_all_machines_find_it_too_close_to_call_that_holds(tmp_path: Path) -> None:
    machines = {"m": ("zen4", CLOSE), "n": ("old", CLOSE)}
    lines = said(run := fleet(tmp_path, machines, noise=0.05))
    assert lines["Fastest to write"].startswith("too close to call: ")
    assert lines["Fastest to write"].endswith("; holds on all 2 kinds of machines")
    told = records(run)["fastest_by_kind serialize"]
    assert told["holds_on_all_kinds"] and told["first_on_all_machines"] == ["a", "b"]


def test_equal_machines_that_disagree_are_told(tmp_path: Path) -> None:
    machines = {"m": ("zen4", THREE), "n": ("zen4", OTHER), "o": ("zen4", THREE), "p": ("old", OTHER)}
    lines = said(run := fleet(tmp_path, machines))
    assert lines["Fastest to write"] == "old: b; zen4: its machines disagree: a on 2 of 3 machines, b on 1"
    zen4 = records(run)["fastest_by_kind serialize"]["kinds"][1]
    assert zen4["machines_disagree"] is True
    assert [(each["codecs"], each["machines"]) for each in zen4["answers"]] == [
        (["a"], ["m", "o"]),
        (["b"], ["n"]),
    ]


def test_an_equal_machine_that_cannot_tell_contradicts_nothing(tmp_path: Path) -> None:
    machines = {"m": ("zen4", THREE), "n": ("zen4", CLOSE)}
    lines = said(run := fleet(tmp_path, machines, noise={"m": 0.01, "n": 0.05}))
    assert lines["Fastest to write"] in (
        f"zen4: a on 1 of 2 machines, too close to call ({both}) on 1. "
        "a is first, or too close to call, on all"
        for both in ("a, b", "b, a")
    )
    assert records(run)["fastest_by_kind serialize"]["kinds"][0]["machines_disagree"] is False


def test_a_machine_that_does_not_know_and_one_that_finds_it_too_close_do_not_say_the_same(
    tmp_path: Path,
) -> None:
    times = {"a": (100, 100), "b": (100.2, 100.2)}
    machines = {"m": ("old", times), "n": ("zen4", times)}
    lines = said(run := fleet(tmp_path, machines, noise={"m": 0.02, "n": 0.4}))
    old, zen4 = lines["Fastest to write"].split(";")
    assert old.startswith("old: too close to call: ")
    assert zen4.startswith(" zen4: not known: ") and zen4.endswith(" may be first on all")
    told = records(run)["fastest_by_kind serialize"]
    assert told["holds_on_all_kinds"] is False
    answers = [each["answers"][0] for each in told["kinds"]]
    assert [(each["too_close_to_call"], each["not_known"]) for each in answers] == [
        (True, False), (False, True)
    ]  # fmt: skip
    assert "~" not in lines["Smallest"] and records(run)["smallest_by_kind"]["holds_on_all_kinds"]


def test_too_few_rounds_call_nothing(tmp_path: Path) -> None:
    machines = {"m": ("zen4", THREE), "n": ("old", THREE)}
    early = fleet(tmp_path / "early", machines, rounds=3)
    assert said(early)["Fastest to write"] == "too early to call after 3 rounds; ranking takes 6"
    one = fleet(tmp_path / "one", machines, rounds={"m": 12, "n": 3})
    assert said(one)["Fastest to write"] == (
        "old: too early to call after 3 rounds; ranking takes 6; zen4: a"
    )
    assert records(one)["fastest_by_kind serialize"]["first_on_all_machines"] == []


def test_a_kind_without_the_codec_that_is_first_elsewhere_says_so(tmp_path: Path) -> None:
    lacking = {codec: times for codec, times in THREE.items() if codec != "a"}
    lines = said(run := fleet(tmp_path, {"m": ("zen4", THREE), "n": ("old", lacking)}))
    assert lines["Fastest to write"] == "old: b (without a); zen4: a"
    assert records(run)["fastest_by_kind serialize"]["kinds"][0]["without"] == ["a"]


def test_sizes_that_differ_between_kinds_are_told(tmp_path: Path) -> None:
    machines = {"m": ("zen4", THREE), "n": ("old", THREE)}
    sizes = {"m": {"a": 90, "b": 100, "c": 100}, "n": {"a": 100, "b": 90, "c": 90}}
    assert said(fleet(tmp_path, machines, sizes=sizes))["Smallest"] == "old: b, c; zen4: a"


def test_the_gravest_doubt_of_any_machine_is_told(tmp_path: Path) -> None:
    machines = {"m": ("zen4", THREE), "n": ("zen4", THREE)}
    run = fleet(tmp_path, machines, ended={"m": True, "n": False})
    (table,) = kinds_tables(parts_with_rows(run))
    assert table.verdict[0].text.startswith("with care on 1, yes on 1 of 2 machines; n: ")
    assert table.verdict[0].tone == "care"


def test_a_run_of_one_machine_has_none(tmp_path: Path) -> None:
    assert kinds_verdicts(parts_with_rows(fleet(tmp_path, {"m": ("zen4", THREE)}))) == []


@pytest.mark.parametrize("columns", [80, 200])
def test_show_has_it_above_the_tables(tmp_path: Path, columns: int) -> None:
    """The first two codecs of the simulated fleet change places on one kind of machine, which the verdict
    above the tables has to say, however wide the terminal is."""
    machines = Fleet(6)
    for machine in machines.simulated.values():
        machine.noise = 0.002
    run = measured(tmp_path / "runs", machines, 3, 9)
    done = serbench(tmp_path, "show", run.id, columns=columns)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "fake: 6 machines of 3 kinds" and max(map(len, lines)) <= columns
    assert "m0001, zen4 (model 1): fake: 1 message" in done.stdout
    told = " ".join(done.stdout.partition("m0001, ")[0].split())
    assert "Fastest to write zen4 (model 1): fake/01; zen4 (model 17)" in told


def test_show_tells_programs_of_whom_each_verdict_is(tmp_path: Path) -> None:
    run = measured(tmp_path / "runs", Fleet(3), 3, 9)
    told = json.loads(serbench(tmp_path, "show", run.id, "--format", "json").stdout)
    of_one = [each for each in told if each.get("verdict") == "fastest"]
    assert {each["machine"] for each in of_one} == {"m0000", "m0001", "m0002"} and len(of_one) == 9
    across = [each for each in told if each.get("verdict") == "fastest_by_kind"]
    assert {(each["operation"], each["memory"]) for each in across} == {
        (each["operation"], each["memory"]) for each in of_one
    }
    for each in across:
        for kind in each["kinds"]:
            (answer,) = kind["answers"]
            (own,) = [
                one
                for one in of_one
                if (one["machine"], one["operation"], one["memory"])
                == (*answer["machines"], each["operation"], each["memory"])
            ]
            assert sorted(own["codecs"]) == answer["codecs"]
            assert own["too_close_to_call"] == answer["too_close_to_call"]


def test_markdown_has_no_empty_table(tmp_path: Path) -> None:
    (table,) = kinds_tables(parts_with_rows(fleet(tmp_path, {"m": ("z<en4", THREE), "n": ("old", OTHER)})))
    text = markdown(table)
    assert text.startswith("**w: 2 machines of 2 kinds**\n\n- **Trust**: yes on all 2 machines\n")
    assert "- **Fastest to write**: old: b; z\\<en4: a\n" in text
    assert not text.endswith("\n\n") and "| " not in text
