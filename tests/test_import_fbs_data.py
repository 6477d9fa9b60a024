"""Tests of importing messages of FlatBuffers that other people wrote."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.test_import_fbs import _field, _type
from tests.test_import_round import need

import serbench.imports.fbs.values as values_module
from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.imports import formats
from serbench.imports.base import Imported, Request, Unfit
from serbench.imports.fbs.compiler import reflected
from serbench.imports.fbs.values import Values

SCHEMA = """
namespace shop;
enum Color : byte { Red = 1, Green, Blue = 5 }
struct Inner { a:ubyte; b:double; }
enum Zero : ushort { None, One }
struct Point { x:float; y:[ubyte:4]; in:Inner; all:[Inner:2]; color:Zero; }
union Any { Card, Point, again:Card }
table Card { number:long = -1; at:Point (required); }
table Pair { key:string (key); value:int = 7; }
table Held { key:ushort (key); value:Any; }
table Order {
  id:ulong; small:byte = -3; good:bool = true; weight:float = 0.1; none:double = nan; color:Color = Green;
  maybe:int = null; name:string; must:string (required); raw:[ubyte]; numbers:[ulong]; flags:[bool];
  names:[string]; points:[Point]; orders:[Order]; at:Point; card:Card; any:Any; all:[Any]; stock:[Pair];
  held:[Held]; colors:[Color];
  old:int (deprecated); last:short;
}
root_type Order;
"""
POINT = {
    "x": 0.1,
    "y": [1, 2, 3, 255],
    "in": {"a": 1, "b": -0.0},
    "all": [{"a": 2, "b": 1e300}, {"a": 3, "b": 3}],
    "color": 1,
}
POINT_VALUE = (0.10000000149011612, [1, 2, 3, 255], (1, -0.0), [(2, 1e300), (3, 3.0)], 1)
CARD = {"number": 4, "at": POINT}
FULL = {
    "id": 2**64 - 1, "small": 0, "good": False, "weight": 2, "none": 1.5, "color": "Blue", "maybe": 0,
    "name": "", "must": "xü", "raw": [1, 255], "numbers": [2**64 - 1, 0], "flags": [True, False],
    "names": ["a", ""], "points": [POINT, POINT], "orders": [{"must": ""}], "at": POINT, "card": CARD,
    "any_type": "again", "any": CARD, "all_type": ["Card", "Point"], "all": [CARD, POINT],
    "stock": [{"key": "a", "value": 1}, {"key": "b"}],
    "held": [{"key": 1}, {"key": 2, "value_type": "Point", "value": POINT}], "colors": ["Red", 77],
    "last": -2,
}  # fmt: skip
EMPTY: tuple[Any, ...] = (
    0,
    -3,
    True,
    0.10000000149011612,
    math.nan,
    2,
    None,
    None,
    "",
    None,
    [],
    [],
    [],
    [],
    [],
    None,
    None,
    None,
    [],
    {},
    {},
    [],
    0,
)
CARD_VALUE = (4, POINT_VALUE)
FULL_VALUE = (
    *(
        2**64 - 1,
        0,
        False,
        2.0,
        1.5,
        5,
        0,
        "",
        "xü",
        b"\1\xff",
        [2**64 - 1, 0],
        [True, False],
        ["a", ""],
        [POINT_VALUE] * 2,
    ),
    *(
        [EMPTY],
        POINT_VALUE,
        CARD_VALUE,
        (2, CARD_VALUE),
        [(0, CARD_VALUE), (1, POINT_VALUE)],
        {"a": 1, "b": 7},
    ),
    *({1: None, 2: (1, POINT_VALUE)}, [1, 77], -2),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    need("fbs")
    (tmp_path / "given.fbs").write_text(SCHEMA)
    return tmp_path


def _bytes(folder: Path, value: Any, *options: str) -> bytes:
    (folder / "data.json").write_text(json.dumps(value))
    subprocess.run(
        ["flatc", "-b", *options, "given.fbs", "data.json"], check=True, cwd=folder, capture_output=True
    )
    return (folder / "data.bin").read_bytes()


def _read(folder: Path, data: bytes, framing: str = "", root: str = "") -> Imported:
    (folder / "data.bin").write_bytes(data)
    return formats()["fbs"].read(Request((folder / "given.fbs",), (folder / "data.bin",), root, framing))


def _values(imported: Imported) -> list[Any]:
    assert imported.values is not None
    return list(imported.values())


def _fault(folder: Path, data: bytes, framing: str = "", root: str = "") -> str:
    with pytest.raises(InputError) as caught:
        _values(_read(folder, data, framing, root))
    return str(caught.value)


def test_values_are_those_of_the_messages(folder: Path) -> None:
    data = _bytes(folder, FULL)
    imported = _read(folder, data)
    (value,) = _values(imported)
    assert find_mismatch(imported.schema("orders").root, value) is None
    assert repr(value) == repr(FULL_VALUE)
    assert repr(_values(imported)) == repr([FULL_VALUE]), "they can be read again"
    assert "newer schema" in imported.losses[-1].what
    prefixed = _bytes(folder, FULL, "--size-prefixed") + _bytes(folder, {"must": ""}, "--size-prefixed")
    assert repr(_values(_read(folder, prefixed, "prefixed"))) == repr([FULL_VALUE, EMPTY])
    assert _values(_read(folder, b"", "prefixed")) == []


def test_data_that_are_none_are_told_with_their_message_and_without_what_they_hold(folder: Path) -> None:
    data = _bytes(folder, {"must": "s3cret", "name": "s3cret", "stock": [{"key": "a"}, {"key": "a"}]})
    assert "message 1: found shop.Order.stock: a key twice" in _fault(folder, data, "one")
    data = _bytes(folder, {"must": "s3cret", "name": "s3cret"})
    assert "message 1: found a " in _fault(folder, data[:-9], "one")
    assert "a string that is not UTF-8" in _fault(folder, data.replace(b"s3c", b"\xff\xfe\xfd"))
    assert "shop.Card.at: nothing, though it is required" in _fault(folder, data, root="Card")
    assert "a place beyond the end" in _fault(folder, b"", "one")
    assert "data.bin: found no message: the file is empty; expected at least one" in _fault(folder, b"")
    prefixed = _bytes(folder, {"must": "s3cret"}, "--size-prefixed")
    for cut in (prefixed + prefixed[:3], prefixed + prefixed[:-1]):
        fault = _fault(folder, cut, "prefixed")
        assert "message 2: found the end of the file" in fault and "s3cret" not in fault
    assert "a message of more than" in _fault(
        folder, b"\xff\xff\xff\xff" + bytes(values_module.MOST_VALUES * 7), "prefixed"
    )
    assert "the framing 'lines'; expected one of auto, one, prefixed" in _fault(folder, data, "lines")


def test_places_that_lead_elsewhere_are_refused() -> None:
    fields = [
        _field("a", 0, _type("Vector", "ULong")),
        _field("b", 1, _type("Obj", index=0)),
        _field("c", 2, _type("Vector", "Obj", 0)),
    ]
    table = {"name": "A", "fields": fields, "is_struct": False, "bytesize": 0}
    values = Values(reflected({"objects": [table], "enums": []}), "A")
    # The list of fields at 4: its size, that of the table, places of the fields. The table at 16: back to the
    # list, a, b, c.
    whole = bytearray(
        bytes.fromhex(
            "10000000 0a000000 00000000 00000000 0c000000 00000000 00000000 00000000 "
            "01000000 0000000000000000"
        )
    )
    assert values.of(bytes(whole)) == ([], None, [])
    whole[8:14] = bytes((4, 0, 8, 0, 12, 0))
    whole[20] = 12
    assert values.of(bytes(whole)) == ([0], ([], None, []), []), (
        "an offset of 0 leads to itself, which is a table without fields"
    )
    whole[10:14] = bytes(4)
    assert values.of(bytes(whole)) == ([0], None, [])
    for place, value, told in (
        (32, 0xFF, "a vector beyond the end"),
        (32, 2, "beyond the end"),
        (16, 0x7F, "without a list"),
        (0, 0x7F, "beyond"),
    ):
        damaged = bytearray(whole)
        damaged[place] = value
        with pytest.raises(Unfit, match=told):
            values.of(bytes(damaged))


def test_few_bytes_may_be_in_few_places_only(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = [_field("a", 0, _type("Obj", index=0)), _field("b", 1, _type("Obj", index=0))]
    table = {"name": "A", "fields": fields, "is_struct": False, "bytesize": 0}
    values = Values(reflected({"objects": [table], "enums": []}), "A")
    # no offset leads backwards: these are great
    ring = bytes.fromhex("0c000000 0800 0c00 0400 0800 08000000 fcffffff f8ffffff")
    with pytest.raises(Unfit, match="beyond"):
        values.of(ring)
    # 30 tables, each with two offsets to the next: a thousand million values.
    data = bytearray(bytes.fromhex("10000000 0000 0000 0800 0c00 0400 0800"))
    for n in range(30):
        at = 16 + 12 * n
        data += (at - 8).to_bytes(4, "little") + (8).to_bytes(4, "little") + (4).to_bytes(4, "little")
    data += (16 + 12 * 30 - 4).to_bytes(4, "little") + bytes(8)
    monkeypatch.setattr(values_module, "MOST_VALUES", 1000)
    with pytest.raises(Unfit, match="more than 1000 values"):
        values.of(bytes(data))
