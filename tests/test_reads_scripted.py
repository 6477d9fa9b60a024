"""Tests of partial reads in Python and JavaScript: the program of a schema with a few of the fields measures
on bytes that the program of the whole schema has encoded, while values change."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from tests.reads import (
    Read,
    catches_other_values,
    keeping,
    read_of,
    refuses_other_numbers,
    skip_unless_built,
    units_of,
)

from serbench.building.prepare import prepare_builds
from serbench.dataset.edits import Edit, write_edits
from serbench.dataset.file import join_messages
from serbench.errors import RunnerError
from serbench.languages import languages
from serbench.languages.base import BuildOrder
from serbench.measure import judging
from serbench.measure.job import Job
from serbench.measure.process import option_words
from serbench.measure.unit import Unit
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.workload import load_workloads, parse_workload

pytestmark = pytest.mark.native

WORKLOAD = "nobid:count=8"
KEEP = "keep=app_name,res_time,spot.name,tags"

FROM_BYTES = ("decode:reuse", "deserialize:fresh")
READS = ("read:reuse", "read:fresh", *FROM_BYTES)
READERS = {
    "python/protobuf": READS,
    "python/msgspec:json_dataclass": READS,
    "javascript/flatbuffers": READS,
    "javascript/protobufjs:static": READS,
}
"""Codec → its cells that start from bytes. The last one cannot traverse the library's objects, so `read`
sums the domain object."""

UNSEEN = """
import { Options } from "%(source)s/options.js";
import { Operations } from "%(source)s/operations.js";
import { givenBodies } from "%(source)s/edits.js";
import { Unseen } from "%(source)s/unseen.js";

function slow(bytes) {
  let sum = 0;
  for (let n = 0; n < 100_000; ++n) sum = (31 * sum + bytes[n %% bytes.length]) | 0;
  return sum;
}

const known = new Map();
const decoders = {
  honest: slow,
  remembering(bytes) {
    const key = bytes.toString("latin1");
    if (!known.has(key)) known.set(key, slow(bytes));
    return known.get(key);
  },
};

const options = Options.parse(process.argv.slice(3));
const messages = Array.from({ length: 8 }, () => Buffer.from("a message"));
const adapter = {
  Encoder: class {
    encode = () => { throw new Error("it encodes"); };
  },
  Decoder: class {
    decode = decoders[process.argv[2]];
  },
};
const domain = { read: (reader) => reader.take(9), sum: (sum) => sum };
const operations = new Operations({ adapter, domain });
operations.load(messages, givenBodies(options, messages));
try {
  new Unseen(operations, messages, options).check("read", "reuse");
  console.log("not suspected");
} catch (error) {
  console.log(error.suspected ?? String(error));
}
"""
"""A program that compares passes of a decoder over given bytes, and prints the cell that it suspects."""


@pytest.fixture(scope="module", name="units")
def units_by_codec() -> dict[str, tuple[Unit, Unit]]:
    """Codec → the unit of the whole schema, and that of the schema with a few of the fields."""
    return units_of([*READERS], WORKLOAD, KEEP)


@pytest.fixture(params=READERS, name="read")
def a_partial_read(
    units: dict[str, tuple[Unit, Unit]], request: pytest.FixtureRequest, tmp_path: Path
) -> Read:
    whole, reader = units[request.param]
    skip_unless_built((whole, reader))
    return read_of(whole, reader, keeping(KEEP, whole), tmp_path)


def test_bytes_of_the_whole_schema_are_read_while_values_change(read: Read) -> None:
    cells = [*READERS[read.reader.variant.id], "serialize:reuse"]
    assert not read.measured(read.bodies, cells)
    found = [(record.cell, record.message, record.edits) for record in read.records()]
    assert all(one != next for one, next in pairwise(found)), "nothing changed between two looks"
    in_force = {(cell, len(edits)) for cell, _, edits in found}
    assert {count for _, count in in_force} <= {0, 1}
    assert {cell for cell, count in in_force if count} == set(cells)


def test_a_runner_checks_itself_on_given_bytes(read: Read) -> None:
    watches = not read.reader.variant.codec.traits.quick_looks
    cells = READERS[read.reader.variant.id] if watches else ()
    assert not read.checked(read.bodies, read.edits, cells)
    assert not {record.cell for record in read.records()} & {"serialize:reuse", "cycle:reuse"}
    assert not read.checked(read.bodies[: read.dataset.messages], None, ())


def test_bytes_of_other_values_are_caught(read: Read) -> None:
    """The body of each edit is that of the next one, so that it holds the values of another edit."""
    messages, edits = read.bodies[: read.dataset.messages], read.bodies[read.dataset.messages :]
    bodies = [*messages, *edits[1:], edits[0]]
    for cell in READERS[read.reader.variant.id][::2]:
        catches_other_values(read, bodies, cell)
    read.measured(bodies, ["deserialize:fresh"])
    known = judging._messages(str(read.dataset.path), str(read.edits))
    assert not [each for each in read.records() if each.edits and each.body == known.now(each)]


@pytest.mark.parametrize("more", [-1, 1])
def test_there_is_a_body_for_each_message_and_edit(read: Read, more: int) -> None:
    refuses_other_numbers(read, more, FROM_BYTES[0])


def test_results_that_are_remembered_by_given_bytes_are_suspected_in_python(tmp_path: Path) -> None:
    paths = Paths(PROJECT, Paths.default().home / "tricks")
    variant = load_variants(PROJECT / "tests" / "tricks" / "codecs")["python/tricks:by_content"]
    spec = parse_workload("monsters", load_workloads(paths.workloads))
    order = BuildOrder(paths, [variant.codec], [spec.workload])
    builds = list(languages()["python"].toolchains(order))
    (unit,) = prepare_builds(Job(paths, Chosen([variant], [spec]), builds))
    assert unit.status == "ok", unit.reason
    read = read_of(unit, unit, lambda message: message, tmp_path)
    with pytest.raises(RunnerError, match="times as long for new messages as for known ones") as found:
        read.measured(read.bodies, ["decode:reuse"])
    assert found.value.cell == "decode:reuse"


@pytest.mark.parametrize(("decoder", "said"), [("honest", "not suspected"), ("remembering", "read:reuse")])
def test_results_that_are_remembered_by_given_bytes_are_suspected_in_javascript(
    decoder: str, said: str, tmp_path: Path
) -> None:
    edits = [Edit(message, at, b"%c" % other) for message in range(8) for at in range(9) for other in b"0123"]
    write_edits(tmp_path / "edits", edits)
    bodies = [b"%d is other bytes" % number for number in range(8 + len(edits))]
    (tmp_path / "given").write_bytes(join_messages(bodies))
    source = PROJECT / "runners" / "javascript" / "src"
    (tmp_path / "unseen.mjs").write_text(UNSEEN % {"source": source})
    words = option_words(encoded=tmp_path / "given", edits=tmp_path / "edits")
    command = ["node", "--expose-gc", str(tmp_path / "unseen.mjs"), decoder, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{said}\n"
