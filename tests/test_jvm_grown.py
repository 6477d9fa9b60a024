"""Tests of the type model's second edition on the JVM: domain types, canonical bytes, and the codecs that
know it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.called import check_calls
from tests.support import PATHS, TEST_WORKLOADS, all_workloads, asked_for
from tests.test_jvm import CODECS, MISSING, VARIANTS, Built

from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.canonical import encode
from serbench.languages.jvm.build import JvmBuild
from serbench.measure.unit import Unit
from serbench.model.types import MAX_DEPTH
from serbench.selecting.support import limits_of, why_unsupported
from serbench.verification.contract import verify
from serbench.workload import WorkloadSpec, load_workloads

GROWN = load_workloads(TEST_WORKLOADS / "grown")
KNOWING = {id: v for id, v in VARIANTS.items() if v.codec.type_model == 2}
OURS = VARIANTS["jvm/handwritten"]

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(bool(MISSING), reason=f"no program {' or '.join(MISSING)} on the path"),
]


@pytest.fixture(scope="module")
def grown(request: pytest.FixtureRequest) -> Iterator[Built]:
    """Codecs that know the type model's second edition: all of them with ``--all``, otherwise only the one
    without a library. They are built where test_jvm.py builds, so that their common part is compiled
    once."""
    whole = request.config.getoption("--all")
    variants = [v for v in asked_for(request.config) if v.id in KNOWING] if whole else [OURS]
    build = JvmBuild(PATHS, CODECS, list(all_workloads().values()))
    build.configure()
    built = Built(whole, build, {}, set())
    built.add([(v, name) for v in variants for name in GROWN])
    yield built


def test_single_calls_are_timed_with_the_flags_of_measuring(grown: Built, tmp_path: Path) -> None:
    name = next(iter(GROWN))
    data = dataset_for(WorkloadSpec(GROWN[name], {}), grown.build.paths)
    command = grown.build.calling(OURS, name, data.path)
    assert {*grown.build.flags.split()} <= {*command} and "-XX:TieredStopAtLevel=1" not in command
    check_calls(command, str(data.path), tmp_path)


@pytest.mark.parametrize("workload", GROWN)
@pytest.mark.parametrize("variant", KNOWING.values(), ids=lambda v: v.id)
def test_what_a_codec_says_that_it_can_do_it_does(grown: Built, variant: Any, workload: str) -> None:
    if variant is not OURS and not grown.whole:
        pytest.skip("left to ./serbench test --all")
    spec = WorkloadSpec(GROWN[workload], {})
    if reason := why_unsupported(variant, spec, grown.build.paths):
        pytest.skip(f"{variant.id}: {reason}")
    if not grown.build.found[variant.codec.name].installed:
        pytest.skip(f"{variant.id}: {grown.build.found[variant.codec.name].missing}")
    assert (variant.id, workload) not in grown.errors, grown.errors[variant.id, workload]
    edge = edge_dataset_for(spec, grown.build.paths, limits_of(variant, spec.workload.schema))
    command = grown.build.command(variant, workload)
    found = verify(Unit(variant, spec, dataset_for(spec, grown.build.paths), edge, command=command))
    assert found.ok, found.reason


def probed(built: Built, workload: str, messages: list[bytes], file: Path) -> list[str]:
    """The reasons why the runner refuses these messages; an empty text for each message that it accepts."""
    file.write_bytes(b"".join(len(each).to_bytes(4, "little") + each for each in messages))
    command = [*built.build.command(OURS, workload), "probe", "--encoded", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    answers = [e for e in map(json.loads, done.stdout.splitlines()) if e["event"] == "probed"]
    return ["" if answer["accepted"] else answer["reason"] for answer in answers]


def test_a_value_that_is_too_deep_is_an_error_and_no_overflow_of_the_stack(
    grown: Built, tmp_path: Path
) -> None:
    negated, number = bytes.fromhex("02000000"), bytes.fromhex("0000000007000000")
    root = GROWN["recursion"].schema.root
    no_twins = ([None, None],)
    flat = encode(
        root, ([], (0, None, None), ("", []), (0, {}), (0, 7), ("", None), (None,), (None, {}), no_twins)
    )
    before, found, after = flat.partition(number)
    assert found
    steps = (0, MAX_DEPTH, MAX_DEPTH + 1, 1_000_000, 0)
    refused = probed(
        grown,
        "recursion",
        [before + negated * each + number + after for each in steps],
        tmp_path / "messages",
    )
    said = "serbench.DecodeException: more than 1000 steps of recursion"
    assert refused == ["", "", said, said, ""]


def test_a_list_of_nothing_has_a_limit(grown: Built, tmp_path: Path) -> None:
    schema = GROWN["kinds"].schema
    empty = next(iter(GROWN["kinds"].generate()))
    some = [field.name for field in schema.root.fields[0].type.fields].index("some")

    def message(count: int) -> bytes:
        empties = list(empty[0])
        empties[some] = [()] * count
        return encode(schema.root, (tuple(empties), *empty[1:]))

    refused = probed(grown, "kinds", [message(1 << 16), message((1 << 16) + 1)], tmp_path / "messages")
    assert refused == [
        "",
        "serbench.DecodeException: a count of 65537 items without content, expected at most 65536",
    ]


def test_an_alternative_that_there_is_not_is_refused(grown: Built, tmp_path: Path) -> None:
    root = GROWN["unions"].schema.root
    last = encode(root, ((8, None), None, [], {}, (0, 7)))
    wrong = bytes([10]) + last[1:]
    refused = probed(grown, "unions", [last, wrong], tmp_path / "messages")
    assert refused == ["", "serbench.DecodeException: a union Shape has the alternative 10"]
