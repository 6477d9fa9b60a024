"""Tests that what documents promise for messages whose schema changes is what is seen, or that the difference
is named.

After a wanted change: ``SERBENCH_UPDATE_GOLDEN=1 ./serbench test --all tests/test_promises.py``, and read the
difference. Without ``--all``, one codec of each format is tried.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from tests.promise_page import PAGE, is_as_promised, page
from tests.promised import DOCUMENTS
from tests.promised_buf import BUF, LEFT_OUT, asked
from tests.promised_protobuf import PROTOBUF
from tests.promises import BYTES_ALONE, DIRECTIONS, VARIANTS, Document, possible, seen, store, stored, write
from tests.support import PATHS
from tests.surprises import SURPRISES, Surprise

UPDATE = bool(os.environ.get("SERBENCH_UPDATE_GOLDEN"))
ALWAYS = (
    *("python/protobuf", "python/protobuf, JSON form", "python/fastavro", "python/thrift:binary"),
    *("python/pycapnp:unpacked", "python/flatbuffers:plain"),
)
"""The variants that are tried without ``--all``, too."""

TRIED = [(document, id) for document in DOCUMENTS.values() for id in (*document.variants, *document.besides)]
RULES = [
    pytest.param(document, id, rule.name, id=f"{id}-{rule.name}")
    for document, id in TRIED
    for rule in possible(VARIANTS[id.partition(", ")[0]], document.rules)
]


def skip_unless_tried(id: str, request: pytest.FixtureRequest) -> None:
    if id not in ALWAYS and not request.config.getoption("all"):
        pytest.skip("tried with --all")


@pytest.mark.native
@pytest.mark.parametrize(("document", "codec", "rule"), RULES)
def test_what_a_document_promises_is_seen_or_the_difference_is_named(
    document: Document, codec: str, rule: str, request: pytest.FixtureRequest
) -> None:
    skip_unless_tried(codec, request)
    if document.lacks(codec) and not codec.endswith(BYTES_ALONE):
        pytest.skip("its readers do not take the writer's schema")
    found = seen(document, codec)
    if UPDATE:
        store(document.format, codec, {"version": found.version, "outcomes": found.outcomes})
    known = stored()[document.format][codec]["outcomes"]
    assert known[rule] == list(found.outcomes[rule]), found.reasons[rule]


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_each_difference_has_one_reason_and_each_reason_a_difference(document: Document) -> None:
    found = stored()[document.format]
    unmet = list(document.differences)
    for id in document.variants:
        for rule in document.rules:
            outcomes = found[id]["outcomes"].get(rule.name)
            reasons = [each for each in document.differences if each.is_of(rule.name, id)]
            if outcomes is None or is_as_promised(rule, outcomes):
                assert not reasons, f"{id}, {rule.name}: as promised, but a reason is given"
                continue
            assert len(reasons) == 1, f"{id}, {rule.name}: promised {rule.promised}, found {outcomes}"
            unmet = [each for each in unmet if each is not reasons[0]]
    assert not unmet


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_rules_have_examples_of_what_they_promise(document: Document) -> None:
    names = [rule.name for rule in document.rules]
    assert len(names) == len(set(names))
    for rule in document.rules:
        for direction, promise in zip(DIRECTIONS, rule.promised, strict=True):
            assert bool(getattr(rule, direction)) == bool(promise), f"{rule.name}, {direction}"


@pytest.mark.skipif(not BUF, reason="needs Buf's program, buf, on the path")
def test_buf_judges_the_changes_as_the_page_says() -> None:
    found = asked()
    if UPDATE:
        write({**stored(), "buf": found})
    assert stored()["buf"]["refused"] == found["refused"]


def test_buf_has_judged_each_change() -> None:
    refused = stored()["buf"]["refused"]
    assert list(refused) == sorted(rule.name for rule in PROTOBUF.rules)
    assert not {each for by in refused.values() for found in by.values() for each in found} & set(LEFT_OUT)


@pytest.mark.parametrize("surprise", SURPRISES, ids=[each.says for each in SURPRISES])
def test_a_surprise_is_what_was_stored(surprise: Surprise) -> None:
    if not surprise.change:
        format, rule = surprise.rule
        known = {id: tuple(stored()[format][id]["outcomes"][rule]) for id in surprise.outcomes}
        assert known == surprise.outcomes
    assert surprise.says.endswith(".") and surprise.source


CHANGES = [each for each in SURPRISES if each.change]


@pytest.mark.native
@pytest.mark.parametrize("surprise", CHANGES, ids=[each.change for each in CHANGES])
def test_a_surprise_is_seen_by_its_command(surprise: Surprise, request: pytest.FixtureRequest) -> None:
    skip_unless_tried(next(iter(surprise.outcomes)), request)
    words = ["--evolution", "-w", "small_struct:count=2", "--change", surprise.change, "--format", "json"]
    codecs = [word for id in surprise.outcomes for word in ("-c", id)]
    done = subprocess.run(
        [sys.executable, "-m", "serbench", "verify", *words, *codecs],
        capture_output=True,
        text=True,
        env={**os.environ, "SERBENCH_HOME": str(PATHS.home)},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = {}
    for each in json.loads(done.stdout):
        found.setdefault(each["codec"], []).append(each["outcome"])
    assert {id: tuple(each) for id, each in found.items()} == surprise.outcomes


def test_the_page_is_what_the_rules_and_outcomes_say() -> None:
    text = page()
    if UPDATE:
        PAGE.write_text(text)
    assert PAGE.read_text() == text
