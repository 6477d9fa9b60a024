"""Tests of partial reads in Python and JavaScript: the program of a schema with a few of the fields measures on
bytes that the program of the whole schema has encoded, while values change."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reads import Read, keeping, read_of
from tests.support import PATHS

from serbench.building.prepare import prepare_builds, toolchains
from serbench.changes.derived import parse_spec
from serbench.errors import RunnerError
from serbench.languages import languages
from serbench.languages.base import BuildOrder
from serbench.measure import judging
from serbench.measure.job import Job, Permission
from serbench.measure.unit import Unit
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.workload import load_workloads, parse_workload

pytestmark = pytest.mark.native

KEEP = "keep=monsters[].name,monsters[].hp,monsters[].weapons[].name"
READERS = ("python/protobuf", "python/msgspec:json_dataclass", "javascript/protobufjs:reflection")
"""Codecs that pass over fields which they do not know; the second decodes domain objects, the others objects of
the library's own."""

TRICKS = ("python/tricks:by_content", "javascript/tricks:by_content")
"""Adapters that keep what they decoded by its bytes."""

CELLS = ("read:reuse", "read:fresh", "decode:reuse", "deserialize:fresh", "serialize:reuse")
"""Cells that start from given bytes, and one of an operation that encodes as ever."""


@pytest.fixture(scope="module", name="units")
def units_by_codec() -> dict[str, list[Unit]]:
    """Codec → the unit of the whole schema, and that of the schema with a few of the fields."""
    known = load_variants(PATHS.codecs)
    specs = [parse_spec(text, load_workloads(PATHS.workloads)) for text in ("monsters", f"monsters/{KEEP}")]
    variants = [known[name] for name in READERS]
    builds = toolchains(PATHS, variants, specs=specs)
    found = prepare_builds(Job(PATHS, Chosen(variants, specs), builds, Permission(install=True)))
    return {name: [unit for unit in found if unit.variant.id == name] for name in READERS}


@pytest.fixture(params=READERS, name="read")
def a_partial_read(units: dict[str, list[Unit]], request: pytest.FixtureRequest, tmp_path: Path) -> Read:
    whole, reader = units[request.param]
    for unit in (whole, reader):
        if unit.status == "not_installed":
            pytest.skip(unit.reason)
        assert unit.status == "ok", unit.reason
    return read_of(whole, reader, keeping(KEEP, whole), tmp_path)


def test_bytes_of_the_whole_schema_are_read_while_values_change(read: Read) -> None:
    assert not read.measured(read.bodies, CELLS)
    with read.left.open("rb") as file:
        in_force = {(record.cell, len(record.edits)) for record in judging._records(file)}
    assert {count for _, count in in_force} <= {0, 1}
    assert {cell for cell, count in in_force if count} == set(CELLS)


def test_a_runner_checks_itself_on_given_bytes(read: Read) -> None:
    is_watched = not read.reader.variant.codec.traits.quick_looks
    cells = [cell for cell in CELLS if is_watched and not cell.startswith("serialize")]
    assert not read.checked(read.bodies, read.edits, cells)
    assert not read.checked(read.bodies[: read.dataset.messages], None, [])


@pytest.mark.parametrize("cell", ["read:fresh", "decode:reuse"])
def test_bytes_of_other_values_are_caught(read: Read, cell: str) -> None:
    """The body of each edit is that of another one, so that it holds the values of another edit."""
    messages, edits = read.bodies[: read.dataset.messages], read.bodies[read.dataset.messages :]
    try:
        reasons = [each.reason for each in read.measured([*messages, *edits[::-1]], [cell])]
    except RunnerError as error:  # the runner itself compares sums
        reasons = [str(error)]
    assert reasons and all("after its values changed" in reason for reason in reasons), reasons


@pytest.mark.parametrize("more", [-1, 1])
def test_there_is_a_body_for_each_message_and_edit(read: Read, more: int) -> None:
    bodies = [*read.bodies, b""][: len(read.bodies) + more]
    messages, edits = read.dataset.messages, len(read.bodies) - read.dataset.messages
    said = f"has {len(bodies)} bodies; expected one for each of {messages} messages and {edits} edits"
    with pytest.raises(RunnerError, match=said):
        read.measured(bodies, ["read:reuse"])
    with pytest.raises(RunnerError, match=said):
        read.checked(bodies, read.edits, [])
    with pytest.raises(RunnerError, match=f"{messages} messages and 0 edits"):
        read.checked(bodies, None, [])


@pytest.mark.parametrize("name", TRICKS)
def test_results_that_are_remembered_by_given_bytes_are_suspected(name: str, tmp_path: Path) -> None:
    paths = Paths(PROJECT, Paths.default().home / "tricks")
    variant = load_variants(PROJECT / "tests" / "tricks" / "codecs")[name]
    spec = parse_workload("monsters", load_workloads(paths.workloads))
    order = BuildOrder(paths, [variant.codec], [spec.workload])
    builds = list(languages()[variant.codec.language].toolchains(order))
    (unit,) = prepare_builds(Job(paths, Chosen([variant], [spec]), builds))
    assert unit.status == "ok", unit.reason
    read = read_of(unit, unit, lambda message: message, tmp_path)
    with pytest.raises(RunnerError, match="times as long for new messages as for known ones") as found:
        read.measured(read.bodies, ["read:reuse"])
    assert found.value.cell == "read:reuse"
