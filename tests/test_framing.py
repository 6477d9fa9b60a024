"""Tests that ``why``'s bytes are those that independent parsers of the wire formats count, over random
schemas."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests import wire_parsers
from tests.drawn import Pack, drawn_schemas
from tests.support import PATHS

from serbench.building.prepare import prepare_builds, toolchains
from serbench.changes import parse
from serbench.changes.emptying import EVERYTHING
from serbench.changes.paths import named_in, places
from serbench.dataset.canonical import decode, encode
from serbench.dataset.file import split_messages, write_like
from serbench.measure.job import Job, Permission
from serbench.measure.unit import Unit
from serbench.model import Record, Schema
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
WITH_LENGTHS = ("python/protobuf", "python/thrift:compact")
"""The codecs whose records have their length before them, or their id where it is far from the one before."""

SCHEMAS, FEW, TOGETHER = 200, 5, 10
NOTHING = f"empty={EVERYTHING}"


@pytest.mark.native
@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("flat", [True, False], ids=["of the root", "inside of records"])
def test_bytes_are_those_that_a_parser_counts(request: pytest.FixtureRequest, codec: str, flat: bool) -> None:
    variant = VARIANTS[codec]
    count = request.config.getoption("--schemas") or (SCHEMAS if request.config.getoption("--all") else FEW)
    if count == FEW and not flat and codec not in WITH_LENGTHS:
        pytest.skip("records have no length there: --all or --schemas 20")
    able = (each for each in drawn_schemas(4 * count) if variant.why_not(Pack((each,), flat).schema) is None)
    schemas = [each for each, _ in zip(able, range(count), strict=False)]
    assert len(schemas) == count
    compared = Counter[int]()
    for begin in range(0, count, TOGETHER):
        compared += agree(unit_of(codec, schemas[begin : begin + TOGETHER], flat))
    assert compared[0 if flat else 1] > 3 * count
    assert compared[2] >= count // 20 or flat


def unit_of(codec: str, schemas: Sequence[Schema], flat: bool) -> Unit:
    """A unit whose messages have the fields of all these schemas, or a record of each."""
    variant, spec = VARIANTS[codec], WorkloadSpec(Pack(tuple(schemas), flat).workload, {})
    builds = toolchains(PATHS, [variant], specs=[spec])
    (unit,) = prepare_builds(Job(PATHS, Chosen([variant], [spec]), builds, Permission(install=True)))
    assert not unit.failure
    return unit


def paths_inside(schema: Schema) -> Iterator[str]:
    """The paths of the root's fields, and of those in records that a field holds and no other place has."""
    types = (place.type for place in places(schema) if place.type is not None and not place.items)
    uses = Counter(getattr(named_in(type), "name", "") for type in types)

    def inside(record: Record, begin: str) -> Iterator[str]:
        for field in record.fields:
            yield begin + field.name
            if isinstance(field.type, Record) and uses[field.type.name] == 1:
                yield from inside(field.type, f"{begin}{field.name}.")

    return inside(schema.root, "")


def agree(unit: Unit) -> Counter[int]:
    """Hold the bytes of all parts in the messages to what a parser counts; return how many these are, by the
    number of records that they are inside of."""
    schema = unit.spec.workload.schema
    paths = [*paths_inside(schema)]
    parser = wire_parsers.parser_of(unit.variant.id, lambda: unit.variant.codec.written_schema(schema))
    changes = [f"empty={path}" for path in paths]
    found = weigh([unit], [*changes, NOTHING], lambda *_: None)
    assert not found.failures
    raw = [*written(unit, ["", *changes, NOTHING])]
    whole, *emptied, nothing = (
        sum((Counter(parser.sizes(schema.root, one)) for one in each), Counter[str]()) for each in raw
    )
    size = found.whole.sizes[unit.name].bytes
    assert size == sum(map(len, raw[0]))
    framing = len(raw[0]) * wire_parsers.envelope(unit.variant.id, len(schema.root.fields))
    assert size == framing + whole.total()
    for path, change, after in zip(paths, changes, emptied, strict=True):
        saved = size - found.parts[change].sizes[unit.name].bytes
        assert saved == whole.total() - after.total(), f"{unit.name} {path}"
        differing = {each for each in {*whole, *after} if whole[each] != after[each]}
        around = {each for each in differing if each.endswith(".") and path.startswith(each)}
        assert all(f"{each}.".startswith(f"{path}.") for each in differing - around), path
    left = found.parts[NOTHING].sizes[unit.name].bytes
    assert left == framing + nothing.total()
    saved = sum(size - found.parts[change].sizes[unit.name].bytes for change in changes if "." not in change)
    assert left == size - saved
    return Counter(path.count(".") for path in paths)


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
