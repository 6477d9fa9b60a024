"""Tests of the real codecs of C++ and C on small data: built, verified, and given bytes that they must
refuse."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.called import check_calls
from tests.support import (
    NATIVE,
    SMALL,
    Native,
    as_measured,
    skip_unless_in_matrix,
    small_spec,
    told_by,
    why_not,
    workload_for,
)

from serbench.codecs.codec import Variant
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.edits import edits_beside
from serbench.dataset.file import split_messages
from serbench.languages.cpp.build import CppBuild
from serbench.measure.conversation import Samples
from serbench.measure.judging import Differing, judged
from serbench.measure.process import measuring_words, run_runner
from serbench.measure.said import Event, SampleSaid
from serbench.paths import Paths
from serbench.selecting.catalogue import load_variants
from serbench.verification.checks import find_checks
from serbench.verification.contract import verify
from serbench.verification.hostile import withstand
from serbench.verification.watching import judge_of
from serbench.workload import load_workloads, parse_workload

pytestmark = pytest.mark.native

VARIANTS = {v.id: v for v in load_variants(Paths.default().codecs).values() if v.codec.language in NATIVE}

# Sizes that the published benchmarks had and that every machine must give (docs/published-comparison.md).
PUBLISHED_SIZES = {
    ("cpp/boost", "record:ids=small"): 17470,
    ("cpp/boost", "record:ids=mixed"): 17470,
    ("cpp/boost", "monsters"): 11037,
    ("cpp/cereal", "record:ids=small"): 17416,
    ("cpp/cereal", "record:ids=mixed"): 17416,
    ("cpp/cereal", "monsters"): 10413,
    ("cpp/flatbuffers", "record:ids=small"): 17632,
    ("cpp/flatbuffers", "record:ids=mixed"): 17632,
    ("cpp/handwritten:checked", "monsters"): 10413,
    ("cpp/handwritten:unsafe", "monsters"): 10413,
    ("cpp/iostream", "monsters"): 8413,
    ("cpp/msgpack:default", "record:ids=small"): 11802,
    ("cpp/msgpack:default", "monsters"): 8857,
    ("cpp/msgpack:old", "record:ids=small"): 11902,
    ("cpp/protobuf:default", "record:ids=small"): 11574,
    ("cpp/protobuf:arena", "record:ids=small"): 11574,
    ("cpp/protobuf_proto2", "record:ids=small"): 12571,
    ("cpp/thrift:binary", "record:ids=small"): 17017,
    ("cpp/thrift:binary", "record:ids=mixed"): 17017,
    ("cpp/thrift:compact", "record:ids=small"): 11597,
    ("cpp/avro", "record:ids=small"): 11695,
    ("cpp/avro_c", "record:ids=small"): 11695,
    ("cpp/hpx:plain", "record:ids=small"): 17441,
    ("cpp/hpx:plain", "record:ids=mixed"): 17441,
    ("cpp/mpi", "record:ids=small"): 17008,
    ("cpp/mpi", "record:ids=mixed"): 17008,
    ("cpp/bitsery:general", "monsters"): 6913,
    ("cpp/bitsery:brief_syntax", "monsters"): 6913,
    ("cpp/bitsery:verbose_syntax", "monsters"): 6913,
    ("cpp/bitsery:compatibility", "monsters"): 7113,
    ("cpp/bitsery:fixed_buffer", "monsters"): 6913,
    ("cpp/bitsery:stream", "monsters"): 6913,
    ("cpp/bitsery:unsafe_read", "monsters"): 6913,
    ("cpp/yas:general", "record:ids=small"): 17416,
    ("cpp/yas:general", "monsters"): 10463,
    ("cpp/yas:compacted", "monsters"): 7315,
    ("cpp/yas:stream", "monsters"): 10463,
    ("c/msgpack:zone", "record:ids=small"): 11802,
    ("c/msgpack:zone", "monsters"): 8857,
    ("c/protobuf_c:heap", "record:ids=small"): 12571,
    ("cpp/zpp_bits:general", "monsters"): 8413,
    ("cpp/zpp_bits:fixed_buffer", "monsters"): 8413,
}


def run(native: Native, variant: Variant, workload: str, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    """Runs the runner of a variant and a workload with these arguments; returns its exit status and the
    events that it printed."""
    if reason := why_not(variant.id, workload):
        pytest.skip(f"{variant.id}: {reason}")
    unit = native.unit(variant, workload)
    assert unit.status == "ok", unit.reason
    done = subprocess.run([*unit.command, *arguments], capture_output=True, text=True, timeout=120)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("workload", SMALL)
@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda v: v.id)
def test_every_codec_keeps_the_timing_contract(native: Native, variant: Variant, workload: str) -> None:
    if reason := why_not(variant.id, workload):
        unit = native.unit(variant, workload)
        assert (unit.status, unit.reason) == ("unsupported", reason)
        return
    skip_unless_in_matrix(variant, workload, native.whole)
    unit = native.unit(variant, workload)
    assert unit.status == "ok", unit.reason
    found = verify(as_measured(unit, native.whole))
    assert found.ok, found.reason
    assert found.size_bytes > 0


@pytest.mark.parametrize(("variant", "workload"), [pair for pair in PUBLISHED_SIZES if pair[0] in VARIANTS])
def test_sizes_are_the_published_ones(native: Native, variant: str, workload: str, tmp_path: Path) -> None:
    spec = parse_workload(workload, load_workloads(native.paths.workloads))
    skip_unless_in_matrix(VARIANTS[variant], spec.workload.name, native.whole)
    data = dataset_for(spec, native.paths)
    out = tmp_path / "encoded"
    status, events = run(
        native,
        VARIANTS[variant],
        spec.workload.name,
        "encode",
        "--dataset",
        str(data.path),
        "--out",
        str(out),
    )
    assert status == 0 and events[-1]["event"] == "done"
    assert out.stat().st_size - 4 * data.messages == PUBLISHED_SIZES[variant, workload]


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda v: v.id)
def test_a_layout_writes_what_the_verified_program_writes(
    native: Native, variant: Variant, tmp_path: Path
) -> None:
    build = native.builds[variant.codec.language]
    if build.layouts is None:
        pytest.skip(f"the toolchain of {build.language} has no layouts")
    if build.language == "rust" and not (variant.popular or native.whole):
        pytest.skip("a layout of Rust is linked as those of others are: ./serbench test --all")
    workload = workload_for(variant, native.whole)
    unit = native.unit(variant, workload)
    assert unit.status == "ok", unit.reason
    linked = build.layouts.link_layouts([(variant, workload)], 1, lambda *_: None)[variant.id, workload]
    assert not isinstance(linked, str), linked
    data = dataset_for(small_spec(workload), native.paths)

    def written(command: Sequence[str]) -> bytes:
        arguments = ("encode", "--dataset", str(data.path), "--out", str(tmp_path / "encoded"))
        subprocess.run([*command, *arguments], check=True, capture_output=True, timeout=120)
        return (tmp_path / "encoded").read_bytes()

    (layout,) = linked
    own, other = written(unit.command), written(layout)
    if own != other:  # the library writes maps in another order in each process
        assert own != written(unit.command) and sorted(own) == sorted(other)


@pytest.mark.parametrize("workload", SMALL)
def test_cpp_and_python_write_the_same_canonical_bytes(native: Native, workload: str, tmp_path: Path) -> None:
    """The codec iostream encodes by code of its own; the runner writes, by reflection, the values that memcpy
    decoded. Both must give the bytes that Python writes."""
    skip_unless_in_matrix(VARIANTS["cpp/iostream"], workload, native.whole)
    for dataset in (
        dataset_for(small_spec(workload), native.paths),
        edge_dataset_for(small_spec(workload), native.paths),
    ):
        encoded, decoded = tmp_path / "encoded", tmp_path / "decoded"
        assert (
            run(
                native,
                VARIANTS["cpp/iostream"],
                workload,
                "encode",
                "--dataset",
                str(dataset.path),
                "--out",
                str(encoded),
            )[0]
            == 0
        )
        assert encoded.read_bytes() == dataset.body()
        files = ("--encoded", str(encoded), "--out", str(decoded))
        assert run(native, VARIANTS["cpp/memcpy"], workload, "decode", *files)[0] == 0
        assert decoded.read_bytes() == dataset.body()


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda v: v.id)
def test_every_offered_operation_gives_samples(native: Native, variant: Variant) -> None:
    workload = workload_for(variant, native.whole)
    data = dataset_for(small_spec(workload), native.paths)
    _, (hello, *_) = run(native, variant, workload, "describe")
    cells = [f"{operation}:{memory}" for operation in hello["operations"] for memory in ("reuse", "fresh")]
    options = ("--sample-ns", "100000", "--samples", "2", "--cells", ",".join(cells))
    status, events = run(native, variant, workload, "measure", "--dataset", str(data.path), *options)
    assert status == 0
    samples = [e for e in events if e["event"] == "sample"]
    assert [f"{s['operation']}:{s['memory']}" for s in samples] == [unit for unit in cells for _ in range(2)]
    assert all(s["iterations"] > 0 and s["elapsed_ns"] > 0 for s in samples)


@pytest.mark.parametrize("variant", ["cpp/handwritten:checked", "cpp/protobuf:default", "c/msgpack:zone"])
def test_values_change_alike_for_all_operations_of_a_process(native: Native, variant: str) -> None:
    """An operation must start from the values as the edits of the operation before have left them."""
    unit = native.unit(VARIANTS[variant], "every_kind")
    assert unit.status == "ok", unit.reason
    cells = [
        f"{name}:reuse" for name in ("serialize", "traverse", "encode", "decode", "roundtrip", "deserialize")
    ]
    edits = edits_beside(unit.edge)
    assert edits
    for place in range(6 if native.whole else 2):
        words = measuring_words(unit.edge.path, cells, 1, 3, place, edits, iterations=60)

        def measured(further: Sequence[str], words: Sequence[str] = words) -> Iterator[Event]:
            command = [*unit.command, *words, *further]
            return run_runner(command, Samples(cells, 3), silence_limit_s=unit.silence_limit_s)

        said = list(judged(judge_of(unit, unit.edge, edits), measured))
        assert not [each for each in said if isinstance(each, Differing)]
        assert {each.cell for each in said if isinstance(each, SampleSaid) and each.left} == set(cells)


@pytest.mark.parametrize(
    "variant", [v for v in VARIANTS.values() if v.name not in ("unsafe", "unsafe_read")], ids=lambda v: v.id
)
def test_truncated_bytes_are_refused(native: Native, variant: Variant, tmp_path: Path) -> None:
    """Decoding the first half of an encoded message must give an error."""
    workload = workload_for(variant, native.whole)
    data = dataset_for(small_spec(workload), native.paths)
    encoded, decoded = tmp_path / "encoded", tmp_path / "decoded"
    assert (
        run(native, variant, workload, "encode", "--dataset", str(data.path), "--out", str(encoded))[0] == 0
    )
    whole = max(split_messages(encoded.read_bytes()), key=len)
    half = bytes(whole[: len(whole) // 2])
    encoded.write_bytes(len(half).to_bytes(4, "little") + half)
    status, events = run(
        native, variant, workload, "decode", "--encoded", str(encoded), "--out", str(decoded)
    )
    assert status == 1
    assert events[-1]["event"] == "error" and events[-1]["message"]


def test_a_runner_refuses_what_is_not_its_dataset(native: Native, tmp_path: Path) -> None:
    variant = VARIANTS["cpp/cereal"]
    data = dataset_for(small_spec("monsters"), native.paths)
    whole = data.path.read_bytes()
    other = dataset_for(small_spec("record"), native.paths).path
    damaged = {
        "is too short for a dataset": whole[:50],
        "is no dataset": b"SOMETHING" + whole[9:],
        "has version 7": whole[:8] + (7).to_bytes(4, "little") + whole[12:],
        "its header promises": whole[:-1],
        "has the schema": other.read_bytes(),
    }
    for said, content in damaged.items():
        path = tmp_path / "damaged"
        path.write_bytes(content)
        status, events = run(native, variant, "monsters", "check", "--dataset", str(path))
        assert status == 1 and said in events[-1]["message"], said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no command; expected describe, measure, calls, encode, decode, relay, update, probe or check"),
        (("dance",), "dance needs --dataset"),
        (("measure", "--dataset"), "expected --NAME VALUE, found --dataset"),
        (("encode",), "encode needs --dataset"),
    ],
)
def test_a_runner_says_what_is_wrong_with_its_command_line(
    native: Native, arguments: tuple[str, ...], said: str
) -> None:
    status, events = run(native, VARIANTS["cpp/memcpy"], "monsters", *arguments)
    assert status == 1 and (events[-1]["event"], events[-1]["message"]) == ("error", said)


@pytest.mark.parametrize("language", sorted(NATIVE))
def test_single_calls_are_timed(native: Native, language: str, tmp_path: Path) -> None:
    data = str(dataset_for(small_spec("monsters"), native.paths).path)
    check_calls(native.unit(VARIANTS[f"{language}/memcpy"], "monsters").command, data, tmp_path)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda v: v.id)
def test_every_codec_checks_what_it_says_and_no_more(native: Native, variant: Variant) -> None:
    """The codec decodes broken messages and must make exactly the checks that ``checks`` of its codec.toml
    declares. Checks for which its format has no broken message are left out."""
    if variant.codec.floor:
        pytest.skip(f"{variant.id}: a floor decodes nothing")
    workload = workload_for(variant, native.whole)
    unit = native.unit(variant, workload)
    assert unit.status == "ok", unit.reason
    found = find_checks(unit)
    told = told_by(found, variant)
    assert variant.checks is not None, "codec.toml has no checks"
    assert told == {name: name in variant.checks for name in told}


FED_ALWAYS = ("cpp/handwritten:checked", "cpp/iostream", "cpp/protobuf:default", "c/protobuf_c:heap")


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda v: v.id)
def test_every_codec_does_the_harm_that_it_declares_and_no_other(
    native: Native, variant: Variant, tmp_path: Path
) -> None:
    """Each codec gets the first half of the hostile messages of ``verify --hostile``, and must do only the
    harm that ``hostile`` of its codec.toml declares."""
    if not native.whole and variant.id not in FED_ALWAYS:
        pytest.skip("feeding takes up to a minute a codec: ./serbench test --all")
    if reason := why_not(variant.id, "monsters"):
        pytest.skip(f"{variant.id}: {reason}")
    declared = set(variant.hostile or ())
    done = _harm(native, variant, "monsters", tmp_path)
    if declared and not done:  # it may take recursion
        done = _harm(native, variant, "everything", tmp_path)
    assert set(done) <= declared, done
    # Which of them shows may depend on what lies behind a message in memory, and a hang on how fast the
    # machine is.
    assert done or declared <= {"hang"}, f"declared, but not done: {declared}"


def _harm(native: Native, variant: Variant, workload: str, folder: Path) -> dict[str, tuple[str, str]]:
    """Each harm that hostile messages do to a codec's process → its reason, and the beginning of the message
    that did it."""
    unit = native.unit(variant, workload)
    assert unit.status == "ok", unit.reason
    found = withstand(unit, Paths(native.paths.project, folder), lambda *_: None, inputs=500)
    return {finding.harm: (finding.reason, finding.message[:64].hex()) for finding in found.findings}


@pytest.mark.skipif(bool(shutil.which("ccache")), reason="ccache keeps what measures itself")
def test_what_measures_is_compiled_once_for_all_languages(native: Native) -> None:
    shared, linked = native.paths.builds / "shared", set()
    for language in ("c", "cpp", "rust"):
        build = native.builds[language]
        assert isinstance(build, CppBuild)
        if not (build.directory / "libserbench_runner.a").exists():  # none of its codecs was asked for
            continue
        archive = (build.directory / "libserbench_runner.a").read_bytes()
        names = {*re.findall(r"/shared/(\w+/\w+\.o)", (build.directory / "build.ninja").read_text())}
        assert len(names) == 2 and all((shared / name).read_bytes() in archive for name in names)
        linked |= names
    assert len(linked) == 2
