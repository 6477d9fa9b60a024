"""Tests of suggestions: each improvement planted in made-up data is found, and nothing else is suggested."""

from __future__ import annotations

from typing import Any

import pytest

from serbench.changes import FREE, parse
from serbench.changes.advice import suggestions
from serbench.errors import SelectionError, ValueMismatch
from serbench.model import Field, List, Logical, Map, Optional, Record, Schema, Type, string, u32
from serbench.model.types import SCALARS

PAIR = Record("Pair", [Field("a", "bool"), Field("b", "string")])


def of(type: Type | str, *values: Any) -> list[str]:
    """The changes suggested for a field with these values."""
    schema = Schema("made", Record("Made", [Field("x", type)]))
    found = suggestions(schema, [(each,) for each in values])
    for each in found:
        change = parse(each.change, schema)
        for value in values:
            assert change.backward(change.forward((value,))) == (value,)
    return [each.change for each in found]


@pytest.mark.parametrize(
    ("type", "values", "change"),
    [
        ("string", ["de305d54-75b4-431b-adb2-eb6b9e546014"], "retype=x:uuid"),
        (Logical("uuid", string), ["de305d54-75b4-431b-adb2-eb6b9e546014"], "retype=x:uuid"),
        ("string", ["2026-11-28T12:30:00Z", "1926-11-28T12:30:00Z"], "retype=x:timestamp(s)"),
        ("string", ["2026-11-28T12:30:00.120Z"], "retype=x:timestamp(ms)"),
        ("string", ["2026-11-28"], "retype=x:date"),
        ("string", ["007f", "deadbeef00ff"], "retype=x:hex"),
        ("string", ["aGVsbG8gd29ybGQ="], "retype=x:base64"),
        ("string", ["12", "-7", "0"], "parse=x:i64"),
        ("string", ["paid", "open", "paid", "open", "paid", "paid", "paid", "open"], "retype=x:enum(2,4)"),
        ("f64", [0.1, -19.9], "retype=x:decimal(1)"),
        ("f64", [0.5, 1.0], "narrow=x:f32"),
        ("i64", [-300, 300], "narrow=x:i16"),
        ("u64", [300], "narrow=x:u16"),
        (Optional(SCALARS["bool"]), [True], "required=x"),
        (Optional(List(u32)), [[1 << 31]], "required=x"),
        (Record("One", [Field("y", "bool")]), [(True,)], "ungroup=x"),
        (List(PAIR), [[(True, ""), (False, "")]], "columns=x"),
        (List(string), [["2026-11-28"], []], "retype=x[]:date"),
        (Map(string, string), [{"a": "12"}], "parse=x[]:i64"),
    ],
)
def test_an_improvement_is_found(type: Type | str, values: list[Any], change: str) -> None:
    assert of(type, *values) == [change]


@pytest.mark.parametrize(
    ("type", "values"),
    [
        ("string", ["DE305D54-75B4-431B-ADB2-EB6B9E546014"]),  # would come back in lower case
        ("string", ["2026-11-28T12:30:00Z", "2026-11-28T12:30:00.5Z"]),  # not all in one unit
        ("string", ["2026-11-28T12:30:00+01:00"]),
        ("string", ["007"]),
        ("string", ["added", "face"]),  # words that are hexadecimal digits by chance
        ("string", [""]),
        ("string", 8 * [""]),
        ("string", ["paid", "open", "lost"]),  # each once
        ("f64", [0.1 + 0.2]),
        ("f64", [-0.0, 0.1]),
        ("i64", [1 << 40]),
        (Optional(SCALARS["bool"]), [True, None]),
        ("bool", [True]),
        (List(PAIR), [[(True, "")]]),
    ],
)
def test_nothing_is_suggested_where_something_would_be_lost(type: Type | str, values: list[Any]) -> None:
    assert of(type, *values) == []


def test_no_messages_suggest_nothing() -> None:
    assert of("string") == []


def test_a_value_of_another_form_does_not_fit() -> None:
    schema = Schema("made", Record("Made", [Field("x", "string")]))
    with pytest.raises(ValueMismatch, match="x: the value is no uuid"):
        parse("retype=x:uuid", schema).forward(("secret",))
    with pytest.raises(SelectionError, match="expected the path of a string or f64, and one of uuid, hex"):
        parse("retype=x:colour", schema)
    with pytest.raises(ValueMismatch, match="x: the value is no enum"):
        change = parse("retype=x:enum(1,4)", schema)
        assert change.forward(("paid",)) == (0,)
        change.forward(("open",))


def test_a_value_that_no_text_has_is_free() -> None:
    schema = Schema("made", Record("Made", [Field("x", "string")]))
    for change, value in (
        ("retype=x:date", 1 << 30),
        ("retype=x:timestamp(s)", 1 << 60),
        ("retype=x:enum(2,4)", 1),
    ):
        assert parse(change, schema).backward((value,)) == (FREE,)
