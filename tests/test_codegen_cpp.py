"""Tests of generated C++: schemas lowered to IDLs that lack some types, and source text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.strategies import schemas
from tests.support import examples

from serbench.codegen.source import Source
from serbench.idl.abilities import Abilities
from serbench.idl.lower import Lowered, lower
from serbench.model import (
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Logical,
    Map,
    Optional,
    Record,
    Schema,
    Type,
    Union,
    bytes_,
    i32,
    string,
    u8,
)
from serbench.model.parts import back_references, describe, parts, resolved, types_in
from serbench.model.types import SCALARS, Scalar

COLOR = Enum("Color", u8, ["Red", "Green"])
LEAF = Record("Leaf", [Field("x", u8)])

NOTHING = Abilities()
PROTO = Abilities(maps=True, byte_lists=True)
THRIFT = Abilities(maps=True, nested_lists=True, optional_lists=True, byte_lists=True)
CAPNP = Abilities(nested_lists=True, optional_lists=True, byte_lists=True)
FBS = Abilities(optional_lists=True, bytes_items=False)
ALL = Abilities(maps=True, nested_lists=True, optional_lists=True, optional_items=True)


def lowered(type: Type, abilities: Abilities, also: Sequence[Type] = ()) -> tuple[Lowered, Type]:
    """Lowers a schema, whose root has a field of ``type`` and of each of ``also``, to an IDL with these
    abilities; returns the lowered schema and the lowered type of the first field."""
    fields = [Field(f"f{n}", t) for n, t in enumerate([type, *also])]
    result = lower(Schema("sample", Record("Root", fields)), abilities)
    return result, result.record("Root").fields[0].type


def made(result: Lowered) -> dict[str, tuple[str, list[tuple[str, Type]]]]:
    """The name of each record that lowering added → its kind, and the names and types of its fields."""
    return {
        name: (kind, [(f.name, f.type) for f in result.record(name).fields])
        for name, kind in result.made.items()
    }


def listed(item: Type) -> tuple[str, list[tuple[str, Type]]]:
    return ("list", [("items", List(item))])


OPTIONALS: list[Type] = [Optional(i32), Optional(COLOR), Optional(LEAF)]
COMMON: list[Type] = [*SCALARS.values(), COLOR, LEAF, *OPTIONALS, List(string), List(LEAF)]


@pytest.mark.parametrize("abilities", [NOTHING, PROTO, THRIFT, CAPNP, FBS, ALL])
@pytest.mark.parametrize("type", COMMON)
def test_what_every_idl_has_is_left_as_it_is(type: Type, abilities: Abilities) -> None:
    result, field = lowered(type, abilities)
    assert field == type
    assert result.made == {}


def test_arrays_become_lists() -> None:
    assert lowered(Array(i32, 3), NOTHING)[1] == List(i32)
    assert lowered(Array(Array(i32, 2), 3), ALL)[1] == List(List(i32))
    assert lowered(Optional(Array(i32, 3)), ALL)[1] == Optional(List(i32))


def test_a_list_in_a_list_becomes_a_list_of_records_with_a_list() -> None:
    for abilities in (NOTHING, PROTO, FBS):
        result, field = lowered(List(Array(i32, 2)), abilities)
        assert made(result) == {"ListOfI32": listed(i32)}
        assert field == List(result.record("ListOfI32"))
    assert lowered(List(List(i32)), THRIFT)[1] == List(List(i32))


def test_deeper_lists_are_wrapped_level_by_level_and_emitted_from_the_inside() -> None:
    result, field = lowered(List(List(List(string))), NOTHING)
    inner = Record("ListOfString", [Field("items", List(string))])
    outer = Record("ListOfListOfString", [Field("items", List(inner))])
    assert field == List(outer)
    assert [r.name for r in result.records] == ["ListOfString", "ListOfListOfString", "Root"]
    assert result.records[:2] == [inner, outer]


def test_a_map_becomes_a_list_of_entries_where_there_are_no_maps() -> None:
    result, field = lowered(Map(string, Optional(List(COLOR))), CAPNP)
    assert made(result) == {
        "StringToOptionalListOfColor": ("entry", [("key", string), ("value", Optional(List(COLOR)))])
    }
    assert field == List(result.record("StringToOptionalListOfColor"))


def test_a_map_stays_and_its_list_values_are_wrapped_where_there_are_only_maps() -> None:
    result, field = lowered(Map(string, List(LEAF)), PROTO)
    assert made(result) == {"ListOfLeaf": listed(LEAF)}
    assert field == Map(string, result.record("ListOfLeaf"))
    assert lowered(Map(string, List(LEAF)), THRIFT)[1] == Map(string, List(LEAF))


def test_a_map_in_a_map_is_wrapped() -> None:
    result, field = lowered(Map(i32, Map(string, u8)), PROTO)
    assert made(result) == {"MapStringToU8": ("list", [("items", Map(string, u8))])}
    assert field == Map(i32, result.record("MapStringToU8"))
    result, field = lowered(Map(i32, Map(string, u8)), FBS)
    entry = Record("StringToU8", [Field("key", string), Field("value", u8)])
    assert result.record("I32ToMapStringToU8").fields[1].type == List(entry)


def test_an_optional_list_or_map_becomes_an_optional_record_where_only_records_can_be_absent() -> None:
    result, field = lowered(Optional(List(i32)), PROTO)
    assert made(result) == {"ListOfI32": listed(i32)}
    assert field == Optional(result.record("ListOfI32"))
    result, field = lowered(Optional(Map(string, u8)), NOTHING)
    assert [(n, k) for n, k in result.made.items()] == [("StringToU8", "entry"), ("MapStringToU8", "list")]
    assert result.record("MapStringToU8").fields[0].type == List(result.record("StringToU8"))
    assert lowered(Optional(List(i32)), FBS)[1] == Optional(List(i32))


@pytest.mark.parametrize("abilities", [NOTHING, PROTO, THRIFT, CAPNP, FBS])
def test_an_optional_item_becomes_a_record_with_an_optional_field(abilities: Abilities) -> None:
    result, field = lowered(List(Optional(LEAF)), abilities)
    assert made(result) == {"OptionalLeaf": ("optional", [("value", Optional(LEAF))])}
    assert field == List(result.record("OptionalLeaf"))


def test_optional_items_stay_where_they_are_allowed_and_are_lowered_inside() -> None:
    assert lowered(List(Optional(LEAF)), ALL)[1] == List(Optional(LEAF))
    assert lowered(List(Optional(Array(i32, 2))), ALL)[1] == List(Optional(List(i32)))
    assert lowered(Map(string, Optional(Array(Array(i32, 2), 2))), ALL)[1] == Map(
        string, Optional(List(List(i32)))
    )


def test_lists_of_u8_become_bytes_wherever_they_are() -> None:
    for type, expected in (
        (List(u8), bytes_),
        (Array(u8, 16), bytes_),
        (Optional(List(u8)), Optional(bytes_)),
        (List(List(u8)), List(bytes_)),
        (List(Array(u8, 2)), List(bytes_)),
        (Map(string, List(u8)), Map(string, bytes_)),
    ):
        result, field = lowered(type, PROTO)
        assert field == expected
        assert result.made == {}
    assert lowered(List(u8), FBS)[1] == List(u8)


def test_bytes_as_items_are_wrapped_where_bytes_are_a_list() -> None:
    result, field = lowered(List(bytes_), FBS)
    assert made(result) == {"Bytes": ("list", [("items", bytes_)])}
    assert field == List(result.record("Bytes"))
    result, field = lowered(List(List(u8)), Abilities(byte_lists=True, bytes_items=False))
    assert [(f.name, f.type) for r in result.records[:-1] for f in r.fields] == [("items", bytes_)]
    assert field == List(result.records[0])


def test_equal_nestings_share_one_made_record() -> None:
    result, _ = lowered(List(List(i32)), NOTHING, [Optional(Array(i32, 2)), Map(u8, List(List(i32)))])
    assert [r.name for r in result.records] == ["ListOfI32", "U8ToListOfListOfI32", "Root"]


def test_a_made_record_gives_way_to_a_declared_name() -> None:
    declared = Record("ListOfI32", [Field("x", u8)])
    result, field = lowered(List(List(i32)), NOTHING, [declared])
    assert field == List(Record("ListOfI32Made", [Field("items", List(i32))]))
    assert result.record("ListOfI32") == declared
    result, _ = lowered(List(List(i32)), NOTHING, [Enum("ListOfI32", u8, ["A"])])
    assert list(result.made) == ["ListOfI32Made"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Map(string, List(i32)), Map(string, Record("ListOfI32", [Field("x", u8)]))),
        (List(List(Optional(i32))), List(List(Record("OptionalI32", [Field("x", u8)])))),
    ],
)
def test_two_nestings_whose_names_are_alike_keep_their_own_records(one: Type, other: Type) -> None:
    result, field = lowered(one, NOTHING, [other])
    assert field != result.record("Root").fields[1].type
    assert len({r.name for r in result.records}) == len(result.records)


def test_fields_keep_their_names_and_numbers() -> None:
    root = Record("Root", [Field("a", List(List(u8)), 7), Field("b", Map(u8, LEAF), 3)])
    result = lower(Schema("sample", root), NOTHING)
    assert [(f.name, f.number) for f in result.record("Root").fields] == [("a", 7), ("b", 3)]


abilities_of_any_kind = st.builds(
    Abilities,
    maps=st.booleans(),
    nested_lists=st.booleans(),
    optional_lists=st.booleans(),
    optional_items=st.booleans(),
    byte_lists=st.booleans(),
    bytes_items=st.booleans(),
    enum_keys=st.booleans(),
    open_enums=st.booleans(),
    wide_enums=st.booleans(),
    fixed_bytes=st.sampled_from(["bytes", "own", "record"]),
    list_alternatives=st.booleans(),
    plain_alternatives=st.booleans(),
    empty_alternatives=st.integers(0, 2),
    unions_as_items=st.booleans(),
)


def unmet(type: Type, has: Abilities, emitted: dict[str, Record | Union], as_item: bool = False) -> list[str]:
    """The parts of a lowered type that an IDL with these abilities cannot express; none if lowering did its
    work.

    Args:
        emitted: the lowered records and unions that may stand in the type, by name.
        as_item: whether the type is that of a list's item or a map's value.
    """
    meant = resolved(type)
    match type:
        case Array():
            return ["array"]
        case List(item) if item == u8 and has.byte_lists:
            return ["list of u8"]
        case List() | Map() if as_item and not has.nested_lists:
            return ["nested list"]
        case List(item):
            return unmet(item, has, emitted, True)
        case Map(key, value):
            keys = (
                ["enum as a key"] if isinstance(key, Enum) and not has.enum_keys else unmet(key, has, emitted)
            )
            return ([] if has.maps else ["map"]) + keys + unmet(value, has, emitted, True)
        case Optional() if as_item and not has.optional_items:
            return ["optional item"]
        case Optional(List() | Map()) if not as_item and not has.optional_lists:
            return ["optional list"]
        case Optional(item):
            return unmet(item, has, emitted, as_item)
        case Scalar("bytes") if as_item and not has.bytes_items:
            return ["bytes item"]
        case Logical():
            return ["logical type"]
        case FixedBytes() if has.fixed_bytes != "own":
            return ["fixed bytes"]
        case Enum() if type.open and not has.open_enums:
            return ["open enum"]
        case Enum() if not has.wide_enums and any(abs(value) > 1 << 31 for _, value in type.members):
            return ["wide enum"]
        case _ if isinstance(meant, Union) and as_item and not has.unions_as_items:
            return ["union item"]
        case Record(name) | Union(name) if emitted.get(name) is not type:
            return [f"{name} is not the emitted one"]
    return []


def unmet_alternatives(union: Union, has: Abilities, emitted: dict[str, Record | Union]) -> list[str]:
    types = [each.type for each in union.alternatives if each.type is not None]
    lacking = [found for type in types for found in unmet(type, has, emitted)]
    if len(union.alternatives) - len(types) > has.empty_alternatives:
        lacking.append("empty alternatives")
    for type in types:
        if isinstance(type, Optional) or (isinstance(type, List | Map) and not has.list_alternatives):
            lacking.append(f"{describe(type)} as an alternative")
        if not has.plain_alternatives and not isinstance(resolved(type), Record):
            lacking.append(f"plain {describe(type)} as an alternative")
    return lacking


def has_lists_of_open_octets(schema: Schema) -> bool:
    return any(
        isinstance(type, List | Array)
        and isinstance(type.item, Enum)
        and type.item.open
        and type.item.underlying == u8
        for type in types_in(schema.root)
    )


@given(schemas(), abilities_of_any_kind)
@settings(max_examples=examples(150), deadline=None)
@example(
    Schema("s", Record("Root", [Field("levels", List(Enum("Level", u8, ["low"], open=True)))])),
    Abilities(byte_lists=True, open_enums=False),
)
def test_nothing_is_left_that_the_idl_lacks(schema: Schema, abilities: Abilities) -> None:
    result = lower(schema, abilities)
    emitted: dict[str, Record | Union] = {}
    # Bytes are what was a list of u8, and no list of an enum's numbers.
    left = {"list of u8"} if not abilities.open_enums and has_lists_of_open_octets(schema) else set()
    for composite in result.composites:  # each after those it contains
        if isinstance(composite, Union):
            assert set(unmet_alternatives(composite, abilities, emitted)) <= left, composite.name
        elif result.made.get(composite.name) != "fixed":
            for field in composite.fields:
                assert set(unmet(field.type, abilities, emitted)) <= left, f"{composite.name}.{field.name}"
        assert composite.name not in emitted
        emitted[composite.name] = composite
    for ref in (
        ref for composite in result.composites for part in parts(composite) for ref in back_references(part)
    ):
        assert ref.target is emitted[ref.name]
    declared = [composite.name for composite in schema.composites]
    assert [name for name in emitted if name in declared] == declared
    assert set(emitted) - set(declared) == set(result.made)
    assert all(enum in schema.enums for enum in result.enums)
    shapes = {
        "list": ["items"],
        "entry": ["key", "value"],
        "optional": ["value"],
        "boxed": ["value"],
        "empty": [],
        "fixed": ["octets"],
    }
    assert all(
        [f.name for f in result.record(name).fields] == shapes[kind] for name, kind in result.made.items()
    )


# --- source text ---


def test_source_indents_blocks_and_leaves_empty_lines_empty() -> None:
    out = Source()
    out("a", "")
    with out.block("b {"):
        out("c", "")
        with out.block("d (", ");"):
            out("e")
        with out.indented():
            out("f")
    out("g")
    assert out.text() == "a\n\nb {\n  c\n\n  d (\n    e\n  );\n    f\n}\ng\n"


def test_source_indents_by_what_it_is_given() -> None:
    out = Source(indent="\t")
    with out.block("a {"):
        out("b")
    assert out.text() == "a {\n\tb\n}\n"
