"""Tests that files which are not Parquet or Arrow, or are made to do harm, end in an error that names the
place and holds no value."""

from __future__ import annotations

import string
import struct
import subprocess
import tracemalloc
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.columns_drawn import written
from tests.mutated_inputs import hold_mutants
from tests.test_import_columns import of_numbers, read, refusal, values

from serbench.imports.columns import mapping, reading
from serbench.imports.columns.arrays import dictionary, plain
from serbench.imports.columns.trial import schema_of, tried
from serbench.imports.json.values import Unfit

pa = pytest.importorskip(
    "pyarrow", reason="pyarrow is not in this environment; it is of the extra serbench[parquet]"
)

SECRET = b"swordfish"

_ZONES = b"Europe/Oslo", b"Europe/\xc3slo"
_BASE64 = (string.ascii_letters + string.digits + "+/=").encode()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("m.parquet", b""),
        ("m.parquet", b"PAR1"),
        ("m.parquet", b"PAR1" + struct.pack("<I", 1 << 31) + b"PAR1"),
        ("m.parquet", b"id,name\n1,x\n"),
        ("m.arrow", b""),
        ("m.arrow", b"ARROW1\0\0"),
        ("m.arrow", b"ARROW1\0\0" + bytes(100) + struct.pack("<I", 1 << 30) + b"ARROW1"),
        ("m.arrows", b"\xff\xff\xff\xff" + struct.pack("<I", 1 << 30) + bytes(100)),
    ],
    ids=repr,
)
def test_what_is_no_such_file_is_refused(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    assert f"{name}: found bytes that are no " in (told := refusal(tmp_path / name)) and "damaged" in told


def test_what_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    for name in ("m.parquet", "m.arrow"):
        assert f"{name}: found a file that cannot be read (No such file" in refusal(tmp_path / name)
    (tmp_path / "m.feather").write_bytes(b"FEA1" + bytes(100))
    assert "found Feather's first version; expected its second" in refusal(tmp_path / "m.feather")


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
def test_a_file_that_is_cut_off_is_refused(kind: str, tmp_path: Path) -> None:
    file = written(tmp_path, kind, pa.table({"a": range(100), "b": ["x" * 50] * 100}), rows=30)
    whole = file.read_bytes()
    for left in (len(whole) // 3, len(whole) - 200):
        file.write_bytes(whole[:left])
        assert f"m.{kind}" in refusal(file)


def test_faults_of_values_name_their_row_and_path(tmp_path: Path) -> None:
    bad = pa.StringArray.from_buffers(
        2, pa.py_buffer(struct.pack("<3i", 0, 1, 10)), pa.py_buffer(b"x\xff" + SECRET[:8])
    )
    twice = pa.array([[("a", 1)], [("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int32()))
    day = of_numbers([0, 5], pa.date64())
    digits = pa.Array.from_buffers(
        pa.decimal128(2, 0),
        2,
        [None, pa.py_buffer((5).to_bytes(16, "little") + (120).to_bytes(16, "little"))],
    )
    for kind, column, told in (
        ("parquet", bad, "row 2, c: found text that is not valid UTF-8; expected text"),
        (
            "arrow",
            bad,
            "m.arrow, row 2, c: found text that is not valid UTF-8 in a column of string; expected",
        ),
        ("arrow", twice, "row 2, c: found a duplicate key in a map; expected distinct keys"),
        (
            "arrow",
            day,
            "m.arrow, row 2, c: found a date64 with a time of day in a column of date64[ms]; expected",
        ),
        ("parquet", digits, "row 2, c: found a decimal of more digits; expected 2 digits at most"),
        (
            "arrow",
            digits,
            "m.arrow, row 2, c: found a decimal of more digits in a column of decimal128(2, 0); expected",
        ),
    ):
        found = refusal(written(tmp_path, kind, pa.table({"c": column})))
        assert told in found and SECRET.decode()[:4] not in found and "damaged" not in found


@pytest.mark.parametrize("bad", [0, 41, 99])
def test_an_invalid_value_is_found_in_any_row_of_any_part(bad: int, tmp_path: Path) -> None:
    numbers = [5] * 100
    numbers[bad] = 120
    of_rows = pa.py_buffer(b"".join(each.to_bytes(16, "little") for each in numbers))
    column = pa.Array.from_buffers(pa.decimal128(2, 0), 100, [None, of_rows])
    rows = pa.table({"c": pa.StructArray.from_arrays([column], ["d"])})
    told = refusal(written(tmp_path, "arrow", rows, rows=30)).replace(str(tmp_path), "")
    assert f"m.arrow, row {bad + 1}, c: found a decimal of more digits" in told and "120" not in told


@pytest.mark.parametrize("kind", ["arrow", "arrows"])
@pytest.mark.parametrize(("unit", "type"), [(0, "month_interval"), (1, "day_time_interval")])
def test_an_interval_that_pyarrow_cannot_hold_is_refused_by_its_name(
    kind: str, unit: int, type: str, tmp_path: Path
) -> None:
    """pyarrow itself writes only intervals of months, days and nanoseconds, which have the unit 2; the test
    changes the unit in the file."""
    column = pa.array([pa.MonthDayNano([1, 2, 3])] * 2, pa.month_day_nano_interval())
    file = written(tmp_path, kind, pa.table({"f0": [1, 2], "f1": column}))
    _set_byte(file, kind, 2, unit, lambda: str(schema_of("arrow", str(file)).field("f1").type) == type)
    told = refusal(file)
    assert f"m.{kind}, f1: found the type {type}; expected a type that the type model has" in told


def _set_byte(file: Path, kind: str, was: int, becomes: int, is_wanted: Callable[[], bool]) -> None:
    """Changes a single byte with value ``was`` in a file, the first one for which ``is_wanted`` holds
    afterwards."""
    whole = file.read_bytes()
    for at in (at for at, byte in enumerate(whole) if byte == was):
        file.write_bytes(whole[:at] + bytes([becomes]) + whole[at + 1 :])
        with suppress(Exception):  # most bytes mean something else, for which the file is refused
            if is_wanted():
                return
    raise AssertionError(f"no byte of {kind} is the wanted one")


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        (0, 2, "Map keys must be annotated as required."),
        (2, 6, "While LZO compression is supported by the Parquet"),
    ],
)
def test_a_whole_file_that_pyarrow_refuses_is_not_called_damaged(
    was: int, becomes: int, said: str, tmp_path: Path
) -> None:
    """pyarrow refuses maps whose keys may be null, and pages compressed by LZO. The error must not call such
    a file damaged, since the file is whole."""
    column = pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int32()))
    file = written(tmp_path, "parquet", pa.table({"m": column}))

    def is_refused() -> bool:
        return said in str(tried("parquet", str(file)).get("what"))

    _set_byte(file, "parquet", was, becomes, is_refused)
    told = refusal(file)
    assert (
        f"m.parquet: found what pyarrow refuses ({said}" in told and "expected Parquet that it reads" in told
    )
    assert "damaged" not in told


def test_an_encrypted_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "m.parquet").write_bytes(b"PARE" + bytes(50) + b"PARE")
    assert "found a file of Parquet that is encrypted; expected a file of Parquet; write" in refusal(
        tmp_path / "m.parquet"
    )


def test_what_the_type_model_has_not_is_refused_with_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interval = pa.array([{"x": pa.MonthDayNano([1, 2, 3])}], pa.struct([("x", pa.month_day_nano_interval())]))
    assert "s.x: found the type month_day_nano_interval; expected a type that" in refusal(
        written(tmp_path, "arrow", pa.table({"s": interval}))
    )
    double = pa.Table.from_arrays([pa.array([1])] * 2, names=["a", "a"])
    assert "m.arrow, a: found two fields with the same name" in refusal(written(tmp_path, "arrow", double))
    assert "found no column" in refusal(written(tmp_path, "arrow", pa.table({})))
    assert "a: found a type of 0 bytes" in refusal(
        written(tmp_path, "arrow", pa.table({"a": pa.array([b""], pa.binary(0))}))
    )
    long = pa.table({"a": pa.array([[1] * 100], pa.list_(pa.int8(), 100))})
    monkeypatch.setattr(mapping, "MOST_FIXED", 50)
    assert "a: found lists of 100 items each; expected 50 at most" in refusal(
        written(tmp_path, "arrow", long)
    )
    monkeypatch.setattr(mapping, "MOST_PARTS", 5)
    wide = pa.table({f"c{n}": [1] for n in range(6)})
    assert "c5: found more than 5 columns and fields" in refusal(written(tmp_path, "parquet", wide))
    monkeypatch.setattr(mapping, "MOST_PARTS", 100)
    monkeypatch.setattr(mapping, "MOST_LEVELS", 5)
    deep: Any = 1
    for _ in range(6):
        deep = [deep]
    assert "found more than 5 levels of nested types" in refusal(
        written(tmp_path, "parquet", pa.table({"d": [deep]}))
    )


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_a_zone_that_is_no_text_is_refused(kind: str, tmp_path: Path) -> None:
    """A time zone that is no valid text is refused. A random mutant of a Parquet file had one, in the Arrow
    schema inside the file."""
    times = pa.array([1], pa.timestamp("us", "Europe/Oslo"))
    file = written(tmp_path, kind, pa.table({"at": times}))
    file.write_bytes(_with_other_zone(file.read_bytes().replace(*_ZONES)))
    assert "at: found a timestamp of a zone that is not valid UTF-8; expected" in refusal(file)


def _with_other_zone(data: bytes) -> bytes:
    """The bytes of a Parquet file with another zone in its Arrow schema. That schema is in base64, so it is
    decoded and encoded again."""
    marker = b"ARROW:schema"
    if marker not in data:
        return data
    begin = data.index(b"/////", data.index(marker))
    end = next(n for n in range(begin, len(data)) if data[n] not in _BASE64)
    schema = b64decode(data[begin:end]).replace(*_ZONES)
    return data[:begin] + b64encode(schema) + data[end:]


@pytest.mark.parametrize(
    ("type", "place"),
    [
        (pa.int32(), "column 2"),
        (pa.struct([("b", pa.int32()), ("named", pa.int32())]), "column 2, field 2"),
        (
            pa.list_(pa.map_(pa.string(), pa.struct([("named", pa.int32())]))),
            "column 2, field 1, field 2, field 1",
        ),
        (pa.dense_union([pa.field("named", pa.int32())]), "column 2, field 1"),
    ],
)
@pytest.mark.parametrize("kind", ["arrow", "arrows"])
def test_a_name_that_is_no_text_is_refused(type: Any, place: str, kind: str, tmp_path: Path) -> None:
    """A name that is no valid text is refused. A random mutant of an Arrow file had one."""
    inside = pa.types.is_nested(type)
    schema = pa.schema([("first", pa.int32()), ("outer" if inside else "named", type)])
    file = tmp_path / f"m.{kind}"
    write = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
    with write(str(file), schema):
        pass
    file.write_bytes(file.read_bytes().replace(b"named", b"na\xffed"))
    assert f"{place}: found a name that is not valid UTF-8; expected names that are text" in refusal(file)


def test_an_index_of_no_entry_of_a_dictionary_is_refused(tmp_path: Path) -> None:
    """An index beyond the entries of its dictionary is refused. A random mutant of a Parquet file had one,
    among three indices of two bits each for three entries."""
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int8()), pa.array(["a", "b", "c"]))
    file = tmp_path / "m.parquet"
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"word": words}), file, compression="none")
    data = file.read_bytes()
    assert data.count(b"\x02\x03\x24") == 1
    file.write_bytes(data.replace(b"\x02\x03\x24", b"\x02\x03\x34"))
    assert "word: found the index 3 into a dictionary of 3; expected that of an entry" in refusal(file)


