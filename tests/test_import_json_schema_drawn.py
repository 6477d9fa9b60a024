"""Tests with random schemas of JSON Schema: a document that another library finds valid is imported, and
converted back to the same document."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.json_schema_drawn import Documents, DrawnSchema
from tests.json_values import message, same
from tests.mutations import mutated, to_json
from tests.support import examples

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.imports.base import Imported, Request
from serbench.imports.json_schema import FORMAT

jsonschema = pytest.importorskip("jsonschema", reason="the package jsonschema is not there")

MORE_THAN_A_TYPE = (
    "expected JSON",
    "an additional member",
    "and a sign; expected i64",
    "bits; expected i64",
    "bits; expected u64",
    "beyond its range",
)
"""Errors about values that are valid by the letter of a schema, but that the import refuses."""

NO_TYPE = (
    "found a schema that does not describe a message",
    "found a schema that no value matches, for a required value",
    "found endlessly nested lists or maps",
)
"""Errors about random schemas that happen to have no type in the type model."""


def _refuse(constant: str) -> None:
    """Refuses NaN and Infinity, which are not JSON but which Python's reader accepts."""
    raise ValueError(constant)


def imported(folder: Path, schema: Any, data: bytes) -> Imported:
    (folder / "schema.json").write_text(json.dumps(schema))
    (folder / "data.jsonl").write_bytes(data)
    return FORMAT.read(Request((folder / "schema.json",), (folder / "data.jsonl",)))


@settings(max_examples=examples(200))
@given(st.integers(0, 1 << 30))
def test_documents_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    draws, folder = Random(seed), tmp_path_factory.mktemp("drawn")
    schema = DrawnSchema(draws).json
    is_valid = jsonschema.Draft202012Validator(schema).is_valid
    documents = [each for each in (Documents(schema, draws).one() for _ in range(20)) if is_valid(each)]
    if not documents:
        return
    try:
        found = imported(folder, schema, b"".join(json.dumps(each).encode() + b"\n" for each in documents))
    except InputError as error:
        assert any(each in str(error) for each in NO_TYPE)
        return
    ours, wrapped = found.schema("s"), any("messages are not records" in each.what for each in found.losses)
    assert found.values
    values = list(found.values())
    assert len(values) == len(documents)
    for document, value in zip(documents, values, strict=True):
        assert find_mismatch(ours.root, value) is None
        assert same(message(ours, value, wrapped), document)


@settings(max_examples=examples(200))
@given(st.integers(0, 1 << 30))
def test_changed_documents_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """A document may be refused only if it is not valid against the schema, or goes beyond limits that the
    import tells for every schema."""
    draws, folder = Random(seed), tmp_path_factory.mktemp("drawn")
    schema = DrawnSchema(draws).json
    data = to_json(mutated(Documents(schema, draws).one(), draws))
    if b"\n" in data or not data.strip():
        return
    try:
        found = imported(folder, schema, data + b"\n")
        assert found.values
        value = next(found.values())
    except (InputError, StopIteration) as error:
        told = str(error)
        if "data.jsonl, line 1" not in told or any(each in told for each in MORE_THAN_A_TYPE):
            return
        try:
            document = json.loads(data, parse_constant=_refuse)
        except (ValueError, RecursionError):
            return
        assert not jsonschema.Draft202012Validator(schema).is_valid(document), told
        return
    assert find_mismatch(found.schema("s").root, value) is None
