"""Tests of the map of a run's codecs by sections of their format's specification, and of where a page has
it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.pages import MadeUp
from tests.test_page import NOTHING, unpacked

from serbench.export.tables import table_of
from serbench.measure.store import Run
from serbench.page.contents import Installation
from serbench.page.document import page
from serbench.report.checked import astray
from serbench.report.conformance_map import ConformanceMap, held_in, map_table, maps_of
from serbench.report.tables import tables_of
from serbench.selecting.conforming import HeldCodec, SeenConformance

SECTIONS = {"1 Words": 3, "2 Numbers": 20, "3 Ends": 2}
FAULTY: dict[str, dict[str, int]] = {
    "1 Words": {"conforms": 1, "accepts": 2},
    "2 Numbers": {"conforms": 18, "differs": 1, "open": 1},
    "3 Ends": {"none": 2},
}
WHOLE: dict[str, dict[str, int]] = {
    "1 Words": {"conforms": 3},
    "2 Numbers": {"conforms": 19, "open": 1},
    "3 Ends": {"conforms": 2},
}
SEEN = SeenConformance(
    {"words": SECTIONS, "other": {"1": 1}},
    {"words": {"base": "RFC 0", "strict": "RFC 1"}, "other": {"base": "a page"}},
    {
        "a/one:fast": HeldCodec("words", "1.0", WHOLE, {"strict": {"conforms": 1}}),
        "a/two": HeldCodec("words", "2.0", FAULTY, {"strict": {"accepts": 1}}),
        "a/old": HeldCodec("words", "0.9", WHOLE),
    },
)
NAMES = ("a/memcpy", "a/one:fast", "a/two", "a/old", "a/new", "a/apart")
MORE: dict[str, Any] = {
    "formats": {**dict.fromkeys(NAMES[1:5], "words"), "a/apart": "other", "a/memcpy": "none"},
    "toolchains": [
        {
            "name": "tools",
            "language": "a",
            "libraries": {"a/one": "1.0", "a/two": "2.0", "a/old": "1.0", "a/new": "1"},
        }
    ],
}


@pytest.fixture(name="run")
def a_run(tmp_path: Path) -> Run:
    return MadeUp(NAMES, rounds=2, missing=0, wire=False, more=MORE).write(tmp_path)


def test_a_map_has_the_codecs_that_were_run_with_the_version_that_is_measured(run: Run) -> None:
    assert [*maps_of(run, SEEN)] == [
        ConformanceMap(
            "words",
            "RFC 0",
            ("1 Words", "2 Numbers", "3 Ends"),
            {"a/one:fast": ((3, 3), (19, 19), (2, 2)), "a/two": ((1, 3), (18, 19), (0, 0))},
            ("a/one:fast",),
            ("a/old", "a/new"),
        )
    ]
    assert held_in(run, "a/old", SEEN) is None
    assert [*maps_of(run, SeenConformance())] == []


def test_its_table_tells_in_words_who_conforms_and_who_is_not_known(run: Run) -> None:
    (only,) = maps_of(run, SEEN)
    table = map_table(only)
    assert table.title == "words: cases that come out as RFC 0 says"
    assert table.rows == [["a/one:fast", "✓", "✓", "✓"], ["a/two", "1/3", "18/19", "–"]]
    assert table.notes[1] == "with each case as it says: a/one:fast"
    assert table.notes[2].startswith("not known of a/old, a/new, with the version of this run; see ")
    whole = replace(only, conforming=(), not_known=())
    assert map_table(whole).notes[1:] == ["with each case as it says: no codec"]


def test_a_page_has_it_for_its_script_and_without(run: Run) -> None:
    made = page([run], Installation(conformance=SEEN), "a title", NOTHING)
    data = unpacked(made)
    (told,) = data["conformance"]
    assert (told["run"], told["specification"], told["sections"]) == (run.id, "RFC 0", [*SECTIONS])
    assert told["codecs"]["a/two"] == [[1, 3], [18, 19], [0, 0]]
    conforms = {each["id"]: each["conforms"] for each in data["codecs"]}
    assert conforms == {**{name: [] for name in NAMES}, "a/one:fast": ["RFC 0", "RFC 1"]}
    assert "<h2>words: cases that come out as RFC 0 says</h2>" in made
    assert "<td>a/two<td align=right>1/3<td align=right>18/19<td align=right>–" in made
    assert "RFC 0" not in page([run], Installation(), "a title", NOTHING)


def test_it_is_exported_in_numbers(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serbench.export.tables.load_conformance", lambda _: SEEN)
    told = table_of("codecs", [run])
    cases = zip(told["codec"], told["cases_conforming"], told["cases_decided"], strict=True)
    assert [each for each in cases if each[1:] != (None, None)] == [("a/one:fast", 24, 24), ("a/two", 19, 22)]


def test_a_line_below_a_table_names_who_was_seen_to_stray_from_its_format() -> None:
    features = {"a/one": {"conformant": True}, "a/two:x": {"conformant": False}, "a/old": {"schema": False}}
    names = [("a/one", "one"), ("a/two:x", "two"), ("a/old", "old"), ("a/new", "new"), ("a/two:x", "two")]
    assert astray(features, names).endswith(": two.")
    assert astray(features, [names[0], *names[2:4]]) == ""


def test_the_line_stands_below_the_table_of_a_run(tmp_path: Path) -> None:
    more = {**MORE, "features": {"a/two": {"conformant": False}}, "checks": {"a/two": ["utf8"]}}
    run = MadeUp(NAMES, rounds=2, missing=0, wire=False, more=more).write(tmp_path)
    notes = [note for table in tables_of(run, tmp_path)[0] for note in table.notes]
    assert any("specification of the format" in note and "a/two" in note for note in notes), notes
