"""Tests that the import tells of whole numbers that probably count time since 1970, with the setting that
makes them timestamps."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from tests.columns_drawn import written
from tests.test_import_recognised import run

from serbench.imports import formats
from serbench.imports.base import Imported, Request
from serbench.imports.epochs import probable_unit
from serbench.model.parts import describe

NOW = 1_764_000_000


@pytest.mark.parametrize(
    ("path", "low", "high", "unit"),
    [
        ("created", NOW, NOW + 5, "s"),
        ("created_at", NOW, NOW, "s"),
        ("orders[].updatedAt", 631_152_000_000, 4_102_444_799_999, "ms"),
        ("x", NOW * 1000, NOW * 1000, "ms"),
        ("x", NOW * 10**6, NOW * 10**6 + 1, "us"),
        ("ts", NOW * 10**9, NOW * 10**9, "ns"),
        ("x", NOW, NOW + 86_400, "s"),
        ("time_id", NOW, NOW, "s"),
        ('at."$date"."$numberLong"', NOW * 1000, NOW * 1000, "ms"),
        ("buckets[].key", NOW * 1000, NOW * 1000 + 3_600_000, "ms"),
        ('id."$numberLong"', NOW * 1000, NOW * 1000 + 5, ""),
        ("key", NOW * 1000, NOW * 1000, ""),
        ("created", 631_151_999, NOW, ""),
        ("created", NOW, 4_102_444_800, ""),
        ("created", NOW, NOW * 1000, ""),
        ("created", -1, 5, ""),
        ("created", math.inf, 0, ""),
        ("id", NOW * 1000, NOW * 1000 + 5, ""),
        ("phone", NOW, NOW + 5, ""),
        ("phone_number", NOW * 1000, NOW * 1000 + 5, ""),
        ("key", NOW, NOW + 5, ""),
        ("number", NOW * 10**9, NOW * 10**9 + 5, ""),
        ("x", NOW, NOW, ""),
        ("x", 950_000_000, 2_200_000_000, ""),
        ("x", 4_006_381_333_931, 4_006_381_333_999, ""),
        ("x", 1_700_000_000_000_000_000, 2_100_000_000_000_000_000, ""),
    ],
)
def test_size_and_name_tell_what_is_a_time(path: str, low: float, high: float, unit: str) -> None:
    assert probable_unit(path, low, high) == unit


def read(folder: Path, format: str, rows: list[dict[str, Any]], **settings: str) -> Imported:
    """Imports rows from a file that is written in this format."""
    file = folder / f"m.{format}"
    if format == "csv":
        with file.open("w", newline="") as out:
            writer = csv.DictWriter(out, [*rows[0]])
            writer.writeheader()
            writer.writerows(rows)
    elif format == "json":
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    else:
        pa = pytest.importorskip("pyarrow", reason="pyarrow is of the extra serbench[parquet]")
        written(folder, format, pa.Table.from_pylist(rows), rows=2)
    return formats()[format].read(Request((file,), settings=settings))


def hinted(found: Imported) -> dict[str, str]:
    """The settings that the printed mapping suggests, by path."""
    pattern = re.compile(r"probably timestamps in [a-z]+ since 1970; --set '([^=']+)=([^']+)' makes them so")
    told = (match for each in found.mapping if (match := pattern.search(each.why)))
    return {match[1]: match[2] for match in told}


@pytest.mark.parametrize("format", ["json", "csv", "parquet", "arrow"])
@pytest.mark.parametrize(("unit", "factor"), [("s", 1), ("ms", 1000), ("us", 10**6), ("ns", 10**9)])
def test_the_setting_that_is_told_makes_timestamps(
    format: str, unit: str, factor: int, tmp_path: Path
) -> None:
    seen = [NOW * factor, NOW * factor, None, NOW * factor]
    rows = [{"created": (NOW + n) * factor, "seen_at": at, "n": n} for n, at in enumerate(seen)]
    found = read(tmp_path, format, rows)
    told = hinted(found)
    assert [*told] == ["created", "seen_at"] and "timestamp" not in describe(found.root.fields[0].type)
    made = read(tmp_path, format, rows, **told)
    assert [describe(field.type) for field in made.root.fields[:2]] == [
        f"optional<timestamp in {unit}>" if "optional" in told["created"] else f"timestamp in {unit}",
        f"optional<timestamp in {unit}>",
    ]
    assert made.values
    assert [value[:2] for value in made.values()] == [(row["created"], row["seen_at"]) for row in rows]


def test_digits_in_strings_of_json_are_told_too(tmp_path: Path) -> None:
    numbers = [(NOW + n) * 1000 for n in range(3)]
    rows = [{"at": str(each), "code": str(each), "mixed": str(each)} for each in numbers]
    rows[1]["mixed"] = "x"
    found = read(tmp_path, "json", rows)
    assert hinted(found) == {"at": "timestamp in ms"}
    made = read(tmp_path, "json", rows, **hinted(found))
    assert made.values and [value[0] for value in made.values()] == numbers
    assert describe(made.root.fields[0].type) == "timestamp in ms"


def test_nothing_is_told_where_one_number_is_none(tmp_path: Path) -> None:
    for format in ("json", "csv", "parquet", "arrow"):
        assert hinted(read(tmp_path, format, [{"created": NOW}, {"created": NOW}, {"created": 0}])) == {}


@pytest.mark.parametrize("format", ["json", "csv"])
@pytest.mark.parametrize(
    ("fraction", "unit"),
    [("", "ms"), (".5", "ms"), (".123000", "ms"), (".1234", "us"), (".123456", "us"), (".123456789", "ns")],
)
@pytest.mark.parametrize(("zone", "kind"), [("Z", "timestamp"), ("", "local timestamp")])
def test_the_unit_that_is_told_holds_the_fractions_of_times(
    format: str, fraction: str, unit: str, zone: str, kind: str, tmp_path: Path
) -> None:
    rows = [{"at": f"2026-01-05T00:00:0{n}{fraction if n else ''}{zone}", "n": n} for n in range(3)]
    found = read(tmp_path, format, rows)
    assert f"--set 'at={kind} in {unit}' makes numbers of them" in found.mapping[0].why
    made = read(tmp_path, format, rows, at=f"{kind} in {unit}")
    assert made.values and len({value[0] for value in made.values()}) == 3


@pytest.mark.parametrize("key", ["it's", "a b", "a=b", 'a"b', "$x", "a\\b", "`a`"])
def test_what_is_told_is_taken_as_a_shell_gives_it(key: str, tmp_path: Path) -> None:
    rows = [{key: (NOW + n) * 1000, "n": n} for n in range(3)]
    told = read(tmp_path, "json", rows).mapping[0].why
    option = split(told[told.index("--set") :])[1]
    path, _, type = option.rpartition("=")
    made = read(tmp_path, "json", rows, **{path: type})
    assert describe(made.root.fields[0].type) == type == "timestamp in ms"
    ran = run("import", str(tmp_path / "m.json"), "--set", option, "--explain", "--format", "csv")
    assert "integer,timestamp in ms" in ran.output


@pytest.mark.parametrize(
    ("values", "told", "what"),
    [
        ([NOW + 0.5, NOW + 1], "seconds", "numbers"),
        ([NOW * 1000 + 0.5], "milliseconds", "numbers"),
        ([f"{NOW}.000216", f"{NOW}.000220"], "seconds", "texts"),
        ([f"{NOW}.000216", f"{NOW}"], "seconds", "texts"),
        ([0.5, NOW + 0.5], "", ""),
        ([0, NOW + 0.5], "", ""),
        (["0.5", f"{NOW}.5"], "", ""),
        ([f"{NOW}.5", "x"], "", ""),
    ],
)
def test_times_with_a_fraction_are_told_though_no_setting_makes_timestamps_of_them(
    values: list[Any], told: str, what: str, tmp_path: Path
) -> None:
    why = {
        field: {each.path: each.why for each in read(tmp_path, "json", rows).mapping}[field]
        for field in ("ts", "price")
        for rows in [[{field: each} for each in values]]
    }
    expected = f"those in the sample are probably {told} since 1970 with a fraction; timestamps are whole"
    assert why["ts"] == (f"{expected} numbers, so these stay {what}" if told else "")
    assert not why["price"]


def test_cells_with_a_fraction_are_told_too(tmp_path: Path) -> None:
    for more in (f"{NOW + 1}.5", f"{NOW}"):
        for rows in ([f"{NOW}.000", more], [more, f"{NOW}.000"], [more] * 1000 + [f"{NOW}.000"]):
            (row,) = read(tmp_path, "csv", [{"ts": each} for each in rows]).mapping
            assert "all are numbers; those in the first 2000 rows are probably seconds since 1970" in row.why
    (row,) = read(tmp_path, "csv", [{"ts": f"{NOW}.000"}, {"ts": "5.5"}]).mapping
    assert "1970" not in row.why
