"""Tests that the page on conformance by codec, the file of what was seen and the catalogues agree with each
other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.conformance_page import PAGE, STORED, catalogued, dump, merged, page

from serbench.paths import PROJECT
from serbench.selecting.catalogue import load_variants
from serbench.selecting.conforming import HeldCodec, SeenConformance, load_conformance

VARIANTS = load_variants(PROJECT / "codecs")
THERE = SeenConformance({"json": {"2": 2, "6": 1}}, {"json": {"base": "a page", "strict": "another"}})


def records(*outcomes: str, **more: Any) -> list[dict[str, Any]]:
    """The outcomes of the cases of ``FORMATS``, of which the last one is left open."""
    sections, expected = ("2", "2", "6"), ("accept", "reject", "may")
    named = {"codec": "python/json", "format": "json", "version": "3.11", "profile": "base", **more}
    triples = zip(sections, expected, outcomes, strict=False)
    return [{**named, "section": s, "expected": e, "outcome": o} for s, e, o in triples]


def test_what_is_stored_is_of_codecs_and_cases_that_there_are() -> None:
    seen = load_conformance(STORED.parent)
    assert seen.codecs and {*seen.codecs} <= {*VARIANTS}
    assert all(VARIANTS[name].format == own.format for name, own in seen.codecs.items())
    whole = merged(seen, [], catalogued())
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
    held = merged(SeenConformance(), records(*outcomes), THERE).codecs["python/json"]
    assert (held.version, held.conforms) == ("3.11", conforms)
    assert held.number("open") == (outcomes[2] == "conforms")


def test_a_run_of_other_cases_or_of_none_is_not_known() -> None:
    before = merged(SeenConformance(), records("conforms", "conforms", "conforms"), THERE)
    assert {*before.codecs} == {"python/json"}
    assert not merged(before, [], replace(THERE, formats={"json": {"2": 2, "6": 2}})).codecs
    assert not merged(before, records("not tried", "not tried", "not tried"), THERE).codecs
    assert not merged(before, records("conforms", "conforms"), THERE).codecs
    with pytest.raises(SystemExit, match="declares the check trailing but reads 'a'"):
        merged(before, records("conforms", denied="trailing", case="a"), THERE)
    anew = merged(before, records("conforms", "accepts", "conforms", version="4"), THERE)
    assert anew.codecs["python/json"].failed == {"accepts": {"2": 1}}


def test_profiles_are_counted_beside_the_specification() -> None:
    both = [
        *records("conforms", "conforms", "conforms"),
        *records("accepts", "conforms", "conforms", profile="strict"),
    ]
    seen = merged(SeenConformance(), both, THERE)
    (held,) = seen.codecs.values()
    assert held.profiles == {"strict": {"accepts": 1, "conforms": 1, "open": 1}}
    assert (held.conforms, held.conforms_to(""), held.conforms_to("strict")) == (True, True, False)
    assert seen.conforms_to("python/json") == ["a page"] and seen.conforms_to("python/other") == []
    assert merged(seen, [], THERE) == seen
    (held,) = merged(seen, [], replace(THERE, profiles={"json": {"base": "a page"}})).codecs.values()
    assert held.profiles == {} and held.conforms_to("strict") is None
    few = [*records("conforms", "conforms", "conforms"), *records("conforms", profile="strict")]
    (held,) = merged(SeenConformance(), few, THERE).codecs.values()
    assert held.profiles == {} and held.conforms


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
    text = page([variant], SeenConformance({"json": sections}, THERE.profiles, {variant.id: held}))
    assert f"| {variant.id} | **1/3** | *18/19* | ✓ | – |" in text


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    held = HeldCodec("json", "1", {"2": {"conforms": 2}, "6": {"crash": 1}})
    seen = replace(THERE, codecs={"python/json": held})
    (tmp_path / "conformance.json").write_text(dump(seen))
    assert load_conformance(tmp_path) == seen
    assert load_conformance(tmp_path / "none") == SeenConformance()


def test_the_page_tells_faults_and_who_was_not_run() -> None:
    held = HeldCodec("json", "1", {"2": {"conforms": 2}, "6": {"crash": 1}})
    one = [VARIANTS["python/orjson:dict"], VARIANTS["python/ujson:dict"]]
    text = page(one, replace(THERE, codecs={"python/orjson:dict": held}))
    assert "## json, 3 cases\n" in text
    assert "| python/orjson:dict | 1 | 2/3 |  |  |  | 1 |  |  |  | not known |\n" in text
    by_strict = msgspec.structs.replace(held, profiles={"strict": {"conforms": 1, "accepts": 1, "open": 1}})
    text = page(one, replace(THERE, codecs={"python/orjson:dict": by_strict}))
    assert "| python/orjson:dict | 1 | 2/3 |  |  |  | 1 |  |  |  | 1/2 |\n" in text
    assert "Not known, since not run: python/ujson:dict.\n" in text
