"""Tests of Python's runner: its events, what it refuses, and the checks that it makes; and of every codec of
Python, by verification."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import pytest
from tests.accusations import prepared
from tests.called import check_calls
from tests.support import (
    PATHS,
    SMALL,
    all_workloads,
    as_measured,
    is_first_of_format,
    small_spec,
    told_by,
    why_not,
)

from serbench.building.prepare import prepare_builds
from serbench.codecs.codec import Variant
from serbench.dataset.cache import dataset_for
from serbench.dataset.file import join_messages, split_messages
from serbench.languages.python.build import PythonBuild
from serbench.measure.job import Job
from serbench.paths import PROJECT
from serbench.selecting.catalogue import load_codecs, load_variants
from serbench.selecting.selection import Chosen
from serbench.verification.checks import find_checks
from serbench.verification.contract import verify

sys.path.append(str(PROJECT / "runners" / "python"))

from serbench_runner.cell import Cell
from serbench_runner.edits import become
from serbench_runner.errors import Refused, told
from serbench_runner.exact import require_exact
from serbench_runner.loops import compiled, operation_of

VARIANTS = [v for v in load_variants(PATHS.codecs).values() if v.codec.language == "python"]


@dataclass(slots=True)
class Point:
    x: int
    name: str
    others: list[int]


class Made:
    """An object that the fake codec below makes; the class counts how many of its objects are alive."""

    alive = 0
    most = 0

    def __init__(self, *_: object):
        Made.alive += 1
        Made.most = max(Made.most, Made.alive)

    def __del__(self) -> None:
        Made.alive -= 1


class OneObject:
    """A codec whose encode, decode, build and extract each make one new object and do nothing else."""

    encode = decode = build = extract = Made


@pytest.fixture(name="build", scope="module")
def made() -> PythonBuild:
    codecs = [c for c in load_codecs(PATHS.codecs).values() if c.language == "python"]
    build = PythonBuild(PATHS, codecs, list(all_workloads().values()))
    build.configure()
    return build


@pytest.fixture(name="command", scope="module")
def of_handwritten(build: PythonBuild) -> tuple[str, ...]:
    """Builds the handwritten codec for monsters; returns the command that starts its runner."""
    (variant,) = (v for v in VARIANTS if v.codec.name == "handwritten")
    assert build.build([(variant, "monsters")], lambda *_: None) == {}
    return build.command(variant, "monsters")


def said(command: tuple[str, ...], *words: str) -> list[dict[str, Any]]:
    done = subprocess.run([*command, *words], capture_output=True, text=True)
    events: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert (events[-1]["event"] == "done") == (done.returncode == 0)
    return events


def monsters() -> str:
    return str(dataset_for(small_spec("monsters"), PATHS).path)


def test_it_is_the_interpreter_itself_that_is_started(command: tuple[str, ...]) -> None:
    assert not Path(command[0]).is_symlink() and command[0].startswith("/")
    hello = said(command, "describe")[0]
    assert hello["protocol"] == 1 and hello["codec"] == "python/handwritten" and hello["edits"] is True
    assert {"serialize", "deserialize", "roundtrip", "traverse", "cycle"} <= set(hello["operations"])
    assert not {"build", "extract", "walk", "decode_fast"} & set(hello["operations"])


def test_single_calls_are_timed(command: tuple[str, ...], tmp_path: Path) -> None:
    check_calls(command, monsters(), tmp_path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["dance"], "found command 'dance', expected one of describe, measure"),
        (["measure", "--dataset"], "expected --NAME VALUE, found --dataset"),
        (["measure", "--dataset", "DATA"], "measure needs --cells"),
        (["measure", "--dataset", "DATA", "--cells", "serialize"], "found cell 'serialize', expected OPERA"),
        (["measure", "--dataset", "DATA", "--cells", "walk:reuse"], "this codec has no operation walk"),
        (["measure", "--dataset", "DATA", "--cells", "encode:new"], "found memory policy 'new', expected"),
        (["measure", "--dataset", "DATA", "--place", "x"], "found --place x, expected a whole number below"),
        (["decode", "--encoded", "OTHER", "--out", "OTHER.out"], "a message's length is cut off"),
        (["encode", "--dataset", "OTHER", "--out", "OTHER.out"], "is too short for a dataset"),
    ],
)
def test_what_is_wrong_is_told(
    command: tuple[str, ...], words: list[str], message: str, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"abc")
    words = [w.replace("DATA", monsters()).replace("OTHER", str(other)) for w in words]
    assert message in said(command, *words)[-1]["message"]


def test_of_a_group_of_errors_the_first_that_is_none_is_told() -> None:
    group = ExceptionGroup("while reading", [ExceptionGroup("a list", [KeyError("_type")]), ValueError("x")])
    assert told(group) == "KeyError: '_type'"
    assert told(Refused("no cell")) == "no cell"


@pytest.mark.parametrize(
    ("operation", "objects"),
    [("build", 1), ("encode", 1), ("serialize", 2), ("decode", 1), ("deserialize", 2), ("roundtrip", 4)],
)
def test_what_came_of_a_message_is_let_go_before_the_next(operation: str, objects: int) -> None:
    """A batch frees the result of each message before it begins the next, as a function that is called for
    each message would; it returns the last result."""
    cell = Cell(
        *("fake", "fake", ""), object, Made, bytes, id, None, OneObject, OneObject,
        methods=frozenset({"build", "extract"}), is_floor=False, only_reads=False, relays=True,
        origin=lambda error: "",
    )  # fmt: skip
    batch = compiled(cell, operation_of(cell, operation, "reuse"), [b"a", b"b", b"c"])
    Made.alive = Made.most = 0
    last = batch(2)
    assert isinstance(last, Made) and Made.most == objects


def test_a_dataset_of_another_schema_is_refused(command: tuple[str, ...]) -> None:
    path = str(dataset_for(small_spec("record"), PATHS).path)
    assert "this runner was built for" in said(command, "check", "--dataset", path)[-1]["message"]


def test_samples_have_what_a_sample_needs(command: tuple[str, ...]) -> None:
    options = ("--dataset", monsters(), "--iterations", "3", "--samples", "2", "--place", "7")
    events = said(command, "measure", *options, "--cells", "serialize:reuse,roundtrip:fresh")
    samples = [each for each in events if each["event"] == "sample"]
    cells = [(each["operation"], each["memory"]) for each in samples]
    assert cells == [("serialize", "reuse")] * 2 + [("roundtrip", "fresh")] * 2
    assert all(each["iterations"] == 3 and each["elapsed_ns"] > 0 for each in samples)
    assert all(each["waited_ns"] >= -1 and each["own_ns"] >= 0 for each in samples)


def test_hostile_messages_are_judged_one_by_one(command: tuple[str, ...], tmp_path: Path) -> None:
    out, broken = tmp_path / "encoded", tmp_path / "broken"
    said(command, "encode", "--dataset", monsters(), "--out", str(out))
    whole = out.read_bytes()[4:]
    broken.write_bytes(join_messages([whole, whole[:-1], whole + b"\0", b"\xff" * 8 + whole[8:], b""]))
    probed = [
        e for e in said(command, "probe", "--encoded", str(broken), "--limit-ms", "5000") if "message" in e
    ]
    assert [each["accepted"] for each in probed] == [True, False, False, False, False]
    assert not any("harm" in each for each in probed)


def test_a_compiler_that_pip_does_not_bring_is_named_where_it_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    codec = load_codecs(PATHS.codecs)["python/thrift"]
    build = PythonBuild(PATHS, [codec], [])
    monkeypatch.setenv("PATH", str(tmp_path))
    build.configure()
    assert build.found["thrift"].missing == "no program 'thrift' is on the path"
    (tmp_path / "thrift").touch(mode=0o755)
    build.configure()
    assert build.found["thrift"].installed


def test_an_object_becomes_another_where_it_lies() -> None:
    old, new = Point(1, "a", [1, 2]), Point(2, "b", [1, 3])
    others = old.others
    assert become(old, new) and old == new and old.others is others
    old_dict, new_dict = {"a": [1], "b": {"c": 2}}, {"a": [5], "b": {"c": 3}}
    inner = old_dict["b"]
    assert become(old_dict, new_dict) and old_dict == new_dict and old_dict["b"] is inner
    assert not become("a", "b")


def test_what_only_looks_like_a_value_is_none() -> None:
    class Text(str):
        pass

    require_exact([1, 2], list[int])
    require_exact({"a": None}, dict[str, int | None])
    require_exact(1, float)  # PEP 484
    with pytest.raises(Refused, match=r"the message\[1\] is of the class .*Text, expected str"):
        require_exact(["a", Text("b")], list[str])
    with pytest.raises(Refused, match=r"is of the class builtins.tuple, expected list"):
        require_exact((1,), list[int])
    with pytest.raises(Refused, match=r"is of the class builtins.bool, expected int"):
        require_exact(True, int)


class Inner(TypedDict):
    x: int
    y: str | None


class Message(TypedDict):
    inner: Inner | None


def test_a_dict_may_lack_optional_keys_and_have_others() -> None:
    for inner in ({"x": 1, "y": None}, {"x": 1}, {"x": 1, "y": "b", "z": object()}):
        require_exact({"inner": inner, "new": 1}, Message)
    require_exact({}, Message)
    with pytest.raises(Refused, match=r"the message\['inner'\] has no key 'x'"):
        require_exact({"inner": {"y": "b"}}, Message)
    with pytest.raises(Refused, match=r"the message\['inner'\]\['y'\] is of the class builtins.int"):
        require_exact({"inner": {"x": 1, "y": 1}}, Message)


COUNTED = """
import sys
folder, codec, packages, file = sys.argv[1:]
sys.path[:0] = [folder, packages, codec]
import adapter
encode, decode = adapter.Consistent.Encoder().encode, adapter.Consistent.Decoder().decode
message, made = open(file, "rb").read(), []

