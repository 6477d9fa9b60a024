"""Tests of readers that get the writer's schema beside its bytes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.support import PATHS
from tests.test_evolution import FAKE, serbench

from serbench.building.prepare import prepare_builds, toolchains, with_layouts
from serbench.changes import parse, parse_all
from serbench.changes.derived import parse_spec
from serbench.codecs.codec import Variant
from serbench.codecs.tolerance import Tolerance
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.file import join_messages
from serbench.errors import FileError
from serbench.idl import emit
from serbench.measure.conversation import Samples
from serbench.measure.job import Job, Permission
from serbench.measure.process import measuring_words, run_runner
from serbench.measure.said import SampleSaid
from serbench.measure.unit import Unit
from serbench.model import Field, Optional, Record, i32, string
from serbench.paths import PROJECT, Paths
from serbench.report.evolution_table import evolution_tables, record_of
from serbench.selecting.catalogue import load_codec, load_variants
from serbench.selecting.selection import Chosen
from serbench.verification.contract import encoded_by
from serbench.verification.evolution import Evolved, Way, evolve, ways_of
from serbench.verification.writers import as_read, evolved, given
from serbench.workload import Workload

VARIANTS = load_variants(Paths.default().codecs)
TAKING = {name: each for name, each in VARIANTS.items() if each.codec.writer_schema}


def generate() -> Iterator[Any]:
    yield ("first", 7, "some text", "one")
    yield ("second", -300, None, "two")


FIELDS = [
    Field("a", string),
    Field("n", i32),
    Field("text", Optional(string), default=None),
    Field("b", string),
]
NOTES = Workload("letters", "small notes", Record("Note", FIELDS), generate)

ALL = "drop=text/add=more:i32=5/reorder=b,more,n,a/widen=n:i64"
"""Changes that resolution by names and promotions follows, all at once."""


LESS = dict.fromkeys(["cpp/avro_c", "rust/serde_avro_fast"], "drop=text/reorder=b,n,a/widen=n:i64")
"""Codec → the changes that it follows, where it does not follow ``ALL``: it reads no defaults of fields that
the writer's schema lacks."""


def units(variant: Variant, *changes: str) -> list[Unit]:
    """The built units of a variant with the notes and with each of several changes of them."""
    return prepared(variant, *changes)[1]


def prepared(variant: Variant, *changes: str) -> tuple[Job, list[Unit]]:
    """The units that ``units`` returns, with the job that built them."""
    texts = ["letters", *(f"letters/{each}" for each in changes)]
    specs = [parse_spec(text, {"letters": NOTES}) for text in texts]
    builds = toolchains(PATHS, [variant], specs=specs)
    job = Job(PATHS, Chosen([variant], specs), builds, Permission(install=True), layouts=1)
    by_id = {unit.spec.id: unit for unit in prepare_builds(job)}
    found = [by_id[spec.id] for spec in specs]
    if any(unit.status == "not_installed" for unit in found):
        pytest.skip(found[0].reason)
    assert [unit.failure for unit in found] == [""] * len(specs)
    return job, found


def sampled(job: Job, reader: Unit, writer: Unit, folder: Path) -> list[str]:
    """The cells of which timed passes gave samples, over the messages that another program wrote, in each
    layout of the reader's program."""
    encoded = folder / "encoded"
    encoded.write_bytes(join_messages(encoded_by(writer, map(bytes, writer.data.read_messages()))))
    (unit,) = with_layouts(job, [given(reader, writer, folder)], print, lambda *_: None)
    words = measuring_words(unit.data.path, ["read:reuse"], 1, 1, 1, encoded=str(encoded), warmup_ns=1)
    commands = unit.layouts or (unit.command,)
    assert all("--writer-schema" in each for each in commands)
    runs = [run_runner([*each, *words], Samples(["read:reuse"], 1), silence_limit_s=60) for each in commands]
    return [event.cell for run in runs for event in run if isinstance(event, SampleSaid)]


def outcomes(way: Way) -> list[tuple[str, bool | None]]:
    """The outcomes of a way, with the writer's schema and without it."""
    with TemporaryDirectory() as folder:
        found = evolved(way, "letters", "", PATHS, Path(folder))
        return [(each.outcome, each.writer_schema) for each in found]


def skip_unless_asked(request: pytest.FixtureRequest, name: str) -> None:
    """Leaves a variant of a library that is not popular to ``--all``."""
    if not VARIANTS[name].popular and not request.config.getoption("--all"):
        pytest.skip("left to ./serbench test --all")


@pytest.mark.parametrize("name", TAKING)
def test_the_schema_is_the_one_by_which_the_program_writes(name: str) -> None:
    codec = TAKING[name].codec
    text = codec.written_schema(NOTES.schema)
    assert {each["name"] for each in json.loads(text)["fields"]} == {"a", "n", "text", "b"}
    if codec.glue.writer_schema and codec.glue.emit:
        assert text.strip() in codec.glue.emit(NOTES.schema)
    else:
        assert codec.idl and text == emit(codec.idl.language, NOTES.schema)


