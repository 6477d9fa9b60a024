"""Tests of importing Cap'n Proto schemas that other people wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.imported_idl import Importer
from tests.test_import_round import CXX, need

from serbench.imports.capnp import compiler, mapped, root_of
from serbench.imports.capnp.compiler import nodes
from serbench.model import Enum, Field, List, Optional, Record, Ref, Union
from serbench.model.types import NOTHING, Alternative, bool_, bytes_, f32, f64, i8, i32, string, u16, u64

ID = "@0xa93fc509624c72d9;"
SHOP = f"""{ID}
using Cxx = import "/capnp/c++.capnp";
using Other = import "card.capnp";
$Cxx.namespace("shop");
annotation mark(field) :Other.Card;
struct Order {{
  id @0 :UInt64 = 7;
  note @1 :Text $mark((number = 3));
  name @2 :Text = "none";
  raw @3 :Data = 0x"01";
  lines @4 :List(Line) = [(count = 3)];
  card @5 :Other.Card;
  table @6 :List(List(Text));
  count :union {{ unknown @7 :Void; known @8 :Int32; }}
  at :group {{ x @9 :Float32 = nan; y @10 :Float32; }}
  union {{ paid @11 :Bool; code @12 :Text; later :group {{ day @13 :Int8; }} free @14 :Void; }}
  state @15 :State;
  nothing @16 :Void;
  shop @17 :Shop;
  value @18 :Value;
  follows @19 :Order;
  size :union {{ small @20 :Int8; large @21 :Int8; }}
  struct Line {{ count @0 :Int32; enum Kind {{ new @0; }} kind @1 :Kind; }}
  const most :Int32 = 5;
}}
enum State {{ open @0; closed @1; }}
interface Shop {{ get @0 (); }}
struct Value {{ union {{ none @1 :Void; number @0 :Float64; }} }}
struct Pair(A, B) {{ a @0 :A; b @1 :B; }}
"""
CARD = "@0xa93fc509624c72da; struct Card { number @0 :UInt64; }"

SHOPS = Importer("capnp", f"{ID} ")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    need("capnp")
    (tmp_path / "capnp").mkdir()
    (tmp_path / "capnp" / "c++.capnp").write_text(CXX)
    (tmp_path / "card.capnp").write_text(CARD)
    (tmp_path / "shop.capnp").write_text(SHOP)
    return tmp_path


def test_fields_keep_their_ordinals_and_their_presence(folder: Path) -> None:
    order = SHOPS.read(folder, root="Order").root
    assert (order.name, order.wire) == ("Order", "")
    assert order.fields == (
        Field("id", u64, 1, default=7),
        Field("note", Optional(string), 2),
        Field("name", string, 3, default="none"),
        Field("raw", bytes_, 4),
        Field("lines", List(Ref("Line")), 5),
        Field("card", Optional(Ref("Card")), 6),
        Field("table", List(List(string)), 7),
        Field("count", Optional(i32), 8),
        Field("at", Ref("OrderAt"), 10),
        Field("union", Ref("OrderUnion"), 12),
        Field("state", Ref("State"), 16),
        Field("value", Optional(Ref("Value")), 19),
        Field("follows", Optional(Ref("Order")), 20),
        Field("size", Ref("OrderSize"), 21),
    )


def test_groups_and_unions_are_records_and_unions(folder: Path) -> None:
    imported = SHOPS.read(folder, root="Order")
    declared = {each.name: each for each in imported.also}
    names = {"Line", "Card", "OrderAt", "OrderUnion", "State", "Value", "OrderSize", "Kind", "OrderLater"}
    assert declared.keys() == names
    assert declared["OrderAt"] == Record("OrderAt", [Field("x", f32, 10), Field("y", f32, 11)], "Order.at")
    union = [
        Alternative("paid", bool_, 12),
        Alternative("code", string, 13),
        Alternative("later", Ref("OrderLater"), 14),
        Alternative("free", None, 15),
    ]
    assert declared["OrderUnion"] == Union("OrderUnion", union, "Order.union")
    assert declared["OrderSize"] == Union(
        "OrderSize", [Alternative("small", i8, 21), Alternative("large", i8, 22)], "Order.size"
    )
    # In the order of the numbers by which it is told, which is that of the ordinals.
    assert declared["Value"] == Union("Value", [Alternative("number", f64, 1), Alternative("none", None, 2)])
    assert declared["State"] == Enum("State", u16, [("open", 0), ("closed", 1)])
    assert declared["Line"] == Record(
        "Line", [Field("count", i32, 1), Field("kind", Ref("Kind"), 2)], "Order.Line"
    )
    assert imported.schema("shop").is_recursive
    assert imported.values is None


def test_what_is_not_held_is_told_with_its_path(folder: Path) -> None:
    losses: dict[str, str] = {}
    for loss in SHOPS.read(folder, root="Order").losses:
        losses[loss.path] = losses.get(loss.path, "") + loss.what
    told = {
        "Order.id": "its default 7",
        "Order.name": "its default 'none'",
        "Order.raw": "its default, of a data",
        "Order.lines": "and 1 more",
        "Order.at.x": "its default nan",
        "Order.at": "a group of its struct",
        "Order.later": "a group of its struct",
        "Order.union": "it stands in its struct",
        "Order.size": "it stands in its struct",
        "Order.nothing": "a Void",
        "Order.shop": "a capability",
        "State": "a number without a name",
        "Order.Line.Kind": "a number without a name",
    }
    assert losses.keys() == told.keys()
    for path, what in told.items():
        assert what in losses[path], path
    assert "its default, of a list" in losses["Order.lines"]


def test_the_mapping_tells_every_field_in_the_words_of_the_schema(folder: Path) -> None:
    rows = {row.path: row for row in SHOPS.read(folder, root="Order").mapping}
    assert rows["Order.table"].theirs == "List(List(Text)) @6"
    assert rows["Order.count"].theirs == "union of unknown and known: Int32"
    assert (rows["Order.union.free"].theirs, rows["Order.union.free"].ours) == (
        "in the union: Void @14",
        "nothing",
    )
    assert rows["Order.union.later"].theirs == "in the union: group"
    assert rows["Order.Line.kind"].theirs == "Order.Line.Kind @1"


def test_a_struct_that_is_a_union_can_be_the_root(folder: Path) -> None:
    imported = SHOPS.read(folder, root="Value")
    assert imported.root == Record("Value", [Field("union", Ref("ValueUnion"), 1)])
    assert imported.losses[0].path == "Value.union"


def test_a_union_of_nothing_and_a_number_is_an_optional_only_as_it_is_written(folder: Path) -> None:
    def type_of(members: str) -> Any:
        return SHOPS.read(folder, f"struct A {{ u :union {{ {members} }} }}").root.fields[0].type

    assert type_of("a @0 :Void; b @1 :Float32;") == Optional(f32)
    assert type_of("b @1 :Float32; a @0 :Void;") == Optional(f32)
    for other in (
        "a @1 :Void; b @0 :Float32;",
        "a @0 :Void; b @1 :Text;",
        "a @0 :Void; b @1 :Bool; c @2 :Bool;",
        "a @0 :Void; b @1 :Void;",
    ):
        assert type_of(other) == Ref("AU"), other


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("struct A { p @0 :AnyPointer; }", "given.capnp, A.p: found an AnyPointer"),
        ("struct A { p @0 :G(Text); } struct G(T) { t @0 :T; }", "A.p: found the generic struct G"),
        ("struct A { p @0 :List(Void); }", "A.p: found a Void"),
        ("struct A { p @0 :List(I); } interface I {}", "A.p: found a list of capabilities"),
        (
            "struct A { union { p @0 :I; q @1 :Bool; } } interface I {}",
            "A.union.p: found a capability in a union",
        ),
        (
            "struct A { x @0 :Int32 }",
            "given.capnp, line 1, column 45: found input that capnp rejects (Parse error",
        ),
        (
            "\nstruct A { x @0 :In32; }",
            "line 2, column 18: found input that capnp rejects (Not defined: In32)",
        ),
        (
            'using X = import "no.capnp"; struct A { x @0 :X.Y; }',
            "no.capnp); expected a schema that capnp compiles; name its folder",
        ),
        ("struct A {} struct B { a @0 :A; }", ""),
    ],
    ids=["pointer", "generic", "void", "capabilities", "capability", "syntax", "name", "import", "empty"],
)
def test_what_the_type_model_has_not_is_refused_with_its_path(folder: Path, text: str, told: str) -> None:
    if told:
        fault = SHOPS.fault(folder, text, root="A")
        assert told in fault
        assert "/i/" not in fault and "serbench-" not in fault
    else:
        assert SHOPS.read(folder, text).also == [Record("A", [])]


def test_the_root_is_the_only_struct_that_no_other_has(folder: Path) -> None:
    two = (
        "struct A { b @0 :List(List(B)); a @1 :A; } struct B { x @0 :Int8; } struct C { x @0 :Int8; "
        "struct D { x @0 :Int8; } }"
    )
    assert (
        "3 structs that no other refers to; expected the full name of one: A, C, C.D; use --root A"
        in SHOPS.fault(folder, two)
    )
    assert SHOPS.read(folder, two, root="D").root.wire == "C.D"
    assert "no struct with fields that is called 'E'" in SHOPS.fault(folder, two, root="E")


def test_methods_that_take_and_give_a_struct_leave_it_the_root(folder: Path) -> None:
    methods = "interface I { get @0 (x :Text) -> (a :A); put @1 (a :List(A)); }"
    assert SHOPS.read(folder, "struct A { b @0 :B; } struct B { x @0 :Int8; } " + methods).root.name == "A"
    assert SHOPS.read(folder, "struct A { up @0 :I; x @1 :Int8; } " + methods).root.name == "A"


STREAMING = """@0xa93fc509624c72d8;
using Cxx = import "/capnp/c++.capnp";
using Go = import "/go.capnp";
using Java = import "/capnp/java.capnp";
$Cxx.namespace("n"); $Go.package("p"); $Go.import("q"); $Java.package("r"); $Java.outerClassname("S");
struct A $Go.doc("d") { x @0 :Int32 $Cxx.name("y") $Go.name("Z"); }
interface Sink { write @0 (bytes :Data) -> stream; done @1 (); }
"""


@pytest.mark.parametrize("installed", [True, False])
def test_what_capnp_imports_by_itself_is_there(
    installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A schema that capnp imports implicitly is found: capnp's own, or a stand-in if only the program is
    installed."""
    need("capnp")
    if not installed:
        monkeypatch.setattr(compiler, "_standard", lambda: [compiler._OWN])
    found = Importer("capnp").read(tmp_path, STREAMING)
    assert found.root.fields == (Field("x", i32, 1),)
    assert [*found.losses] == []


