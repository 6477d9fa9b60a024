"""Tests of changes inside different fields of the root, which are made at once and told apart by messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.evolution_page import STORED, declared, merged
from tests.support import PATHS
from tests.test_evolution import SCHEMA, fake, outcome, serbench

from serbench.changes import parse
from serbench.changes.derived import parse_spec
from serbench.changes.together import apart, keeping, only
from serbench.codecs.codec import Inability, Variant
from serbench.codecs.laid_out import Layout
from serbench.errors import SelectionError
from serbench.model import Alternative, Field, Optional, Record, Schema, Union, string, u32
from serbench.paths import Paths
from serbench.report.across_table import across_tables
from serbench.report.evolution_table import evolution_tables, record_of
from serbench.selecting.catalogue import load_variants
from serbench.selecting.evolved import NOTHING_SEEN, load_evolution
from serbench.verification.across import couples_of
from serbench.verification.apart import pairs_of, singles
from serbench.verification.evolution import Evolved, Sides, ways_across
from serbench.workload import Workload

LINE = Record("Line", [Field("n", u32), Field("text", string)])
SHAPE = Record("Shape", [Field("kind", Union("Kind", [Alternative("a", u32), Alternative("b", LINE)]))])
NOTE = Record("Note", [Field("n", u32), Field("text", string)])
NOTE_TOO = Record("NoteToo", NOTE.fields)
ROOT = Record("Root", [Field("note", Optional(NOTE)), Field("shape", Optional(SHAPE)), Field("sure", NOTE)])
ALONE = Record("Root", ROOT.fields[:2])
CHANGES = {"note": "drop=note.text", "shape": "drop=shape.kind.a"}
CODEC = load_variants(Paths.default().codecs)["cpp/cereal"]


def generate() -> Iterator[Any]:
    yield ((1, "x"), None)
    yield (None, ((1, (2, "y")),))


WORKLOAD = Workload("w", "two fields", ALONE, generate, changes=CHANGES)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"note": "drop=note.text"}, "drop=note.text: it alters sure beside note"),
        ({"sure": "drop=note.text"}, "sure is no optional field of the root"),
        ({"other": "drop=shape.kind.a"}, "other is no optional field of the root"),
        ({"shape": "drop=shape.kind.c"}, re.escape("unknown path 'shape.kind.c'; did you mean shape.kind.b")),
    ],
)
def test_a_change_that_is_not_inside_its_field_alone_is_refused(changes: Any, reason: str) -> None:
    with pytest.raises(SelectionError, match=reason):
        apart(Schema("w", ROOT), changes)


def test_a_value_has_one_field_and_nothing_in_the_others() -> None:
    assert only(ALONE, "shape", ((1, "x"), ((0, 5),))) == (None, ((0, 5),))
    assert only(ALONE, "note", (None, ((0, 5),))) is None
    assert keeping(Schema("w", ALONE), ["note"]) == ["keep=note"]
    assert keeping(Schema("w", ALONE), ["note", "shape"]) == []


def named(name: str, *cannot: Inability) -> Variant:
    return replace(CODEC, codec=replace(CODEC.codec, name=name), cannot=cannot)


def test_variants_that_can_do_the_same_changes_share_two_workloads() -> None:
    no_unions, no_text = Inability("no unions", having=("union",)), Inability("no text", having=("string",))
    variants = [named("all"), named("some", no_unions), named("none", no_text), named("other", no_unions)]
    pairs = pairs_of(parse_spec("w:", {"w": WORKLOAD}), variants, {"w": WORKLOAD})
    assert [(pair.old.id, pair.new.id, [v.id for v in pair.variants]) for pair in pairs] == [
        ("w", "w/drop=note.text/drop=shape.kind.a", ["cpp/all"]),
        ("w/keep=note", "w/keep=note/drop=note.text", ["cpp/some", "cpp/other"]),
        ("w", "w", ["cpp/none"]),
    ]
    assert {pair.told_as.id for pair in pairs} == {"w"} and {pair.changes for pair in pairs} == {
        ("note", "shape")
    }
    assert pairs[0].impossible == {
        "cpp/all": {},
        "cpp/some": {"shape": "no unions"},
        "cpp/none": {"note": "no text", "shape": "no text"},
        "cpp/other": {"shape": "no unions"},
    }


def test_changes_that_are_judged_together_are_tried_one_by_one_with_what_stays() -> None:
    root = Record("Root", [*ALONE.fields, Field("same", Optional(NOTE_TOO))])
    workload = Workload("w", "three fields", root, generate, changes=CHANGES)
    variant = named("some")
    (pair,) = pairs_of(parse_spec("w", {"w": workload}), [variant], {"w": workload})
    assert pair.unchanged == ["same"]
    first, second = singles(replace(pair, changes=("note", "shape", "x")), [variant], {"w": workload})
    assert (first.old.id, first.new.id) == ("w/keep=note,same", "w/keep=note,same/drop=note.text")
    assert (second.old.id, second.unchanged) == ("w/keep=shape,same", ["same"])
    assert (first.changes, second.changes) == (("note", "x"), ("shape",))


def couple(name: str, format: str, layouts: tuple[Layout, ...], *cannot: Inability) -> Variant:
    return replace(named(name, *cannot), format=format, layouts=layouts)


def test_codecs_of_a_format_read_each_other_what_both_lay_out_alike() -> None:
    numbers = Layout("unions as numbers", having=("union",))
    no_unions = Inability("no unions", having=("union",))
    variants = [
        couple("a", "one", ()),
        couple("b", "one", ()),
        couple("c", "one", (numbers,)),
        couple("d", "one", (), no_unions),
        couple("alone", "two", ()),
    ]
    all_of_them, without_unions = couples_of(parse_spec("w:", {"w": WORKLOAD}), variants, {"w": WORKLOAD})
    ab, note = ("note", "shape"), ("note",)
    assert all_of_them.couples == {
        ("cpp/a", "cpp/b"): ab,
        ("cpp/a", "cpp/c"): note,
        ("cpp/b", "cpp/a"): ab,
        ("cpp/b", "cpp/c"): note,
        ("cpp/c", "cpp/a"): note,
        ("cpp/c", "cpp/b"): note,
    }
    assert [variant.id for variant in all_of_them.variants] == ["cpp/a", "cpp/b", "cpp/c"]
    assert without_unions.new.id == "w/keep=note/drop=note.text"
    assert all("cpp/d" in names and told == note for names, told in without_unions.couples.items())
    notes, shapes = singles(all_of_them, [variants[1]], {"w": WORKLOAD})
    assert notes.couples == {("cpp/a", "cpp/b"): ["note"], ("cpp/c", "cpp/b"): ["note"]}
    assert shapes.couples == {("cpp/a", "cpp/b"): ["shape"]}
    assert [variant.id for variant in shapes.variants] == ["cpp/a", "cpp/b"]


def test_a_table_tells_couples_that_differ_from_what_the_reader_makes_of_its_own() -> None:
    def seen(codec: str, outcome: Any, reader: str = "", **more: Any) -> Evolved:
        return Evolved(codec, "w", "add", "forward", outcome, reader=reader, **more)

    outcomes = [
        seen("a", "kept"),
        seen("b", "refused"),
        seen("b", "misread", writer_schema=False),
        seen("a", "refused", reader="b"),
        seen("b", "misread", reader="a", reason="other: found 1"),
        seen("b", "crash", reader="a", writer_schema=False),
    ]
    (table,) = across_tables(outcomes)
    assert list(table.rows) == [("b", "a", "add forward", "! misread", "✓ kept")]
    assert table.notes == [
        "1 of 2 outcomes, and all of 1 of 2 couples, are those of the reader with its own messages.",
        "b → a, add forward: other: found 1",
    ]
    assert across_tables(outcomes[:3]) == []
    (own,) = evolution_tables(outcomes)
    assert [row[0] for row in own.rows] == ["a", "b", "b, without the writer's schema"]
    assert [record_of(each).get("reader") for each in outcomes[2:4]] == [None, "b"]


def test_derived_workloads_declare_no_changes() -> None:
    assert parse_spec("w/drop=note.text", {"w": WORKLOAD}).workload.changes == {}


def test_a_codec_that_reads_another_ones_messages_is_told_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backward, forward, _ = fake(tmp_path, monkeypatch, fault="refuses_all")
    writer = Sides(backward.writer, forward.writer)
    reader = Sides(*(replace(each, compiler="other") for each in (forward.reader, backward.reader)))
    ways = ways_across(parse("rename=a:c", SCHEMA), writer, reader)
    found = [outcome(way, tmp_path, monkeypatch) for way in ways]
    assert [(each.codec, each.reader, each.direction, each.outcome) for each in found] == [
        (writer.old.name, reader.old.name, "backward", "refused"),
        (writer.old.name, reader.old.name, "forward", "refused"),
    ]
    assert outcome(backward, tmp_path, monkeypatch).reader == ""


@pytest.mark.native
def test_changes_at_once_come_out_as_each_by_itself(request: pytest.FixtureRequest) -> None:
    words = ["--evolution", "-w", "evolving:count=2", "--format", "json"]
    is_all = request.config.getoption("--all")  # codecs that read each other's messages take half a minute
    others = ["--interop", "-c", "python/ujson:dataclass"] if is_all else []
    done = serbench(*words, *others, home=PATHS.home)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    couples = {(each["codec"], each["reader"]) for each in told if "reader" in each}
    names = ("python/json:dataclass", "python/ujson:dataclass")
    assert couples == ({names, names[::-1]} if is_all else set())
    assert len(told) == (2 * 3 + 2 * 2 if is_all else 3) * len(declared())
    records = [each for each in told if each["codec"] == names[0] and "reader" not in each]
    found = {(each["change"], each["direction"]): each for each in records}
    assert {change for change, _ in found} == {*declared()} and all(each["version"] for each in records)
    done = serbench(
        *words, "--change", declared()["rename"], "--change", declared()["widen"], home=PATHS.home
    )
    texts = {text: name for name, text in declared().items()}
    alone = json.loads(done.stdout)
    assert len(alone) >= 4
    for each in alone:
        same = found[texts[each["change"]], each["direction"]]
        assert (same["outcome"], same["reason"]) == (each["outcome"], each["reason"])
    ((codec, seen),) = merged(NOTHING_SEEN, records, declared()).codecs.items()
    stored = load_evolution(STORED.parent).codecs[codec]
    assert seen == stored or seen.version != stored.version
