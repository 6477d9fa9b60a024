"""Tests of tables on terminals of any width: names may be broken over lines and columns moved below each
other, but figures are never cut."""

from __future__ import annotations

import csv
import io
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.test_charts import make_run

from serbench.errors import FileError
from serbench.measure.store import Journal
from serbench.paths import Paths
from serbench.report.charts.drawing import chart
from serbench.report.charts.picture import pictures_of
from serbench.report.charts.pixels import png_of, svg_of
from serbench.report.compare_table import compare_sides, compare_table, whole
from serbench.report.lossy import losses, marked
from serbench.report.rows import rows_of
from serbench.report.show import markdown, print_table, to_csv
from serbench.report.table import BROKEN, Table, divided, fitting, with_names_broken, with_words_whole
from serbench.report.tables import tables_of
from serbench.selecting.catalogue import load_codec, load_codecs
from serbench.site.codec_page import page
from serbench.site.markdown import plain
from serbench.text import safe

LONG = "cpp/handwritten:checked /home/somebody/libraries/with a space/and-a-long-name-1.2.3"
FIGURES = [["10,413", "12.7 µs", "×1.34", "1"], ["37,856,264", "999 ms", "×1,250", "12"]]
TABLE = Table(
    "monsters: 1 message",
    ["codec", "size", "serialize\nreuse", "×best", "#"],
    [[LONG, *FIGURES[0]], ["cpp/a ≈", *FIGURES[1]]],
    frozenset({1, 2, 3, 4}),
    ["a note"],
)


