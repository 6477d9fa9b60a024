"""Tests of printed numbers and tables, as a reader sees them."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from serbench.report.numbers import count, duration, quantity, ratio, rounded, significant_digits, spread
from serbench.report.show import markdown, print_table, show, to_csv
from serbench.report.table import Table
from serbench.stats.summary import Interval

UNITS = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}


def interval(median: float, half_width: float, coverage: float = 0.95) -> Interval:
    return Interval(median, median - half_width, median + half_width, coverage)


def shown_digits(text: str) -> int:
    """The number of significant digits of a printed number; trailing zeros of a whole number do not count."""
    digits = text.replace(",", "").lstrip("0.")
    return len(digits.replace(".", "")) if "." in text else len(digits.rstrip("0"))


medians = st.floats(1.0, 1e12)
shares = st.floats(1e-6, 0.5)


# --- digits ---


@given(medians, shares)
def test_the_last_digit_is_worth_half_of_the_half_width(median: float, share: float) -> None:
    half_width = median * share
    digits = significant_digits(interval(median, half_width))
    assert 2 <= digits <= 3
    last = 10.0 ** (math.floor(math.log10(median)) - digits + 1)
    assert digits == 2 or last >= half_width / 2 * (1 - 1e-9)
    # And no digit that is known is left out.
    assert digits == 3 or last / 10 < half_width / 2 * (1 + 1e-9)


@pytest.mark.parametrize(
    ("median", "half_width", "text"),
    [
        (12_680.0, 15.0, "12.7 µs"),
        (12_680.0, 190.0, "12.7 µs"),
        (12_680.0, 300.0, "13 µs"),
        (1_000.0, 49.9, "1.0 µs"),
        (9.99, 0.12, "10 ns"),
        (20.0, 9.0, "20 ns"),
        (12_345_678.0, 1.0, "12.3 ms"),
        (3.2e9, 0.5e9, "3.2 s"),
        (123.4e9, 1e6, "123 s"),
        (1_234e9, 1e6, "1,230 s"),
    ],
)
def test_a_duration_has_a_unit_and_the_digits_that_its_interval_supports(
    median: float, half_width: float, text: str
) -> None:
    assert duration(interval(median, half_width)) == text


def test_a_range_of_no_width_supports_three_digits_and_one_value_two() -> None:
    assert duration(interval(12_680.0, 0.0)) == "12.7 µs"
    assert duration(interval(12_680.0, 0.0, coverage=0.0)) == "13 µs"


@given(medians, shares)
@example(9.996, 1e-2)
def test_a_duration_is_never_finer_than_its_digits(median: float, share: float) -> None:
    figure = interval(median, median * share)
    text, unit = duration(figure).split()
    assert shown_digits(text) <= significant_digits(figure)
    assert float(text.replace(",", "")) * UNITS[unit] == pytest.approx(median, rel=0.051)


@given(medians)
@example(999.96)
@example(999_999.7)
def test_a_duration_is_below_a_thousand_of_its_unit(median: float) -> None:
    assume(median < 9.9e11)
    text, unit = duration(interval(median, median * 1e-3)).split()
    assert float(text.replace(",", "")) < 1000 or unit == "s"


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 3, "0"),
        (1.0, 3, "1.00"),
        (-1.234, 2, "-1.2"),
        (0.01234, 2, "0.012"),
        (0.00000123, 2, "0.0000012"),
        (12345.0, 2, "12,000"),
        (12345.0, 5, "12,345"),
        (1234567.0, 4, "1,235,000"),
        (9.994, 3, "9.99"),
        (9.996, 3, "10.0"),
        (99.96, 3, "100"),
        (0.0996, 2, "0.10"),
        (999.6, 3, "1,000"),
    ],
)
def test_a_number_is_rounded_to_its_digits_without_an_exponent(value: float, digits: int, text: str) -> None:
    assert rounded(value, digits) == text


@pytest.mark.parametrize(
    ("half_width", "text"),
    [
        (0.0, "±0.1 %"),
        (0.02, "±0.1 %"),
        (1.23, "±1.2 %"),
        (9.94, "±9.9 %"),
        (9.96, "±10 %"),
        (55.0, "±55 %"),
        (12294.0, "±>100 %"),
    ],
)
def test_a_spread_is_half_the_width_in_percent(half_width: float, text: str) -> None:
    assert spread(interval(100.0, half_width)) == text


def test_one_round_has_no_spread() -> None:
    assert spread(interval(100.0, 0.0, coverage=0.0)) == ""


@pytest.mark.parametrize(
    ("median", "half_width", "text"),
    [
        (1.0, 0.0, "×1.00"),
        (1.3449, 1e-6, "×1.34"),
        (1.3449, 0.2, "×1.3"),
        (15.83, 0.01, "×15.8"),
        (123.4, 0.01, "×123"),
    ],
)
def test_a_ratio_has_at_most_three_digits(median: float, half_width: float, text: str) -> None:
    assert ratio(interval(median, half_width)) == text


def test_a_count_has_separators_and_none_is_a_dash() -> None:
    assert [count(n) for n in (None, 0, 999, 12571, 37806601)] == ["–", "0", "999", "12,571", "37,806,601"]


@pytest.mark.parametrize(
    ("value", "digits", "unit", "text"),
    [
        (0, 3, "B", "0 B"),
        (640, 3, "B", "640 B"),
        (12_345, 3, "B", "12.3 kB"),
        (999_940, 4, "", "999.9 k"),
        (999_960, 4, "", "1.000 M"),
        (45.25, 3, "", "45.2"),
        (7_654_321_000_000, 3, "B", "7,650 GB"),
    ],
)
def test_a_quantity_has_a_prefix_and_its_digits(value: float, digits: int, unit: str, text: str) -> None:
    assert quantity(value, digits, unit) == text


# --- tables ---

TABLE = Table(
    "sizes",
    ["codec", "size"],
    [["cpp/a|b", "1,000"], ["two\nlines", "–"]],
    frozenset({1}),
    ["first note", "[2] second"],
)


def test_markdown_is_exactly_a_titled_table_with_notes() -> None:
    assert markdown(TABLE) == (
        "**sizes**\n\n"
        "| codec | size |\n| --- | ---: |\n| cpp/a\\|b | 1,000 |\n| two lines | – |\n\n"
        "- first note\n- \\[2\\] second\n"
    )  # fmt: skip


def test_markdown_without_notes_ends_with_its_last_row() -> None:
    assert markdown(Table("t", ["a"], [["1"]])) == "**t**\n\n| a |\n| --- |\n| 1 |\n"


@given(st.lists(st.lists(st.text("ab|\n", max_size=4), min_size=2, max_size=2), max_size=3))
def test_no_cell_breaks_a_markdown_table(rows: list[list[str]]) -> None:
    lines = markdown(Table("t", ["a", "b"], rows)).splitlines()[4:]
    assert len(lines) == len(rows)
    assert all(len(line.replace("\\|", "").split("|")) == 4 for line in lines)


RECORDS: list[dict[str, Any]] = [
    {"codec": "a,b", "size": 1, "cells": [1, 2]},
    {"codec": 'say "x"\nagain', "rank": None, "size": 2.5},
]


def test_csv_has_a_heading_for_every_key_in_order_of_appearance() -> None:
    assert to_csv(RECORDS) == 'codec,size,cells,rank\n"a,b",1,1 2,\n"say ""x""\nagain",2.5,,\n'


@given(
    st.lists(
        st.fixed_dictionaries({"a": st.text('x,"\n; é', max_size=5), "b": st.text('x,"\n ', max_size=5)}),
        min_size=1,
    )
)
def test_csv_is_read_back_as_it_was(records: list[dict[str, str]]) -> None:
    assert list(csv.DictReader(io.StringIO(to_csv(records), newline=""))) == records


def test_a_table_is_printed_with_every_cell_and_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(
        Table("t [bold]", ["codec", "n"], [["[red]x", "1"], ["longer", "23"]], frozenset({1}), ["note [/x]"]),
        width=40,
    )
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines[0] == "t [bold]"
    assert lines[1].split() == ["codec", "n"]
    assert [line.split() for line in lines[3:]] == [["[red]x", "1"], ["longer", "23"], ["note", "[/x]"]]
    assert lines[3].index("1") == lines[4].index("3")  # numbers are flush right


def test_a_table_s_width_is_the_least_that_breaks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["a/long-name", "12.7 µs", "1"], ["b", "999,999", "10"]]
    table = Table("t", ["codec", "serialize\nreuse", "#"], rows, frozenset({1, 2}))
    printed = []
    for width in (200, table.width, table.width - 3):
        print_table(table, width)
        printed.append([line.rstrip() for line in capsys.readouterr().out.splitlines()])
    assert printed[0] == printed[1]
    assert printed[0] != printed[2]


def test_each_format_is_shown_from_the_same_figures(capsys: pytest.CaptureFixture[str]) -> None:
    shown = {}
    for format in ("table", "markdown", "csv", "json"):
        show([TABLE], RECORDS, format)
        shown[format] = capsys.readouterr().out
    assert shown["markdown"] == markdown(TABLE)
    assert shown["csv"] == to_csv(RECORDS)
    assert json.loads(shown["json"]) == RECORDS
    assert "cpp/a|b" in shown["table"]


def test_a_codec_s_name_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """The printing library would otherwise take ``:compression:`` between colons for an emoji."""
    print_table(
        Table(
            "t", ["codec"], [["cpp/bitsery:compression"]], notes=["cpp/bitsery:compression: not installed"]
        ),
        width=80,
    )
    printed = capsys.readouterr().out
    assert printed.count("cpp/bitsery:compression") == 2