@pytest.mark.parametrize("schema", ["schema", "rpc", "persistent", "stream", "c++", "java"])
def test_each_schema_of_capnp_can_be_imported(schema: str, tmp_path: Path) -> None:
    need("capnp")
    if not any((folder / "capnp" / f"{schema}.capnp").is_file() for folder in compiler._standard()):
        pytest.skip(f"/capnp/{schema}.capnp is not installed with capnp")
    text = f'@0xa93fc509624c72d8; using X = import "/capnp/{schema}.capnp"; struct A {{ x @0 :Int32; }}'
    assert Importer("capnp").read(tmp_path, text).root.fields == (Field("x", i32, 1),)


def test_a_request_is_mapped_without_capnp() -> None:
    def field(name: str, order: int, type: dict[str, Any]) -> dict[str, Any]:
        slot = {"type": type, "defaultValue": type, "hadExplicitDefault": False}
        return {
            "name": name,
            "codeOrder": order,
            "discriminantValue": 65535,
            "ordinal": {"explicit": 1 - order},
            "slot": slot,
        }

    fields = [field("b", 1, {"list": {"elementType": {"data": None}}}), field("a", 0, {"int8": None})]
    struct = {
        "id": "2",
        "displayName": "x/a.capnp:A",
        "isGeneric": False,
        "struct": {"isGroup": False, "fields": fields},
    }
    file = {
        "id": "1",
        "displayName": "x/a.capnp",
        "isGeneric": False,
        "nestedNodes": [{"name": "A", "id": "2"}],
        "file": None,
    }
    schema = nodes({"nodes": [struct, file], "requestedFiles": [{"id": "1"}]})
    imported = mapped(schema, root_of(schema, "", Path("a.capnp")), Path("a.capnp"))
    assert imported.root == Record("A", [Field("a", i8, 2), Field("b", List(bytes_), 1)])
    assert imported.root.fields[0].default is NOTHING
