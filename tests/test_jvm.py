"""Tests of the real JVM codecs on small data: built, verified, measured under JMH, and given bytes that they
must refuse."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.support import (
    PATHS,
    SMALL,
    all_workloads,
    as_measured,
    asked_for,
    in_matrix,
    skip_unless_in_matrix,
    small_spec,
    told_by,
    why_not,
    workload_for,
)

from serbench.codecs.codec import Codec, Variant
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.file import join_messages, split_messages
from serbench.errors import SerbenchError, SetupError
from serbench.languages.jvm import build as maven
from serbench.languages.jvm.build import JvmBuild
from serbench.languages.jvm.options import MavenOptions
from serbench.languages.jvm.programs import jdk_version
from serbench.measure.conversation import Answers
from serbench.measure.process import run_runner
from serbench.measure.said import Hello
from serbench.measure.unit import Unit
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codec, load_codecs, load_variants
from serbench.selecting.support import limits_of
from serbench.verification.checks import find_checks
from serbench.verification.contract import verify

CODECS = [c for c in load_codecs(Paths.default().codecs).values() if c.language == "jvm"]
VARIANTS = {v.id: v for v in load_variants(Paths.default().codecs).values() if v.codec.language == "jvm"}
MISSING = [program for program in ("java", "javac", "mvn") if not shutil.which(program)]

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(bool(MISSING), reason=f"no program {' or '.join(MISSING)} on the path"),
]


@dataclass(frozen=True)
class Built:
    whole: bool
    build: JvmBuild
    errors: dict[tuple[str, str], str]
    made: set[tuple[str, str]]

    def add(self, wanted: list[tuple[Variant, str]]) -> None:
        self.errors.update(self.build.build(wanted, lambda *_: None))
        self.made.update((variant.id, workload) for variant, workload in wanted)

    def command(self, variant: Variant, workload: str) -> tuple[str, ...]:
        """The command that starts the runner of a variant and workload, which is built first. Skips the test,
        with the reason, if they are unsupported or the codec's library cannot be installed."""
        if reason := why_not(variant.id, workload):
            pytest.skip(f"{variant.id}: {reason}")
        found = self.build.found[variant.codec.name]
        if not found.installed:
            pytest.skip(f"{variant.id}: {found.missing}")
        if (variant.id, workload) not in self.made:
            self.add([(variant, workload)])
        assert (variant.id, workload) not in self.errors, self.errors[variant.id, workload]
        return self.build.command(variant, workload)

    def run(self, variant: Variant, workload: str, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
        """Runs a runner with these arguments; returns its exit status and the events that it printed."""
        done = subprocess.run(
            [*self.command(variant, workload), *arguments], capture_output=True, text=True, timeout=300
        )
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def jvm(request: pytest.FixtureRequest) -> Iterator[Built]:
    """Builds all codecs of the JVM that the tests of this module use, once, with small workloads; the builds
    are kept from one test run to the next."""
    build = JvmBuild(PATHS, CODECS, list(all_workloads().values()))
    build.configure()
    built = Built(request.config.getoption("all"), build, {}, set())
    asked = [v for v in asked_for(request.config) if v.id in VARIANTS]
    built.add([(v, w) for v in asked for w in SMALL if in_matrix(v, w, built.whole)])
    yield built


@pytest.mark.parametrize("workload", SMALL)
@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda v: v.id)
def test_every_codec_keeps_the_timing_contract(jvm: Built, variant: Variant, workload: str) -> None:
    skip_unless_in_matrix(variant, workload, jvm.whole)
    command = jvm.command(variant, workload)
    spec = small_spec(workload)
    edge = edge_dataset_for(spec, jvm.build.paths, limits_of(variant, spec.workload.schema))
    unit = Unit(variant, spec, dataset_for(spec, jvm.build.paths), edge, command=command)
    found = verify(as_measured(unit, jvm.whole))
    assert found.ok, found.reason
    assert found.size_bytes > 0


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda v: v.id)
def test_every_codec_checks_what_it_says_and_no_more(jvm: Built, variant: Variant) -> None:
    """The codec decodes broken messages and must make exactly the checks that ``checks`` of its codec.toml
    declares. Checks for which its format has no broken message are left out."""
    if variant.codec.floor:
        pytest.skip(f"{variant.id}: a floor decodes nothing")
    workload = workload_for(variant, jvm.whole)
    command, spec = jvm.command(variant, workload), small_spec(workload)
    data = dataset_for(spec, jvm.build.paths)
    told = told_by(find_checks(Unit(variant, spec, data, data, command=command)), variant)
    assert variant.checks is not None, "codec.toml has no checks"
    assert told == {name: name in variant.checks for name in told}