def test_an_index_below_zero_is_refused() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, None, -1], pa.int8()), pa.array(["a"]), safe=False)
    with pytest.raises(Unfit, match="-1 into a dictionary of 1"):
        dictionary(plain, "word", nullable=True)(column)


def test_names_are_made_fit_to_be_shown(tmp_path: Path) -> None:
    name = "\x1b[31m" + "x" * 5000
    array = pa.array([pa.MonthDayNano([1, 2, 3])])
    told = refusal(written(tmp_path, "arrow", pa.Table.from_arrays([array], names=[name])))
    assert "\x1b" not in told and len(told) < 1000


def test_rows_that_no_byte_stands_for_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path, "arrows", pa.table({"n": pa.nulls(10**9)}), rows=10**9)
    assert "found 1000000000 rows in" in refusal(file)


def test_a_page_that_unpacks_to_more_than_memory_is_refused(tmp_path: Path) -> None:
    """The file has two thousand rows of eight MiB each, compressed to some kilobytes."""
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int32()), pa.array([bytes(8 << 20)]))
    file = tmp_path / "m.parquet"
    pa.parquet.write_table(pa.table({"b": column}), file, compression="zstd", store_schema=False)
    assert file.stat().st_size < 100_000
    assert "found data that take more than 1024 MiB of memory at once" in refusal(file)


def test_a_row_takes_not_more_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pa.array([[False] * 10, [True] * 1_000_000])
    file = written(tmp_path, "arrow", pa.table({"l": rows}))
    assert [len(row[0]) for row in values(read(file))] == [10, 1_000_000]
    monkeypatch.setattr(reading, "MOST_OF_A_ROW", 20 << 20)
    tracemalloc.start()
    try:
        told = refusal(file)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "row 2: found a row whose values take some" in told
    assert most < 10 << 20


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (-11, "bytes that make pyarrow crash"),
        (-24, "data that take more than 20 s to unpack"),
        (1, "crash"),
    ],
)
def test_what_ends_the_reader_ends_nothing_else(
    status: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, "parquet", pa.table({"a": [1]}))
    monkeypatch.setattr(
        "subprocess.run", lambda command, **more: subprocess.CompletedProcess(command, status, b"", b"")
    )
    assert told in refusal(file)


@pytest.mark.slow("damage files of columns")
@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
def test_no_mutant_ends_in_a_traceback_a_crash_a_hang_or_a_gigabyte(
    kind: str, request: pytest.FixtureRequest
) -> None:
    hold_mutants(kind, 2 * request.config.getoption("--mutations"))
