"""Tests of what ``why`` and ``advise`` found, as it is kept with a run: what is shown of it later."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.test_why import ONE, TWO, measured, why

from serbench.changes.advice import Suggestion
from serbench.cli.options import TableFormat
from serbench.cli.plot import _drawings
from serbench.cli.report import title_of
from serbench.cli.show import show
from serbench.errors import FileError
from serbench.measure.store import Run, create_run
from serbench.page.parts import finding_html
from serbench.page.plain import plain
from serbench.report.advice_table import Advice, Gain
from serbench.report.charts.icicle import why_drawings
from serbench.report.charts.pixels import svg_of
from serbench.report.icicle import icicle_of
from serbench.report.kept import advice_of, finding_of, keep_advice, keep_why, why_of
from serbench.report.why import Why
from serbench.report.why_table import why_tables
from serbench.stats.summary import Interval
from serbench.verification.sizes import Size

GAINS = [
    Gain(
        Suggestion("id", "retype=id:uuid", "10 texts are UUIDs"),
        "x/one",
        Size(1000, 500),
        Size(800, 450),
        10,
        {"write": Interval(0.8, 0.75, 0.85, 0.95), "read": Interval(1.0, 0.9, 1.1, 0.95)},
        {"backward": "refused", "forward": "misread"},
    ),
    Gain(Suggestion("n", "narrow=n:u8", "at most 9"), "x/one", reason="it is odd"),
]


@pytest.fixture(name="home")
def a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SERBENCH_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture(name="kept")
def kept_costs(home: Path) -> Why:
    made = why(home / "runs", {"x/one": ONE, "x/two": TWO})
    made = replace(made, dropped={"": {"x/one": Size(1000, 500)}, "a": {"x/one": Size(880, 450)}})
    keep_why(made, made.runs)
    return made


def kept_advice(home: Path) -> tuple[Advice, Run]:
    advice = Advice("w", GAINS, [])
    data = {"messages": 10, "canonical_bytes": 1000, "sha256": ""}
    manifest = {
        "codecs": ["x/one"], "workloads": ["w"], "operations": [], "rounds": 1, "toolchains": [],
        "arguments": [], "machine": {"processor": "made up"}, "datasets": {"w": data},
    }  # fmt: skip
    run = create_run(home / "runs", manifest)
    keep_advice(advice, run)
    return advice, run


def test_show_prints_the_tree_again(kept: Why, capsys: pytest.CaptureFixture[str]) -> None:
    show(kept.runs[0].id, format=TableFormat.json)
    assert json.loads(capsys.readouterr().out) == kept.records
    show(kept.runs[0].id)
    shown = capsys.readouterr().out
    assert "left without all parts" in shown and "empty=b[].y" not in shown
    show(kept.runs[0].id, full=True)
    assert "left without all parts" not in capsys.readouterr().out


def test_a_tree_is_that_of_all_its_runs(kept: Why) -> None:
    again = why_of(kept.runs[0])
    assert again and why_tables(again, 120) == why_tables(kept, 120)
    assert again.runs[0].id == kept.runs[0].id


def test_an_altered_file_is_refused(kept: Why) -> None:
    path = kept.runs[0].directory / "why.json"
    values = json.loads(path.read_text())
    del values["weighed"]["parts"]["empty=*"]
    path.write_text(json.dumps(values))
    with pytest.raises(FileError, match=r"why\.json: the sizes are incomplete"):
        why_of(kept.runs[0])


def test_advice_is_shown_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    advice, run = kept_advice(home)
    assert advice_of(run) == advice
    show(run.id)
    shown = capsys.readouterr().out
    assert "−20.0 %" in shown and "narrow=n:u8: it is odd" in shown
    run.directory.joinpath("advice.json").unlink()
    assert finding_of(run) is None


def test_boxes_have_one_scale_and_reach_beyond_what_they_are_in(kept: Why) -> None:
    root = icicle_of(kept, "x/one")
    boxes = {box.cost.path: (left, box.width, box.rest) for box, left, _ in root.placed()}
    assert boxes == {
        "": (0, 100, 0), "a": (0, 70, 0), "b": (70, 50, 10), "b[]": (70, 40, 0),
        "b[].x": (70, 3, 0), "b[].y": (73, 37, 0), "d": (120, 1, 0),
    }  # fmt: skip
    assert root.span == 121 and root.hidden == ["c"]


def test_plot_draws_what_parts_cost(kept: Why, tmp_path: Path) -> None:
    drawings = dict(_drawings(kept.runs[0], None))
    assert [*drawings][:3] == [f"w-x-one-{what}-of-parts" for what in ("bytes", "write", "read")]
    assert len(drawings) == 6
    drawn = svg_of(drawings["w-x-one-bytes-of-parts"]())
    assert "whole message 100" in drawn and "Saves nothing when empty: c." in drawn
    assert "With every part empty, a message still takes 2 bytes." in drawn
    times = svg_of(drawings["w-x-one-write-of-parts"]())
    assert ">b[].y<" in times and ">~0<" in times and "time of a message" in times


def test_other_forms_are_bars_against_the_message_as_it_is(kept: Why, tmp_path: Path) -> None:
    forms = {"hint=*:fixed32": -0.5, "retype=*:utf8": 0.0}
    run = measured(tmp_path / "forms", {"x/one": {**ONE, **forms}}, 8)
    size = {"x/one": Size(1000, 500)}
    chosen = {"hint=*:fixed32": {"x/one": Size(1200, 510)}, "retype=*:utf8": size}
    found = replace(kept, runs=[run], dropped={"": size}, chosen=chosen)
    drawings = dict(why_drawings(found))
    assert [name for name in drawings if name.endswith("forms")] == ["w-x-one-forms"]
    drawn = svg_of(drawings["w-x-one-forms"]())
    assert ">hint=*:fixed32, bytes<" in drawn and ">120 %<" in drawn
    assert drawn.count(">150 %<") == 1 and drawn.count(">100 %<") == 1 and ">~<" in drawn
    assert "of the message as it is, %" in drawn
    keep_why(found, [run])
    told = "".join(finding_html(run))
    assert told.count("messages with other forms of values</h3>") == 1
    row = told.partition('<tr><th scope="row">hint=*:fixed32')[2].partition("<tr>")[0]
    assert "<td>120 %<" in row and "<td>150 % (1" in row
    as_it_is = told.partition('<tr><th scope="row">as it is')[2].partition("<tr>")[0]
    assert as_it_is.count("<td>100 %<") == 3 and row.count("<i") == 3


def test_the_page_has_the_boxes_and_bars_without_a_script(kept: Why) -> None:
    told = plain([(kept.runs[0], [], None)])
    assert told.count('<ul class="icicle"') == 2 and "left without all parts" in told
    assert told.count("By empty: ") == 1 and "<h3>w: programs without a field</h3>" in told
    one = told.partition("w with x/two</h3>")[0]
    assert '<span style="width:82.64%" title="whole message: 100 bytes, 100 % of the message' in one
    assert 'title="b[]: 40 bytes, 40 % of the message, 50 % (' in one
    assert one.count('<li class="rest"') == 1, "b has 10 bytes that its items do not have"
    nothing = one.split('padding-left:0.5rem">a\n')[1].partition("<tr>")[0]
    assert "~0" in nothing and "<i" not in nothing and "<b" in nothing


def test_advice_on_the_page_has_ratios_with_intervals(home: Path) -> None:
    _, run = kept_advice(home)
    told = plain([(run, [], None)])
    assert title_of([run]) == "w: what would save bytes?"
    assert "×0.80 (0.75–0.85)" in told and "~ ×1.00 (0.90–1.10)" in told and "10 texts are UUIDs" in told
