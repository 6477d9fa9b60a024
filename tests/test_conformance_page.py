"""Tests that the page on conformance by codec, the file of what was seen and the catalogues agree with each
other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.conformance_page import PAGE, STORED, dump, merged, numbers, page

from serbench.paths import PROJECT
from serbench.selecting.catalogue import load_variants
from serbench.selecting.conforming import HeldCodec, SeenConformance, load_conformance

VARIANTS = load_variants(PROJECT / "codecs")
FORMATS = {"json": {"2": 2, "6": 1}}


def records(*outcomes: str, **more: Any) -> list[dict[str, Any]]:
    """The outcomes of the cases of ``FORMATS``, of which the last one is left open."""
    sections, expected = ("2", "2", "6"), ("accept", "reject", "may")
    named = {"codec": "python/json", "format": "json", "version": "3.11", **more}
    triples = zip(sections, expected, outcomes, strict=False)
    return [{**named, "section": s, "expected": e, "outcome": o} for s, e, o in triples]


def test_what_is_stored_is_of_codecs_and_cases_that_there_are() -> None:
    seen = load_conformance(STORED.parent)
    assert seen.codecs and {*seen.codecs} <= {*VARIANTS}
    assert all(VARIANTS[name].format == own.format for name, own in seen.codecs.items())
    whole = merged(seen, [], numbers())
    assert seen == whole, "catalogues have other cases: python -m tests.conformance_page leaves out the rest"
    assert STORED.read_text() == dump(seen)


def test_the_page_is_what_was_seen() -> None:
    text = page(list(VARIANTS.values()), load_conformance(STORED.parent))
    if os.environ.get("SERBENCH_UPDATE_GOLDEN"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text, f"SERBENCH_UPDATE_GOLDEN=1 ./serbench test {__file__} writes it anew"


@pytest.mark.parametrize(
    ("outcomes", "conforms"),
    [
        (("conforms", "conforms", "conforms"), True),
        (("conforms", "none", "conforms"), True),
        (("none", "none", "conforms"), None),
        (("conforms", "not tried", "conforms"), None),
        (("conforms", "accepts", "conforms"), False),
        (("not tried", "differs", "conforms"), False),
        (("conforms", "conforms", "crash"), False),
    ],
)
def test_a_codec_conforms_where_each_decided_case_does(
    outcomes: tuple[str, ...], conforms: bool | None
) -> None:
    held = merged(SeenConformance(), records(*outcomes), FORMATS).codecs["python/json"]
    assert (held.version, held.conforms) == ("3.11", conforms)
    assert held.number("open") == (outcomes[2] == "conforms")


def test_a_run_of_other_cases_or_of_none_is_not_known() -> None:
    before = merged(SeenConformance(), records("conforms", "conforms", "conforms"), FORMATS)
    assert {*before.codecs} == {"python/json"}
    assert not merged(before, [], {"json": {"2": 2, "6": 2}}).codecs
    assert not merged(before, records("not tried", "not tried", "not tried"), FORMATS).codecs
    assert not merged(before, records("conforms", "conforms"), FORMATS).codecs
    with pytest.raises(SystemExit, match="declares the check trailing but reads 'a'"):
        merged(before, records("conforms", denied="trailing", case="a"), FORMATS)
    anew = merged(before, records("conforms", "accepts", "conforms", version="4"), FORMATS)
    assert anew.codecs["python/json"].failed == {"accepts": {"2": 1}}


def test_the_map_shows_each_section_of_a_codec() -> None:
    variant = next(each for name, each in VARIANTS.items() if each.format == "json")
    sections = {"a": 3, "b": 20, "c": 2, "d": 2}
    outcomes = {
        "a": {"conforms": 1, "accepts": 1, "differs": 1},
        "b": {"conforms": 18, "rejects": 1, "open": 1},
        "c": {"conforms": 1, "none": 1},
        "d": {"open": 2},
    }
    held = HeldCodec("json", "1", outcomes)
    text = page([variant], SeenConformance({"json": sections}, {variant.id: held}))
    assert f"| {variant.id} | **1/3** | *18/19* | ✓ | – |" in text


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    held = HeldCodec("json", "1", {"2": {"conforms": 2}, "6": {"crash": 1}})
    seen = SeenConformance(FORMATS, {"python/json": held})
    (tmp_path / "conformance.json").write_text(dump(seen))
    assert load_conformance(tmp_path) == seen
    assert load_conformance(tmp_path / "none") == SeenConformance()


def test_the_page_tells_faults_and_who_was_not_run() -> None:
    held = HeldCodec("json", "1", {"2": {"conforms": 2}, "6": {"crash": 1}})
    one = [VARIANTS["python/orjson:dict"], VARIANTS["python/ujson:dict"]]
    text = page(one, SeenConformance(FORMATS, {"python/orjson:dict": held}))
    assert "## json, 3 cases\n" in text
    assert "| python/orjson:dict | 1 | 2/3 |  |  |  | 1 |  |  |  |\n" in text
    assert "Not known, since not run: python/ujson:dict.\n" in text
