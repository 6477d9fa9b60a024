"""Tests of parts that are gone: what each IDL writes for them, and that its own tool reads old messages with
the new schema, and new messages with the old one."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from serbench.changes import parse_all
from serbench.errors import SchemaError, SelectionError
from serbench.idl import emit, fbs, oneofs
from serbench.imports import formats
from serbench.imports.base import Request
from serbench.model import (
    Alternative,
    Enum,
    Field,
    Gone,
    List,
    Optional,
    Record,
    Schema,
    Union,
    i64,
    string,
    u8,
)

LINE = Record("Line", [Field("sku", string), Field("price", Optional(i64)), Field("n", "u32")])
STATUS = Enum("Status", u8, ["open", "lost", "done"])
PAID = Union("Paid", [Alternative("cash"), Alternative("card", string), Alternative("points", LINE)])
POINT = Record("Point", [Field("x", "i32"), Field("label", string), Field("y", "i32")])
OLD = Schema(
    "orders",
    Record(
        "Order",
        [
            *(Field("old", Optional(PAID)), Field("id", "u32"), Field("more", List(POINT))),
            *(Field("lines", List(LINE)), Field("status", STATUS), Field("paid", PAID)),
        ],
    ),
)
DROPS = ("old", "lines.price", "status.lost", "paid.card", "more.label")
NEW = parse_all([f"drop={path}" for path in DROPS], OLD).new
"""The old schema without a part of each kind; each part was in the middle of its type."""

TEXTS = {
    "proto": """
enum Status {
  STATUS_OPEN = 0;
  STATUS_DONE = 2;
  reserved 1;
  reserved "STATUS_LOST";
}

message Point {
  int32 x = 1;
  int32 y = 3;
  reserved 2;
  reserved "label";
}

message Line {
  string sku = 1;
  uint32 n = 3;
  reserved 2;
  reserved "price";
}

message Empty {
}

message Paid {
  oneof value {
    Empty cash = 1;
    Line points = 3;
  }
  reserved 2;
  reserved "card";
}

message Order {
  uint32 id = 2;
  repeated Point more = 3;
  repeated Line lines = 4;
  Status status = 5;
  optional Paid paid = 6;
  reserved 1;
  reserved "old";
}
""",
    "capnp": """
enum Status {
  open @0;
  obsoleteLost @1;
  done @2;
}

struct Point {
  x @0 :Int32;
  obsoleteLabel @1 :Text;
  y @2 :Int32;
}

struct Line {
  sku @0 :Text;
  obsoletePrice :union {
    none @1 :Void;
    some @2 :Int64;
  }
  n @3 :UInt32;
}

struct Paid {
  union {
    cash @0 :Void;
    obsoleteCard @1 :Text;
    points @2 :Line;
  }
}

struct Order {
  obsoleteOld @0 :AnyPointer;
  id @1 :UInt32;
  more @2 :List(Point);
  lines @3 :List(Line);
  status @4 :Status;
  paid @5 :Paid;
}
""",
    "fbs": """
enum Status : ubyte {
  open = 0,
  done = 2,
}

union Paid {
  cash:Empty,
  card:Gone,
  points:Line,
}

table Gone {
}

table Point {
  x:int;
  label:string (deprecated);
  y:int;
}

table Line {
  sku:string;
  price:long (deprecated);
  n:uint;
}

table Empty {
}

table Order {
  old_type:ubyte (deprecated);
  old:Gone (deprecated);
  id:uint;
  more:[Point];
  lines:[Line];
  status:Status;
  paid:Paid (required);
}

root_type Order;
""",
    "thrift": """
enum Status {
  open = 0,
  done = 2,
  // 1: lost, gone
}

struct Point {
  1: i32 x;
  3: i32 y;
  // 2: label, gone
}

struct Line {
  1: string sku;
  3: i64 n;
  // 2: price, gone
}

struct Empty {
}

union Paid {
  1: Empty cash;
  3: Line points;
  // 2: card, gone
}

