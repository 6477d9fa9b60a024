"""Tests of how people and spreadsheets write CSV: headers of two lines, spaces behind delimiters, wrong words
for delimiters, and numbers with commas."""

from __future__ import annotations

import math
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.test_import_csv import read, refusal, types, values

from serbench.errors import InputError
from serbench.imports.base import Imported

BOTH = "the header has two lines, and names are made of both"


def names(found: Imported) -> list[str]:
    return [field.wire_name for field in found.root.fields]


def losses(found: Imported) -> list[str]:
    return [each.what for each in found.losses]


@pytest.mark.parametrize(
    ("header", "made"),
    [
        (",A,A,B,B\n,x,y,x,y", ["column_1", "A_x", "A_y", "B_x", "B_y"]),
        ("id,pos,,vel,\n,x,y,x,y", ["id", "pos_x", "pos_y", "vel_x", "vel_y"]),
        ("k,2023,,2024,\n,s,c,s,c", ["k", "2023_s", "2023_c", "2024_s", "2024_c"]),
        ("k, A ,,B,\n-,x,y, x,y", ["k", "A_x", "A_y", "B_x", "B_y"]),
        ("k,A,A,,z\nk,x,y,,", ["k_k", "A_x", "A_y", "column_4", "z"]),
    ],
)
def test_names_are_made_of_both_lines_of_a_header(header: str, made: list[str], tmp_path: Path) -> None:
    text = f"{header}\n1,2,3,4,5\n2,3,4,5,6\n"
    assert "--framing both makes it of both, --framing units takes" in refusal(tmp_path, text)
    found = read(tmp_path, text, framing="both")
    assert names(found) == made and BOTH in losses(found)
    assert values(found) == [(1, 2, 3, 4, 5), (2, 3, 4, 5, 6)]


@pytest.mark.parametrize("given", ["", "semicolon"])
@pytest.mark.parametrize(
    "text",
    [
        "A;;B\nx;y;x\n1;2;3\n2;3;4\n",
        "Of May\n\nA;A;B\nx;y;x\n1;2;3\n2;3;4\n",
        "A;A;B\nk;x;y\n1;2;3\n2;3;4\n",
        "a;b;c\n1,5;2,5;3\n3,5;4,5;4\n",
        "1;2;3\n3;4;4\n",
        "a;b;c\ns;V;m\n1;2;3\n2;3;4\n",
        "a;b\nx;kg\ny;3\nz;4\n",
    ],
)
def test_framings_that_are_told_can_be_pasted(text: str, given: str, tmp_path: Path) -> None:
    try:
        found = read(tmp_path, text, framing=given)
        told = "; ".join((*losses(found), found.mapping[0].why))
    except InputError as error:
        told = str(error)
    offered = re.findall(r"--framing (\S+)", told)
    assert offered and all(given in each and values(read(tmp_path, text, framing=each)) for each in offered)


def test_the_first_line_that_a_framing_tells_of_is_below_a_title(tmp_path: Path) -> None:
    title, text = "Of May\n\n", "A,A,B\nx,y,x\n1,2,3\n2,3,4\n"
    for framing, made in (("both", "A_x"), ("groups", "x"), ("units", "A")):
        assert names(read(tmp_path, f"{title}{text}", framing=framing))[0] == made
    groups = "A,,B,\nx,y,x,y\n1,2,3,4\n2,3,4,5\n"
    assert "--framing both makes it of both" in refusal(tmp_path, f"{title}{groups}")
    assert names(read(tmp_path, f"{title}{groups}", framing="both")) == ["A_x", "A_y", "B_x", "B_y"]
    assert names(read(tmp_path, f"{title}a,b\nx,y\nz,w\n", framing="header")) == ["a", "b"]
    assert names(read(tmp_path, "A\nx,y\n1,2\n2,3\n", framing="groups")) == ["x", "y"]
    assert names(read(tmp_path, "A\nx,y\n1,2\n2,3\n", framing="both")) == ["A_x", "A_y"]
    assert "no line with a cell" in refusal(tmp_path, "A\n", framing="both")


@pytest.mark.parametrize(
    ("header", "made"),
    [
        ("k,v,\ns,kg,", ["k", "v", "column_3"]),
        ("t,v,v\ns,V,", ["t", "v", "v_2"]),
        (",a,b\n-,s,m", ["column_1", "a", "b"]),
    ],
)
def test_a_line_of_units_is_none_of_names(header: str, made: list[str], tmp_path: Path) -> None:
    found = read(tmp_path, f"{header}\n1,2,3\n2,3,4\n")
    assert names(found) == made and values(found) == [(1, 2, 3), (2, 3, 4)]
    assert not any("two lines" in each for each in losses(found))


