"""Tests of importing CSV: the types that columns become, the ways in which files may be written, and that
imported rows equal the cells."""

from __future__ import annotations

import csv
import gzip
import random
from math import isnan
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.csv_drawn import drawn_csv
from tests.mutated_inputs import hold_mutants
from tests.support import examples

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.imports.base import Imported, Request
from serbench.imports.csv import FORMAT, lines, tables
from serbench.imports.json import settings
from serbench.imports.json.values import Unfit
from serbench.model.parts import describe


def read(folder: Path, text: str | bytes, name: str = "m.csv", **more: Any) -> Imported:
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return FORMAT.read(Request((folder / name,), **more))


def column(folder: Path, *cells: str, **more: Any) -> Imported:
    """Imports a column of these cells, beside a second column."""
    return read(folder, "c,other\n" + "".join(f"{cell},x\n" for cell in cells), **more)


def types(found: Imported) -> dict[str, str]:
    return {field.wire_name: describe(field.type) for field in found.root.fields}


def why(found: Imported) -> str:
    """The reason given for the type of the first column, without the part about the header."""
    return found.mapping[0].why.partition("; the first line")[0].removeprefix("the first line has no values")


def values(found: Imported) -> list[Any]:
    assert found.values
    made = list(found.values())
    root = found.schema("test").root
    assert [find_mismatch(root, value) for value in made] == [None] * len(made)
    return made


def refusal(folder: Path, text: str | bytes, name: str = "m.csv", **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        values(read(folder, text, name, **more))
    return str(caught.value)


@pytest.mark.parametrize(
    ("cells", "type", "told"),
    [
        (("1", "-2147483648"), "i32", "all are whole numbers of 32 bits at most"),
        (("1", "2147483648"), "i64", "some are beyond 32 bits"),
        (("0", str((1 << 64) - 1)), "u64", "some are beyond 63 bits"),
        (("-1", str((1 << 64) - 1)), "string", "some whole numbers are beyond 64 bits"),
        (("1" * 5000,), "string", "some whole numbers are beyond 64 bits"),
        (("1", ""), "optional<i32>", "whole numbers"),
        (("1", "2.5", "-.5", "1e-7", "3."), "f64", "all are numbers"),
        (("1", "NaN", "-inf"), "f64", "some are NaN or infinite"),
        (("NaN",), "string", ""),
        (("1e999",), "string", ""),
        (("007", "123"), "string", "some begin with zero"),
        (("+5",), "string", ""),
        (("-0",), "f64", "all are numbers"),
        (("1_000",), "string", ""),
        (("１",), "string", ""),
        ((" 1",), "string", ""),
        (("true", "False"), "bool", "all are true or false"),
        (("true", "1"), "string", ""),
        (("", ""), "optional<string>", "all cells are empty"),
        (("a", ""), "optional<string>", ""),
        (("1.5", "NA"), "string", "--set 'c=optional<f64>' treats these as absent"),
        (("NA", "NA"), "string", ""),
        (("0f8fad5b-d9cb-469f-a165-70867728950e",), "uuid over string", "all are UUIDs"),
        (("2026-11-22T15:04:05Z", "2026-11-22 15:04:05.5+01:00"), "string", "--set 'c=timestamp in ms'"),
        (("2026-11-22 15:04:05",), "string", "--set 'c=local timestamp in ms'"),
        (("2026-11-22",), "string", "--set 'c=date'"),
        (("a", "b") * 50, "string", "2 different texts in the first 2000 rows; --set 'c=enum'"),
    ],
)
def test_a_column_has_the_type_of_all_its_cells(
    cells: tuple[str, ...], type: str, told: str, tmp_path: Path
) -> None:
    found = column(tmp_path, *cells, framing="header")
    assert types(found)["c"] == type
    assert told in why(found) if told else not why(found)
    values(found)


def test_what_comes_late_counts(tmp_path: Path) -> None:
    """A late cell still decides the type of its column: the import looks at a thousand rows at a time, and
    these files have more."""
    uuid = "0f8fad5b-d9cb-469f-a165-70867728950e"
    for late, type in (
        ("x", "string"),
        ("0.5", "f64"),
        ("", "optional<i32>"),
        (uuid, "string"),
        ("NaN", "f64"),
    ):
        found = column(tmp_path, *["1"] * 2500, late)
        assert types(found)["c"] == type
        assert "UUID" not in why(found)
        assert len(values(found)) == 2501
    for early, late in ((uuid, "x"), ("1", uuid), ("x", uuid)):
        found = column(tmp_path, *[early] * 1000, *[late] * 1000)
        assert types(found)["c"] == "string" and "UUID" not in why(found)
    found = column(tmp_path, *["1"] * 1000, *["NaN"] * 1000)
    assert types(found)["c"] == "f64"


def test_drawn_files_come_back(tmp_path: Path) -> None:
    for number in range(examples(60)):
        data, expected, rows = drawn_csv(random.Random(number))
        found = read(tmp_path, data, framing="")
        assert types(found) == expected, number
        assert values(found) == rows, number


def test_digits_that_doubles_round_are_told(tmp_path: Path) -> None:
    found = column(tmp_path, "0.1234567890123456789", "1")
    assert [(each.path, each.what) for each in found.losses] == [
        ("c", "some have more than 17 digits, which doubles round")
    ]
    assert not column(tmp_path, "0.12345678901234567", "1e300").losses


def test_words_of_floats_are_read(tmp_path: Path) -> None:
    [(first, _), (second, _), (third, _)] = values(column(tmp_path, "NaN", "-Infinity", "1"))
    assert isnan(first) and second == float("-inf") and third == 1.0


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ("a,b\n1,2\n", ["a", "b"], [(1, 2)]),
        ("a;b\n1,5;2,5\n", ["a", "b"], [("1,5", "2,5")]),
        ("a\tb\n1\t2\n", ["a", "b"], [(1, 2)]),
        ("a|b\r\n1|2\r\n", ["a", "b"], [(1, 2)]),
        ("1,2\n3,4\n", ["column_1", "column_2"], [(1, 2), (3, 4)]),
        ("2026-01-01,x\n", ["column_1", "column_2"], [("2026-01-01", "x")]),
        (",a\n0,x\n", ["column_1", "a"], [(0, "x")]),
        ("a\n\n1\n", ["a"], [(1,)]),
        ('a,b\n"x,\n""y""",2', ["a", "b"], [('x,\n"y"', 2)]),
        ("a,a\n1,2\n", ["a", "a_2"], [(1, 2)]),
        ("\ufeffa,b\n1,2\n", ["a", "b"], [(1, 2)]),
        ("name,note\nx,y\n", ["name", "note"], [("x", "y")]),
        ("name;city, state\nx;Paris\n", ["name", "city, state"], [("x", "Paris")]),
    ],
    ids=repr,
)
def test_how_a_file_is_written_is_found_out(
    text: str, names: list[str], rows: list[Any], tmp_path: Path
) -> None:
    found = read(tmp_path, text)
    assert [field.wire_name for field in found.root.fields] == names
    assert values(found) == rows


