"""Tests of workloads with changes, such as ``monsters/drop=name``: every command takes them like others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support import TEST_WORKLOADS, all_workloads

from serbench.building.prepare import prepare_builds
from serbench.changes.catalogue import KINDS, MEANINGS, changes_of
from serbench.changes.derived import MARK, parse_spec
from serbench.cli.listing import _changes
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode
from serbench.errors import DatasetError, SelectionError
from serbench.languages import languages
from serbench.languages.base import BuildOrder
from serbench.languages.jvm.build import JvmBuild
from serbench.measure.job import Job
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen, select_workloads
from serbench.verification.contract import verify
from serbench.workload import WorkloadSpec

DROPPED = "monsters:count=3/drop=monsters[].inventory"


def spec_of(text: str) -> WorkloadSpec:
    return parse_spec(text, all_workloads())


def values_of(spec: WorkloadSpec, home: Path) -> list[Any]:
    data = dataset_for(spec, Paths(PROJECT, home))
    return [decode(spec.workload.schema.root, each) for each in data.read_messages()]


def test_a_changed_schema_has_a_workload_with_the_names_of_its_base() -> None:
    base, spec = spec_of("monsters:count=3"), spec_of(DROPPED)
    assert spec.id == DROPPED and spec.declared == base
    assert spec.workload.schema.name == "monsters"
    assert spec.workload.name == f"monsters{MARK}{spec.workload.schema.digest()[:8]}"
    names = [field.name for field in spec.workload.schema.records[-2].fields]
    assert names == ["pos", "mana", "hp", "name", "color", "weapons", "equipped", "path"]
    assert spec_of(spec.id) == spec, "the id is what a later command parses"


def test_messages_are_those_of_the_base_with_the_changes(tmp_path: Path) -> None:
    (before,) = values_of(spec_of("monsters:count=3"), tmp_path)
    (after,) = values_of(spec_of(DROPPED), tmp_path)
    inventory = 4
    assert after == ([(*each[:inventory], *each[inventory + 1 :]) for each in before[0]],)


@pytest.mark.parametrize("change", ["take=2", "repeat=3", "empty=monsters[].name"])
def test_changes_of_values_alone_use_the_programs_of_the_base(change: str) -> None:
    spec = spec_of(f"monsters/{change}")
    assert spec.workload is all_workloads()["monsters"] and spec.id == f"monsters/{change}"


def test_numbers_of_messages_count_after_other_changes(tmp_path: Path) -> None:
    all_of_them = values_of(spec_of("web_log:lines=20"), tmp_path)
    assert values_of(spec_of("web_log:lines=20/take=2/repeat=2"), tmp_path) == all_of_them[:2] * 2


def test_a_name_may_be_a_pattern_and_a_change_is_none() -> None:
    found = select_workloads(["m*/take=2"], all_workloads())
    assert [spec.id for spec in found] == [
        f"{name}/take=2" for name in all_workloads() if name.startswith("m")
    ]
    with pytest.raises(SelectionError, match=r"unknown path 'monsters\[\]\.\*'; did you mean"):
        select_workloads(["monsters/drop=monsters[].*"], all_workloads())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("monster/take=2", "unknown workload 'monster'; did you mean monsters"),
        ("monsters/dorp=x", "unknown change 'dorp'; did you mean drop"),
        (
            "monsters/drop=monsters[].manna",
            r"unknown path 'monsters\[\].manna'; did you mean monsters\[\].mana",
        ),
        ("monsters/drop=monsters", "drop=monsters: record Monsters: the root has no fields"),
        ("monsters/", "unknown change ''; known: add"),
        ("monsters/drop", "drop: found no path; expected one such as monsters"),
        ("monsters/keep=", "keep=: found no path; expected one such as monsters"),
        ("monsters/keep=monsters[].mana,", "keep=.*,: found no path; expected one such as monsters"),
        ("monsters/widen=", "widen=: found no path; expected one such as monsters"),
        ("monsters/group=monsters", "group=monsters: found no path; expected one such as monsters"),
        ("monsters/rename=:x", "rename=:x: found no path; expected one such as monsters"),
        ("monsters/drop=.monsters", r"unknown path '.monsters'; did you mean monsters"),
        ("monsters/renumber=monsters:0", "renumber=monsters:0: expected the path of .* number from 1 on"),
        ("monsters/take=0", "take=0: '0' is no number of messages; expected 1 or more"),
    ],
)
def test_a_change_that_cannot_be_is_refused_by_its_path(text: str, said: str) -> None:
    with pytest.raises(SelectionError, match=said):
        spec_of(text)


def test_a_value_that_does_not_fit_is_told_with_its_path(tmp_path: Path) -> None:
    spec = spec_of("monsters:count=3/narrow=monsters[].mana:i8")
    with pytest.raises(DatasetError, match=r"narrow=monsters\[\]\.mana:i8: monsters\[\d\]\.mana"):
        dataset_for(spec, Paths(PROJECT, tmp_path))


def test_a_projection_of_a_graph_is_no_graph() -> None:
    assert (
        spec_of("graph").workload.schema.walk and not spec_of("graph/keep=nodes[].name").workload.schema.walk
    )


def test_each_kind_of_change_is_described_and_listed() -> None:
    assert MEANINGS.keys() == KINDS.keys()
    table, records = _changes([spec_of("monsters"), spec_of("graph")])
    texts = [change.text for change in changes_of(all_workloads()["monsters"].schema)]
    assert "drop=monsters[].inventory" in texts
    assert [each["change"] for each in records if each["workload"] == "monsters"] == texts
    assert [[*each.values()] for each in records] == table.rows


TRIED = {
    "python": "python/json:dict",
    "javascript": "javascript/msgpackr",
    "go": "go/goccy_json",
    "c": "c/msgpack:zone",
    "cpp": "cpp/boost",
    "rust": "rust/prost",
    "jvm": "jvm/jackson:json",
}
"""Language → the variant that is built with a changed workload."""
QUICK = ("python", "javascript")
"""The languages that build in seconds; the others are left to --all."""


@pytest.mark.native
@pytest.mark.parametrize("language", TRIED)
def test_a_changed_workload_is_built_and_verified_beside_its_base(
    language: str, request: pytest.FixtureRequest
) -> None:
    if language not in QUICK and not request.config.getoption("all"):
        pytest.skip(f"a changed workload in {language} is left to ./serbench test --all")
    paths = Paths(PROJECT, Paths.default().home / "derived", (TEST_WORKLOADS,))
    variant = load_variants(paths.codecs)[TRIED[language]]
    specs = [spec_of("monsters:count=3"), spec_of(DROPPED), spec_of(f"{DROPPED}/repeat=2")]
    workloads = list({spec.workload.name: spec.workload for spec in specs}.values())
    assert len(workloads) == 2
    builds = list(languages()[language].toolchains(BuildOrder(paths, [variant.codec], workloads)))
    units = prepare_builds(Job(paths, Chosen([variant], specs), builds))
    assert [unit.status for unit in units] == ["ok"] * 3, [unit.reason for unit in units]
    assert units[1].command == units[2].command != units[0].command
    found = [verify(unit) for unit in units]
    assert all(each.ok for each in found), [each.reason for each in found]
    assert found[0].size_bytes > found[1].size_bytes and found[2].size_bytes == 2 * found[1].size_bytes


def test_the_jvm_builds_a_changed_workload_apart(tmp_path: Path) -> None:
    base, spec = spec_of("monsters"), spec_of(DROPPED)
    build = JvmBuild(Paths(PROJECT, tmp_path), [], [base.workload, spec.workload])
    assert build._of("monsters") is build
    apart = build._of(spec.workload.name)
    assert apart.directory == build.directory / "derived" / spec.workload.name
    assert apart._of(spec.workload.name) is apart
