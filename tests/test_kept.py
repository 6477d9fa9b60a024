"""Tests that code for a codec and a workload is generated again if its inputs have changed, and only then."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from serbench.languages.cpp import kept as module
from serbench.languages.cpp.build import CppBuild
from serbench.languages.cpp.kept import Write, digest_of, kept
from serbench.model import Field, Record, i32, i64
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs
from serbench.workload import Origin, Workload

ROOT = Record("Root", [Field("x", i32)])


def workload(name: str = "sample", root: Record = ROOT) -> Workload:
    return Workload(name, "", root, lambda: iter([(1,)]))


def generated(folder: Path, digest: str, times: list[str], call: str = "a call") -> list[str]:
    def generate(write: Write) -> Iterator[str]:
        times.append(digest)
        write(folder / "glue.hpp", f"of {digest}")
        yield call

    return kept(folder / "generated.json", digest, generate)


def test_what_is_the_same_is_generated_once(tmp_path: Path) -> None:
    times: list[str] = []
    assert [generated(tmp_path, "1", times), generated(tmp_path, "1", times)] == [["a call"], ["a call"]]
    assert times == ["1"]
    assert generated(tmp_path, "2", times, "another") == ["another"]
    assert generated(tmp_path, "2", times) == ["another"]
    assert times == ["1", "2"] and (tmp_path / "glue.hpp").read_text() == "of 2"


@pytest.mark.parametrize("change", ["a file is gone", "the note is cut off"])
def test_what_is_not_there_as_it_was_is_generated_again(tmp_path: Path, change: str) -> None:
    times: list[str] = []
    generated(tmp_path, "1", times)
    if change == "a file is gone":
        (tmp_path / "glue.hpp").unlink()
    else:
        (tmp_path / "generated.json").write_text('{"digest": "1"')
    assert generated(tmp_path, "1", times) == ["a call"]
    assert times == ["1", "1"] and (tmp_path / "glue.hpp").exists()


def test_all_that_decides_is_in_the_digest(tmp_path: Path) -> None:
    shutil.copytree(PROJECT / "codecs", tmp_path / "codecs")
    codec = load_codecs(tmp_path / "codecs")["cpp/cereal"]
    other = workload(root=Record("Root", [Field("x", i64)]))
    found = {digest_of(tmp_path, codec, each) for each in (workload(), other, workload("another"))}
    found.add(digest_of(tmp_path / "elsewhere", codec, workload()))
    found.add(digest_of(tmp_path, load_codecs(tmp_path / "codecs")["cpp/boost"], workload()))
    module._digest_of_files.cache_clear()
    assert digest_of(tmp_path, codec, workload()) in found
    with (tmp_path / "codecs" / "cpp" / "boost" / "adapter.hpp").open("a") as neighbour:
        neighbour.write("// more\n")
    module._digest_of_files.cache_clear()
    found.add(digest_of(tmp_path, codec, workload()))
    assert len(found) == 6


def test_of_imported_workloads_only_those_are_configured_that_are_or_were_asked_for(tmp_path: Path) -> None:
    codecs = [load_codecs(PROJECT / "codecs")["cpp/memcpy"]]
    origin = Origin(kind="data", format="", root="", messages=1, read=1, seed=1)
    workloads = [workload("own"), *(replace(workload(each), origin=origin) for each in ("orders", "events"))]

    def configured(*asked: str) -> list[str]:
        build = CppBuild(Paths(PROJECT, tmp_path), "g++", codecs, workloads, asked=asked)
        text = build._write_cells()[0].read_text()
        return [each.name for each in workloads if f'WORKLOAD "{each.name}"' in text]

    assert configured() == ["own"]
    assert configured("events") == ["own", "events"]
    assert configured("own") == ["own", "events"], "what was built stays"