def test_names_that_a_file_has_not_are_told(tmp_path: Path) -> None:
    assert [each.path for each in read(tmp_path, ",a,a\n0,x,y\n").losses] == ["column_1", "a_2"]
    assert "use --framing header if it is one" in read(tmp_path, "1,2\n").mapping[0].why
    assert "use --framing rows if it is a row" in read(tmp_path, "a,b\n1,2\n").mapping[0].why


def test_empty_lines_that_might_be_cells_are_told(tmp_path: Path) -> None:
    for text, told in (
        ("a\n1\n\n2\n", True),
        ('a\n"x\ny"\nz\n""\n', False),
        ("a\n1\n2\n\n\n", False),
        ("a,b\n1,2\n\n3,4\n", False),
    ):
        found = read(tmp_path, text)
        losses = [("$", 'empty lines between rows are skipped; write an empty cell as ""')] if told else []
        assert [(each.path, each.what) for each in found.losses] == losses, text
    assert values(read(tmp_path, 'a\n1\n""\n2\n')) == [(1,), (None,), (2,)]


def test_framing_decides_what_is_open(tmp_path: Path) -> None:
    both = "1,5;2,5\n3,5;4,5\n"
    told = refusal(tmp_path, both)
    assert (
        "as many cells in each line with comma as with semicolon between them" in told
        and "--framing semicolon" in told
    )
    assert values(read(tmp_path, both, framing="semicolon")) == [("1,5", "2,5"), ("3,5", "4,5")]
    assert values(read(tmp_path, "a;b\nc;d\n", framing="semicolon+rows")) == [("a", "b"), ("c", "d")]
    assert values(read(tmp_path, "1,2\n3,4\n", framing="header")) == [(3, 4)]
    assert values(read(tmp_path, "a b\nc\td\n", "m.tsv", framing="rows+comma")) == [("a b",), ("c\td",)]
    for framing in ("lines", "comma+tab", "header+rows", "comma+", "semicolon+rows+x"):
        assert "framing: found" in refusal(tmp_path, both, framing=framing)