def test_several_files_have_the_same_two_lines(tmp_path: Path) -> None:
    text = "A,A,B,B\nx,y,x,y\n1,2,3,4\n2,3,4,5\n"
    (tmp_path / "other.csv").write_text(text)
    assert len(values(read(tmp_path, text, framing="both", data=(tmp_path / "other.csv",)))) == 4
    (tmp_path / "other.csv").write_text(text.replace("B,B", "C,C"))
    told = refusal(tmp_path, text, framing="both", data=(tmp_path / "other.csv",))
    assert "columns of the first file" in told


def test_a_space_behind_each_delimiter_is_left_out(tmp_path: Path) -> None:
    told = "there is a space behind each delimiter: spaces at the beginning of cells are left out"
    found = read(tmp_path, 'id, name, v\n1, foo,   2.5\n2,, 3\n3, "a, ""b""", 4\n')
    assert types(found) == {"id": "i32", "name": "optional<string>", "v": "f64"} and told in losses(found)
    assert values(found) == [(1, "foo", 2.5), (2, None, 3.0), (3, 'a, "b"', 4.0)]
    found = read(tmp_path, "id; v\n1; 2\n")
    assert values(found) == [(1, 2)]
    text = "# c\nA, , B,\nx, y, x, y\n1, 2, 3, 4\n2, 3, 4, 5\n"
    found = read(tmp_path, text, framing="both")
    assert names(found) == ["A_x", "A_y", "B_x", "B_y"] and values(found) == [(1, 2, 3, 4), (2, 3, 4, 5)]
    assert values(read(tmp_path, 'k, v\nx, "a, b"\ny, "c, d"\n')) == [("x", "a, b"), ("y", "c, d")]
    assert values(read(tmp_path, "id,name\n1, a\n2, b\n")) == [(1, " a"), (2, " b")]
    for text in ("id, name\n1,foo\n", "id,name\n1, foo\n", "id,,\n1,,\n", "a b\nc d\n"):
        assert told not in losses(read(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "name", "told", "made"),
    [
        ("sep=;\na,b\n1,2\n", "m.csv", "no cells are separated by semicolons", [(1, 2)]),
        ("sep=^\na;b\n1;2\n", "m.csv", "no cells are separated by '^'", [(1, 2)]),
        ("sep=;\n# c\na,b\n1,2\n", "m.csv", "no cells are separated by semicolons", [(1, 2)]),
        ("Of May\na,b\n1,2\n2,3\n", "m.tsv", "no cells are separated by tabs", [(1, 2), (2, 3)]),
        ("a,b\n1,2\n", "m.tsv", "no cells are separated by tabs", [(1, 2)]),
        ("sep=;\na\n1\n", "m.csv", "", [(1,)]),
        ("a\n1,5\n", "m.tsv", "", [("1,5",)]),
        ("sep=;\na,b;c\n1,5;2\n", "m.csv", "", [("1,5", 2)]),
    ],
)
def test_a_delimiter_that_no_line_has_is_not_believed(
    text: str, name: str, told: str, made: list[Any], tmp_path: Path
) -> None:
    found = read(tmp_path, text, name)
    assert values(found) == made
    assert any(told in each and "are taken to be separated by" in each for each in losses(found)) == bool(
        told
    )
    framing = {"m.tsv": "tab"}.get(name, "semicolon")
    assert len(types(read(tmp_path, text, name, framing=framing))) == (
        2 if ";c" in text or "^" in text else 1
    )


def test_a_delimiter_that_only_quoted_cells_have_is_not_believed(tmp_path: Path) -> None:
    assert values(read(tmp_path, 'sep=;\na,b\n"1;2",3\n')) == [("1;2", 3)]


COMMA, THOUSANDS = "a decimal comma", "commas between thousands"