@pytest.mark.parametrize("width", [*range(24, 60, 4), 80, 120, 200])
def test_no_figure_is_cut_at_any_width(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Figures are printed whole at any width: 10,413 must not become ``10,4`` at 40 columns."""
    print_table(TABLE, width)
    printed = capsys.readouterr().out
    for figure in (cell for row in FIGURES for cell in row):
        assert re.search(rf"(?<![\d,.×]){re.escape(figure)}(?![\d,.])", printed), figure
    assert max(map(len, printed.splitlines())) <= width
    assert all(word in printed for word in re.findall(r"\w+", LONG))
    assert printed.count("a note") == 1


@given(st.integers(16, 200), st.lists(st.integers(1, 14), min_size=1, max_size=9))
def test_parts_hold_every_column_once_and_fit(room: int, widths: list[int]) -> None:
    figures = ["9" * width for width in widths]
    table = Table(
        "t",
        ["codec", *("x" for _ in widths)],
        [["cpp/name", *figures]],
        frozenset(range(1, len(widths) + 1)),
        ["n"],
    )
    parts = divided(table, room)
    assert [cell for part in parts for cell in part.rows[0][1:]] == figures
    assert all(part.rows[0][0] == "cpp/name" for part in parts)
    assert all(part.width_with(BROKEN) <= room or len(part.headings) == 2 for part in parts)
    assert [part.notes for part in parts] == [[]] * (len(parts) - 1) + [["n"]]


@pytest.mark.parametrize(
    ("room", "lines"),
    [
        (60, ["cpp/handwritten:checked"]),
        (20, ["cpp/", "handwritten:", "checked"]),
    ],
)
def test_names_are_broken_after_separators_and_only_where_they_must(room: int, lines: list[str]) -> None:
    table = Table("t", ["codec", "size"], [["cpp/handwritten:checked", "10,413"]], frozenset({1}))
    assert with_names_broken(table, room).rows[0][0].split("\n") == lines


WORDS = st.text(st.sampled_from("abc_:"), min_size=1, max_size=20).filter(lambda word: word.strip("_:"))


@given(st.integers(60, 130), st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=2, max_size=6))
def test_tables_of_text_wrap_no_word_in_its_middle(room: int, cells: list[list[str]]) -> None:
    """Cells are broken between words only: ``installed`` must not become ``install`` and ``ed``."""
    table = Table("t", [f"h{n}" for n in range(len(cells))], [[" ".join(words) for words in cells]])
    parts = [with_words_whole(part, room) for part in divided(table, room)]
    assert all(part.width <= room for part in parts)
    shown = [
        part.rows[0][n].split() for part in parts for n in range(len(part.headings)) if n or part is parts[0]
    ]
    assert shown == cells


def test_a_word_that_is_wider_than_the_table_is_broken_after_separators_and_loses_nothing() -> None:
    table = Table("t", ["file", "what"], [["/home/somebody/" + "folder/" * 20, "x" * 90]])
    whole = with_words_whole(table, 60)
    assert whole.rows[0][0].replace("\n", "") == table.rows[0][0]
    assert all(line.endswith("/") for line in whole.rows[0][0].split("\n"))


def test_sentences_are_broken_before_names() -> None:
    table = Table("t", ["check", "what was found"], [["measuring core", "a sentence " * 20]])
    assert with_names_broken(table, 100).rows == table.rows


def test_the_first_layout_that_fits_is_taken_and_the_last_where_none_does() -> None:
    wide = Table("t", ["codec", "n"], [["c", "1" * 50]], frozenset({1}))
    narrow = Table("t", ["codec", "n"], [["c", "1" * 20]], frozenset({1}))
    layouts = [[wide], [narrow]]
    assert fitting(layouts, 80) == [wide]
    assert fitting(layouts, 40) == [narrow]
    assert fitting(layouts, 10) == [narrow]


def test_long_names_do_not_drive_figures_out() -> None:
    """If names are very long, breaking them over lines is better than leaving out figures."""
    full = Table("t", ["codec", "a", "b"], [["x" * 90, "1", "2"]], frozenset({1, 2}))
    less = Table("t", ["codec", "a"], [["x" * 90, "1"]], frozenset({1}))
    assert fitting([[full], [less]], 60) == [full]


# --- text from outside ---

HOSTILE = [
    "<script>alert(1)</script>",
    "[click](javascript:x)",
    "![i](https://example.org/x)",
    "a `b` *c* | d",
    "&lt;",
    "\\",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_markup_as_text(text: str) -> None:
    written = markdown(Table("t", ["codec"], [[text]], notes=[text])).splitlines()
    for line in (written[4], written[6]):
        assert not re.search(r"(?<!\\)[<>&\[\]`*]", line)
    assert re.sub(r"\\(.)", r"\1", written[6]) == f"- {text}"


@pytest.mark.parametrize("text", ["=cmd|' /C calc'!A0", "+1", "-1+1", "@SUM(A1)", "\t=1", " =1"])
def test_csv_holds_no_formula(text: str) -> None:
    (record,) = csv.DictReader(io.StringIO(to_csv([{"codec": text, "n": -1.5}]), newline=""))
    assert record == {"codec": f"'{safe(text)}", "n": "-1.5"}


# --- losses ---


def test_lossy_codecs_are_marked_and_the_loss_is_told(tmp_path: Path) -> None:
    plain = make_run(tmp_path).manifest
    manifest = replace(
        plain, lossy={"cpp/x:small": "floats may be off by 0.01", "cpp/y": "-0.0 may become 0.0"}
    )
    assert marked("small", "cpp/x:small", manifest) == "small ≈"
    assert marked("cpp/z", "cpp/z", manifest) == "cpp/z"
    (told,) = losses([manifest, manifest])
    assert told.count("cpp/x:small: floats may be off by 0.01") == 1
    assert "cpp/y: -0.0 may become 0.0" in told
    assert losses([manifest], {"cpp/z"}) == []
    assert losses([plain]) == []


def test_every_kind_of_table_and_picture_marks_a_lossy_row(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    run.manifest.lossy = {"cpp/cereal": "floats may be off by 0.01"}
    tables, rows, _ = tables_of(run, Paths.default().suites)
    names = [row[0] for table in tables for row in table.rows]
    assert "cpp/cereal ≈" in names
    assert [name for name in names if "≈" in name] == ["cpp/cereal ≈"]
    assert any(note.startswith("≈: ") for note in tables[-1].notes)
    assert {row.lossy for row in rows if row.codec == "cpp/cereal"} == {"floats may be off by 0.01"}
    for picture in pictures_of(run, rows, None):
        assert "cpp/cereal ≈" in [bar.label for bar in picture.bars]
        assert any(note.startswith("≈: ") for note in picture.notes)
    compared = compare_table(compare_sides(whole(run), whole(run), 0.03), whole(run), whole(run), 0.03, False)
    assert "cpp/cereal ≈" in [row[0] for row in compared.rows]


def test_what_objects_remember_of_being_encoded_is_marked_where_they_are_encoded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serbench.report.rows.FROM_NATIVE", ("cycle",))  # the run has no encode
    run = make_run(tmp_path)
    run.manifest.remembers = {"cpp/cereal": "the size of each message"}
    tables, rows, _ = tables_of(run, Paths.default().suites)
    assert {row.operation for row in rows if row.remembers} == {"cycle"}
    (cereal,) = (row for row in tables[-1].rows if row[0] == "cpp/cereal")
    assert [cell.endswith("†") for cell in cereal if re.search(r"\ds|\d [nµm]s", cell)] == [False, True]
    (told,) = (note for note in tables[-1].notes if note.startswith("†: "))
    assert "(cpp/cereal: the size of each message)" in told


def test_a_library_that_nobody_develops_is_told_below_the_table(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    told = "unmaintained since May (somewhere)"
    run.manifest.maintenance = {"cpp/cereal": told, "cpp/cereal:other": told, "cpp/absent": told}
    tables, *_ = tables_of(run, Paths.default().suites)
    assert [note for note in tables[-1].notes if "unmaintained" in note] == [f"cpp/cereal: {told}."]


def test_an_adapter_that_maintainers_have_reviewed_is_told_so_everywhere(tmp_path: Path) -> None:
    folder = tmp_path / "codecs" / "cpp" / "cereal"
    shutil.copytree(Paths.default().codecs / "cpp" / "cereal", folder)
    declared = folder / "codec.toml"
    review = 'reviewed = { by = "Ada", date = 2026-11-29, version = "1.2" }'
    declared.write_text(f"{review}\n{declared.read_text()}")
    codec = load_codec(declared)
    told = "adapter reviewed by Ada, 2026-11-29, with version 1.2"
    assert f"| Reviewed | {told} |" in page(codec, {codec.id: codec}, {})
    run = make_run(tmp_path)
    run.manifest.reviewed = {"cpp/cereal": str(codec.reviewed), "cpp/absent": "not here"}
    tables, *_ = tables_of(run, Paths.default().suites)
    assert [note for note in tables[-1].notes if "review" in note] == [f"cpp/cereal: {told}."]
    declared.write_text(declared.read_text().replace("2026-11-29", '"today"'))
    with pytest.raises(FileError, match="reviewed"):
        load_codec(declared)


def test_who_is_said_to_be_unmaintained_is_so_by_a_source_and_everywhere() -> None:
    codecs = load_codecs(Paths.default().codecs)
    told = {name: codec.maintenance for name, codec in codecs.items() if codec.maintenance}
    assert "RUSTSEC-2025-0141" in told["rust/bincode"] and "wincode" in told["rust/bincode"]
    for name, text in told.items():
        assert re.search(r"RUSTSEC-\d{4}-\d{4}|as its (README|maintainers) say", text), name
        assert f"| Maintenance | {plain(text)} |" in page(codecs[name], codecs, {})


def test_control_characters_in_a_reason_do_not_abort_a_picture(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    with Journal(run) as journal:
        reason = "\x00\x1b[31m\u202e <svg> & \ud800"
        cell = {
            "codec": "cpp/cereal",
            "workload": "record:ids=small",
            "compiler": "",
            "operation": "cycle",
            "memory": "reuse",
        }
        journal.append({"event": "failure", **cell, "reason": reason.encode("utf-8", "replace").decode()})
    (picture,) = (p for p in pictures_of(run, rows_of(run), None) if "cycle" in p.name)
    assert any("\\x1b[31m\\u202e" in note for note in picture.notes)
    assert svg_of(chart(picture)).count("<svg") == 1
    assert png_of(chart(picture)).startswith(b"\x89PNG")
