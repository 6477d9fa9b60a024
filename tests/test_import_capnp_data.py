"""Tests of importing messages of Cap'n Proto that other people wrote."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.test_import_round import need

import serbench.imports.capnp.data as data_module
from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.imports import formats
from serbench.imports.base import Imported, Request, Unfit
from serbench.imports.capnp.compiler import CapnpField, CapnpNode, Nodes
from serbench.imports.capnp.values import Values

SCHEMA = """@0xa93fc509624c72d1;
struct Order {
  id @0 :UInt64 = 7; note @1 :Text; name @2 :Text = "none"; raw @3 :Data = 0x"01"; lines @4 :List(Line);
  table @5 :List(List(Text));
  count :union { unknown @6 :Void; known @7 :Int32; }
  at :group { x @8 :Float32 = nan; y @9 :Float32; }
  union { paid @10 :Bool; code @11 :Text; later :group { day @12 :Int8; } free @13 :Void; line @18 :Line; }
  state @14 :State; value @15 :Value; follows @16 :Order;
  size :union { small @17 :Text; large @19 :Int8; }
  raws @20 :List(Data);
  nothing @21 :Void;
  struct Line { count @0 :Int32; }
}
enum State { open @0; closed @1; }
struct Value { union { none @1 :Void; number @0 :Float64; } }
struct Wide { lines @0 :List(Order.Line) = [(count = 5)]; line @1 :Order.Line = (count = 6); }
struct Newer { state @0 :UInt16; }
struct Older { state @0 :State; }
"""

FULL = """(id = 3, note = "", lines = [(count = 5), ()], table = [["a", ""], []], count = (known = 5),
code = "xü:-0]", state = closed, value = (number = -0.0), follows = (later = (day = 3)),
raws = ["a", 0x"ff00"], at = (x = 0.1))"""
PLAIN: list[Any] = [
    7,
    None,
    "none",
    b"\1",
    [],
    [],
    None,
    (math.inf, 0.0),
    (0, False),
    0,
    None,
    None,
    (0, ""),
    [],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    need("capnp")
    (tmp_path / "given.capnp").write_text(SCHEMA)
    return tmp_path


def _data(folder: Path, text: str, form: str = "binary", root: str = "Order") -> Path:
    command = ["capnp", "convert", f"text:{form}", "given.capnp", root]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True, cwd=folder)
    (folder / "data.bin").write_bytes(done.stdout)
    return folder / "data.bin"


def _read(folder: Path, data: Path, root: str = "Order", framing: str = "") -> Imported:
    return formats()["capnp"].read(Request((folder / "given.capnp",), (data,), root, framing))


def _values(imported: Imported) -> list[Any]:
    assert imported.values is not None
    return list(imported.values())


def _fault(folder: Path, data: Path, root: str = "Order", framing: str = "") -> str:
    with pytest.raises(InputError) as caught:
        _values(_read(folder, data, root, framing))
    return str(caught.value)


@pytest.mark.parametrize("form", ["binary", "packed"])
def test_values_are_those_of_the_messages(folder: Path, form: str) -> None:
    text = f"{FULL} (at = (x = inf)) (free = void, size = (large = -3), at = (x = inf))"
    text += '(line = (count = 4), raw = "", at = (x = inf))'
    imported = _read(folder, _data(folder, text, form), framing="packed" if form == "packed" else "")
    values = _values(imported)
    root = imported.schema("orders").root
    assert [find_mismatch(root, value) for value in values] == [None] * 4
    narrow = 0.10000000149011612
    inner = (*PLAIN[:7], values[0][11][7], (2, (3,)), *PLAIN[9:])
    first = (
        3,
        "",
        "none",
        b"\1",
        [(5,), (0,)],
        [["a", ""], []],
        5,
        (narrow, 0.0),
        (1, "xü:-0]"),
        1,
        (0, -0.0),
        inner,
        (0, ""),
        [b"a", b"\xff\0"],
    )
    assert values[0] == first
    assert math.isnan(inner[7][0]) and math.copysign(1, values[0][10][1]) == -1
    assert values[1] == tuple(PLAIN)
    assert values[2] == (*PLAIN[:8], (3, None), *PLAIN[9:12], (1, -3), [])
    assert values[3] == (*PLAIN[:3], b"", *PLAIN[4:8], (4, (4,)), *PLAIN[9:])
    assert _values(imported)[1:] == values[1:], "they can be read again"
    assert "newer schema" in imported.losses[-1].what


def test_a_union_and_an_inner_struct_can_be_roots(folder: Path) -> None:
    assert _values(_read(folder, _data(folder, "(number = 2.5)()", root="Value"), "Value")) == [
        ((0, 2.5),),
        ((0, 0.0),),
    ]
    assert _values(_read(folder, _data(folder, "(count = 2)", root="Order.Line"), "Line")) == [(2,)]


def test_a_default_that_capnp_does_not_tell_is_refused_where_it_is_meant(folder: Path) -> None:
    assert _values(_read(folder, _data(folder, "(lines = [], line = ())", root="Wide"), "Wide")) == [
        ([], (0,))
    ]
    assert "Wide.lines: a null pointer" in _fault(folder, _data(folder, "(line = ())", root="Wide"), "Wide")
    assert "Wide.line: a null pointer" in _fault(folder, _data(folder, "(lines = [])", root="Wide"), "Wide")


def test_data_that_are_none_are_told_with_their_message_and_without_what_they_hold(folder: Path) -> None:
    whole = _data(folder, '(note = "s3cret")(note = "s3cret")').read_bytes()
    (folder / "none.bin").write_bytes(b"")
    assert _values(_read(folder, folder / "none.bin", framing="stream")) == []
    assert "none.bin: found no message: the file is empty" in _fault(folder, folder / "none.bin")
    for size, message in ((len(whole) - 1, 2), (len(whole) // 2 - 1, 1), (3, 1), (len(whole) // 2 + 3, 2)):
        (folder / "cut.bin").write_bytes(whole[:size])
        fault = _fault(folder, folder / "cut.bin", framing="stream")
        assert f"cut.bin, message {message}: found invalid bytes; expected a message Order" in fault
        assert "s3cret" not in fault
    assert "found invalid bytes" in _fault(folder, _data(folder, FULL), framing="packed")
    assert "the framing 'lines'; expected one of auto, stream, packed" in _fault(
        folder, _data(folder, FULL), framing="lines"
    )
    assert "no file" in _fault(folder, folder / "nowhere.bin")


def test_a_number_without_a_name_and_a_text_that_is_none_are_refused(folder: Path) -> None:
    data = _data(folder, "(state = 9)", root="Newer")
    assert "message 1: Older.state: a number that State has no name for" in _fault(folder, data, "Older")
    data = _data(folder, '(note = "s3cret")')
    data.write_bytes(data.read_bytes().replace(b"s3c", b"\xff\xfe\xfd"))
    assert "message 1: a text that is not UTF-8" in _fault(folder, data)


def test_a_message_of_few_bytes_may_not_take_all_memory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_module, "MOST_TEXT", 100)
    assert _values(_read(folder, _data(folder, "(count = 1)", root="Order.Line"), "Line")) == [(1,)]
    assert "takes too much memory" in _fault(folder, _data(folder, FULL))


def test_annotations_by_which_capnp_tells_otherwise_are_refused(folder: Path) -> None:
    (folder / "capnp" / "compat").mkdir(parents=True)
    (folder / "capnp" / "compat" / "json.capnp").write_text("@0x8ef99297a43a5e34; annotation name(*) :Text;")
    text = SCHEMA.replace(
        "struct Order {", 'using Json = import "/capnp/compat/json.capnp"; struct Order $Json.name("x") {'
    )
    (folder / "given.capnp").write_text(text)
    assert "annotations of capnp/compat/json.capnp" in _fault(folder, _data(folder, "()"))


def test_what_is_none_of_a_type_is_told_without_capnp() -> None:
    kinds = {"a": "int32", "b": "text", "c": "data", "d": "bool"}
    fields = [
        CapnpField(name, {kind: None}, "", None, n, None) for n, (name, kind) in enumerate(kinds.items())
    ]
    fields.append(CapnpField("e", {"list": {"elementType": {"float64": None}}}, "", None, 4, None))
    fields += [
        CapnpField("f", {"int8": None}, "", None, 5, 0),
        CapnpField("g", {"text": None}, "", None, 6, 1),
    ]
    values = Values(Nodes({}, []), root := CapnpNode("1", "A", "struct", fields=fields))
    assert values.of({"a": 1, "c": [1, 255], "e": ["NaN", 1], "g": None})[:4] == (1, None, b"\1\xff", False)
    assert values.of({}) == (0, None, None, False, [], (0, 0))
    assert root.name == "A"
    wrong = {"a": "s3cret", "b": 3, "c": [256], "e": {}, "f": []}
    for name, value in wrong.items():
        with pytest.raises(Unfit, match=rf"^A\.{name}: no ") as caught:
            values.of({name: value})
        assert "s3cret" not in str(caught.value)
    with pytest.raises(Unfit, match=r"^A: no struct"):
        values.of([])
    with pytest.raises(Unfit, match=r"^A: 2 members of a union"):
        values.of({"f": 1, "g": "x"})
