"""Tests of schemas that people publish, from the package check-jsonschema: none is copied into this project,
and nothing is downloaded."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.json_values import message, same

from serbench.dataset.values import find_mismatch, first_difference
from serbench.errors import InputError
from serbench.imports.base import Request
from serbench.imports.json.making import JsonTypes
from serbench.imports.json.quick import quick_reader
from serbench.imports.json.settings import PathSettings
from serbench.imports.json_schema import FORMAT
from serbench.imports.json_schema.documents import Documents
from serbench.imports.json_schema.mapping import build
from serbench.imports.recognising import recognised
from serbench.imports.synthesis import synthesized

_PACKAGE = find_spec("check_jsonschema")
FOLDER = Path(((_PACKAGE and _PACKAGE.submodule_search_locations) or [""])[0]) / "builtin_schemas"
SCHEMAS = sorted(FOLDER.glob("*/*.json")) if _PACKAGE else []

if not SCHEMAS:
    pytest.skip(
        "the package check-jsonschema is not there: pip install check-jsonschema", allow_module_level=True
    )

REFUSED = {
    "drone-ci.json": (
        "#/definitions/pipeline_kubernetes/properties/metadata/$ref: found a reference "
        "to kubernetes-definitions"
    )
}
"""The schemas that refer to other files and are therefore refused, each with its error."""

WORKFLOW: dict[str, Any] = {
    "name": "ci",
    "on": {
        "push": {"branches": ["main"]},
        "pull_request": None,
        "schedule": [{"cron": "0 0 * * *"}],
        "workflow_dispatch": {},
    },
    "env": {"COUNT": 1, "NAME": "x", "FAST": True},
    "jobs": {
        "test": {
            "runs-on": "ubuntu-latest",
            "needs": ["lint"],
            "strategy": {"matrix": {"os": ["a", "b"], "version": [3.11, "3.12"]}},
            "steps": [
                {"uses": "actions/checkout@v4", "with": {"fetch-depth": 0}},
                {"run": "make", "if": "always()"},
            ],
        },
        "call": {"uses": "./.github/workflows/x.yml", "with": {"a": 1}, "secrets": "inherit"},
    },
}


@pytest.mark.parametrize("file", SCHEMAS, ids=lambda file: file.stem)
def test_each_is_imported_or_refused_with_its_path(file: Path, tmp_path: Path) -> None:
    assert recognised([file]).format is FORMAT
    if file.name in REFUSED:
        with pytest.raises(InputError) as caught:
            FORMAT.read(Request((file,)))
        assert f"{file}, {REFUSED[file.name]}" in str(caught.value)
        return
    found = FORMAT.read(Request((file,)))
    schema = found.schema("s")
    assert found.mapping and found.losses
    made = list(synthesized(schema.root, 20, 1))
    wrapped = any("messages are not records" in loss.what for loss in found.losses)
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps(message(schema, value, wrapped)) + "\n" for value in made))
    again = FORMAT.read(Request((file,), (data,)))
    assert again.values
    for value, read_back in zip(made, again.values(), strict=True):
        assert find_mismatch(schema.root, read_back) is None
        assert first_difference(schema.root, value, read_back) is None


def test_a_workflow_of_github_is_read_as_it_is(tmp_path: Path) -> None:
    file, data = FOLDER / "vendor" / "github-workflows.json", tmp_path / "data.jsonl"
    documents = [WORKFLOW, {**WORKFLOW, "on": "push"}, {**WORKFLOW, "on": ["push", "fork"]}]
    data.write_text("".join(json.dumps(each) + "\n" for each in documents))
    found = FORMAT.read(Request((file,), (data,)))
    schema = found.schema("s")
    assert found.values
    assert all(
        same(message(schema, value), each) for value, each in zip(found.values(), documents, strict=True)
    )
    quick = quick_reader(_built(file))
    assert quick and [quick[1](quick[0](json.dumps(each).encode())) for each in documents] == list(
        found.values()
    )
    data.write_text(json.dumps({**WORKFLOW, "jobs": {"my-secret": {"runs-on": 12345, "steps": []}}}))
    changed = FORMAT.read(Request((file,), (data,)))
    with pytest.raises(
        InputError, match=r"jobs\{\}.runs-on: found integer; expected string or array or object"
    ) as caught:
        list(changed.values() if changed.values else ())
    told = str(caught.value).replace(str(tmp_path), "")
    assert "secret" not in told and "12345" not in told


def _built(file: Path) -> JsonTypes:
    documents = Documents.of([file])
    return build(documents, documents.message(""), "Root", PathSettings.parse({}))