struct Order {
  2: i64 id;
  3: list<Point> more;
  4: list<Line> lines;
  5: Status status;
  6: Paid paid;
  // 1: old, gone
}
""",
}


@pytest.mark.parametrize("language", TEXTS)
def test_an_idl_writes_what_it_has_for_parts_that_are_gone(language: str) -> None:
    assert emit(language, NEW).partition("\nenum ")[2] == TEXTS[language].partition("\nenum ")[2]


def test_gone_parts_are_in_json_and_part_of_equality() -> None:
    again = Schema.from_json(NEW.to_json())
    assert again.to_json() == NEW.to_json() and again.digest() == NEW.digest()
    assert again.root == NEW.root
    plain = Record("Order", NEW.root.fields)
    assert plain != NEW.root and "gone" not in json.dumps(OLD.to_json())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("add=old:string", "record Order: the name old was that of a part which is gone"),
        ("rename=status.done:lost", "enum Status: the name lost was that of a part which is gone"),
        ("renumber=id:1", "record Order, id: the number 1 was that of a part which is gone"),
        ("add=status.late:1", "enum Status, late: the number 1 was that of a part which is gone"),
    ],
)
def test_names_and_numbers_of_gone_parts_are_not_used_again(change: str, reason: str) -> None:
    with pytest.raises(SelectionError, match=reason):
        parse_all([change], NEW)


@pytest.mark.parametrize(
    ("gone", "reason"),
    [
        ([Gone("a", 5), Gone("a", 6)], "gone name a is declared 2 times"),
        ([Gone(number=5, last=9), Gone("b", 7)], "the gone number 7 is declared twice"),
        ([Gone(number=5, last=4)], "the gone number 5 is declared twice, or its range is empty"),
        ([Gone("a b", 5)], "'a b' is not a name"),
        ([Gone("b", 5, place=-1)], "gone b: the place -1; expected 0 or more"),
    ],
)
def test_faults_of_gone_parts_are_told(gone: list[Gone], reason: str) -> None:
    with pytest.raises(SchemaError, match=reason):
        Schema("s", Record("R", [Field("x", u8)], gone=gone))


def test_the_number_after_a_gone_one_is_the_next() -> None:
    last = parse_all(
        ["drop=paid.points", "add=paid.later:string", "drop=status.done", "add=status.more"], OLD
    )
    (union,) = last.new.unions
    assert union.parts[-1].number == 4 and last.new.enums[0].members[-1] == ("more", 3)


def test_what_depends_on_the_whole_schema_does_not_flip() -> None:
    """Without its label, a point would be a FlatBuffers struct; and a root of one field would be lone."""
    assert not fbs.Tables(NEW).is_struct(next(each for each in NEW.records if each.name == "Point"))
    point = Record("P", [Field("x", u8)])
    alone = parse_all(["drop=note"], Schema("s", Record("R", [Field("p", point), Field("note", string)]))).new
    assert fbs.Tables(alone).is_struct(alone.root.fields[0].type)
    assert Record("R", alone.root.fields).is_lone and not alone.root.is_lone


def test_a_name_that_was_changed_beside_a_gone_one_stays_as_it_was() -> None:
    schema = Schema("s", Record("R", [Field("a_b", u8), Field("aB", u8), Field("x", u8)]))
    left = parse_all(["drop=a_b"], schema).new
    assert "aB2Value @1" in emit("capnp", schema) and "aB2Value @1" in emit("capnp", left)
    plain = Schema("s", Record("R", left.root.fields))
    assert "aBValue @0" in emit("capnp", plain)


def test_parts_whose_number_an_idl_cannot_have_keep_the_order_of_all() -> None:
    schema = Schema("s", Record("R", [Field("a", u8, 40_000), Field("b", u8), Field("c", u8)]))
    text = emit("thrift", parse_all(["drop=b"], schema).new)
    assert "1: i8 a;" in text and "3: i8 c;" in text and "// 2: b, gone" in text


def test_fields_keep_their_default_where_the_member_of_number_0_is_gone() -> None:
    schema = parse_all(["drop=status.open"], OLD).new
    text = emit("fbs", schema)
    assert "  open = 0,\n  lost = 1,\n  done = 2,\n" in text and "  status:Status;" in text
    assert (
        "  STATUS_UNSPECIFIED = 0;\n  STATUS_LOST = 1;\n  STATUS_DONE = 2;\n"
        '  reserved "STATUS_OPEN";\n' in emit("proto", schema)
    )


def test_a_oneof_in_its_message_stays_there_and_keeps_what_is_gone() -> None:
    union = Union("Choice", [Alternative("text", string, 2), Alternative("number", "u32", 3)])
    choice = Field("choice", Optional(union), 2, hints=[oneofs.HINT])
    schema = Schema("s", Record("R", [choice, Field("id", "u32", 1), Field("note", string, 4)]))
    assert emit("proto", parse_all(["drop=choice.text", "drop=note"], schema).new).endswith(
        "message R {\n  oneof choice {\n    uint32 number = 3;\n  }\n  uint32 id = 1;\n"
        '  reserved 2, 4;\n  reserved "note", "text";\n}\n'
    )
    without = emit("proto", parse_all(["drop=choice"], schema).new)
    assert '  reserved 2, 3;\n  reserved "text", "number";\n' in without


# --- tools ---


def run(folder: Path, *command: str, given: bytes = b"") -> bytes:
    if not shutil.which(command[0]):
        pytest.skip(f"there is no {command[0]}")
    done = subprocess.run(command, cwd=folder, input=given, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def write(folder: Path, language: str) -> None:
    for name, schema in (("old", OLD), ("new", NEW)):
        (folder / f"{name}.{language}").write_text(emit(language, schema))


def one_line(text: bytes) -> str:
    return " ".join(text.decode().split())


PROTO = b"""old { card: "x" } id: 7 more { x: 1 label: "p" y: 2 } lines { sku: "a" price: 9 n: 3 }
status: STATUS_DONE paid { points { sku: "b" price: 8 n: 4 } }"""


def test_protoc_reads_old_messages_and_new_ones(tmp_path: Path) -> None:
    write(tmp_path, "proto")

    def through(writer: str, reader: str, text: bytes) -> str:
        of = "serbench.pb.Order"
        data = run(tmp_path, "protoc", f"--encode={of}", f"{writer}.proto", given=text)
        return one_line(run(tmp_path, "protoc", f"--decode={of}", f"{reader}.proto", given=data))

    assert through("old", "new", PROTO) == (
        'id: 7 more { x: 1 y: 2 2: "p" } lines { sku: "a" n: 3 2: 9 } status: STATUS_DONE '
        'paid { points { sku: "b" n: 4 2: 8 } } 1 { 2: "x" }'
    )
    given = b'id: 7 more { x: 1 y: 2 } status: STATUS_DONE paid { points { sku: "b" n: 4 } }'
    assert through("new", "old", given) == given.decode()


CAPNP = b"""(old = (card = "x"), id = 7, more = [(x = 1, label = "p", y = 2)],
lines = [(sku = "a", price = (some = 9), n = 3)], status = done,
paid = (points = (sku = "b", price = (some = 8), n = 4)))"""


def test_capnp_reads_old_messages_and_new_ones(tmp_path: Path) -> None:
    write(tmp_path, "capnp")

    def through(writer: str, reader: str, text: bytes) -> str:
        convert = "capnp", "convert"
        data = run(tmp_path, *convert, "text:binary", f"{writer}.capnp", "Order", given=text)
        return one_line(run(tmp_path, *convert, "binary:text", f"{reader}.capnp", "Order", given=data))

    assert through("old", "new", CAPNP) == (
        '( obsoleteOld = <opaque pointer>, id = 7, more = [ (x = 1, obsoleteLabel = "p", y = 2) ], '
        'lines = [ ( sku = "a", obsoletePrice = (some = 9), n = 3 ) ], status = done, '
        'paid = ( points = ( sku = "b", obsoletePrice = (some = 8), n = 4 ) ) )'
    )
    given = b'(id = 7, more = [(x = 1, y = 2)], status = done, paid = (points = (sku = "b", n = 4)))'
    assert through("new", "old", given) == (
        "( id = 7, more = [(x = 1, y = 2)], status = done, "
        'paid = ( points = (sku = "b", price = (none = void), n = 4) ) )'
    )


FBS = {
    "old_type": "points",
    "old": {"sku": "x", "price": 1, "n": 2},
    "id": 7,
    "more": [{"x": 1, "label": "p", "y": 2}],
    "lines": [{"sku": "a", "price": 9, "n": 3}],
    "status": "done",
    "paid_type": "points",
    "paid": {"sku": "b", "price": 8, "n": 4},
}


def test_flatc_reads_old_messages_and_new_ones(tmp_path: Path) -> None:
    write(tmp_path, "fbs")

    def through(writer: str, reader: str, value: Any) -> Any:
        (tmp_path / "data.json").write_text(json.dumps(value))
        run(tmp_path, "flatc", "-b", f"{writer}.fbs", "data.json")
        run(tmp_path, "flatc", "--json", "--strict-json", "--raw-binary", f"{reader}.fbs", "--", "data.bin")
        return json.loads((tmp_path / "data.json").read_text())

    # flatc prints deprecated fields too.
    assert through("old", "new", FBS) == FBS | {"old_type": 3, "old": {}}
    left = {key: value for key, value in FBS.items() if not key.startswith("old")}
    left |= {"more": [{"x": 1, "y": 2}], "lines": [{"sku": "a", "n": 3}], "paid": {"sku": "b", "n": 4}}
    assert through("new", "old", left) == left


# --- imports ---

RESERVED = """syntax = "proto3";
package shop;
message Order {
  uint32 id = 1;
  Status status = 3;
  oneof choice { string text = 20; uint32 number = 21; }
  reserved 2, 7 to 9, 1000 to max;
  reserved "note", "choice_text";
}
enum Status {
  NEW = 0;
  reserved -5 to -1, 4, 100 to max;
  reserved "LOST";
}
"""


def test_what_an_imported_schema_reserves_is_written_again(tmp_path: Path) -> None:
    (tmp_path / "shop.proto").write_text(RESERVED)
    imported = formats()["proto"].read(Request((tmp_path / "shop.proto",), root="Order"))
    schema = Schema("shop", imported.root, imported.also)
    assert Gone(number=7, last=9) in schema.root.gone and Gone("note") in schema.root.gone
    text = emit("proto", Schema.from_json(schema.to_json()))
    assert '  reserved 2, 7 to 9, 1000 to max;\n  reserved "note", "choice_text";\n' in text
    assert '  reserved -5 to -1, 4, 100 to max;\n  reserved "STATUS_LOST";\n' in text
    (tmp_path / "again.proto").write_text(text)
    run(tmp_path, "protoc", "--descriptor_set_out=again.bin", "again.proto")
    with pytest.raises(SelectionError, match="the number 8 was that of a part which is gone"):
        parse_all(["renumber=id:8"], schema)
    for language in ("capnp", "fbs", "thrift", "avsc"):
        emit(language, parse_all(["drop=status"], schema).new)