def count(frame, event, _):
    if event == "call" and frame.f_code.co_name == "_extract_field_infos":
        made.append(frame)

for _ in range(3):
    encode(decode(message))
sys.setprofile(count)
encode(decode(message))
sys.setprofile(None)
print(len(made))
"""
"""A program that prints how many serializers of classes pyfory makes for one message, after three equal ones:
it reads the fields of a class once for each serializer."""


@pytest.mark.native
def test_pyfory_makes_no_serializer_anew_for_a_message(tmp_path: Path) -> None:
    """A record is in a record of the root, which made the library do so with each message."""
    (variant,) = (v for v in VARIANTS if v.id == "python/pyfory:consistent")
    (unit,) = prepared([variant], ["many_types"], PATHS)
    if unit.status == "not_installed":
        pytest.skip(unit.reason)
    assert unit.status == "ok", unit.reason
    encoded = tmp_path / "encoded"
    said(unit.command, "encode", "--dataset", str(unit.data.path), "--memory", "reuse", "--out", str(encoded))
    encoded.write_bytes(next(iter(split_messages(encoded.read_bytes()))))
    interpreter, folders = unit.command[0], unit.command[-3:]
    done = subprocess.run(
        [interpreter, "-S", "-c", COUNTED, *folders, str(encoded)], capture_output=True, text=True
    )
    assert done.stdout == "0\n", done.stderr


@pytest.mark.native
@pytest.mark.parametrize("workload", SMALL)
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.id)
def test_a_codec_of_python_keeps_the_contract(
    variant: Variant, workload: str, build: PythonBuild, request: pytest.FixtureRequest
) -> None:
    # Every kind takes an interpreter minutes, by edge values that lead back a thousand steps.
    chosen = ("monsters", "every_kind") if variant.codec.name == "handwritten" else ("monsters",)
    in_ci = is_first_of_format(variant) and workload in chosen
    if not (in_ci or request.config.getoption("all")):
        pytest.skip(f"{variant.id} with {workload} is left to ./serbench test --all")
    if reason := why_not(variant.id, workload):
        pytest.skip(f"{variant.id}: {reason}")
    (unit,) = prepare_builds(Job(PATHS, Chosen([variant], [small_spec(workload)]), [build]))
    if unit.status == "not_installed":
        pytest.skip(unit.reason)
    assert unit.status == "ok", unit.reason
    found = verify(as_measured(unit, request.config.getoption("all")))
    assert found.ok, found.reason


@pytest.mark.native
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.id)
def test_a_codec_of_python_checks_what_it_says_and_no_more(
    variant: Variant, build: PythonBuild, request: pytest.FixtureRequest
) -> None:
    """The codec decodes broken messages and must make exactly the checks that ``checks`` of its codec.toml
    declares. Checks for which its format has no broken message are left out."""
    if variant.codec.floor:
        pytest.skip(f"{variant.id}: a floor decodes nothing")
    if not (is_first_of_format(variant) or request.config.getoption("all")):
        pytest.skip(f"{variant.id} is left to ./serbench test --all")
    (unit,) = prepare_builds(Job(PATHS, Chosen([variant], [small_spec("monsters")]), [build]))
    if unit.status != "ok":
        pytest.skip(unit.reason)
    told = told_by(find_checks(unit), variant)
    assert variant.checks is not None, "codec.toml has no checks"
    assert told == {name: name in variant.checks for name in told}
