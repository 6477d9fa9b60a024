"""Tests of schemas that are too large for a library's templates, or for a compiler that has to inline
everything."""

from __future__ import annotations

from serbench.model import Alternative, Field, Record, Schema, Union, i32
from serbench.paths import PROJECT
from serbench.selecting.catalogue import load_variants

VARIANTS = load_variants(PROJECT / "codecs")


def either(alternatives: int) -> Union:
    return Union("Either", tuple(Alternative(f"a{n}", i32, n + 1) for n in range(alternatives)))


def test_the_variant_of_cista_is_for_few_alternatives() -> None:
    cista = VARIANTS["cpp/cista:offset"]
    few, many = (Schema("drawn", Record("Drawn", (Field("f", either(n), 1),))) for n in (15, 16))
    assert cista.why_not(few) is None
    assert "more than 15 alternatives" in (cista.why_not(many) or "")


def test_what_would_be_too_much_to_inline_is_not_inlined() -> None:
    """Inlining is turned off for a record of ten records of ten records each, and not for fewer levels, since
    the code of an inlined record is repeated at each of its places."""
    emit = VARIANTS["cpp/zpp_bits:general"].codec.glue.emit
    assert emit
    made: list[bool] = []
    inner = Record("R0", tuple(Field(f"f{n}", i32, n + 1) for n in range(10)))
    for depth in range(1, 4):
        made.append("ZPP_BITS_INLINE_MODE 0" in emit(Schema("drawn", inner)))
        inner = Record(f"R{depth}", tuple(Field(f"f{n}", inner, n + 1) for n in range(10)))
    assert made == [False, False, True]


def test_the_hash_of_cista_has_room_for_all_types() -> None:
    """The hash of types, which has room for 128, gets more for a schema that has more: each record here, and
    the integer."""
    emit = VARIANTS["cpp/cista:offset_integrity"].codec.glue.emit
    assert emit

    def hashed(types: int) -> str:
        records = [Record(f"R{n}", (Field("f", i32, 1),)) for n in range(types - 2)]
        fields = (Field(f"f{n}", record, n + 1) for n, record in enumerate(records))
        return emit(Schema("drawn", Record("Drawn", fields)))

    assert "static_type_hash" not in hashed(128)
    assert "return static_type_hash<serbench::glue::Drawn, 129>();" in hashed(129)
