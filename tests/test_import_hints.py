"""Tests that the settings which an import tells the user are what a shell and the import take."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from serbench.cli.importing import _setting
from serbench.errors import SelectionError
from serbench.imports import formats
from serbench.imports.base import Imported, Request
from serbench.model.parts import describe


def read(file: Path, *said: str) -> Imported:
    """Imports a file of JSON lines or CSV with settings, each as the command line gets it."""
    format = "csv" if file.suffix == ".csv" else "json"
    return formats()[format].read(Request((file,), settings=dict(map(_setting, said))))


def told(found: Imported) -> list[str]:
    """The settings that the mapping tells, as a shell would pass them on."""
    words = [shlex.split(re.sub(r"^.*--set", "", each.why)) for each in found.mapping if "--set" in each.why]
    return [each[0] for each in words]


def lines(folder: Path, *rows: dict[str, Any]) -> Path:
    file = folder / "m.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def table(folder: Path, *cells: str) -> Path:
    file = folder / "m.csv"
    file.write_text("n,t\n" + "".join(f"1,{cell}\n" for cell in cells))
    return file


@pytest.mark.parametrize("write", [lambda folder, *times: lines(folder, *({"t": t} for t in times)), table])
@pytest.mark.parametrize(
    ("times", "type", "last"),
    [
        (("2024-01-01T00:00:00Z", "1970-01-01T00:00:01Z"), "timestamp in ms", 1000),
        (("2024-01-01T00:00:00.5Z", "1970-01-01T00:00:00.123000Z"), "timestamp in ms", 123),
        (("2024-01-01T00:00:00Z", "1970-01-01T00:00:00.123456Z"), "timestamp in us", 123456),
        (("2024-01-01T00:00:00.1Z", "1970-01-01T00:00:00.123456789+00:00"), "timestamp in ns", 123456789),
        (("2024-01-01 00:00:00.1", "1970-01-01 00:00:00.000001"), "local timestamp in us", 1),
        (("0001-01-01T00:00:00Z", "1970-01-01T00:00:00.000001Z"), "timestamp in us", 1),
    ],
)
def test_the_unit_that_is_told_holds_every_time(
    write: Any, times: tuple[str, ...], type: str, last: int, tmp_path: Path
) -> None:
    file = write(tmp_path, *times)
    found = told(read(file))
    assert found == [f"t={type}"]
    made = read(file, *found)
    assert describe(made.root.fields[-1].type) == type
    assert made.values and [*made.values()][-1][-1] == last


@pytest.mark.parametrize(
    "times",
    [("0001-01-01T00:00:00Z", "2024-01-01T00:00:00.123456789Z"), ("2024-01-01T00:00:00.0123456789Z",)],
)
def test_no_unit_is_told_where_none_holds_every_time(times: tuple[str, ...], tmp_path: Path) -> None:
    for file in (lines(tmp_path, *({"t": each} for each in times)), table(tmp_path, *times)):
        found = read(file)
        assert not told(found) and "no unit holds all of them" in found.mapping[-1].why


@pytest.mark.parametrize("key", ["it's", "a=b", 'a"=b', "a b", "$x", "a.b", "x\\", "new\nline", "*"])
@pytest.mark.parametrize("inside", [False, True])
def test_a_setting_of_any_key_can_be_pasted(key: str, inside: bool, tmp_path: Path) -> None:
    rows = [{key: 1_700_000_000_123 + n} for n in range(2)]
    file = lines(tmp_path, *({"o": row} if inside else row for row in rows))
    (setting,) = told(read(file))
    made = read(file, setting)
    assert any("timestamp in ms" in each.ours for each in made.mapping)
    table = tmp_path / "m.csv"
    quoted = key.replace('"', '""')
    table.write_text(f'n,"{quoted}"\n1,1700000000123\n2,1700000000124\n')
    (setting,) = told(read(table))
    assert describe(read(table, setting).root.fields[1].type) == "timestamp in ms"


def test_what_is_no_setting_is_refused() -> None:
    for text in ("a", "=i32", "a=", '"a=b"'):
        with pytest.raises(SelectionError, match="expected PATH=TYPE"):
            _setting(text)
    assert _setting('m{}."a=b".c=map<string, *>') == ('m{}."a=b".c', "map<string, *>")
    assert _setting("a=b=i32") == ("a=b", "i32")