@pytest.mark.parametrize("workload", SMALL)
def test_the_jvm_and_python_write_the_same_canonical_bytes(jvm: Built, workload: str, tmp_path: Path) -> None:
    spec, variant = small_spec(workload), VARIANTS["jvm/handwritten"]
    skip_unless_in_matrix(variant, workload, jvm.whole)
    for dataset in (dataset_for(spec, jvm.build.paths), edge_dataset_for(spec, jvm.build.paths)):
        encoded, decoded = tmp_path / "encoded", tmp_path / "decoded"
        assert (
            jvm.run(variant, workload, "encode", "--dataset", str(dataset.path), "--out", str(encoded))[0]
            == 0
        )
        assert encoded.read_bytes() == dataset.body()
        assert jvm.run(variant, workload, "decode", "--encoded", str(encoded), "--out", str(decoded))[0] == 0
        assert decoded.read_bytes() == dataset.body()


def test_every_offered_operation_gives_samples(jvm: Built) -> None:
    """Only one codec is measured, with all its operations, since each JVM takes seconds to start."""
    variant, spec = VARIANTS["jvm/handwritten"], small_spec("graph")
    data = dataset_for(spec, jvm.build.paths)
    _, (hello, *_) = jvm.run(variant, "graph", "describe")
    parts = {"encode", "decode", "traverse", "walk", "decode_traverse", "decode_walk", "read"}
    assert set(hello["operations"]) == parts | {
        "serialize",
        "deserialize",
        "roundtrip",
        "native_roundtrip",
        "cycle",
    }
    assert "-XX:+UseSerialGC" in hello["jvm"]
    cells = [
        f"{operation}:{'reuse' if n % 2 else 'fresh'}" for n, operation in enumerate(hello["operations"])
    ]
    options = ("--warmup-ns", "1000000", "--samples", "2", "--cells", ",".join(cells))
    status, events = jvm.run(variant, "graph", "measure", "--dataset", str(data.path), *options)
    assert (status, events[-1]["event"]) == (0, "done")
    samples = [e for e in events if e["event"] == "sample"]
    assert [f"{s['operation']}:{s['memory']}" for s in samples] == [cell for cell in cells for _ in range(2)]
    assert all(s["iterations"] > 0 and s["elapsed_ns"] >= 150_000_000 for s in samples)
    disturbances = ("involuntary_switches", "waited_ns", "page_faults", "stolen_ns")
    assert all(isinstance(s[name], int) and s[name] >= -1 for s in samples for name in disturbances)
    assert all(
        s["allocated_bytes_per_op"] > 0 for s in samples if s["operation"] in ("decode", "deserialize")
    )


def test_a_number_of_passes_is_kept_exactly(jvm: Built) -> None:
    variant, data = VARIANTS["jvm/memcpy"], dataset_for(small_spec("monsters"), jvm.build.paths)
    options = ("--iterations", "1234", "--samples", "1", "--cells", "serialize:reuse")
    _, events = jvm.run(variant, "monsters", "measure", "--dataset", str(data.path), *options)
    (sample,) = [e for e in events if e["event"] == "sample"]
    assert (sample["iterations"], sample["warmups"]) == (1234, 0)
    # A pass copies a kilobyte: the whole batch lasts longer than one pass could.
    assert sample["elapsed_ns"] > 1234 * 10


def test_what_cannot_be_measured_is_an_error(jvm: Built) -> None:
    """The runner must give an error, unlike JMH, which exits with success if a benchmark throws or none
    matches."""
    variant, data = VARIANTS["jvm/memcpy"], dataset_for(small_spec("monsters"), jvm.build.paths)
    dataset = ("--dataset", str(data.path))
    for cells, said in {
        "walk:reuse": "this codec has no operation walk",
        "encode:sometimes": "found memory policy 'sometimes', expected reuse or fresh",
        "encode": "found cell 'encode', expected OPERATION:MEMORY",
    }.items():
        status, events = jvm.run(variant, "monsters", "measure", *dataset, "--cells", cells)
        assert status == 1 and (events[-1]["event"], events[-1]["message"]) == ("error", said)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda v: v.id)