EXCEL = "it is no row, and is skipped"
COMMENTS = "begin with #: they are skipped as comments"
UNITS = "the line below the header is skipped as one of units or the like"
GROUPS = "the line above the header is skipped as one of names above several columns"
TITLE = "skipped as a title"


@pytest.mark.parametrize(
    ("text", "told", "made"),
    [
        ("sep=;\na;b\n1;2\n3;4\n", EXCEL, [(1, 2), (3, 4)]),
        ('"SEP=|"\r\na|b\r\n1|2\r\n', EXCEL, [(1, 2)]),
        ("sep=^\na^b\n1^2\n", EXCEL, [(1, 2)]),
        ("sep=;\n1;2\n3;4\n", EXCEL, [(1, 2), (3, 4)]),
        ("# of 2026-01-05, by a tool\n\n# b\na,b\n1,2\n3,4\n", COMMENTS, [(1, 2), (3, 4)]),
        ("# c, d\na,b\nx,y\n", COMMENTS, [("x", "y")]),
        ("sep=;\n# c\na;b\n1;2\n", COMMENTS, [(1, 2)]),
        ("# c\n1,2\n3,4\n", COMMENTS, [(1, 2), (3, 4)]),
        ("a,b,c\ns,m/s,-\n1,2.5,3\n2,3.5,4\n", UNITS, [(1, 2.5, 3), (2, 3.5, 4)]),
        ("k,a,b\n,(s),(m)\nx,1,2\ny,3,4\n", UNITS, [("x", 1, 2), ("y", 3, 4)]),
        (",2024,\nk,a,b\n1,2,3\n2,3,4\n", GROUPS, [(1, 2, 3), (2, 3, 4)]),
        ("A,A,B\nk,a,b\n1,2,3\n2,3,4\n", GROUPS, [(1, 2, 3), (2, 3, 4)]),
        ("Report;;\nk;a;b\n1;2;3\n2;3;4\n", GROUPS, [(1, 2, 3), (2, 3, 4)]),
        ("Report, May\n\na;b;c\n1;2;3\n3;4;5\n", TITLE, [(1, 2, 3), (3, 4, 5)]),
        ("One\nTwo\na,b\n1,2\n", TITLE, [(1, 2)]),
    ],
)
def test_lines_beside_the_header_are_skipped_and_told(
    text: str, told: str, made: list[Any], tmp_path: Path
) -> None:
    found = read(tmp_path, text)
    assert values(found) == made and any(told in loss.what for loss in found.losses)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("##m=1\n#k\ta\nx\t2\n", ["#k", "a"]),
        ("#k,a\n1,x\n", ["#k", "a"]),
        ("# k,a\n1,x\n", ["# k", "a"]),
        ("#k,a\nx,y\n", ["#k", "a"]),
        (",a\n0,1\n1,2\n2,3\n", ["column_1", "a"]),
        ("k,a\nx,none yet\ny,3\nz,4\n", ["k", "a"]),
        ("a\nunknown\n1\n2\n", ["a"]),
        ("a,b\nNA,-\n1,2\n3,4\n", ["a", "b"]),
    ],
)
def test_a_header_is_taken_for_no_comment_and_a_row_for_no_header(
    text: str, names: list[str], tmp_path: Path
) -> None:
    found = read(tmp_path, text)
    assert [field.wire_name for field in found.root.fields] == names
    assert len(values(found)) == sum(not line.startswith("##") for line in text.splitlines()) - 1


def test_framing_says_what_the_lines_of_a_header_are(tmp_path: Path) -> None:
    units = "a,b\ns,m\n1,2\n3,4\n"
    assert types(read(tmp_path, units, framing="header")) == {"a": "string", "b": "string"}
    assert len(values(read(tmp_path, units, framing="rows"))) == 4
    hinted = read(tmp_path, "k,a\nx,kg\ny,3\nz,4\n")
    assert "no value where all others have one; --framing units skips it" in hinted.mapping[0].why
    assert values(read(tmp_path, "k,a\nx,kg\ny,3\nz,4\n", framing="units")) == [("y", 3), ("z", 4)]
    assert values(read(tmp_path, "G,H\na,b\nx,y\n", framing="groups")) == [("x", "y")]
    both = "A,A,B,B\na,b,a,b\n1,2,3,4\n2,3,4,5\n"
    for names in ("A,A,B,B\na,b,a,b\n", ",A,A,B\n,x,y,x\n", "id,pos,,z\n,x,y,\n", "R,2023,,t\n,S,C,\n"):
        told = refusal(tmp_path, f"{names}1,2,3,4\n2,3,4,5\n")
        assert "m.csv: found two lines of names, neither of which names each column alone" in told
    assert "--framing units takes the first line for it, and --framing groups the second" in told
    assert [*types(read(tmp_path, both, framing="units"))] == ["A", "A_2", "B", "B_2"]
    assert [*types(read(tmp_path, both, framing="comma+groups"))] == ["a", "b", "a_2", "b_2"]
    assert "expected one delimiter, and one of header, rows" in refusal(tmp_path, units, framing="units+rows")
    assert types(read(tmp_path, "sep=;\na,b\n1,2\n", framing="comma")) == {"a": "i32", "b": "i32"}


