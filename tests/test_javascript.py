"""Tests of JavaScript's runner and codecs: verified on small data, given wrong input, and measured by the
protocol."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.called import check_calls
from tests.support import (
    PATHS,
    SINGLE,
    SMALL,
    as_measured,
    is_first_of_format,
    skip_unless_in_matrix,
    small_spec,
    told_by,
)

from serbench.codecs.codec import Variant
from serbench.codecs.tolerance import Tolerance
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.edits import edits_beside
from serbench.languages.javascript.build import JavaScriptBuild
from serbench.measure.judging import Judge
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs, load_variants
from serbench.selecting.support import limits_of, why_unsupported
from serbench.verification.checks import find_checks
from serbench.verification.contract import verify

CODECS = [c for c in load_codecs(Paths.default().codecs).values() if c.language == "javascript"]
VARIANTS = {
    v.id: v for v in load_variants(Paths.default().codecs).values() if v.codec.language == "javascript"
}
MISSING = [program for program in ("node", "npm") if not shutil.which(program)]

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(bool(MISSING), reason=f"no program {' or '.join(MISSING)} on the path"),
]


@dataclass(frozen=True)
class Built:
    build: JavaScriptBuild
    whole: bool

    def unit(self, variant: Variant, workload: str) -> Unit:
        """The unit to verify; skips the test, with the reason, if the codec cannot do the workload or its
        packages cannot be installed."""
        spec = small_spec(workload)
        found = self.build.found[variant.codec.name]
        if reason := why_unsupported(variant, spec, PATHS) or found.missing:
            pytest.skip(f"{variant.id}: {reason}")
        failed = self.build.build([(variant, workload)], lambda *_: None)
        assert not failed, failed
        edge = edge_dataset_for(spec, PATHS, limits_of(variant, spec.workload.schema))
        command = self.build.command(variant, workload)
        return Unit(variant, spec, dataset_for(spec, PATHS), edge, command=command)


@pytest.fixture(name="javascript", scope="module")
def built(request: pytest.FixtureRequest) -> Built:
    workloads = [small_spec(name).workload for name in SMALL]
    build = JavaScriptBuild(PATHS, CODECS, workloads)
    build.configure()
    return Built(build, request.config.getoption("all"))


def run(unit: Unit, *words: str) -> tuple[int, list[dict[str, Any]]]:
    """Runs the unit's runner with these arguments; returns its exit status and the events that it printed."""
    done = subprocess.run([*unit.command, *words], capture_output=True, text=True, timeout=300)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("workload", SMALL)
@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda v: v.id)
def test_every_codec_is_verified(javascript: Built, variant: Variant, workload: str) -> None:
    skip_unless_in_matrix(variant, workload, javascript.whole)
    found = verify(as_measured(javascript.unit(variant, workload), javascript.whole))
    assert found.ok, found.reason
    assert found.size_bytes > 0 and found.edits


def test_single_calls_are_timed(javascript: Built, tmp_path: Path) -> None:
    unit = javascript.unit(VARIANTS["javascript/memcpy"], "monsters")
    check_calls(unit.command, str(unit.data.path), tmp_path)


def test_code_that_a_collection_throws_away_is_no_remembered_result(javascript: Built) -> None:
    """V8 drops a decoder's optimized code once all messages that it decoded have been garbage-collected. The
    next pass then takes 35 times as long, which verification must not take for remembered results."""
    unit = javascript.unit(VARIANTS["javascript/protobufjs:static"], "graph")
    spec = replace(unit.spec, parameters={**unit.spec.parameters, "nodes": 50})
    found = verify(replace(unit, spec=spec, data=dataset_for(spec, PATHS)))
    assert found.ok, found.reason


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda v: v.id)
def test_every_codec_checks_what_it_says_and_no_more(javascript: Built, variant: Variant) -> None:
    """The codec decodes broken messages and must make exactly the checks that ``checks`` of its codec.toml
    declares. Checks for which its format has no broken message are left out."""
    if variant.codec.floor:
        pytest.skip(f"{variant.id}: a floor decodes nothing")
    if not (is_first_of_format(variant) or javascript.whole):
        pytest.skip(f"{variant.id} is left to ./serbench test --all")
    found = find_checks(javascript.unit(variant, SINGLE))
    told = told_by(found, variant)
    if variant.format == "cbor":
        told.pop("enums", None)  # the bytes that are tried as numbers are of other types there
    assert variant.checks is not None, "codec.toml has no checks"
    assert told == {name: name in variant.checks for name in told}


