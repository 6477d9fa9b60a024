"""Tests of filters in made-up runs: what is computed of the measured times, how it ranks and is shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from serbench.export.tables import table_of
from serbench.measure.store import Journal, Run, create_run
from serbench.page.assets import Assets
from serbench.page.contents import Installation, contents
from serbench.page.document import page
from serbench.paths import PROJECT, Paths
from serbench.report.charts.picture import filter_pictures
from serbench.report.compare_table import compare_sides, compare_table, whole
from serbench.report.computed import Computed
from serbench.report.filters import FilterRow
from serbench.report.rows import rows_of
from serbench.report.show import print_table
from serbench.report.table import Table
from serbench.report.tables import tables_of
from serbench.report.verdict import verdict_of
from serbench.report.verdict_lines import next_step

FIELDS, MORE = "w/read=status", "w/read=id,lines[].sku"
TIMES = {  # codec → its way, and a pass over the condition's fields, over more, and over everything
    "python/skips": ("skip", 2000.0, 4000.0, 10000.0),
    "python/wholes": ("whole", 5000.0, 5000.0, 5000.0),
    "python/slows": ("skip", 9000.0, 9500.0, 10000.0),
}
MESSAGES = 1000
ROUNDS = 8


def made(
    folder: Path,
    matching: int,
    then: Sequence[str] = (MORE,),
    policies: Sequence[str] = ("reuse",),
    slower: float = 1.0,
) -> Run:
    """Makes a run of three codecs and a filter; round n takes n tenths of a per cent more. More fields take
    one of the codecs ``slower`` times as long."""
    data = {"messages": MESSAGES, "canonical_bytes": 9000, "sha256": "00"}
    found = {"conditions": [["status", "="]], "matching": matching, "reads": FIELDS, "then": [*then]}
    workloads = ["w", *dict.fromkeys((FIELDS, *then))]
    parts = {each: {**data, "whole": "w", "paths": each.partition("=")[2]} for each in workloads[1:]}
    operations = [f"read:{each}" for each in policies]
    manifest = {
        "codecs": [*TIMES], "workloads": workloads, "operations": operations, "rounds": ROUNDS,
        "datasets": {"w": {**data, "filtered": found}, **parts}, "machine": {"processor": "none"},
        "toolchains": [],
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:
        for codec, (way, *_) in TIMES.items():
            for workload in workloads:
                reason = "it decodes all fields" if way == "whole" else ""
                told = {"way": way, "way_reason": reason} if workload != "w" else {}
                ok = {"status": "ok", "reason": "", "size_bytes": 9, "operations": ["read"], **told}
                journal.append(_of("unit", codec, workload, messages=MESSAGES, **ok))
        for number in range(1, ROUNDS + 1):
            for codec, (_, fields, more, everything) in TIMES.items():
                for workload in workloads:
                    more *= slower if codec == "python/skips" and workload == MORE else 1
                    ns = {FIELDS: fields, MORE: more}.get(workload, everything) * (1 + number / 1000)
                    for memory in policies:
                        cell = {"operation": "read", "memory": memory, "round": number, "iterations": 1000}
                        took = {"elapsed_ns": round(1000 * ns), "waited_ns": 0}
                        journal.append(_of("sample", codec, workload, **took, **cell))
        journal.append({"event": "end"})
    return run


def _of(event: str, codec: str, workload: str, **values: Any) -> dict[str, Any]:
    return {"event": event, "codec": codec, "workload": workload, "compiler": "", **values}


def shown(run: Run) -> tuple[list[Table], dict[str, FilterRow]]:
    """The tables of filters, and the row of each codec."""
    tables, rows, _ = tables_of(run, Paths.default().suites)
    return [each for each in tables if "where" in each.title], {
        row.codec: row for row in rows if isinstance(row, FilterRow)
    }


@pytest.mark.parametrize(
    ("matching", "then", "skips"),
    [
        (100, [MORE], 2000 + 0.1 * 4000),
        (100, [], 2000 + 0.1 * 10000),
        (100, [FIELDS], 2000),  # which has been read already
        (0, [MORE], 2000),
        (1000, [MORE], 2000 + 4000),
    ],
)
def test_a_filter_takes_its_condition_and_the_share_of_what_follows(
    tmp_path: Path, matching: int, then: list[str], skips: float
) -> None:
    _, rows = shown(made(tmp_path, matching, then))
    assert rows.keys() == TIMES.keys()
    found = rows["python/skips"].time
    assert found and found.estimate == pytest.approx(skips * 1.0045, rel=1e-4)
    assert found.low < found.estimate < found.high
    share = rows["python/skips"].of_everything
    assert share and share.estimate == pytest.approx(skips / 10000, rel=1e-4)
    assert rows["python/skips"].share == matching / MESSAGES


def test_who_decodes_everything_reads_nothing_twice(tmp_path: Path) -> None:
    _, rows = shown(made(tmp_path, 500))
    whole = rows["python/wholes"]
    assert whole.time and whole.time.estimate == pytest.approx(5000 * 1.0045, rel=1e-4)
    assert whole.of_everything is None


@pytest.mark.parametrize(("matching", "first"), [(100, "python/skips"), (1000, "python/wholes")])
def test_the_verdict_says_who_filters_fastest(tmp_path: Path, matching: int, first: str) -> None:
    ((table,), rows) = shown(made(tmp_path, matching))
    assert [row.rank for row in sorted(rows.values(), key=lambda row: row.rank or 0)] == [1, 2, 3]
    assert rows[first].rank == 1 and table.rows[0][0] == first
    said = {each.label: each.text for each in table.verdict}
    assert said["Fastest to filter, computed"].startswith(f"{first} (")
    (record,) = [each for each in table.verdict_records if each["verdict"] == "fastest"]
    assert (record["operation"], record["codecs"]) == ("filter", [first])


def test_each_memory_policy_has_a_table(tmp_path: Path) -> None:
    tables, _ = shown(made(tmp_path, 100, policies=("reuse", "fresh")))
    assert ["(reuse)" in table.title for table in tables] == [True, False]
    assert "(fresh)" in tables[1].title and not tables[1].verdict
    labels = [each.label for each in tables[0].verdict]
    assert labels[1:] == ["Fastest to filter, computed, reuse", "Fastest to filter, computed, fresh"]


@pytest.mark.parametrize(
    ("matching", "told"),
    [
        (0, "No message matches"),
        (1000, "Every message matches"),
        (5, "of every message, and 0.50 % of the time to read on"),
    ],
)
def test_notes_say_that_it_is_computed_and_of_what(tmp_path: Path, matching: int, told: str) -> None:
    ((table,), _) = shown(made(tmp_path, matching))
    assert table.title.startswith(f"w, where status = …: {matching:,} of 1,000 messages match, ")
    assert table.notes[0].startswith("A filter's time is computed")
    assert any(told in note for note in table.notes[:2])
    assert any("only its further values are read" in note for note in table.notes)


@pytest.mark.parametrize(
    ("width", "left_out"),
    [(60, "condition, match, ±, everything; "), (80, "match, ±; "), (120, "")],
)
def test_the_table_fits_the_terminal(
    tmp_path: Path, width: int, left_out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tables, _, _ = tables_of(made(tmp_path, 100), Paths.default().suites, width=width)
    (table,) = [each for each in tables if "where" in each.title]
    print_table(table, width)
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= width
    (line,) = [each for each in printed.splitlines() if each.startswith(" python/skips  ")]
    assert ("2.41 ns" in line, "10.0 ns" in line, "±" in line) == (True, width >= 80, width >= 120)
    assert f"Left out to fit {width} columns: {left_out}" in printed.replace("\n", " ") or not left_out


def test_json_has_path_operator_and_share(tmp_path: Path) -> None:
    _, rows = shown(made(tmp_path, 100))
    told = json.loads(json.dumps(rows["python/skips"].to_json()))
    assert told["operation"] == "filter" and told["computed"] is True
    assert (told["condition_paths"], told["condition_operators"]) == (["status"], ["="])
    assert (told["matching"], told["share"], told["paths"]) == (100, 0.1, "id,lines[].sku")
    assert (round(told["condition_ns"]), round(told["match_ns"])) == (2009, 4018)
    assert told["everything_ns"] > told["time_ns"] > told["condition_ns"]
    assert told["rounds"] == ROUNDS and told["rank"] == 1


@pytest.mark.parametrize(
    ("arguments", "again"),
    [
        (["-w", "w"], f"-w w -w {FIELDS} -w 'w/read=id,lines[].sku' -c a    (with enough rounds to rank)"),
        (["-w", "w", "--read", "id, lines[].sku"], "-w w -c a --read 'id, lines[].sku'    (with enough"),
        (["-w", FIELDS, "--read=10%"], f"-w w -w {FIELDS} -c a --read 10%    (with enough"),
        (
            ["--read", "shares", "--where=status=…"],
            "-w w -c a --read shares --where 'status=…'    (with enough",
        ),
        (["-w", "w", "--update=n"], "-w w -c a --update n    (with enough"),
        (["--where", "n>…"], "(with enough rounds to rank; put the condition's value in place of …)"),
    ],
)
def test_the_next_command_reads_the_same(tmp_path: Path, arguments: list[str], again: str) -> None:
    run = made(tmp_path, 100)
    run.manifest.arguments, run.manifest.selection = ("run", *arguments), ("-c", "a")
    few = [verdict_of(run, each, [replace(row, rounds=2) for row in rows_of(run)]) for each in ["w"]]
    assert again in next_step(run, few)


def test_a_run_without_conditions_has_no_filters(tmp_path: Path) -> None:
    run = made(tmp_path, 100)
    run.manifest.datasets["w"].filtered = None
    assert shown(run) == ([], {})


def test_the_export_says_that_a_filter_is_computed_and_of_which_condition(tmp_path: Path) -> None:
    columns = table_of("cells", [made(tmp_path, 100)])
    cells = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    (skips,) = [each for each in cells if each["codec"] == "python/skips" and each["computed"]]
    assert (skips["workload"], skips["operation"], skips["memory"]) == (MORE, "filter", "reuse")
    assert (skips["condition"], skips["matching"], skips["rank"]) == ("status = …", 100, 1)
    assert skips["time_ns"] == pytest.approx(2400 * 1.0045, rel=1e-4)
    assert [each["operation"] for each in cells if not each["computed"]] == 9 * ["read"]


def test_a_filter_is_compared_as_it_is_computed_in_each_of_two_runs(tmp_path: Path) -> None:
    before, after = (whole(made(tmp_path, 100, slower=slower)) for slower in (1.0, 1.5))
    found = compare_sides(before, after, 0.05)
    (skips,) = [each for each in found.cells if each.computed and each.cell[0] == "python/skips"]
    assert skips.cell[3] == "filter:reuse" and skips.to_json()["computed"] is True
    assert skips.change.ratio.estimate == pytest.approx(2600 / 2400, rel=1e-3)
    assert skips.before.estimate == pytest.approx(2400 * 1.0045, rel=1e-3)
    assert skips.change.verdict == "slower" and skips.regression
    others = {each.cell[0]: each.change.verdict for each in found.cells if each.computed and each != skips}
    assert others == dict.fromkeys(("python/wholes", "python/slows"), "too close to call")
    table = compare_table(found, before, after, 0.05, changed_only=True)
    assert ["filter:reuse, computed" in row for row in table.rows] == [False, True]
    assert any("w, where status = …: 100 of 1,000 messages match" in note for note in table.notes)


def test_filters_by_which_other_messages_match_are_not_compared(tmp_path: Path) -> None:
    before, after = (whole(made(tmp_path, matching)) for matching in (100, 200))
    found = compare_sides(before, after, 0.05)
    assert found.cells and not any(each.computed for each in found.cells)
    assert found.notes[0] == (
        f"The filters of {MORE} are not compared, since they differ: where status = …: 100 of 1,000 messages "
        "match, 10 %; where status = …: 200 of 1,000 messages match, 20 %."
    )


def test_a_page_has_the_filters_of_the_terminal_with_and_without_a_script(tmp_path: Path) -> None:
    run = made(tmp_path, 100, policies=("reuse", "fresh"))
    tables, _ = shown(run)
    told = contents([run], Installation(), "a title")["filters"]
    assert [each["title"] for each in told] == [table.title for table in tables]
    assert [each["codecs"][0] for each in told] == 2 * ["python/skips"]
    assert told[0]["rows"][0][:2] == ["python/skips", "skip"]
    assert told[0]["headings"].index("filter,\ncomputed") == 4
    assert told[0]["verdict"][0]["label"] == "Fastest to filter, computed, reuse"
    assert set(told[0]["workloads"]) == {"w", FIELDS, MORE}
    without_script = page([run], Installation(), "a title", Assets("", ""))
    assert tables[0].title in without_script and "A filter&#x27;s time is computed" in without_script


def test_a_filter_has_a_picture_that_says_that_it_is_computed(tmp_path: Path) -> None:
    run = made(tmp_path, 100)
    (picture,) = filter_pictures(run, rows_of(run), None)
    assert picture.title == f"{MORE} · filter:reuse, computed"
    assert [bar.label for bar in picture.bars] == ["python/skips", "python/wholes", "python/slows"]
    assert picture.subtitle[0].startswith("w, where status = …: 100 of 1,000 messages match")
    assert picture.notes[0].startswith("A filter's time is computed")


@pytest.mark.native
def test_no_value_of_a_condition_is_in_any_output_or_file(tmp_path: Path) -> None:
    file, home = tmp_path / "orders.jsonl", tmp_path / "home"
    orders = [{"id": n, "name": "x" * n, "note": f"n{n % 4}"} for n in range(20)]
    file.write_text("".join(json.dumps(order) + "\n" for order in orders))
    environment = {**os.environ, "SERBENCH_HOME": str(home), "PYTHONPATH": str(PROJECT / "src")}

    def said(*words: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "serbench", *words, "-c", "python/json:dataclass"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout, done.stderr

    def kept() -> list[Path]:
        return [path for path in home.rglob("*") if path.is_file() and b"5ecret" in path.read_bytes()]

    matching = ("--where", "note!=5ecret", "--where=id<5", "--no-install", "--format", "json")
    status, out, errors = said("try", str(file), "--read", "name", *matching)
    assert status == 0, errors
    (row,) = [each for each in json.loads(out) if "computed" in each]
    assert (row["condition_paths"], row["condition_operators"]) == (["note", "id"], ["!=", "<"])
    assert (row["matching"], row["share"], row["paths"]) == (5, 0.25, "name")
    assert "5ecret" not in out + errors and not kept()
    (manifest,) = home.glob("runs/*/manifest.json")
    assert "note!=…" in manifest.read_text() and "--where=id<…" in manifest.read_text()
    assert said("run", "-w", "orders", "--where", "id=5ecret")[0] == 2 and not kept()
    assert "5ecret" not in "".join(map(str, said("run", "-w", "orders", "--where", "id=5ecret")))


def test_of_a_match_that_is_decoded_only_further_values_count() -> None:
    cells = ("python/a", "w/read=status", "", "read:reuse"), ("python/a", "w/read=id", "", "read:reuse")
    figures = {cells[0]: {1: 500.0, 2: 500.0}, cells[1]: {1: 600.0, 2: 450.0}}
    of: Any = None  # is not needed for the times
    assert Computed(of, *cells, 0.1, is_decoded=True).rounds(figures) == {1: 510.0, 2: 500.0}
    assert Computed(of, *cells, 0.1).rounds(figures) == {1: 560.0, 2: 545.0}
