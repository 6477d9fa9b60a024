"""Tests of evolution: what readers of one schema make of another one's messages, and how that is told."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.started import started
from tests.support import PATHS

from serbench.building.prepare import prepare_builds, toolchains
from serbench.changes import FREE, Change, is_free, matching, one_of_each, parse, settled, shared
from serbench.changes.derived import parse_spec
from serbench.cli.evolution import Evolution
from serbench.cli.old_and_new import SideOptions
from serbench.codecs.codec import Variant
from serbench.codecs.tolerance import Tolerance
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.errors import SelectionError
from serbench.measure.job import Job, Permission
from serbench.measure.process import run_runner
from serbench.measure.unit import Unit
from serbench.model import Field, List, Optional, Record, Schema, i32, string, u32
from serbench.paths import PROJECT, Paths
from serbench.report.evolution_table import evolution_tables, record_of
from serbench.report.show import parts_of
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.verification import contract, hostile, processes
from serbench.verification.evolution import Evolved, Way, evolve, ways_between, ways_of
from serbench.verification.processes import Processes, Remembering
from serbench.workload import Workload

FAKE = (sys.executable, str(Path(__file__).parent / "fake_runner.py"))
VARIANTS = load_variants(Paths.default().codecs)
NOTE = Record(
    "Note", [Field("a", string), Field("n", i32), Field("text", Optional(string)), Field("b", string)]
)
SCHEMA = Schema("notes", NOTE)


def generate() -> Iterator[Any]:
    yield ("first", 7, "some text", "one")
    yield ("second", -300, None, "two")


NOTES = Workload("notes", "small notes", NOTE, generate)


def always(change: Change) -> bool:
    return True


def test_a_free_or_empty_place_is_no_difference() -> None:
    type = Record("R", [Field("a", u32, default=5), Field("b", Optional(string)), Field("c", List(u32))])
    expected: Any = (3, "x", [1, FREE])
    assert is_free(expected) and is_free({"k": FREE}) and not is_free((3, [None], {}))
    assert settled(type, expected, (9, None, [2, 8])) == (3, "x", [1, 8])
    assert settled(type, expected, (5, None, [0, 8]), empties=True) == (5, None, [0, 8])
    assert settled(type, (3, None, []), (0, "", [4]), empties=True) == (0, "", [])
    assert settled(type, expected, (4, "y", []), empties=True) == (3, "x", [])


def test_one_change_of_each_kind_drops_an_optional_field_first() -> None:
    found = [change.text for change in one_of_each(SCHEMA, always)]
    assert found[:3] == ["drop=text", "add=added:string", "rename=a:a_renamed"]
    assert not {"take=1", "empty=a"} & set(found)
    narrow = [each.text for each in one_of_each(SCHEMA, lambda change: not change.text.endswith("i8"))]
    assert "narrow=n:i16" in narrow and "narrow=n:i8" in found


def test_a_pattern_means_a_text_a_word_or_several_changes() -> None:
    assert [each.text for each in matching(SCHEMA, "drop", always)] == [
        "drop=a",
        "drop=n",
        "drop=text",
        "drop=b",
    ]
    assert [each.text for each in matching(SCHEMA, "widen=*64", always)] == ["widen=n:i64"]
    assert [each.text for each in matching(SCHEMA, "add=more:u32=5", always)] == ["add=more:u32=5"]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("drp", "unknown change 'drp'; did you mean drop"),
        ("drp=*", r"unknown change 'drp=\*'; did you mean drop="),
        ("drop=txt", "unknown path 'txt'; did you mean text"),
        ("take=1", "take=1: the schema stays the same"),
        ("one", "one: neither the schema nor its messages can have such a change"),
    ],
)
def test_a_pattern_that_means_nothing_is_refused_with_the_nearest(pattern: str, reason: str) -> None:
    with pytest.raises(SelectionError, match=reason):
        matching(SCHEMA, pattern, always)


@pytest.mark.parametrize(
    ("asked", "workloads", "interop", "reason"),
    [
        (Evolution(["a"], True), [], False, "found a; expected two schemas"),
        (Evolution(["a", "b", "c"], True), [], False, "found a and b and c; expected two schemas"),
        (Evolution(["a", "b"], True), ["w"], False, "found OLD and NEW and --workload"),
        (Evolution(["a", "b"], True), [], True, "found OLD and NEW and --interop; expected only one"),
        (Evolution(None, True, ["add"]), ["w"], True, "found --change and --interop; expected only one"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    asked: Evolution, workloads: Sequence[str], interop: bool, reason: str
) -> None:
    with pytest.raises(SelectionError, match=reason):
        asked.check(workloads, SideOptions(), interop)


def test_what_a_schema_lacks_is_free_in_what_both_share() -> None:
    wider = parse("add=more:u32=5", SCHEMA).new
    assert shared(SCHEMA, wider)(("x", 1, None, "y")) == ("x", 1, None, "y", FREE)


def fake(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: str = "rename=a:c", fault: str = "none"
) -> list[Way]:
    """Every way of a change of the notes, with units that write the canonical bytes; those that read have the
    fault, or the relay where there is one."""
    paths = Paths(PROJECT, folder)
    plain = VARIANTS["cpp/cereal"]
    variant = Variant(plain.codec, "default", "A", "a", Tolerance(), "canonical")
    monkeypatch.setenv("FAKE_CODEC", plain.id)
    units = []
    for text in ("notes", f"notes/{change}"):
        spec = parse_spec(text, {"notes": NOTES})
        data, edge = dataset_for(spec, paths), edge_dataset_for(spec, paths)
        units.append(Unit(variant, spec, data, edge, command=(*FAKE, "none"), silence_limit_s=20.0))

    def faulty(unit: Unit) -> Unit:
        return replace(unit, command=(*FAKE, fault))

    return [
        replace(way, relay=replace(way.relay, unit=faulty(way.relay.unit)))
        if way.relay
        else replace(way, reader=faulty(way.reader))
        for way in ways_of(parse(change, SCHEMA), *units)
    ]


def outcome(way: Way, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Evolved:
    monkeypatch.setenv("FAKE_SCHEMA", way.writer.spec.workload.schema.digest())
    return evolve(way, "notes", "change", Paths(PROJECT, folder))


@pytest.mark.parametrize(
    ("fault", "word", "reason"),
    [
        ("none", "kept", ""),
        ("crash@decode", "crash", "the runner was killed by signal 9"),
        ("error@decode", "refused", "the library says no"),
        ("refuses_all", "refused", "its schema demands Note."),
        ("hang@decode", "hang", "the runner hung: no output for 0.5 s"),
        ("stale", "misread", "under reuse: Note.c: found 'a', expected '"),
    ],
)
def test_what_a_reader_does_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, word: str, reason: str
) -> None:
    way = fake(tmp_path, monkeypatch, fault=fault)[0]
    if word == "hang":
        way = replace(way, reader=replace(way.reader, silence_limit_s=0.5))
    found = outcome(way, tmp_path, monkeypatch)
    assert (found.direction, found.outcome) == ("backward", word)
    assert found.reason.startswith(reason) if reason else not found.reason


@pytest.mark.parametrize(
    ("fault", "several", "few"),
    [
        ("none", 11, 3),
        ("error@decode", 17, 12),
        ("crash@decode", 17, 12),
        ("refuses_all", 9, 4),
        ("stale", 11, 4),
    ],
)
def test_outcomes_are_the_same_where_processes_do_several_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, several: int, few: int
) -> None:
    count = 0  # of processes

    def counted(*args: Any, **named: Any) -> Any:
        nonlocal count
        count += 1
        return run_runner(*args, **named)

    for module in (contract, hostile, processes):
        monkeypatch.setattr(module, "run_runner", counted)

    def outcomes(how: Processes) -> tuple[list[Evolved], int]:
        before = count
        ways = fake(tmp_path, monkeypatch, fault=fault)
        found = [outcome(replace(way, processes=how), tmp_path, monkeypatch) for way in ways]
        return found, count - before

    apart, counted_apart = outcomes(Processes())
    together, counted_together = outcomes(Remembering())
    assert together == apart
    assert (counted_apart, counted_together) == (several, few)


def test_bytes_of_another_schema_are_misread_or_no_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swapped, back, _ = fake(tmp_path, monkeypatch, "reorder=b,n,text,a")
    for way, field in ((swapped, "b"), (back, "a")):
        found = outcome(way, tmp_path, monkeypatch)
        assert (found.outcome, found.is_loss) == ("misread", False)
        assert found.reason.startswith(f"Note.{field}: found")
    (dropped, _, _) = fake(tmp_path, monkeypatch, "drop=text")
    found = outcome(dropped, tmp_path, monkeypatch)
    assert found.outcome == "misread" and found.reason.startswith("no value of its schema")


def test_a_codec_that_cannot_have_the_schema_or_was_not_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = fake(tmp_path, monkeypatch)[0]
    cannot = replace(way.reader, status="unsupported", reason="it has no maps")
    found = outcome(replace(way, reader=cannot), tmp_path, monkeypatch)
    assert (found.outcome, found.reason) == ("impossible", "it has no maps")
    failed = replace(way.writer, status="failed", reason="no compiler")
    found = outcome(replace(way, writer=failed), tmp_path, monkeypatch)
    assert (found.outcome, found.reason) == ("not tried", "no compiler")
    dumb = replace(way.writer, command=(*FAKE, "error@encode"))
    found = outcome(replace(way, writer=dumb), tmp_path, monkeypatch)
    assert found.outcome == "not tried" and found.reason.startswith("the library says no")


def test_codecs_stand_in_rows_with_both_directions_in_a_cell() -> None:
    outcomes = [
        Evolved("p", "w", "drop=x", "backward", "kept"),
        Evolved("p", "w", "drop=x", "forward", "defaults", "x: found 0, expected 1"),
        Evolved("p", "w", "add=y:u8", "backward", "refused", "KeyError: 'y'"),
        Evolved("p", "w", "add=y:u8", "forward", "misread", "y: found 3, expected 1"),
        Evolved("q", "w", "add=y:u8", "backward", "impossible", "no numbers"),
        Evolved("q", "w", "add=y:u8", "forward", "impossible", "no numbers"),
    ]
    (table,) = evolution_tables(outcomes)
    assert table.headings == ["codec", "drop", "add"]
    assert table.rows == [["p", "✓○", "✗!"], ["q", "", "––"]]
    assert table.notes[1] == "Changes: drop=x, add=y:u8."
    assert table.notes[2:] == [
        "q, add=y:u8 backward, add=y:u8 forward: impossible: no numbers",
        "p, add=y:u8 forward: misread: y: found 3, expected 1",
        "p, add=y:u8 backward: refused: KeyError: 'y'",
        "p, drop=x forward: defaults: x: found 0, expected 1",
    ]
    record = {"codec": "p", "workload": "w", "change": "drop=x", "direction": "backward", "outcome": "kept"}
    assert record_of(outcomes[0]) == record | {"reason": "", "version": "", "by": ""}


def test_the_table_fits_terminals_of_80_and_120_columns() -> None:
    names = [f"change{n}" for n in range(16)]
    (table,) = evolution_tables(
        [Evolved("language/some_codec", "w", name, "backward", "kept") for name in names]
    )
    for room in (80, 120):
        parts, _ = parts_of(table, room, all_notes=True)
        assert all(part.width <= room for part in parts)
        assert [head for part in parts for head in part.headings[1:]] == names


def serbench(*words: str, home: Path) -> subprocess.CompletedProcess[str]:
    """A run of ``verify`` with these words, and with builds and data in ``home``."""
    return started("verify", *words, "-c", "python/json:dataclass", home=home)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--change", "add"], "found --change; expected --evolution too"),
        (
            ["--evolution", "small_struct", "small_struct"],
            "found small_struct twice; expected two different schemas",
        ),
        (["--evolution", "small_struct", "mesh"], "small_struct to mesh: triangles: string cannot be read"),
        (
            ["--evolution", "-w", "small_struct:count=2", "--change", "ad"],
            "unknown change 'ad'; did you mean",
        ),
    ],
)
def test_what_cannot_be_asked_for_is_one_error_before_anything_is_built(
    tmp_path: Path, words: Sequence[str], reason: str
) -> None:
    done = serbench(*words, home=tmp_path)
    assert (done.returncode, done.stdout) == (2, "") and reason in done.stderr
    assert "building" not in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.native
def test_the_command_tells_outcomes_and_fails_where_two_workloads_lose_values() -> None:
    words = ["--evolution", "-w", "small_struct:count=2", "--change", "rename=name:title"]
    done = serbench(*words, "--format", "json", home=PATHS.home)
    assert done.returncode == 0, done.stderr
    records = json.loads(done.stdout)
    assert [(each["direction"], each["outcome"]) for each in records] == [
        ("backward", "refused"),
        ("forward", "refused"),
        ("through", "refused"),
    ]
    assert {(each["workload"], each["change"]) for each in records} == {
        ("small_struct:count=2", "rename=name:title")
    }
    pair = ("small_struct:count=2", "small_struct:count=2/rename=name:title")
    done = serbench("--evolution", *pair, home=PATHS.home)
    assert done.returncode == 1 and "✗✗✗" in done.stdout and "KeyError: 'title'" in done.stdout


CODECS = ("python/protobuf", "python/json:dataclass")
CHANGES = ("drop=text", "add=more:string", "rename=n:m", "renumber=n:9")
PAIR = ("notes/renumber=a:9", "notes/renumber=b:9")
EXPECTED = {
    "python/protobuf": "kept kept, kept kept, kept kept, defaults defaults",
    "python/json:dataclass": "kept kept, kept kept, refused refused, kept kept",
}
"""Codec → the outcomes of ``CHANGES``, backward and forward. Protocol Buffers finds fields by their numbers,
JSON by their names; test_writers_schema.py has Avro, whose bytes have neither."""


@pytest.mark.native
def test_real_codecs_read_what_their_formats_promise() -> None:
    texts = ("notes", *(f"notes/{change}" for change in CHANGES), *PAIR)
    specs = {text: parse_spec(text, {"notes": NOTES}) for text in texts}
    variants = [VARIANTS[name] for name in CODECS]
    builds = toolchains(PATHS, variants, specs=specs.values())
    job = Job(PATHS, Chosen(variants, list(specs.values())), builds, Permission(install=True))
    units = {(unit.variant.id, unit.spec.id): unit for unit in prepare_builds(job)}
    for codec in CODECS:
        found = []
        for change in CHANGES:
            ways = ways_of(parse(change, SCHEMA), units[codec, "notes"], units[codec, f"notes/{change}"])
            found.append([evolve(way, "notes", change, PATHS).outcome for way in ways[:2]])
        assert ", ".join(" ".join(each) for each in found) == EXPECTED[codec]
    for codec, word, is_loss in (
        ("python/protobuf", "misread", True),
        ("python/json:dataclass", "kept", False),
    ):
        for way in ways_between(*(units[codec, text] for text in PAIR))[:2]:
            seen = evolve(way, *PAIR, PATHS)
            assert (seen.outcome, seen.is_loss) == (word, is_loss)
    lost = ways_between(units["python/protobuf", "notes"], units["python/protobuf", "notes/renumber=n:9"])
    assert [evolve(way, "", "", PATHS).is_loss for way in lost] == [True, True, False]
