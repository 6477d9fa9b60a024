"""Laws of changes over drawn schemas: whatever a schema can have, the values fit on both sides."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from random import Random

import pytest
from tests.agreeing import agrees
from tests.drawn import EDITIONS, drawn_schemas

from serbench.changes import Change, changes_of, filled, parse, parse_all
from serbench.changes.catalogue import texts_of
from serbench.changes.free import empty_of
from serbench.dataset.canonical import decode, encode
from serbench.dataset.edges import edge_values
from serbench.dataset.values import find_mismatch
from serbench.errors import SelectionError, ValueMismatch
from serbench.idl import emit, forms
from serbench.model import Optional, Schema, i32, u32
from serbench.model.types import NOTHING
from serbench.report.gathering import gathered

SCHEMAS = 500
CHANGES = 3
"""The number of schemas of each edition, and how many changes are tried of each."""
FITS_ALWAYS = {
    *("add", "rename", "renumber", "reorder", "widen", "optional", "text"),
    *("hint", "group", "keep", "empty", "dictionary"),
}
"""The kinds of changes that every value of the old schema can follow."""


def drawn_changes(schema: Schema, random: Random) -> Iterator[Change]:
    """Up to ``CHANGES`` changes that a schema can have, each of another kind: drawn from all that are listed,
    those of kinds that few places can have would hardly ever come."""
    kinds = gathered((text.partition("=")[0], text) for text in texts_of(schema))
    for kind in random.sample(list(kinds), min(CHANGES, len(kinds))):
        with contextlib.suppress(SelectionError):
            yield parse(random.choice(kinds[kind]), schema)


@pytest.mark.parametrize("edition", EDITIONS)
def test_values_fit_the_changed_schema_and_what_is_read_back_fits_the_old_one(edition: int) -> None:
    random, kinds, fitting = Random(edition), set(), 0
    for number, schema in enumerate(drawn_schemas(SCHEMAS, edition)):
        values = [empty_of(schema.root)]
        if number % 4 == 0:  # edge values of a schema take most of the time
            values.append(random.choice(edge_values(schema.root)))
        for change in drawn_changes(schema, random):
            kind = change.text.partition("=")[0]
            for value in values:
                try:
                    there = change.forward(value)
                except ValueMismatch:
                    assert kind not in FITS_ALWAYS, change.text
                    continue
                data = encode(change.new.root, there)
                assert encode(change.new.root, decode(change.new.root, data)) == data
                back = change.backward(there)
                assert find_mismatch(schema.root, filled(schema.root, back)) is None, change.text
                if kind in FITS_ALWAYS - {"keep", "empty"}:
                    assert agrees(back, decode(schema.root, encode(schema.root, value))), change.text
                kinds.add(kind)
                fitting += 1
    assert kinds >= FITS_ALWAYS and fitting > SCHEMAS


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_change_and_its_inverse_give_the_schema_again_but_for_what_is_gone(edition: int) -> None:
    for schema in drawn_schemas(SCHEMAS, edition):
        texts = ["add=serbench_added:string", "drop=serbench_added"]
        both_made = parse_all(texts, schema).new.to_json()
        root = next(each for each in both_made["records"] if each["name"] == schema.root.name)
        (gone,) = root.pop("gone")
        assert (gone["name"], gone["type"]) == ("serbench_added", {"optional": "string"})
        assert both_made == schema.to_json()
        for field in schema.root.fields[:1]:
            name = field.name
            pairs = [(f"optional={name}", f"required={name}")]
            pairs += (
                [] if field.wire else [(f"rename={name}:serbench_renamed", f"rename=serbench_renamed:{name}")]
            )
            if isinstance(field.type, Optional) or field.default is not NOTHING:
                pairs = pairs[1:]
            elif field.type in (i32, u32):
                pairs.append((f"widen={name}:i64", f"narrow={name}:{field.type.name}"))
            for there, back in pairs:
                both = parse_all([there, back], schema)
                assert both.new.to_json() == schema.to_json(), (there, back)
                assert both.forward(empty_of(schema.root)) == empty_of(schema.root)


def test_listed_changes_have_distinct_texts_that_parse() -> None:
    for schema in drawn_schemas(20, 2):
        texts = [change.text for change in changes_of(schema)]
        assert len(texts) == len(set(texts))
        assert [parse(text, schema).text for text in texts] == texts


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_hint_alters_what_an_idl_writes_and_can_be_taken_back(edition: int) -> None:
    found = 0
    for schema in drawn_schemas(SCHEMAS // 10, edition):
        before = {idl: emit(idl, schema) for idl in forms()}
        texts = [text for text in texts_of(schema) if text.startswith("hint=")]
        for text in texts[:: max(1, len(texts) // CHANGES)]:
            change = parse(text, schema)
            assert any(emit(idl, change.new) != written for idl, written in before.items()), text
            path, _, word = text.removeprefix("hint=").partition(":")
            (plain,) = {all[0] for own in forms().values() for all in own.values() if word in all[1:]}
            assert parse(f"hint={path}:{plain}", change.new).new.digest() == schema.digest(), text
            found += 1
    assert found > SCHEMAS // 10
