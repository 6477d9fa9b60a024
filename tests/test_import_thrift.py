"""Tests of importing Thrift schemas that other people wrote."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.imported_idl import Importer
from tests.test_import_round import need

from serbench.errors import InputError
from serbench.imports.thrift import mapped
from serbench.imports.thrift.compiler import program
from serbench.model import Enum, Field, List, Map, Optional, Record, Ref, Union
from serbench.model.types import NOTHING, Alternative, bool_, bytes_, f64, i8, i16, i32, i64, string

SHOP = """
include "parts/card.thrift"
namespace cpp shop
typedef i64 Id
typedef list<card.Card> Cards
const i16 MOST = 5
union Paid { 1: card.Card card; 3: string code = "c"; 2: Id id; }
exception Refused { 1: string why }
struct Order {
  1: required Id id,
  20: optional string note = "none",
  3: Cards cards (mark = "x"),
  4: map<string, list<set<i64>>> stock,
  5: binary raw,
  6: card.Kind kind = card.Kind.GIFT,
  7: Paid paid,
  8: optional Order & follows,
  9: byte small, 10: double weight = 1.5, 11: bool good = true, 12: i16 count = MOST,
  13: list<i32> numbers = [1, 2],
  14: map<card.Card, i32> by_card,
  15: map<card.Kind, bool> by_kind,
  16: string name = "a'b",
  17: i64 most = 9223372036854775807,
  18: Order before,
}
service Shop { Order get(1: Id id) throws (1: Refused refused) }
"""
CARD = """struct Card { 1: i32 number } enum Kind { NEW = 1, GIFT = 5, LATER }"""

SHOPS = Importer("thrift")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    need("thrift")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "card.thrift").write_text(CARD)
    (tmp_path / "shop.thrift").write_text(SHOP)
    return tmp_path


def test_fields_keep_their_numbers_their_presence_and_their_defaults(folder: Path) -> None:
    order = SHOPS.read(folder, root="Order").root
    assert (order.name, order.wire) == ("Order", "shop.Order")
    assert order.fields == (
        Field("id", i64, 1, hints=[("thrift", "required")]),
        Field("note", Optional(string), 20),
        Field("cards", List(Ref("Card")), 3),
        Field("stock", Map(string, List(List(i64))), 4),
        Field("raw", bytes_, 5),
        Field("kind", Ref("Kind"), 6, default=5),
        Field("paid", Ref("Paid"), 7),
        Field("follows", Optional(Ref("Order")), 8),
        Field("small", i8, 9),
        Field("weight", f64, 10, default=1.5),
        Field("good", bool_, 11, default=True),
        Field("count", i16, 12, default=5),
        Field("numbers", List(i32), 13),
        Field("by_card", List(Ref("OrderByCardEntry1")), 14),
        Field("by_kind", Map(Ref("Kind"), bool_), 15),
        Field("name", string, 16, default="a'b"),
        Field("most", i64, 17, default=2**63 - 1),
        Field("before", Optional(Ref("Order")), 18),
    )
    assert order.fields[10].default is True and order.fields[12].default is NOTHING


def test_what_a_root_reaches_is_declared(folder: Path) -> None:
    imported = SHOPS.read(folder, root="Order")
    declared = {each.name: each for each in imported.also}
    assert declared == {
        "Card": Record("Card", [Field("number", i32)], "card.Card"),
        "Kind": Enum("Kind", i32, [("NEW", 1), ("GIFT", 5), ("LATER", 6)]),
        "Paid": Union(
            "Paid",
            [Alternative("card", Ref("Card"), 1), Alternative("code", string, 3), Alternative("id", i64, 2)],
            "shop.Paid",
        ),
        "OrderByCardEntry1": Record("OrderByCardEntry1", [Field("key", Ref("Card")), Field("value", i32)]),
    }
    assert imported.schema("shop").is_recursive
    assert imported.values is None


def test_what_is_not_held_is_told_with_its_path(folder: Path) -> None:
    losses = {loss.path: loss.what for loss in SHOPS.read(folder, root="Order").losses}
    told = {
        "shop.Order.note": "its default",
        "shop.Order.stock": "a set",
        "shop.Order.numbers": "its default",
        "shop.Order.by_card": "a map, which has no such keys",
        "shop.Paid.code": "its default",
        "shop.Shop": "a service",
    }
    assert losses.keys() == told.keys()
    for path, what in told.items():
        assert what in losses[path], path


def test_the_mapping_tells_every_field_in_the_words_of_the_schema(folder: Path) -> None:
    rows = {row.path: row for row in SHOPS.read(folder, root="Order").mapping}
    assert rows["shop.Order.id"].theirs == "1: required shop.Id"
    assert rows["shop.Order.stock"].theirs == "4: map<string, list<set<i64>>>"
    assert rows["shop.Order.count"].theirs == "12: i16 = 5"
    assert "leads back" in rows["shop.Order.before"].why and not rows["shop.Order.follows"].why
    assert rows["shop.Paid.code"].theirs == "in the union: 3: optional string = 'c'"
    assert (rows["card.Kind"].theirs, rows["card.Kind"].ours) == ("enum of 3", "closed enum Kind over i32")


def test_only_what_leads_back_is_optional_by_itself(folder: Path) -> None:
    text = (
        "struct A { 1: B b; 2: D d } struct B { 1: C c } struct C { 1: B b; "
        "2: list<A> a } struct D { 1: i32 x }"
    )
    imported = SHOPS.read(folder, text, root="A")
    types = {(each.name, f.name): f.type for each in (imported.root, *imported.also) for f in each.fields}  # type: ignore[union-attr]
    assert types["A", "b"] == Ref("B") and types["A", "d"] == Ref("D")
    assert types["B", "c"] == Optional(Ref("C")) and types["C", "b"] == Optional(Ref("B"))
    chain = (
        " ".join(f"struct S{n} {{ 1: S{n + 1} s }}" for n in range(6000))
        + " struct S6000 { 1: optional S0 s }"
    )
    assert "given.S5000: found more than 5000 types" in SHOPS.fault(folder, chain, root="S0")
    assert "every value of it would hold another one" in SHOPS.fault(
        folder, "struct A { 1: required A a; }", root="A"
    )


def test_numbers_that_are_none_here_are_those_of_the_order(folder: Path) -> None:
    imported = SHOPS.read(
        folder, "struct A { 5: i32 x; string y; -7: U u } union U { -3: i32 x; string y }", root="A"
    )
    assert [(field.name, field.number) for field in imported.root.fields] == [("x", 1), ("y", 2), ("u", 3)]
    assert [loss.path for loss in imported.losses] == ["given.A", "given.U"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("struct A { 1: i32 x\n", "found input that thrift rejects (syntax error"),
        ("struct A {\n 1: map<i32 x }", "line 2: found input that thrift rejects (syntax error, at 'x')"),
        ("struct A {\n 1: i32 x; 1: i32 y }", "line 2: found input that thrift rejects"),
        (
            "struct A { 1: B b }",
            "given.thrift, line 1: found the type B; expected one that is declared",
        ),
        (
            'include "no.thrift"\nstruct A { 1: i32 x }',
            "line 1: found input that thrift rejects (Could not find include file no.thrift)",
        ),
        ("enum E {} struct A { 1: E e }", "has no members"),
        ("\0", "given.thrift"),
    ],
    ids=["syntax", "token", "twice", "type", "include", "no members", "binary"],
)
def test_a_schema_that_is_none_is_told_with_its_line(folder: Path, text: str, told: str) -> None:
    fault = SHOPS.fault(folder, text, root="A")
    assert told in fault
    assert "/i/" not in fault and "serbench-" not in fault


def test_a_fault_that_names_no_file_is_told_where_its_name_stands(folder: Path) -> None:
    """The error names the file and the line where the name stands. thrift itself names the place
    `generation:1` for reserved words, and no place for a type that it meets before its declaration. Warnings
    that follow are not part of the error."""
    reserved = "/* class */ namespace cpp a // class\nstruct A {\n 1: i32 x,\n 2: i32 class\n}"
    fault = SHOPS.fault(folder, reserved, root="A")
    assert "given.thrift, line 4: found input that thrift rejects (Cannot use reserved language" in fault
    assert fault.endswith("give it another name, which changes no byte") and "generation" not in fault
    (folder / "parts" / "inner.thrift").write_text("enum I {\n\n\n while = 1 }")
    fault = SHOPS.fault(folder, 'include "parts/inner.thrift"\nstruct A { 1: inner.I i }', root="A")
    assert "inner.thrift, line 4: found" in fault and '"while"' in fault
    early = 'struct A {\n 1: i32 y,\n 2: B x = {"a": 1} }\nstruct B { 1: i32 a }'
    fault = SHOPS.fault(folder, early, root="A")
    assert 'given.thrift, line 3: found input that thrift rejects (Type "B" not defined)' in fault
    assert fault.endswith("declare it before the default or the method that uses it")
    twice = "union U { 1: required i32 a = 3, 2: i32 b = 4 }"
    assert "WARNING" not in SHOPS.fault(folder, twice)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("struct A {\n 1: i32 x,\n 1: i32 y\n}", 'line 3: found input that thrift rejects ("1: y" - field'),
        ("struct A {\n 1: i32 x,\n 2: i32 x\n}", 'line 3: found input that thrift rejects ("2: x" - field'),
        (
            "struct A { 1: i32 x }\nstruct A { 1: i32 x }\n\nstruct B {}",
            'line 2: found input that thrift rejects (Type "A"',
        ),
        ("enum A { X = 1 }\nenum A { X = 1 }\n\nstruct B {}", "line 2: found input"),
        ("enum E {\n A = 1,\n A = 2\n}\nstruct B {}", "line 3: found input that thrift rejects (Enum E.A"),
        (
            'const i32 X = "a"\nstruct B { 1: i32 x }',
            'line 1: found input that thrift rejects (type error: const "X"',
        ),
        (
            'struct B {\n 1: i32 x = "a"\n 2: i32 y }',
            'line 2: found input that thrift rejects (type error: const "x"',
        ),
        (
            "struct A {\n 1: i32 x\n 2: map<i8, strin> y }",
            "line 3: found the type strin; expected one that is declared; is it string?",
        ),
        (
            "struct Item {1: i32 a}\ntypedef list<Itme> T\nstruct B { 1: T t }",
            "line 2: found the type Itme; expected one that is declared; is it Item?",
        ),
        ("struct B { 1: i32 a }\n /* x */ /*/\n\n", "line 2: found a comment that does not end; expected */"),
    ],
)
def test_the_line_of_a_fault_is_that_of_what_it_names(folder: Path, text: str, told: str) -> None:
    """thrift tells the line of what it has read behind the fault."""
    fault = SHOPS.fault(folder, text)
    assert f"given.thrift, {told}" in fault and ", at '" not in fault


def test_what_a_fault_follows_from_is_told(folder: Path) -> None:
    text = 'include "common/no.thrift"\nstruct A { 1: byte b }\nservice S extends no.T { void x() }'
    fault = SHOPS.fault(folder, text)
    assert "line 1: found input that thrift rejects (Could not find include file common/no.thrift)" in fault
    early = "struct T { 1: byte b }\nstruct A { 1: B b = B.X }\nenum B { X = 1 }"
    assert 'line 2: found input that thrift rejects (Type "B" not defined)' in SHOPS.fault(folder, early)


def test_a_type_that_an_included_file_lacks_is_told_where_it_is_used(folder: Path) -> None:
    (folder / "parts" / "inner.thrift").write_text("struct I {\n 1: i32 a,\n 2: list<Nope> b }")
    fault = SHOPS.fault(folder, 'include "parts/inner.thrift"\nstruct A { 1: inner.I i }')
    assert "parts/inner.thrift, line 3: found the type Nope; expected one that is declared; declare" in fault
    (folder / "parts" / "inner.thrift").write_text("struct I { 1: i32 a }")
    fault = SHOPS.fault(folder, 'include "parts/inner.thrift"\nstruct A {\n 1: inner.Other i }')
    assert "given.thrift, line 3: found the type Other; expected one that inner.thrift declares" in fault


FACEBOOK = """include "thrift/annotation/cpp.thrift"
include 'thrift/annotation/thrift.thrift'