@pytest.mark.parametrize(
    ("cells", "told", "type", "made"),
    [
        (("1,5", "-2,75"), f"all are numbers with {COMMA}; --set 'v=f64' reads them", "f64", [1.5, -2.75]),
        (("1.234,50", "2", "0,125"), f"with {COMMA}; --set 'v=f64'", "f64", [1234.5, 2.0, 0.125]),
        (("1,234", "2,345,678", "12"), f"with {THOUSANDS}; --set 'v=i64'", "i64", [1234, 2345678, 12]),
        (("1,234.5", "0.25"), f"with {THOUSANDS}; --set 'v=f64'", "f64", [1234.5, 0.25]),
        (("1,5", "", "2"), f"with {COMMA}; --set 'v=f64'", "f64", [1.5, None, 2.0]),
        (("1,5", "NA"), "words such as NA; --set 'v=optional<f64>' reads", "optional<f64>", [1.5, None]),
        (("1.234,50", "7"), f"with {COMMA}; --set 'v=f64'", "f64", [1234.5, 7.0]),
        (("-1.234,5", "-,5", ",25"), f"with {COMMA}; --set 'v=f64'", "f64", [-1234.5, -0.5, 0.25]),
        (("1,234,567", "1e5", ".5", "3."), f"{THOUSANDS}; --set 'v=f64'", "f64", [1234567, 1e5, 0.5, 3]),
        (("1,000,000,000,000,000,000,000", "5"), f"{THOUSANDS}; --set 'v=f64'", "f64", [1e21, 5.0]),
        ((*["1" + "0" * 21] * 1000, "1,234,567"), "--set 'v=f64'", "f64", [*[1e21] * 1000, 1234567.0]),
        ((*["1e5"] * 1000, "1,234,567"), f"{THOUSANDS}; --set 'v=f64'", "f64", [*[1e5] * 1000, 1234567.0]),
        (("inf", "1,234,567"), f"{THOUSANDS}; --set 'v=f64'", "f64", [math.inf, 1234567.0]),
        (("1.234.567", "-1.234"), "with points between thousands; --set 'v=i64'", "i64", [1234567, -1234]),
        ((*["1.234"] * 1000, "1,5"), f"with {COMMA}; --set 'v=f64'", "f64", [*[1234.0] * 1000, 1.5]),
        (("1,234,567", "."), "NA; --set 'v=optional<i64>' reads", "optional<i64>", [1234567, None]),
        ((*["0.5"] * 1000, "1,234"), f"with {THOUSANDS}; --set 'v=f64'", "f64", [*[0.5] * 1000, 1234.0]),
    ],
)  # fmt: skip
def test_numbers_with_commas_are_told_and_read_where_the_user_says_so(
    cells: tuple[str, ...], told: str, type: str, made: list[Any], tmp_path: Path
) -> None:
    text = "v;w\n" + "".join(f"{cell};x\n" for cell in cells)
    found = read(tmp_path, text, framing="semicolon")
    assert "string" in types(found)["v"] and told in found.mapping[0].why
    found = read(tmp_path, text, framing="semicolon", settings={"v": type})
    assert [value[0] for value in values(found)] == made


@pytest.mark.parametrize(
    "cells", [("1,5", "x"), ("1,5", "1.5"), ("01,5",), ("1,5,6",), ("12,34,567",), (*["0.5"] * 1000, "1,5")]
)
def test_texts_with_commas_are_no_numbers(cells: tuple[str, ...], tmp_path: Path) -> None:
    text = "v;w\n" + "".join(f"{cell};x\n" for cell in cells)
    assert "are numbers" not in read(tmp_path, text, framing="semicolon").mapping[0].why
    assert "expected a number" in refusal(tmp_path, text, framing="semicolon", settings={"v": "f64"})


def test_numbers_that_commas_leave_open_are_told_and_not_read(tmp_path: Path) -> None:
    text = "v;w\n1,234;x\n5;x\n"
    found = read(tmp_path, text, framing="semicolon")
    assert f"all are numbers with {COMMA} or {THOUSANDS}: what they mean is not sure" in found.mapping[0].why
    assert "line 2, v: found a cell of 5 characters" in refusal(
        tmp_path, text, framing="semicolon", settings={"v": "f64"}
    )


def test_a_table_below_something_else_is_told_with_the_command_that_takes_it_out(tmp_path: Path) -> None:
    above = '"Data Source","Indicators",\n\n"Last Updated","2026-01-01",\n\n'
    table = '"Country Name","Code","2020"\n"Aruba","ABW","1.0"\n"Austria","AUT","3.0"\n'
    text = above.replace(",\n", "\n") + table
    told = refusal(tmp_path, text)
    assert "line 5: found 3 cells; expected 2 as in the first row; a table seems to begin there" in told
    command = told.rpartition("there: ")[2].removesuffix(" leaves out what is above")
    made = subprocess.run(command.split(" > ")[0], shell=True, check=True, capture_output=True, text=True)
    assert made.stdout == table
    assert "must be quoted" in refusal(tmp_path, "a,b\n1,2\n1,2,3\n1,2\n")
    assert "must be quoted" in refusal(tmp_path, "a,b,c\n1,2\n1,2\n")
