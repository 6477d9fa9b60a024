"""Tests of curves of reading: the time over the share of the fields, and up to which share it pays to read no
more."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.curves import CODECS, SHARES, WHY_WHOLE, curved_run, workload_of

from serbench.measure.store import Run
from serbench.page.contents import Installation, contents
from serbench.paths import PROJECT
from serbench.report.charts.curve import Lines, drawn, lines_of
from serbench.report.charts.pixels import svg_of
from serbench.report.curves import Curve, curves_of, in_words, percent, reach
from serbench.report.rows import rows_of
from serbench.report.run_table import described, run_tables
from serbench.report.table import Table
from serbench.stats.summary import Interval

WORDS = {
    "cpp/a": ("up to 30 %", "below everything up to 30 % of the fields"),
    "python/b:c": (
        "up to 10 %",
        "below everything up to 10 % of the fields, not surely from 30 % on",
    ),
    "go/d": ("nowhere", "not surely below everything at any share, from 1 % of the fields on"),
    "rust/e": (
        "at 1 %, 10 %",
        "below everything at 1 %, 10 % of the fields, not surely at 3 %, 30 %",
    ),
    "python/f": ("–", "makes values of everything, whatever is asked for"),
}
"""Codec of a made-up run → the words on its curve, in the table and in a sentence."""


@pytest.fixture(scope="module", name="run")
def a_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return curved_run(tmp_path_factory.mktemp("curves"))


def curves(run: Run) -> dict[str, Curve]:
    (found,) = curves_of(run, rows_of(run))
    return {each.name: each for each in found.curves}


def curve_tables(run: Run, width: int) -> list[Table]:
    return [each for each in run_tables(run, rows_of(run), width) if "by share of the fields" in each.title]


def test_a_curve_has_a_row_for_each_share_and_for_every_field(run: Run) -> None:
    (found,) = curves_of(run, rows_of(run))
    assert (found.workload, found.operation, found.last) == ("w", "read:reuse", workload_of(30))
    assert found.shares == [share / 100 for share in SHARES]
    assert [each.name for each in found.curves] == ["cpp/a", "rust/e", "python/b:c", "python/f", "go/d"]
    for name, (way, times) in CODECS.items():
        curve = curves(run)[name]
        assert curve.way == (f"{way}‡" if way == "skip" else way)
        measured = [row.time.estimate / 100 for row in (*curve.parts, curve.whole) if row.time]
        assert measured == pytest.approx(times, rel=0.03)
        assert [row.to_json()["share_of_fields"] for row in curve.parts] == found.shares
        assert "share_of_fields" not in curve.whole.to_json()


@pytest.mark.parametrize("name", WORDS)
def test_words_say_up_to_which_share_it_takes_less_than_everything(run: Run, name: str) -> None:
    curve = curves(run)[name]
    assert (reach(curve), in_words(curve)) == WORDS[name]


def test_too_few_rounds_say_nothing_of_any_share(tmp_path: Path) -> None:
    run = curved_run(tmp_path, rounds=5)
    said = {name: in_words(curve) for name, curve in curves(run).items()}
    assert said == dict.fromkeys(WORDS, "") | {"python/f": WORDS["python/f"][1]}
    assert {reach(curve) for curve in curves(run).values()} == {"–"}
    (table,) = curve_tables(run, 120)
    assert table.notes[0] == "Fewer than 6 rounds cannot separate any codecs."


def test_an_interval_that_reaches_everything_is_not_below_it(run: Run) -> None:
    near = Interval(0.97, 0.9, 1.0, 0.95)
    rows = [
        replace(row, of_everything=near) if row.workload == workload_of(30) else row for row in rows_of(run)
    ]
    (found,) = curves_of(run, rows)
    assert in_words(found.curves[0]) == "below everything up to 10 % of the fields, not surely from 30 % on"


def test_of_a_share_that_is_lacking_nothing_is_said(run: Run) -> None:
    rows = [row for row in rows_of(run) if (row.name, row.workload) != ("cpp/a", workload_of(10))]
    (found,) = curves_of(run, rows)
    assert in_words(found.curves[0]) == "below everything at 1 %, 3 %, 30 % of the fields"
    (table,) = [each for each in run_tables(run, rows, 120) if "by share of the fields" in each.title]
    assert table.rows[0][2:7] == ["at 1 %, 3 %, 30 %", "5.0 %", "7.5 %", "–", "22 %"]


def test_a_codec_that_reads_one_part_whole_tells_both_ways(run: Run) -> None:
    rows = [
        replace(row, way="whole", of_everything=None) if row.workload == workload_of(30) else row
        for row in rows_of(run)
    ]
    (found,) = curves_of(run, rows)
    first = found.curves[0]
    assert (first.name, first.way, first.is_whole) == ("cpp/a", "view/whole", False)
    assert in_words(first) == "below everything up to 10 % of the fields, not surely from 30 % on"


@pytest.mark.parametrize("shares", [(3,), (3, 100)])
def test_one_share_makes_no_curve(shares: tuple[int, ...], tmp_path: Path) -> None:
    run = curved_run(tmp_path, {"cpp/a": ("view", (10, *(40 for _ in shares)))}, shares=shares)
    assert not [*curves_of(run, rows_of(run))] and not curve_tables(run, 120)


def test_a_table_has_the_shares_side_by_side(run: Run) -> None:
    (table,) = curve_tables(run, 120)
    assert table.headings[3:] == ["1 %", "3 %", "10 %", "30 %", "every\nfield\nper message"]
    shown = {row[0]: [*row[1:]] for row in table.rows}
    assert shown["cpp/a"] == ["view", "up to 30 %", "5.0 %", "7.5 %", "15 %", "22 %", "410 ns"]
    assert shown["python/f"] == ["whole", "–", "all", "all", "all", "all", "710 ns"]
    for name, (_, words) in WORDS.items():
        assert f"{name}: {words}." in table.notes
    assert table.width <= 80


def test_many_paths_are_told_by_their_number(run: Run) -> None:
    few, many = (run.manifest.datasets[workload_of(share)] for share in (3, 30))
    assert described(few) == "100 messages, of which f0, f1, f2 is read"
    assert described(many) == "100 messages, of which 30 fields are read"


def test_shares_are_written_without_digits_that_nobody_needs() -> None:
    assert [percent(share) for share in (0.01, 1 / 57, 0.0999, 0.3, 17 / 57)] == [
        "1 %", "1.8 %", "10 %", "30 %", "30 %"
    ]  # fmt: skip


# --- the picture ---


def chart(run: Run) -> Lines:
    (found,) = lines_of(run, rows_of(run))
    return found


def test_a_picture_has_a_line_for_each_codec_with_its_way(run: Run) -> None:
    svg = svg_of(drawn(chart(run)))
    root = ElementTree.fromstring(svg)
    texts = [each.text or "" for each in root.iter() if each.tag.endswith("text")]
    for name, (way, _) in CODECS.items():
        assert f"{name} ({way}{'‡' if way == 'skip' else ''})" in texts
        assert f"{name}: {WORDS[name][1]}." in " ".join(root.itertext())
    ticks = [text for text in texts if text.endswith(" %") and len(text) <= 5]
    assert ticks == ["1 %", "3 %", "10 %", "30 %", "100 %"]
    groups = [each for each in root.iter() if "role-mark dots" in each.get("class", "")]
    dots = [dot for group in groups for dot in group]
    assert len(dots) == 5 * len(CODECS)
    filled = [dot for dot in dots if dot.get("fill") != "#ffffff"]
    assert len(filled) == sum(sum(curve.below.values()) for curve in curves(run).values()) == 9


def test_of_many_codecs_the_fastest_are_drawn(tmp_path: Path) -> None:
    many = {f"cpp/c{n:02}": ("skip", (100 + n, 110 + n, 120 + n, 130 + n, 400)) for n in range(14)}
    spec = drawn(chart(curved_run(tmp_path, many)))
    labels = list(dict.fromkeys(each["label"] for each in spec["data"][0]["values"]))
    assert labels == [f"cpp/c{n:02} (skip‡)" for n in range(10)]
    told = " ".join(spec["title"]["subtitle"])
    assert "The fastest 10 for the fewest fields; 4 more are not drawn." in told and "cpp/c12" not in told


def test_plot_draws_it_without_a_display_and_with_many_paths(tmp_path: Path) -> None:
    run = curved_run(tmp_path / "runs", {"cpp/a": ("view", (1, 8, 9))}, shares=(1, 90))
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    environment |= {"SERBENCH_HOME": str(tmp_path), "PYTHONPATH": str(PROJECT / "src")}
    words = [sys.executable, "-m", "serbench", "plot", run.id, "-O", str(tmp_path / "out")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    for ending, begins in (("svg", b"<svg"), ("png", b"\x89PNG")):
        of_a_part = [each.name for each in (tmp_path / "out").glob(f"*-time-read-reuse.{ending}")]
        assert len(of_a_part) == 3 and max(map(len, of_a_part)) < 255
        file = tmp_path / "out" / f"w-read-reuse-over-fields.{ending}"
        assert str(file) in done.stdout.splitlines()
        assert file.read_bytes().startswith(begins)


# --- the page ---


def test_a_page_has_ways_with_their_meaning_and_the_same_curves(run: Run) -> None:
    made = contents([run], Installation(), "t")
    (found,) = made["curves"]
    assert (found["run"], found["workload"], found["operation"]) == (run.id, "w", "read:reuse")
    assert found["parts"] == [workload_of(share) for share in SHARES]
    for line in found["lines"]:
        assert line["words"] == WORDS[line["name"]][1]
        assert [point["share"] for point in line["points"]] == [0.01, 0.03, 0.1, 0.3, 1]
        below = curves(run)[line["name"]].below.values()
        assert [point["below"] for point in line["points"]][:-1] == ([*below] or [False] * 4)
    part, whole = made["runs"][0]["workloads"][-1], made["runs"][0]["workloads"][0]
    assert part["title"] == "w: 100 messages, of which 30 fields are read" and whole["title"] == "w"
    assert part["notes"][0].startswith("Ways: skip: ") and not whole["notes"]
    assert f"python/f: {WHY_WHOLE}" in part["notes"]
    ways = made["cells"]["way"]
    assert set(ways["words"]) == {"skip", "view", "scan", "whole"}
    assert sum(place is None for place in ways["at"]) == 2 * len(CODECS)