def test_truncated_bytes_are_refused(jvm: Built, variant: Variant, tmp_path: Path) -> None:
    workload = workload_for(variant, jvm.whole)
    data = dataset_for(small_spec(workload), jvm.build.paths)
    encoded, decoded = tmp_path / "encoded", tmp_path / "decoded"
    assert jvm.run(variant, workload, "encode", "--dataset", str(data.path), "--out", str(encoded))[0] == 0
    whole = max(split_messages(encoded.read_bytes()), key=len)
    half = bytes(whole[: len(whole) // 2])
    encoded.write_bytes(len(half).to_bytes(4, "little") + half)
    status, events = jvm.run(variant, workload, "decode", "--encoded", str(encoded), "--out", str(decoded))
    assert status == 1
    assert events[-1]["event"] == "error" and events[-1]["message"]


def test_a_runner_refuses_what_is_not_its_dataset(jvm: Built, tmp_path: Path) -> None:
    variant = VARIANTS["jvm/handwritten"]
    whole = dataset_for(small_spec("monsters"), jvm.build.paths).path.read_bytes()
    damaged = {
        "is too short for a dataset": whole[:50],
        "is no dataset": b"SOMETHING" + whole[9:],
        "has version 7": whole[:8] + (7).to_bytes(4, "little") + whole[12:],
        "its header promises": whole[:-1],
        "has the schema": dataset_for(small_spec("record"), jvm.build.paths).path.read_bytes(),
    }
    for said, content in damaged.items():
        path = tmp_path / "damaged"
        path.write_bytes(content)
        status, events = jvm.run(variant, "monsters", "check", "--dataset", str(path))
        assert status == 1 and said in events[-1]["message"], said


COMMANDS = "describe, measure, calls, encode, decode, relay, probe or check"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), f"no command; expected {COMMANDS}"),
        (("dance",), f"found command 'dance', expected {COMMANDS}"),
        (("measure", "--dataset"), "expected --NAME VALUE, found --dataset"),
        (("encode",), "encode needs --dataset"),
    ],
)
def test_a_runner_says_what_is_wrong_with_its_command_line(
    jvm: Built, arguments: tuple[str, ...], said: str
) -> None:
    status, events = jvm.run(VARIANTS["jvm/memcpy"], "monsters", *arguments)
    assert status == 1 and (events[-1]["event"], events[-1]["message"]) == ("error", said)


def test_an_error_that_programs_do_not_catch_is_harm(jvm: Built, tmp_path: Path) -> None:
    """Java's own serialization throws errors that programs do not catch: it allocates an array of any length,
    and reads nested arrays by recursion. The runner must report both as harm, and whose other errors are."""
    array_of_bytes = bytes.fromhex("aced0005 7572 00025b42 acf317f8060854e0 020000 7870 7fffffff")
    nested = bytes.fromhex("aced0005") + 100_000 * (
        bytes.fromhex("7572 0013")
        + b"[Ljava.lang.Object;"
        + bytes.fromhex("90ce589f1073296c 020000 7870 00000001")
    )
    text = bytes.fromhex("aced0005 74 0001 61")
    messages = tmp_path / "messages"
    messages.write_bytes(join_messages([array_of_bytes, array_of_bytes[:20], nested, text]))
    for limit in ((), ("--limit-ms", "10000")):
        words = ("monsters", "probe", "--encoded", str(messages), *limit)
        status, events = jvm.run(VARIANTS["jvm/java_io"], *words)
        probed = [event for event in events if event["event"] == "probed"]
        assert (status, [event.get("harm") for event in probed]) == (0, ["memory", None, "crash", None])
        assert [event["by"] for event in probed if not event.get("harm")] == ["library", "adapter"]


