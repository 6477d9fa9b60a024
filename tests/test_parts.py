"""Tests of reading a part of messages, from the selection to the table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.support import PATHS
from tests.test_pipeline import Quiet

from serbench.building.prepare import prepare_builds, toolchains
from serbench.changes.derived import parse_spec
from serbench.dataset.cache import dataset_for
from serbench.measure.job import Job, Permission
from serbench.measure.manifest import manifest_of
from serbench.measure.plan import Plan, chosen_tasks
from serbench.measure.run import execute
from serbench.measure.store import Journal, create_run
from serbench.measure.unit import Unit
from serbench.report.rows import rows_of
from serbench.report.tables import tables_of
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Asked, select
from serbench.verification.interop import exchange_parts
from serbench.verification.kept import event_of_unit
from serbench.verification.units import verified
from serbench.workload import load_workloads

pytestmark = pytest.mark.native

KNOWN = load_workloads(PATHS.workloads)
PATHS_READ = "monsters[].name, monsters[].hp"
WAYS = {
    "python/protobuf": "skip",
    "python/flatbuffers:plain": "view",
    "python/json:dataclass": "whole",
    "python/msgspec:json_struct": "skip",
    "python/handwritten": "whole",
}

WITH_TYPES_OF_ALL = {"rust/rkyv": "view"}
"""Codecs whose bytes are laid out by the whole schema; they take much longer to build."""

BY_POSITION = "python/handwritten"
"""A codec whose bytes no program of another schema can read."""

UNCHECKED = {"python/protobuf", "python/flatbuffers:plain", "python/msgspec:json_struct"}


@pytest.fixture(scope="module", name="job")
def job_that_reads(request: pytest.FixtureRequest) -> Job:
    if request.config.getoption("--all"):
        WAYS.update(WITH_TYPES_OF_ALL)
    known = load_variants(PATHS.codecs)
    asked = Asked(["monsters"], list(WAYS), ["serialize"], reads=[PATHS_READ])
    chosen = select(KNOWN, known, None, asked).with_floors(known)
    builds = toolchains(PATHS, chosen.built, specs=chosen.workloads)
    return Job(PATHS, chosen, builds, Permission(install=True), asked=replace(asked, quick=True))


@pytest.fixture(scope="module", name="units")
def units_that_read(job: Job) -> list[Unit]:
    return verified(job.paths, prepare_builds(job), lambda *_: None, 60.0)


def test_each_codec_reads_in_its_way(units: list[Unit]) -> None:
    parts = {unit.variant.id: unit for unit in units if unit.spec.whole}
    assert {name: parts[name].way for name in WAYS} == WAYS
    assert {parts[name].status for name in WAYS} == {"ok"}
    assert parts["python/memcpy"].reason == "it copies all bytes, and reads none of them"
    for name in WAYS:
        whole = next(unit for unit in units if unit.variant.id == name and not unit.spec.whole)
        assert (parts[name].command == whole.command) is (name == BY_POSITION)
        found, of_whole = parts[name].verification, whole.verification
        assert found and of_whole and found.size_bytes == of_whole.size_bytes > 0
    assert {name for name in WAYS if parts[name].unchecked} == UNCHECKED
    assert parts["python/json:dataclass"].way_reason == ""
    assert parts[BY_POSITION].way_reason.startswith("it decodes all fields")


def test_what_one_codec_writes_whole_another_reads_in_part(units: list[Unit]) -> None:
    whole = {unit.variant.id: unit for unit in units if not unit.spec.whole}
    part = {unit.variant.id: unit for unit in units if unit.spec.whole}
    writer, reader = whole["python/json:dataclass"], part["python/msgspec:json_struct"]
    (found,) = exchange_parts([writer], [reader], lambda _: None)
    assert (found.reader, found.workload, found.reason) == (reader.name, reader.spec.id, "")
    fewer = parse_spec(f"monsters:count=49/read={PATHS_READ}", KNOWN)
    wrong = replace(reader, data=dataset_for(fewer, PATHS))
    (found,) = exchange_parts([writer], [wrong], lambda _: None)
    assert found.failed and "Monsters.monsters" in found.reason
    assert exchange_parts([writer], [replace(reader, variant=writer.variant)], lambda _: None) == []


def test_rows_have_paths_way_and_the_share_of_everything(job: Job, units: list[Unit], tmp_path: Path) -> None:
    plan = Plan(chosen_tasks(units, job.chosen), rounds=6, seed=1, sample_ns=200_000, samples=1)
    run = create_run(tmp_path, msgspec.to_builtins(manifest_of(job, plan, units)))
    with Journal(run) as journal:
        for unit in units:
            journal.append(msgspec.to_builtins(event_of_unit(unit)))
        execute(plan, journal, Quiet())
    rows = {(row.codec, row.workload): row for row in rows_of(run) if row.operation == "read"}
    part = job.chosen.workloads[1].id
    for name, way in WAYS.items():
        row = rows[name, part]
        assert (row.way, row.paths) == (way, "monsters[].name,monsters[].hp")
        assert row.to_json()["way"] == way and rows[name, "monsters"].way == ""
        assert (row.of_everything is None) is (name == BY_POSITION)
    shares = {
        name: rows[name, part].of_everything for name in ("python/protobuf", "python/flatbuffers:plain")
    }
    assert all(share and share.estimate < 0.9 for share in shares.values()), shares
    assert {row.operation for row in rows_of(run) if row.workload == part} == {"read"}
    (table,) = [each for each in tables_of(run, PATHS.suites)[0] if part in each.title]
    assert "way" in table.headings and any("view‡" in row for row in table.rows)