def test_every_cell_that_is_asked_for_has_its_samples(javascript: Built, tmp_path: Path) -> None:
    """The runner measures each cell in a process of its own while values of the messages change, and must
    give all samples of every cell."""
    unit = javascript.unit(VARIANTS["javascript/builtin_json"], "monsters")
    cells = ["serialize:reuse", "build:fresh", "encode:reuse", "decode:fresh", "extract:reuse"]
    words = ["--samples", "2", "--iterations", "20", "--place", "7", "--edits", str(edits_beside(unit.data))]
    words += ["--cells", ",".join(cells), "--left", str(tmp_path / "left")]
    status, events = run(unit, "measure", "--dataset", str(unit.data.path), *words)
    assert status == 0, events
    samples = [event for event in events if event["event"] == "sample"]
    assert [f"{each['operation']}:{each['memory']}" for each in samples] == [
        cell for cell in cells for _ in range(2)
    ]
    assert all(each["iterations"] == 20 and each["elapsed_ns"] > 0 for each in samples)
    assert all(each["collections"] >= 0 and each["own_ns"] > 0 and each["left"] == 2 for each in samples)
    assert events[-1]["event"] == "done"


def test_threads_have_all_to_themselves_and_leave_what_they_have_to(
    javascript: Built, tmp_path: Path
) -> None:
    unit = javascript.unit(VARIANTS["javascript/handwritten"], "monsters")
    data, edits, left = str(unit.data.path), str(edits_beside(unit.data)), tmp_path / "left"
    words = ["--threads", "2", "--samples", "1", "--warmup-ns", "1", "--place", "7", "--edits", edits]
    words += ["--left", str(left), "--cells", "serialize:reuse,deserialize:fresh"]
    status, events = run(unit, "measure", "--dataset", data, *words)
    assert status == 0 and events[-1]["event"] == "done", events
    samples = [event for event in events if event["event"] == "sample"]
    assert [each["operation"] for each in samples] == ["serialize", "deserialize"]
    for each in samples:
        assert each["threads"] == each["left"] == 2 and each["warmups"] >= 2 and each["collections"] >= 0
        assert each["iterations"] > 2 and each["elapsed_ns"] >= 200_000_000 and each["own_ns"] > 0
    judge = Judge(unit.command, data, edits, Tolerance(), 60)
    told = {"serialize:reuse": 6, "deserialize:fresh": 6}  # two threads, two warm-ups and a sample
    assert judge.differing(left, told) == []
    assert judge.differing(left, {**told, "serialize:reuse": 7})


def test_what_a_thread_throws_is_told(javascript: Built, tmp_path: Path) -> None:
    unit = javascript.unit(VARIANTS["javascript/handwritten"], "monsters")
    (bodies := tmp_path / "bodies").write_bytes(b"")
    words = ["--threads", "2", "--cells", "decode:reuse", "--encoded", str(bodies)]
    status, events = run(unit, "measure", "--dataset", str(unit.data.path), *words)
    assert status == 1 and [each["event"] for each in events] == ["hello", "error"]
    assert "has 0 bodies; expected one for each of 1 messages" in events[-1]["message"]
    assert (events[-1]["kind"], events[-1]["by"]) == ("Error", "adapter")


def test_a_warm_cell_tells_what_a_pass_allocates(javascript: Built) -> None:
    unit = javascript.unit(VARIANTS["javascript/handwritten"], "monsters")
    words = ["--samples", "1", "--warmup-ns", "300000000", "--sample-ns", "1"]
    cells = ["--cells", "deserialize:reuse"]
    status, events = run(unit, "measure", "--dataset", str(unit.data.path), *cells, *words)
    assert status == 0, events
    (sample,) = (event for event in events if event["event"] == "sample")
    # Five monsters with their weapons and paths are some dozens of objects.
    assert 1_000 < sample["allocated_bytes_per_op"] < 100_000
    assert sample["elapsed_ns"] > 100_000_000 and sample["warmups"] >= 1 and not sample["settled"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["measure", "--dataset", "DATA", "--cells", "fly:reuse"], "this codec has no operation fly"),
        (
            ["measure", "--dataset", "DATA", "--cells", "encode"],
            "found cell 'encode', expected OPERATION:MEM",
        ),
        (["encode", "--dataset", "DATA"], "option --out is missing"),
        (["encode", "--dataset"], "found '--dataset', expected an option with a value"),
        (["check", "--dataset", "/dev/null"], "/dev/null is too short for a dataset"),
        (["fly"], "found command 'fly', expected describe"),
    ],
)
def test_what_cannot_be_done_is_said(javascript: Built, words: list[str], said: str) -> None:
    unit = javascript.unit(VARIANTS["javascript/handwritten"], "monsters")
    status, events = run(unit, *(str(unit.data.path) if word == "DATA" else word for word in words))
    assert status == 1
    assert events[-1]["event"] == "error" and said in events[-1]["message"]