def test_an_unchanged_build_runs_nothing_and_keeps_its_command(
    jvm: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant = VARIANTS["jvm/memcpy"]
    again = JvmBuild(jvm.build.paths, CODECS, jvm.build.workloads)
    monkeypatch.setattr(JvmBuild, "_run_maven", lambda *_: pytest.fail("Maven was started"))
    monkeypatch.setattr(maven, "ASK_AGAIN_S", float("inf"))
    again.configure()
    assert again.build([(variant, "monsters")], lambda *_: None) == {}
    assert again.command(variant, "monsters") == jvm.command(variant, "monsters")


@pytest.fixture(name="home", scope="module")
def home_of_made_up_codecs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home in which the codecs that tests make up are built, so that their common part is compiled
    once."""
    return tmp_path_factory.mktemp("made up")


def _codec(tmp_path: Path, name: str, source: str, **changes: Any) -> Codec:
    """A made-up codec that equals ``memcpy`` but for ``changes`` and the source of its adapter."""
    folder = tmp_path / "codecs" / "jvm" / name
    folder.mkdir(parents=True)
    (folder / "Adapter.scala").write_text(source)
    like = next(c for c in CODECS if c.name == "memcpy")
    codec = replace(like, name=name, directory=folder, variants={}, **changes)
    variant = next(iter(like.variants.values()))
    return replace(codec, variants={"default": replace(variant, codec=codec)})


def test_one_codec_that_fails_disturbs_no_other(tmp_path: Path, home: Path) -> None:
    """A codec whose library or program does not exist is not available, one whose adapter does not compile
    has an error, and the others are built."""
    memcpy = next(c for c in CODECS if c.name == "memcpy")
    absent = _codec(tmp_path, "absent", "", options=MavenOptions(("serbench.nowhere:no-such-library:1.0",)))
    unequipped = _codec(tmp_path, "unequipped", "", options=MavenOptions(programs=("no-such-program",)))
    broken = _codec(
        tmp_path,
        "broken",
        "package serbench.codec\nclass MemcpyAdapter[Root](domain: Nothing) { nonsense }\n",
    )
    workload = all_workloads()["monsters"]
    build = JvmBuild(Paths(PROJECT, home), [memcpy, absent, unequipped, broken], [workload])
    build.configure()
    assert [name for name, found in build.found.items() if found.installed] == ["memcpy", "broken"]
    assert build.found["unequipped"].missing == "no program 'no-such-program' is on the path"
    assert build.found["absent"].missing == "Maven cannot resolve serbench.nowhere:no-such-library:1.0"
    variants = [c.variants["default"] for c in (memcpy, absent, broken)]
    variants[2] = replace(variants[2], codec=broken)
    errors = build.build([(v, "monsters") for v in variants], lambda *_: None)
    assert list(errors) == [("jvm/broken", "monsters")]
    assert (
        "Adapter.scala:2: " in errors["jvm/broken", "monsters"]
        and "://" not in errors["jvm/broken", "monsters"]
    )
    hello, *_ = run_runner([*build.command(variants[0], "monsters"), "describe"], Answers())
    assert isinstance(hello, Hello) and hello.codec == "jvm/memcpy"


def _built(tmp_path: Path, home: Path, name: str, source: str) -> Built:
    """Builds a codec whose adapter has the given source, for the workload ``monsters``."""
    codec = _codec(tmp_path, name, source)
    build = JvmBuild(Paths(PROJECT, home), [codec], [all_workloads()["monsters"]])
    build.configure()
    built = Built(False, build, {}, set())
    built.add([(replace(codec.variants["default"], codec=codec), "monsters")])
    assert built.errors == {}
    return built


COUNTING = """package serbench.codec
import serbench._

/** Tells at its end how many encoders and decoders it was asked for. */
class MemcpyAdapter[Root](domain: Domain[Root]) extends Adapter[Root, Root] {
  private var encoders, decoders = 0
  Runtime.getRuntime.addShutdownHook(new Thread(() => System.err.println(s"made: $encoders $decoders")))

  override def encoder(): Encoder[Root] = {
    encoders += 1
    root => {
      val out = new CanonicalWriter
      domain.encode(root, out)
      out.bytes
    }
  }

  override def decoder(): Decoder[Root] = {
    decoders += 1
    (bytes, _) => domain.decode(new CanonicalReader(bytes))
  }
}
"""


def test_fresh_renews_what_is_used_and_nothing_else(tmp_path: Path, home: Path) -> None:
    built = _built(tmp_path, home, "counting", COUNTING)
    (codec,) = built.build.codecs
    command = built.command(replace(codec.variants["default"], codec=codec), "monsters")
    data = dataset_for(small_spec("monsters"), built.build.paths)
    file = str(tmp_path / "encoded")

    def made(*arguments: str) -> tuple[int, ...]:
        """The numbers of encoders and of decoders that a runner makes with these arguments, less those that
        it makes for the command ``describe``."""
        counts = []
        for words in (("describe",), arguments):
            done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=300, check=True)
            counts.append([int(n) for n in done.stderr.rpartition("made: ")[2].split()])
        return tuple(after - before for before, after in zip(*counts, strict=True))

    encode = ("encode", "--dataset", str(data.path), "--out", file)
    decode = ("decode", "--encoded", file, "--out", str(tmp_path / "decoded"))
    assert made(*encode) == (1, 0)
    assert made(*encode, "--memory", "fresh") == (1 + data.messages, 0)
    assert made(*decode) == (0, 1)
    assert made(*decode, "--memory", "fresh") == (0, 1 + data.messages)


REFUSING = """package serbench.codec
import serbench._
class MemcpyAdapter[Root](domain: Domain[Root]) extends Adapter[Root, Root] {
  override def encoder(): Encoder[Root] = root => {
    val out = new CanonicalWriter
    domain.encode(root, out)
    out.bytes
  }
  override def decoder(): Decoder[Root] =
    (_, _) => throw new IllegalStateException("a number that is not finite")
}
"""


def test_an_error_in_a_fork_is_told_with_its_cause_and_costs_no_other_cell(
    tmp_path: Path, home: Path
) -> None:
    """The decoder refuses its input in the JVM that JMH started to measure it. The error must be printed, and
    cells that were measured before must keep their samples."""
    built = _built(tmp_path, home, "refusing", REFUSING)
    (codec,) = built.build.codecs
    command = built.command(replace(codec.variants["default"], codec=codec), "monsters")
    data = dataset_for(small_spec("monsters"), built.build.paths)
    options = ("--dataset", str(data.path), "--warmup-ns", "1000000", "--samples", "2")
    for cells, samples in (
        ("serialize:reuse,deserialize:reuse", 2),
        ("deserialize:reuse,serialize:reuse", 0),
    ):
        done = subprocess.run(
            [*command, "measure", *options, "--cells", cells], capture_output=True, text=True, timeout=300
        )
        _, *events = [json.loads(line) for line in done.stdout.splitlines()]
        assert [e.get("operation") for e in events] == ["serialize"] * samples + [None]
        assert done.returncode == 1 and events[-1]["event"] == "error"
        assert "a number that is not finite" in events[-1]["message"]


def test_a_dependency_is_three_words(tmp_path: Path) -> None:
    folder = tmp_path / "jvm" / "terse"
    folder.mkdir(parents=True)
    whole = (PROJECT / "codecs" / "jvm" / "memcpy" / "codec.toml").read_text()
    (folder / "codec.toml").write_text(
        whole + '[maven]\ndependencies = ["org.example:terse"]\nplugins = []\n'
    )
    with pytest.raises(SerbenchError) as raised:
        load_codec(folder / "codec.toml")
    said = str(raised.value)
    assert "maven.dependencies[0]: found 'org.example:terse', expected group:artifact:version" in said
    assert "maven.plugins: unknown; expected one of dependencies, moves, programs, scalac, sources" in said


def test_without_maven_the_packages_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    build = JvmBuild(Paths(PROJECT, tmp_path), CODECS, [])
    assert list(build.missing_packages()) == ["default-jdk-headless", "maven"]
    said = r"no program 'java' is on the path; get it: .*apt-get install default-jdk-headless"
    with pytest.raises(SetupError, match=said):
        build.configure()


def test_the_flags_of_a_run_are_those_of_the_forks(jvm: Built) -> None:
    _, (hello, *_) = jvm.run(VARIANTS["jvm/memcpy"], "monsters", "describe")
    assert jvm.build.flags.split() == hello["jvm"][1:]
    assert jdk_version() in jvm.build.describe()["compiler"]