def test_errors_count_the_lines_that_were_skipped(tmp_path: Path) -> None:
    assert "m.csv, line 5: found 1 cell; expected 2" in refusal(tmp_path, "sep=;\n# c\na;b\n1;2\n3\n")
    told = refusal(tmp_path, "a,b\n1,2\n# c\n3,4\n")
    assert "line 3: found 1 cell" in told and told.endswith("m.csv leaves them out")


def test_tsv_has_tabs(tmp_path: Path) -> None:
    assert values(read(tmp_path, "a,b\tc\n1,5\t2\n", "m.tsv")) == [("1,5", 2)]


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".zst", zstandard.compress)])
def test_packed_files_are_unpacked(suffix: str, pack: Any, tmp_path: Path) -> None:
    assert values(read(tmp_path, pack(b"a\tb\n1\t2\n"), f"m.tsv{suffix}")) == [(1, 2)]
    whole = pack(b"a,b\n" + random.Random(1).randbytes(2000).hex().encode() + b",2\n")
    assert "m.csv" in refusal(tmp_path, whole[: len(whole) // 2], f"m.csv{suffix}")


def test_what_a_user_says_counts(tmp_path: Path) -> None:
    text = "i,f,n,s,e,t,l,d,b\n1,0.5,NA,,x y,2026-11-22T15:04:05Z,2026-11-22 15:04:05,1970-01-02,0\n"
    text += "2,1,3.5,a,z,5,6,1969-12-31,true\n"
    said = {
        "i": "i8", "f": "f32", "n": "optional<f64>", "s": "string", "e": "enum", "t": "timestamp in s",
        "l": "local timestamp in s", "d": "date", "b": "bool",
    }  # fmt: skip
    found = read(tmp_path, text, settings=said)
    seconds = 1795359845
    assert values(found) == [
        (1, 0.5, None, "", 0, seconds, seconds, 1, False),
        (2, 1.0, 3.5, "a", 1, 5, 6, -1, True),
    ]
    assert types(found)["s"] == "string" and types(found)["l"] == "local timestamp in s"
    assert types(read(tmp_path, text, settings={"i": "optional<*>", "s": "optional<enum>"})) | {} == {
        "i": "optional<i32>", "f": "f64", "n": "string", "s": "optional<S>", "e": "string", "t": "string",
        "l": "string", "d": "string", "b": "string",
    }  # fmt: skip
    for wrong, told in (
        ({"i": "date"}, "line 2, i: found a string of 1 characters; expected a date"),
        ({"s": "i32"}, "line 3, s: found a cell of 1 characters; expected a whole number"),
        ({"n": "f64"}, "line 2, n: found a cell of 2 characters; expected a number"),
        ({"i": "list<*>"}, "settings, i: found 'list' for cells"),
        ({"j": "i32"}, "found no field at 'j'"),
    ):
        assert told in refusal(tmp_path, text, settings=wrong)
    assert "line 3, i: found an integer of 9 bits; expected i8" in refusal(
        tmp_path, "i,j\n1,1\n300,1\n", settings={"i": "i8"}
    )


def test_enums_have_not_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (tables, settings):
        monkeypatch.setattr(module, "MOST_MEMBERS", 2)
    assert "found 'enum' for more than 2 different texts" in refusal(
        tmp_path, "e,f\na,1\nb,1\nc,1\n", settings={"e": "enum"}
    )
    assert "found 'enum' for no different texts" in refusal(tmp_path, "e,f\n,1\n", settings={"e": "enum"})


def test_several_files_are_one_dataset_of_one_header(tmp_path: Path) -> None:
    for name, text in (
        ("1.csv", "a,b\n1,x\n"),
        ("2.csv", "a;b\n0.5;y\n"),
        ("3.csv", "b,a\n1,2\n"),
        ("4.csv", "1,2\n"),
    ):
        (tmp_path / name).write_text(text)
    found = FORMAT.read(Request((tmp_path / "1.csv",), data=(tmp_path / "2.csv",)))
    assert values(found) == [(1.0, "x"), (0.5, "y")]
    for other, told in (("3.csv", "columns of the first file"), ("4.csv", "found no header")):
        with pytest.raises(InputError, match=told):
            FORMAT.read(Request((tmp_path / "1.csv", tmp_path / other)))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no line with a cell"),
        ("\n\n", "no line with a cell"),
        ("a,b\n1,2\n3\n", "line 3: found 1 cell; expected 2 as in the first row"),
        ("a,b\n1,2\n3,4,5\n", "line 3: found 3 cells; expected 2"),
        ('a,b\n"x\ny",2\n3\n', "line 4: found 1 cell"),
        ('a,b\n1,2\n"x"y,2\n', "line 3: found more behind the quote"),
        ('a,b\n1,2\n"x,2\n', "line 3: found a quote that does not end"),
        ("a,b\r1,2\r", "lines that end in CR alone"),
        (
            b"a,b\n\xe9,2\n",
            "line 2: found bytes that are not valid UTF-8; expected text in UTF-8; is it of Western",
        ),
        (
            "a,b\n1,2\n".encode("utf-16"),
            "found text in UTF-16; expected text in UTF-8; iconv -f UTF-16 -t UTF-8 /",
        ),
        (
            "a,b\n1,2\n".encode("utf-16-le"),
            "found text in UTF-16LE; expected text in UTF-8; iconv -f UTF-16LE",
        ),
        (b"a,b\n1,\0\n", "line 2: found a zero byte; expected text in UTF-8; is it UTF-16?"),
        ("a," * 20_000 + "\n", "line 1: found 20001 cells; expected 10000 at most"),
    ],
    ids=lambda text: repr(text)[:40],
)
def test_what_is_no_csv_is_refused_with_its_line(text: str | bytes, told: str, tmp_path: Path) -> None:
    found = refusal(tmp_path, text)
    assert "m.csv" in found and told in found and len(found) < 600