def test_a_reader_gets_the_schema_of_the_writer_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, file = Paths(PROJECT, tmp_path), tmp_path / "handed over"
    variant = replace(VARIANTS["python/avro"], tolerance=Tolerance())
    monkeypatch.setenv("FAKE_CODEC", variant.id)
    monkeypatch.setenv("FAKE_WRITER_SCHEMA", str(file))
    change = parse("rename=a:c", NOTES.schema)
    old, new = (
        Unit(variant, spec, dataset_for(spec, paths), edge_dataset_for(spec, paths), command=(*FAKE, "none"))
        for spec in (parse_spec(f"letters{each}", {"letters": NOTES}) for each in ("", "/rename=a:c"))
    )
    monkeypatch.setenv("FAKE_SCHEMA", old.spec.workload.schema.digest())
    backward = ways_of(change, old, replace(new, command=(*FAKE, "needs_writer_schema")))[0]
    found = list(evolved(backward, "letters", "rename=a:c", paths, tmp_path))
    assert [(each.outcome, each.writer_schema) for each in found] == [("kept", True), ("refused", False)]
    assert file.read_text() == variant.codec.written_schema(old.spec.workload.schema)
    codec = replace(variant.codec, writer_schema="")
    other = replace(backward.reader, variant=replace(variant, codec=codec))
    found = list(evolved(replace(backward, reader=other), "letters", "rename=a:c", paths, tmp_path))
    assert [(each.outcome, each.writer_schema) for each in found] == [("refused", None)]


def test_only_an_idl_can_be_declared(tmp_path: Path) -> None:
    folder = tmp_path / "python" / "avro"
    shutil.copytree(VARIANTS["python/avro"].codec.directory, folder)
    declared = folder / "codec.toml"
    declared.write_text(declared.read_text().replace('writer_schema = "avsc"', 'writer_schema = "avro"'))
    with pytest.raises(FileError, match="writer_schema: found 'avro', expected one of avsc, "):
        load_codec(declared)


def test_a_codec_has_a_second_row_without_the_writers_schema() -> None:
    told = [
        Evolved("p", "w", "drop=x", "backward", "kept", writer_schema=True),
        Evolved("p", "w", "drop=x", "backward", "misread", "x: found 0, expected 1", writer_schema=False),
        Evolved("q", "w", "drop=x", "backward", "kept"),
    ]
    (table,) = evolution_tables(told)
    assert table.rows == [["p", "✓"], ["p, without the writer's schema", "!"], ["q", "✓"]]
    assert table.notes[-1].startswith("p, without the writer's schema, drop=x backward: misread: x: found")
    assert [record_of(each).get("writer_schema") for each in told] == [True, False, None]
    assert "writer_schema" not in record_of(told[-1])


WITH_SCHEMA = {
    "drop=text": "kept kept",
    "add=more:i32=5": "kept kept",
    "reorder=b,text,n,a": "kept kept",
    "rename=n:m": "refused refused",
    "widen=n:i64": "kept refused",
    ALL: "kept refused",
}
"""Change → the outcomes backward and forward with the writer's schema. A field with another name has no
default here, and a long cannot be read as an int."""


@pytest.mark.native
@pytest.mark.parametrize("name", ["python/avro", "python/fastavro"])
def test_changes_are_resolved_by_the_writers_schema(
    request: pytest.FixtureRequest, tmp_path: Path, name: str
) -> None:
    skip_unless_asked(request, name)
    old, *changed = units(VARIANTS[name], *WITH_SCHEMA)
    for (change, expected), new in zip(WITH_SCHEMA.items(), changed, strict=True):
        backward, forward, _ = ways_of(parse_all(change.split("/"), NOTES.schema), old, new)
        found = [
            evolve(as_read(way, tmp_path)[True], "letters", change, PATHS) for way in (backward, forward)
        ]
        assert " ".join(each.outcome for each in found) == expected, change


@pytest.mark.native
@pytest.mark.parametrize("name", TAKING)
def test_every_language_hands_the_schema_to_its_library(
    request: pytest.FixtureRequest, tmp_path: Path, name: str
) -> None:
    skip_unless_asked(request, name)
    changes = LESS.get(name, ALL)
    job, (old, new) = prepared(VARIANTS[name], changes)
    backward = ways_of(parse_all(changes.split("/"), NOTES.schema), old, new)[0]
    with_schema, without = outcomes(backward)
    assert with_schema == ("kept", True)
    assert without[0] in ("refused", "misread", "crash") and without[1] is False
    assert sampled(job, new, old, tmp_path) == ["read:reuse"]


@pytest.mark.native
def test_the_status_counts_only_what_is_lost_with_the_writers_schema() -> None:
    swapped = "small_struct:count=2/reorder=phone,birth_day,name,siblings,spouse,money"
    words = ["--evolution", "small_struct:count=2", swapped, "-c", "python/avro", "--format", "json"]
    done = serbench(*words, home=PATHS.home)
    records = json.loads(done.stdout)
    mine = [each for each in records if each["codec"] == "python/avro"]
    assert [each["writer_schema"] for each in mine] == [True, False] * 3
    assert {each["outcome"] for each in mine if each["writer_schema"]} == {"kept"}
    without = [each["outcome"] for each in mine if not each["writer_schema"]]
    assert without == ["misread", "misread", "kept"]  # what the old program misreads, it writes as it was
    assert done.returncode == 0, done.stderr
