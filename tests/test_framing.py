"""Tests that ``why``'s bytes are those that independent parsers of the wire formats count, over random
schemas."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests import wire_parsers
from tests.drawn import Pack, drawn_schemas
from tests.support import PATHS

from serbench.building.prepare import prepare_builds, toolchains
from serbench.changes import parse
from serbench.changes.emptying import EVERYTHING
from serbench.dataset.canonical import decode, encode
from serbench.dataset.file import split_messages, write_like
from serbench.measure.job import Job, Permission
from serbench.measure.unit import Unit
from serbench.model import Schema
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.verification.contract import encode_all
from serbench.verification.emptied import weigh
from serbench.workload import WorkloadSpec

CODECS = [
    "python/protobuf",
    "python/fastavro",
    "python/thrift:binary",
    "python/thrift:compact",
    "python/msgpack:dataclass",
]
VARIANTS = load_variants(PATHS.codecs)
SCHEMAS, FEW, TOGETHER = 200, 5, 10
NOTHING = f"empty={EVERYTHING}"


@pytest.mark.native
@pytest.mark.parametrize("codec", CODECS)
def test_bytes_are_those_that_a_parser_counts(request: pytest.FixtureRequest, codec: str) -> None:
    variant = VARIANTS[codec]
    count = SCHEMAS if request.config.getoption("--all") else FEW
    able = (each for each in drawn_schemas(4 * count) if variant.why_not(Pack((each,), True).schema) is None)
    schemas = [each for each, _ in zip(able, range(count), strict=False)]
    assert len(schemas) == count
    compared = 0
    for begin in range(0, count, TOGETHER):
        compared += agree(unit_of(codec, schemas[begin : begin + TOGETHER]))
    assert compared > 3 * count


def unit_of(codec: str, schemas: Sequence[Schema]) -> Unit:
    """A unit whose messages have the fields of all these schemas."""
    variant, spec = VARIANTS[codec], WorkloadSpec(Pack(tuple(schemas), flat=True).workload, {})
    builds = toolchains(PATHS, [variant], specs=[spec])
    (unit,) = prepare_builds(Job(PATHS, Chosen([variant], [spec]), builds, Permission(install=True)))
    assert not unit.failure
    return unit


def agree(unit: Unit) -> int:
    """Hold the bytes of all parts directly in the messages to what a parser counts; return how many these
    are."""
    schema = unit.spec.workload.schema
    fields = schema.root.fields
    parse_one = wire_parsers.parsers(unit.variant.id, lambda: unit.variant.codec.written_schema(schema))
    changes = [f"empty={field.name}" for field in fields]
    found = weigh([unit], [*changes, NOTHING], lambda *_: None)
    assert not found.failures
    raw = [*written(unit, ["", *changes, NOTHING])]
    whole, *emptied, nothing = ([*map(parse_one, each)] for each in raw)
    size = found.whole.sizes[unit.name].bytes
    assert size == sum(map(len, raw[0]))
    kept = 0  # of parts when they are empty
    for n, key in enumerate(wire_parsers.keys(unit.variant.id, fields)):
        before, after = (sum(sizes.get(key, 0) for sizes in own) for own in (whole, emptied[n]))
        saved = size - found.parts[changes[n]].sizes[unit.name].bytes
        assert saved == before - after, (
            f"{unit.name} {fields[n].name}: {saved}, by the parser {before - after}"
        )
        assert after == sum(sizes.get(key, 0) for sizes in nothing)
        kept += after
    framing = size - sum(sum(sizes.values()) for sizes in whole)
    assert framing == len(raw[0]) * wire_parsers.envelope(unit.variant.id, len(fields))
    saved = sum(size - found.parts[each].sizes[unit.name].bytes for each in changes)
    assert found.parts[NOTHING].sizes[unit.name].bytes == framing + kept == size - saved
    return len(fields)


def written(unit: Unit, changes: Sequence[str]) -> Iterator[list[bytes]]:
    """Yield the messages that the unit's program writes with each change."""
    schema = unit.spec.workload.schema
    values = [decode(schema.root, bytes(each)) for each in unit.data.read_messages()]
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / f"encoded {n}" for n in range(len(changes))]
        datasets = []
        for change in changes:
            forward = parse(change, schema).forward if change else lambda value: value
            messages = [encode(schema.root, forward(value)) for value in values]
            datasets.append(write_like(Path(name), unit.data, messages))
        encode_all(unit, datasets, files)
        for file in files:
            yield [bytes(each) for each in split_messages(file.read_bytes())]