@pytest.mark.parametrize(
    ("text", "told"), [("", "no line with a cell"), ("a,b\r1,2\r", "lines that end in CR alone")]
)
def test_a_line_of_groups_that_is_not_there_is_refused(text: str, told: str, tmp_path: Path) -> None:
    assert told in refusal(tmp_path, text, framing="groups")


def test_lines_and_cells_have_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert csv.field_size_limit() == lines.LONGEST == 16 << 20
    monkeypatch.setattr(lines, "LONGEST", 1 << 20)
    csv.field_size_limit(1 << 20)
    try:
        bomb = gzip.compress(b"a,b\n" + bytes(4 << 20))
        assert "line 2: found more than 1 MiB in one line" in refusal(tmp_path, bomb, "m.csv.gz")
        quoted = b'a,b\n"' + b"x\n" * (1 << 20)
        assert "line 2: found a cell of more than 1 Mi characters, or a quote that does not end" in refusal(
            tmp_path, quoted
        )
    finally:
        csv.field_size_limit(16 << 20)
    monkeypatch.setattr("serbench.imports.packed._PACKED", 1 << 20)
    assert "MiB when unpacked" in refusal(
        tmp_path, gzip.compress(b"a,b\n" + b"1,2\n" * (1 << 20)), "m.csv.gz"
    )


def test_errors_have_no_values(tmp_path: Path) -> None:
    secret = "swordfish"
    for text, said in (
        (f"a,b\n{secret},1\n{secret},2,3\n", {}),
        (f"a,b\n{secret},1\n", {"a": "i32"}),
        (f'a,b\n"{secret}"{secret},1\n', {}),
        (f"a,b\n{secret},1\n", {"a": "timestamp in s"}),
    ):
        assert secret not in refusal(tmp_path, text, settings=said)
    assert secret not in str(Unfit("a cell", "a number"))


def test_a_file_that_changes_between_readings_is_refused(tmp_path: Path) -> None:
    found = read(tmp_path, "a,b\n1,2\n")
    (tmp_path / "m.csv").write_text("a,b\nx,2\n")
    with pytest.raises(
        InputError, match="line 2, a: found a cell of 1 characters; expected what it was at the first reading"
    ):
        values(found)


@pytest.mark.slow("damage files of columns")
def test_no_mutant_ends_in_a_traceback_a_crash_a_hang_or_a_gigabyte(request: pytest.FixtureRequest) -> None:
    hold_mutants("csv", 10 * request.config.getoption("--mutations"))
