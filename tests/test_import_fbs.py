"""Tests of importing FlatBuffers schemas that other people wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.imported_idl import Importer
from tests.test_import_round import need

from serbench.errors import InputError
from serbench.imports.fbs import mapped
from serbench.imports.fbs.compiler import finite, reflected
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Ref, Union
from serbench.model.types import NOTHING, Alternative, bytes_, f32, f64, i8, i32, string, u8, u16, u64

SHOP = """
include "card.fbs";
namespace shop;
enum Color : byte { Red = 1, Green, Blue = 5 }
enum Flags : ushort (bit_flags) { Fragile, Gift = 7 }
union Paid { shop.Card, voucher: Voucher, text: string }
struct Point { x:float; y:[ubyte:4]; }
table Voucher { code:string (key); }
table Order {
  note:string (id: 1);
  id:ulong (id: 0);
  paid:Paid (id: 3);
  was:Paid (id: 5, required);
  all_paid:[Paid] (id: 7);
  at:Point (id: 8);
  lines:[Order] (id: 9);
  raw:[ubyte] (id: 10, nested_flatbuffer: "Voucher");
  count:int = null (id: 11);
  color:Color = Green (id: 12);
  flags:Flags = Gift (id: 13);
  must:string (id: 14, required);
  old:int (id: 15, deprecated);
  weight:float = 1.5 (id: 16);
  path:[Point] (id: 17);
  stock:[Stock] (id: 18);
  good:bool = true (id: 19);
  none:double = nan (id: 20);
  colors:[Color] (id: 21);
  bytes:[byte] (id: 22);
  size:Size (id: 23);
}
table Stock { key:string (key); value:int = 7; }
table Size { width:int; }
rpc_service Shop { Get(Order):Voucher; }
root_type Order;
file_identifier "SHOP";
"""
CARD = "namespace shop; table Card { number:long = -1; }"

SHOPS = Importer("fbs")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    need("fbs")
    (tmp_path / "card.fbs").write_text(CARD)
    (tmp_path / "shop.fbs").write_text(SHOP)
    return tmp_path


def test_fields_keep_the_order_of_their_ids_and_their_presence(folder: Path) -> None:
    order = SHOPS.read(folder).root
    assert (order.name, order.wire) == ("Order", "shop.Order")
    assert order.fields == (
        Field("id", u64, 1),
        Field("note", Optional(string), 2),
        Field("paid", Optional(Ref("Paid")), 4),
        Field("was", Ref("Paid"), 6),
        Field("all_paid", List(Ref("Paid")), 8),
        Field("at", Optional(Ref("Point")), 9),
        Field("lines", List(Ref("Order")), 10),
        Field("raw", Optional(bytes_), 11),
        Field("count", Optional(i32), 12),
        Field("color", Ref("Color"), 13, default=2),
        Field("flags", Ref("Flags"), 14, default=128),
        Field("must", string, 15),
        Field("weight", f32, 17, default=1.5),
        Field("path", List(Ref("Point")), 18),
        Field("stock", Map(string, i32), 19),
        Field("good", order.fields[15].type, 20, default=True),
        Field("none", f64, 21),
        Field("colors", List(Ref("Color")), 22),
        Field("bytes", List(i8), 23),
        Field("size", Optional(Ref("Size")), 24),
    )
    assert order.fields[15].default is True and order.fields[16].default is NOTHING


def test_what_a_root_reaches_is_declared(folder: Path) -> None:
    imported = SHOPS.read(folder)
    declared = {each.name: each for each in imported.also}
    assert declared.keys() == {"Paid", "Point", "Color", "Flags", "Card", "Voucher", "Size"}
    union = declared["Paid"]
    assert isinstance(union, Union) and union.wire == "shop.Paid"
    assert union.alternatives[0] == Alternative("shop_Card", Ref("Card"), 1)
    assert union.alternatives[1:] == (
        Alternative("voucher", Ref("Voucher"), 2),
        Alternative("text", string, 3),
    )
    assert declared["Point"] == Record("Point", [Field("x", f32), Field("y", Array(u8, 4))], "shop.Point")
    assert declared["Color"] == Enum("Color", i8, [("Red", 1), ("Green", 2), ("Blue", 5)], open=True)
    assert declared["Flags"] == Enum("Flags", u16, [("Fragile", 1), ("Gift", 128)], open=True)
    assert declared["Card"].fields[0].default == -1  # type: ignore[union-attr]
    assert imported.schema("shop").is_recursive
    assert imported.values is None


def test_what_is_not_held_is_told_with_its_path(folder: Path) -> None:
    imported = SHOPS.read(folder)
    losses: dict[str, str] = {}
    for loss in imported.losses:
        losses[loss.path] = losses.get(loss.path, "") + loss.what
    told = {
        "shop.Order.all_paid": "a table around each",
        "shop.Order.raw": "another FlatBuffer",
        "shop.Order.color": "its default 2",
        "shop.Order.flags": "its default 128",
        "shop.Order.old": "deprecated, of id 15",
        "shop.Order.weight": "its default 1.5",
        "shop.Order.good": "its default true",
        "shop.Order.none": "its default nan",
        "shop.Order.stock.value": "its default 7",
        "shop.Card.number": "its default -1",
        "shop.Voucher.code": "sorted by it",
        "shop.Paid.text": "a table around it",
        "shop.Size": "have a struct",
        "shop.Shop": "a service",
        "shop.Order": "the identifier 'SHOP'",
    }
    assert losses.keys() == told.keys()
    for path, what in told.items():
        assert what in losses[path], path
    assert "and 7 more" in losses["shop.Order.all_paid"]


def test_the_mapping_tells_every_field_in_the_words_of_the_schema(folder: Path) -> None:
    rows = {row.path: row for row in SHOPS.read(folder).mapping}
    assert rows["shop.Order.count"].theirs == "int = null (id: 11)"
    assert rows["shop.Order.was"].theirs == "shop.Paid (id: 5, required)"
    assert rows["shop.Order.stock"].ours == "map<string, i32>"
    assert "entries" in rows["shop.Order.stock"].why
    assert rows["shop.Point.y"].theirs == "[ubyte:4] (id: 1)"
    assert rows["shop.Flags"].theirs == "enum of flags of 2 over ushort"
    assert rows["shop.Paid.text"].theirs == "in the union: string = 3"


def test_a_struct_that_a_union_has_is_a_table_in_ours(folder: Path) -> None:
    text = "struct P { x:int; } union U { P } table A { u:U; p:P; } root_type A;"
    assert [(loss.path, loss.what) for loss in SHOPS.read(folder, text).losses] == [
        ("P", "that it is a struct; rows of FlatBuffers have a table, since a union has it")
    ]


@pytest.mark.parametrize(
    "entry",
    [
        "key:string (key); more:int; value:int;",
        "key:float (key); value:int;",
        "key:string; value:int;",
        "value:int; k:int (key);",
    ],
)
def test_only_a_vector_of_a_key_and_a_value_is_a_map(folder: Path, entry: str) -> None:
    assert SHOPS.read(folder, f"table E {{ {entry} }} table A {{ e:[E]; }} root_type A;").root.fields[
        0
    ].type == List(Ref("E"))


def test_a_map_keeps_what_its_entries_have(folder: Path) -> None:
    text = "union U { A } table E { key:ushort (key); value:%s; } table A { e:[E]; } root_type A;"
    assert SHOPS.read(folder, text % "string").root.fields[0].type == Map(u16, Optional(string))
    assert SHOPS.read(folder, text % "U").root.fields[0].type == Map(u16, Optional(Ref("U")))
    fixed = SHOPS.read(folder, text % "int")
    assert fixed.root.fields[0].type == Map(u16, i32)
    assert "its entries are tables" in fixed.losses[0].what


def test_the_root_is_that_of_the_schema_or_the_only_one(folder: Path) -> None:
    two = "table A { x:int; b:B; } table B { x:int; } table C { x:int; } struct S { x:int; }"
    assert (
        "2 tables that no other refers to; expected the full name of one: A, C; use --root A"
        in SHOPS.fault(folder, two)
    )
    assert SHOPS.read(folder, two, root="B").root.name == "B"
    assert SHOPS.read(folder, "namespace n.m; table A { b:B; } table B { x:int; }").root.wire == "n.m.A"
    assert (
        SHOPS.read(folder, "namespace n.m; table A { x:int; } table B { x:int; }", root="B").root.wire
        == "n.m.B"
    )
    assert "no table with fields that is called 'S'" in SHOPS.fault(folder, two, root="S")
    assert "no table with a field" in SHOPS.fault(folder, "struct S { x:int; }")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "table A { x:int\n }",
            "given.fbs, line 2: found input that flatc rejects (expecting: ; instead got: })",
        ),
        ("table A {\n x:in t; }", "given.fbs, line 2"),
        (
            "table A {\n x:B;\n}\nroot_type A;\n",
            "given.fbs, line 2: found input that flatc rejects (type referenced but not defined (check "
            "namespace): B); expected",
        ),
        ("table A { a:A (required); } root_type A;", "every value of it would hold another one"),
        ('include "nowhere.fbs"; table A { x:int; }', "name its folder with -I"),
        ("\0", "given.fbs: found input that flatc rejects (input file appears to be binary: given.fbs)"),
    ],
    ids=["syntax", "type", "end", "endless", "include", "binary"],
)
def test_a_schema_that_is_none_is_told_with_its_line(folder: Path, text: str, told: str) -> None:
    fault = SHOPS.fault(folder, text)
    assert told in fault
    assert "/i/" not in fault and "serbench-" not in fault


def _type(base: str, element: str = "None", index: int = -1, length: int = 0) -> dict[str, Any]:
    return {"base_type": base, "element": element, "index": index, "fixed_length": length}


def _field(name: str, id: int, type: dict[str, Any], **more: Any) -> dict[str, Any]:
    plain = {
        "default_integer": 0,
        "default_real": 0.0,
        "deprecated": False,
        "required": False,
        "key": False,
        "optional": False,
    }
    return {"name": name, "id": id, "offset": 4 + 2 * id, "type": type, **plain, **more}


def test_a_reflection_is_mapped_without_flatc() -> None:
    fields = [_field("b", 1, _type("Vector", "UByte")), _field("a", 0, _type("ULong"), default_integer=-1)]
    table = {"name": "n.A", "fields": fields, "is_struct": False, "bytesize": 0}
    imported = mapped(reflected({"objects": [table], "enums": [], "services": []}), "n.A", Path("a.fbs"))
    assert imported.root == Record(
        "A", [Field("a", u64, 1, default=2**64 - 1), Field("b", Optional(bytes_), 2)], "n.A"
    )
    fields[0]["type"] = _type("18", "UByte")
    with pytest.raises(InputError, match=r"a\.fbs, n\.A\.b: found the type 18 of a newer flatc"):
        mapped(reflected({"objects": [table], "enums": []}), "n.A", Path("a.fbs"))


def test_numbers_that_are_not_finite_are_as_python_reads_them() -> None:
    text = '{"a": nan, "b": -inf, "nan, inf": "x \\" nan"}'
    assert finite(text) == '{"a": NaN, "b": -Infinity, "nan, inf": "x \\" nan"}'
