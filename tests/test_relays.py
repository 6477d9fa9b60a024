"""Tests of relays: what comes back of messages that the program of an older schema has decoded and encoded
again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import PATHS
from tests.test_evolution import NOTES, SCHEMA, VARIANTS, fake, outcome

from serbench.building.prepare import prepare_builds, toolchains
from serbench.changes import FREE, Change, common, parse
from serbench.changes.derived import parse_spec
from serbench.measure.job import Job, Permission
from serbench.measure.unit import Unit
from serbench.selecting.selection import Chosen
from serbench.verification.evolution import evolve, ways_between, ways_of
from serbench.verification.relaying import Relay, relay_of


@pytest.mark.parametrize(
    ("fault", "word", "reason"),
    [
        ("none", "kept", ""),
        ("cannot_relay", "impossible", "its view cannot be encoded again"),
        ("error@relay", "refused", "in the old program: the library says no"),
        ("crash@relay", "crash", "in the old program: the runner was killed by signal 9"),
        ("hang@relay", "hang", "in the old program: the runner hung: no output for 0.5 s"),
        ("refuses_all", "kept", ""),
        ("refuses_together", "refused", "in the old program after other messages: one at a time"),
        ("relays_stale", "misread", "relayed under reuse: Note.c: found 'a', expected '"),
        ("relays_fewer", "not tried", "messages were relayed as"),
        ("cuts", "misread", "no value of its schema"),
    ],
)
def test_what_a_relay_does_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, word: str, reason: str
) -> None:
    way = fake(tmp_path, monkeypatch, fault=fault)[2]
    assert way.relay is not None
    if word == "hang":
        way = replace(way, relay=replace(way.relay, unit=replace(way.relay.unit, silence_limit_s=0.5)))
    found = outcome(way, tmp_path, monkeypatch)
    assert (found.direction, found.outcome) == ("through", word)
    assert reason in found.reason, found.reason


def passing(change: Change, unit: Unit) -> Relay:
    return relay_of(unit, change.backward, change.forward)


def test_what_an_old_program_loses_is_a_default_and_no_loss_of_what_both_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = fake(tmp_path, monkeypatch)[0].reader
    added = parse("add=more:u32=5", SCHEMA)
    relay = passing(added, unit)
    value = ("x", 1, None, "y", 7)
    assert relay.has(value) == value[:4]
    assert relay.left(value) == ("x", 1, None, "y", 5)
    assert common(added.new.root, value, relay.left(value)) == ("x", 1, None, "y", FREE)
    assert passing(parse("widen=n:i64", SCHEMA), unit).left(("x", 1 << 40, "t", "y")) == ("x", 0, "t", "y")


ADDED = "add=more:string"
EXPECTED = {
    "python/protobuf": "kept",
    "python/json:dict": "kept",
    "python/thriftpy2:binary": "defaults",
    "python/flatbuffers:plain": "impossible",
}
"""Codec → the outcome of ``ADDED``, through the old program. Messages of Protocol Buffers and dicts keep
fields that they do not know, objects of Thrift lose them, and tables of FlatBuffers cannot be written
again."""


@pytest.mark.native
def test_what_real_libraries_keep_of_fields_that_they_do_not_know() -> None:
    texts = ("notes", f"notes/{ADDED}")
    specs = {text: parse_spec(text, {"notes": NOTES}) for text in texts}
    variants = [VARIANTS[name] for name in EXPECTED]
    builds = toolchains(PATHS, variants, specs=specs.values())
    job = Job(PATHS, Chosen(variants, list(specs.values())), builds, Permission(install=True))
    units = {(unit.variant.id, unit.spec.id): unit for unit in prepare_builds(job)}
    for codec, expected in EXPECTED.items():
        old, new = (units[codec, text] for text in texts)
        through = ways_of(parse(ADDED, SCHEMA), old, new)[2]
        assert evolve(through, "notes", ADDED, PATHS).outcome == expected
    for codec, word in (("python/protobuf", "kept"), ("python/thriftpy2:binary", "defaults")):
        old, new = (units[codec, text] for text in texts)
        seen = evolve(ways_between(old, new)[2], "", "", PATHS)
        assert (seen.direction, seen.outcome, seen.is_loss) == ("through", word, False)
