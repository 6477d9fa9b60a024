"""Tests that text from outside cannot send control sequences to a terminal."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest

from serbench.cli import console
from serbench.report.show import show
from serbench.report.table import Table
from serbench.text import safe, safe_json, shortened

UNKIND = "a\x1b]0;title\x07\x9b2J \u202eback\u2066 \u200bhidden \ud800 \r\x7f \U000e0041"


def test_no_control_character_or_override_is_left() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    left = {c for c in safe(every) if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}
    # Some format characters of Arabic, Syriac, Kaithi and Egyptian are left, since they have a glyph.
    assert {c for c in left if unicodedata.bidirectional(c) not in {"AN", "AL", "L"}} == {"\n"}
    assert safe("\x1b[31m and \u202e, \U000e0041") == "\\x1b[31m and \\u202e, \\U000e0041"
    assert safe("a\tb\r\nc\rd") == "a b\nc\\x0dd"
    assert safe("two\nlines", lines=False) == "two lines"
    assert safe("×, µs, ± 2 %, „你好“, é") == "×, µs, ± 2 %, „你好“, é"


def test_json_stays_the_same_value() -> None:
    assert "\x9b" not in (text := safe_json(json.dumps([UNKIND], ensure_ascii=False)))
    assert "\u202e" not in text and "\U000e0041" not in text
    assert json.loads(text) == [UNKIND]


@pytest.mark.parametrize("format", ["table", "json"])
def test_tables_send_no_control_character_to_a_terminal(
    format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Table(UNKIND, ("codec", UNKIND), [(UNKIND, "1")], notes=[f"x: failed: {UNKIND}"])
    show([table], [{"reason": UNKIND}], format)
    assert {c for c in capsys.readouterr().out if safe(c) != c} == set()


def test_announcements_and_progress_send_none_either(capsys: pytest.CaptureFixture[str]) -> None:
    console.announce(UNKIND)
    with console.Steps("measuring") as steps:
        steps.step(1, 2, UNKIND)
    said = capsys.readouterr().err
    assert "title" in said and {c for c in said if safe(c) != c} == set()


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    assert shortened("as it was", 9) == "as it was"
    told = shortened("unknown type '" + "x" * 70_000 + "'; expected a scalar", 90)
    assert (
        len(told) == 90 and told.startswith("unknown type 'xxx") and told.endswith("xx'; expected a scalar")
    )
    assert "x … x" in told
