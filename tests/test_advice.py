"""Tests of suggestions: each improvement planted in made-up data is found, and nothing else is suggested."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from serbench.changes import FREE, parse
from serbench.changes.advice import Suggestion, suggestions, texts_at
from serbench.cli.advise import in_turn
from serbench.errors import SelectionError, ValueMismatch
from serbench.idl import dialect_of, emit
from serbench.model import Field, List, Logical, Map, Optional, Record, Schema, Type, i32, i64, string, u32
from serbench.model.types import SCALARS
from serbench.report.advice_table import Advice, Gain, advice_tables, record_of
from serbench.verification.sizes import Size

PAIR = Record("Pair", [Field("a", "bool"), Field("b", "string")])


def of(type: Type | str, *values: Any, idls: Sequence[str] = ()) -> list[str]:
    """The changes suggested for a field with these values, with the forms of numbers of these IDLs."""
    schema = Schema("made", Record("Made", [Field("x", type)]))
    found, _ = suggestions(schema, [(each,) for each in values], idls=idls)
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
        ("string", ["2262-04-11T23:47:16.854775807Z"], "retype=x:timestamp(ns)"),
        ("string", ["12", "-7", "0"], "parse=x:i64"),
        ("string", ["12.50", "-0.07", "0.00"], "retype=x:digits(2)"),
        ("string", ["999999999999999999", "-999999999999999999"], "parse=x:i64"),
        ("string", ["paid", "open", "paid", "open", "paid", "paid", "paid", "open"], "retype=x:enum(2,4)"),
        ("string", 4 * ["notification"] + 4 * ["subscription"], "retype=x:enum(2,12)"),  # valid base64
        ("f64", [0.1, -19.9], "retype=x:decimal(1)"),
        ("f64", [0.5, 1.0], "narrow=x:f32"),
        ("i64", [-300, 300], "narrow=x:i16"),
        ("u64", [300], "narrow=x:u16"),
        (Optional(SCALARS["bool"]), [True], "required=x"),
        (Optional(List(u32)), [[1 << 31]], "required=x"),
        (Record("One", [Field("y", "bool")]), [(True,)], "ungroup=x"),
        (List(PAIR), [[(True, ""), (False, "")]], "columns=x"),
        (List(string), [["2026-11-28"], []], "retype=x[]:date"),
        (List(string), [["Mountain View", "Palo Alto", "Mountain View"], []], "dictionary=x[]"),
        (Map(string, string), [{"a": "12"}], "parse=x[]:i64"),
        (
            Map(string, PAIR),
            2 * [{"ab": (True, ""), "c": (False, "")}, {"c": (True, ""), "ab": (True, "")}],
            "record=x:2,2",
        ),
        (Optional(Map(u32, u32)), [{7: 1 << 31}, None, {7: 0}, {7: 1}, {7: 2}], "record=x:1,1"),
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
        ("string", ["2262-04-11T23:47:16.854775808Z"]),  # more nanoseconds than 64 bits have
        ("string", ["007"]),
        ("string", ["--5"]),
        ("string", ["-0"]),
        ("string", ["1.5", "1.50"]),  # not all with so many decimals
        ("string", ["-0.0"]),
        ("string", ["01.5"]),
        ("string", ["a long text", "a long text"]),  # in two messages, of which each has a table
        (List(string), [["abc", "abc"]]),  # too short for a table
        (List(string), [["a long text", "another text"], ["a long text", "another text"]]),
        ("string", ["\u0661\u0662"]),  # digits, but others
        ("string", ["added", "face"]),  # words that are hexadecimal digits by chance
        ("string", [""]),
        ("string", 8 * [""]),
        ("string", ["paid", "open", "lost"]),  # each once
        ("f64", [0.1 + 0.2]),
        ("f64", [-0.0, 0.1]),
        ("i64", [1 << 40]),
        (Optional(SCALARS["bool"]), [True, None]),
        ("bool", [True]),
        (Map(string, PAIR), 3 * [{"a": (True, "")}]),  # too few to tell
        (Map(string, PAIR), 4 * [{"a": (True, "")}, {"b": (True, "")}]),
        (Map(string, PAIR), [{"a": (True, "")}, *4 * [{"a": (True, ""), "b": (True, "")}]]),
        (Map(string, PAIR), 8 * [{}]),
        (List(PAIR), [[(True, "")]]),
    ],
)
def test_nothing_is_suggested_where_something_would_be_lost(type: Type | str, values: list[Any]) -> None:
    assert of(type, *values) == []


@pytest.mark.parametrize(
    ("type", "values", "changes"),
    [
        ("i64", [-1, 1 << 40], ["hint=x:sint64"]),
        ("u32", [1 << 28, 1 << 31, 1 << 21], ["hint=x:fixed32"]),
        ("u32", [1 << 28, 1 << 31, 1 << 20, 0], []),
        ("u32", [1 << 28, (1 << 21) - 1], []),
        ("i32", [-(1 << 31), (1 << 31) - 1], ["hint=x:sfixed32"]),
        (List(i64), [[-1] * 9, [1 << 40]], ["hint=x[]:sint64"]),
        (Map(string, i32), [{"a": -70_000}], ["hint=x[]:sint32"]),
        ("i16", [-300], ["hint=x:sint32"]),
    ],
)
def test_numbers_get_the_form_in_which_they_take_fewest_bytes(
    type: Type | str, values: list[Any], changes: list[str]
) -> None:
    assert of(type, *values, idls=["proto"]) == changes and of(type, *values) == []
    assert of(type, *values, idls=["avsc"]) == []


def test_a_table_of_texts_is_suggested_beside_a_form_and_what_repeats_is_counted_by_message() -> None:
    one, other = ("de305d54-75b4-431b-adb2-eb6b9e54601" + digit for digit in "45")
    assert of(List(string), [one, other, one, one]) == ["retype=x[]:uuid", "dictionary=x[]"]
    schema = Schema("made", Record("Made", [Field("x", List(string))]))
    ((found,), _) = suggestions(schema, [(["Mountain View"] * 3,), (["Palo Alto"],)])
    assert (found.change, found.promise) == ("dictionary=x[]", 2 * len("Mountain View") - 2 * 2)
    assert found.reason == "50 % of the texts repeat one of their message"
    assert found.in_words == "x[] as numbers in a table of texts"


def test_dialects_have_the_forms_of_their_idl() -> None:
    assert {dialect_of(each) for each in ("proto", "proto2", "proto_py")} == {"proto"}
    assert dialect_of("avsc") == "avsc"


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


def test_no_suggestion_error_or_schema_tells_the_data() -> None:
    """Each value has the word ``secret``: texts, keys, and those for which the change then fails."""
    fields = [Field("s", string), Field("m", Map(string, u32)), Field("l", List(string))]
    schema = Schema("made", Record("Made", fields))
    messages = 4 * [("secret", {"secret1": 1 << 31, "secret2": 2}, ["secret3"])]
    found, _ = suggestions(schema, messages)
    assert [each.change for each in found] == ["retype=s:enum(1,6)", "record=m:2,7", "retype=l[]:enum(1,7)"]
    told = [f"{found}", *(each.in_words for each in found)]
    for each in found:
        change = parse(each.change, schema)
        change.forward(messages[0])
        with pytest.raises(ValueMismatch) as raised:
            change.forward(("secret4", {"secret5": 1, "secret6": 2}, ["secret7"]))
        told += [str(raised.value), json.dumps(change.new.to_json()), emit("proto", change.new), repr(change)]
    assert not any("secret" in each for each in told)
    shown = {"s": ["secret"], "m": ["secret1", "secret2"], "l[]": ["secret3"]}
    assert texts_at(schema, messages, shown.keys()) == shown


def test_a_map_with_other_keys_is_no_such_record() -> None:
    schema = Schema("made", Record("Made", [Field("x", Map(string, u32))]))
    change = parse("record=x:2,5", schema)
    assert change.backward(((1, 2),)) == (FREE,)
    assert [each.name for each in change.new.root.fields[0].type.fields] == ["k0000", "k0001"]
    assert change.forward(({"secret": 1, "b": 2},)) == ((1, 2),)
    assert change.backward(((3, 4),)) == ({"secret": 3, "b": 4},)
    for value in ({"a": 1, "b": 2}, {"b": 1}, {}):
        with pytest.raises(ValueMismatch, match=r"x: the map has other keys$"):
            change.forward((value,))
    for text in ("record=x", "record=x:0,1", "record=x[]:1,1"):
        with pytest.raises(SelectionError, match="expected the path of a map, and the number of its keys"):
            parse(text, schema)


def test_a_value_that_no_text_has_is_free() -> None:
    schema = Schema("made", Record("Made", [Field("x", "string")]))
    for change, value in (
        ("retype=x:date", 1 << 30),
        ("retype=x:timestamp(s)", 1 << 60),
        ("retype=x:enum(2,4)", 1),
    ):
        assert parse(change, schema).backward((value,)) == (FREE,)


def test_times_are_ratios_within_rounds_and_told_apart_from_none() -> None:
    made = Suggestion("x", "retype=x:uuid", "all texts are UUIDs")
    sizes = Size(1000, 800), Size(600, 500)
    advice = Advice("w", [Gain(made, "python/a", *sizes, messages=10)]).timed(made_up_run(9))
    (gain,) = advice.gains
    assert (gain.saved, gain.saved_compressed) == (40, 30)
    assert gain.ratios["write"].estimate == pytest.approx(0.8) and gain.ratios["write"].high < 1
    (table,) = advice_tables(advice, 120)
    assert table.headings == ["change", "bytes", "zstd-3", "write", "read", "old", "why"]
    assert table.rows == [
        ["retype=x:uuid", "−40.0 %", "−37.5 %", "−20 %", "~", "", "all texts are UUIDs"],
    ]  # fmt: skip
    assert record_of(gain)["write_ratio"] == 0.8 and record_of(gain)["read_ratio_low"] < 1
    assert not Advice("w", advice.gains).timed(made_up_run(5)).gains[0].ratios  # too few rounds


def test_messages_without_bytes_have_no_shares() -> None:
    made = Gain(Suggestion("x", "narrow=x:u8", ""), "python/a", Size(0, 90), Size(0, 80), messages=10)
    assert made.share_saved == 0 and record_of(made)["bytes_saved"] == 0
    assert advice_tables(Advice("w", [made]), 120)[0].rows[0][1:3] == ["–", "−11.1 %"]


def test_changes_that_exclude_each_other_are_told() -> None:
    schema = Schema("made", Record("Made", [Field("x", string), Field("n", u32)]))
    made = [Suggestion("", change, "") for change in ("retype=x:uuid", "retype=x:date", "narrow=n:u8")]
    kept, excluded = in_turn(schema, made)
    assert [each.change for each in kept] == ["retype=x:uuid", "narrow=n:u8"]
    assert excluded == ["retype=x:date"]
    gain = Gain(made[0], "python/a", Size(1000, 800), Size(600, 500), messages=10)
    (table,) = advice_tables(Advice("w", [gain], [gain], excluded), 120)
    assert table.notes == ["not among those together, since others exclude them: retype=x:date"]


def test_a_codec_that_writes_nothing_is_told_with_the_reason() -> None:
    failed = Gain(Suggestion("", "", ""), "python/a", reason="it is odd")
    assert advice_tables(Advice("w", [failed]), 120)[0].notes == ["it is odd"]


def made_up_run(rounds: int) -> Any:
    """A run in which the change takes 0.8 of the time to write, and about as long to read."""
    cells = {}
    for workload, write in (("w", 1.0), ("w/retype=x:uuid", 0.8)):
        for cell, factor in (("serialize:reuse", write), ("deserialize:reuse", 1.0)):
            noise = 0.2 * (factor == 1.0 and cell == "deserialize:reuse" and workload != "w")
            figures = {n: (100 + n) * factor * (1 + noise * (n % 2 - 0.5)) for n in range(rounds)}
            samples = SimpleNamespace(figures=lambda figures=figures: figures, doubt=0.0)
            cells["python/a", workload, "", cell] = samples
    return SimpleNamespace(taken=SimpleNamespace(cells=cells, failures={}))