@thrift.AllowLegacyMissingUris
package "a.b/c"

@cpp.Adapter{name = "x", extra = "}", inner = cpp.X{a = 1}}
struct A {
  @cpp.Ref{type = cpp.RefType.Unique}
  @thrift.Box
  1: optional B b; // a@b.c
  2: i32 x (note = "package @it");
}
struct B { 1: i64 x }
"""


def test_annotations_of_facebooks_thrift_are_left_out_and_told(folder: Path) -> None:
    imported = SHOPS.read(folder, FACEBOOK, root="A")
    assert imported.root.fields == (Field("b", Optional(Ref("B")), 1), Field("x", i32, 2))
    assert [(loss.path, loss.what.partition(": ")[2]) for loss in imported.losses] == [
        ("given.A", "@thrift.AllowLegacyMissingUris, @cpp.Adapter, @cpp.Ref, @thrift.Box")
    ]
    fault = SHOPS.fault(folder, FACEBOOK.replace("i32 x", "i32 x y"), root="A")
    assert "given.thrift, line 12: found input that thrift rejects (syntax error, at '(')" in fault
    more = FACEBOOK.replace("@thrift.Box", "@internal.InjectMetadataFields")
    assert "line 10: found input that thrift rejects" in SHOPS.fault(folder, more, root="A")


def test_the_root_is_the_only_struct_of_the_file_that_no_other_has(folder: Path) -> None:
    two = (
        "struct A { 1: map<i32, list<B>> b; 2: optional A a } struct B { 1: i32 x } union U { 1: "
        "i8 x } exception C { 1: i8 x }"
    )
    assert (
        "2 structs that no other refers to; expected the full name of one: given.A, given.C"
        in SHOPS.fault(folder, two)
    )
    assert SHOPS.read(folder, two, root="B").root.wire == "given.B"
    assert "no struct with fields that is called 'U'" in SHOPS.fault(folder, two, root="U")


def test_files_of_one_name_are_refused_since_types_are_told_by_it(folder: Path) -> None:
    (folder / "parts" / "given.thrift").write_text("struct B { 1: i32 x }")
    assert "several files called given" in SHOPS.fault(
        folder, 'include "parts/given.thrift" struct A { 1: i32 x }'
    )


def test_xml_is_mapped_without_thrift() -> None:
    text = """<document xmlns="http://thrift.apache.org/xml/idl"><struct name="A">
      <field name="x" field-id="2" required="optional" type="map">
        <keyType type="i8"/><valueType type="binary"/></field>
      <field name="y" field-id="1" type="uuid"/></struct></document>"""
    document = ElementTree.fromstring(text)
    with pytest.raises(InputError, match=r"a\.thrift, a\.A\.y: found the type uuid"):
        mapped(program({"a": document}, "a"), "", Path("a.thrift"))
    document[0].remove(document[0][1])
    imported = mapped(program({"a": document}, "a"), "", Path("a.thrift"))
    assert imported.root == Record("A", [Field("x", Optional(Map(i8, bytes_)), 2)], "a.A")
