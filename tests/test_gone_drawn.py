"""Laws of parts that are gone, over drawn schemas: whatever is dropped, the other parts keep their places."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from tests.drawn import EDITIONS, drawn_schemas

from serbench.changes import Change, parse
from serbench.changes.catalogue import texts_of
from serbench.errors import SelectionError
from serbench.idl import emit, fbs
from serbench.model import Schema

SCHEMAS = 150


def dropped(schema: Schema, random: Random) -> Change | None:
    """A drop that the schema can have, if there is one among three that are drawn."""
    texts = [text for text in texts_of(schema) if text.startswith("drop=")]
    for text in random.sample(texts, min(3, len(texts))):
        try:
            return parse(text, schema)
        except SelectionError:
            continue
    return None


def ordinals(text: str) -> dict[str, str]:
    """Path of each part in a Cap'n Proto schema → its ordinal."""
    found, above = {}, []
    for line in text.splitlines():
        words = line.split()
        if line.endswith("{"):
            above.append(words[1] if words[0] in ("enum", "struct") else words[0])
        elif line.endswith("}"):
            above.pop()
        elif match := re.fullmatch(r" +(\w+) @(\d+).*", line):
            found[".".join([*above, match[1]])] = match[2]
    return found


def numbers(text: str) -> dict[str, str]:
    """Path of each part in a Protocol Buffers schema → its number."""
    found, above = {}, ""
    for line in text.splitlines():
        if line.startswith(("message", "enum")):
            above = line.split()[1]
        elif match := re.fullmatch(r" +(?:.* )?(\w+) = (-?\d+)(?: \[.*\])?;", line):
            found[f"{above}.{match[1]}"] = match[2]
    return found


def slots(schema: Schema) -> dict[str, int | bool]:
    """Path of each field of FlatBuffers' tables → its slot, of each alternative → its number, and name of
    each record → whether it is a struct."""
    tables = fbs.Tables(schema)
    found: dict[str, int | bool] = {}
    for record in tables.lowered.records:
        found[record.name] = tables.is_struct(record)
        if not tables.is_struct(record):
            found |= {f"{record.name}.{field.name}": slot for field, slot in tables.slots(record)}
    for union in tables.lowered.unions:
        found |= {f"{union.name}.{name}": number for name, number in fbs.numbers_of(union).items()}
    return found


def without_names(places: dict[str, Any]) -> dict[str, Any]:
    """The places of each type's parts, by type and place alone."""
    return {f"{path.rpartition('.')[0]} {place}": place for path, place in places.items() if "." in path}


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_parts_that_are_left_keep_their_places(edition: int) -> None:
    random, compared = Random(edition), 0
    for schema in drawn_schemas(SCHEMAS, edition):
        change = dropped(schema, random)
        if change is None:
            continue
        assert Schema.from_json(change.new.to_json()).to_json() == change.new.to_json()
        keeps_types = len(change.new.named) == len(schema.named)
        for what in (
            lambda of: ordinals(emit("capnp", of)),
            lambda of: numbers(emit("proto", of)),
            lambda of: numbers(emit("proto2", of)),
            slots,
        ):
            old, new = what(schema), what(change.new)
            left = {path: place for path, place in new.items() if ".obsolete" not in path}
            # A struct of FlatBuffers may have no field left. Names may change if names of types are free.
            left = {path: place for path, place in left.items() if place is not False}
            if not keeps_types:
                old, left = without_names(old), without_names(left)
            assert left.items() <= old.items(), (change.text, left.items() - old.items())
            compared += len(left)
        for language in ("thrift", "avsc", "fbs"):
            assert emit(language, change.new)
    assert compared > 10 * SCHEMAS
