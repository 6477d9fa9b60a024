"""Tests of ``verify --sanitize`` on built codecs: faults that tests put in are found and named, and the
codecs of the project have none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.support import NATIVE, PATHS, all_workloads, build_of, sharing, small_spec, why_not
from tests.test_docs import fenced
from typer.testing import CliRunner

from serbench.building.prepare import Listener, prepare_sanitized
from serbench.cli import sanitizing
from serbench.cli.app import register
from serbench.codecs.codec import Variant
from serbench.languages.cpp.build import CppBuild
from serbench.measure.job import Job, Permission
from serbench.model import Field, List, Record, string, u32
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codec, load_variants
from serbench.selecting.selection import Chosen
from serbench.verification.sanitize import Sanitized
from serbench.workload import Workload, WorkloadSpec

pytestmark = pytest.mark.native

TINY = Record("Tiny", [Field("number", u32), Field("names", List(string))])

LIBRARY = """\
#pragma once
namespace liar {
__attribute__((noinline)) inline int next(int number) {
  return number + 1;
}
}  // namespace liar
"""

OURS = """\
#include <climits>
#include <cstddef>
#include <cstdlib>
namespace serbench::terse {
__attribute__((noinline)) inline void misbehave() {
  volatile int number = INT_MAX;
  number = number + 1;
  auto* block = static_cast<volatile char*>(std::malloc(16));
  number = block[16 + (number > 0)];
  std::free(const_cast<char*>(block));
  number = block[3];
  block = static_cast<volatile char*>(std::malloc(8));
}
__attribute__((noinline)) inline void misread(const std::byte* end) {
  volatile std::byte beyond;
  beyond = *end;
}
}  // namespace serbench::terse
"""

PUT_IN = {
    "signed-integer-overflow": "number = number + 1;",
    "heap-buffer-overflow": "number = block[16",
    "heap-use-after-free": "number = block[3];",
    "use-after-poison": "beyond = *end;",
    "leak": "block = static_cast<volatile char*>(std::malloc(8));",
}
"""Kind of fault → part of the source line that causes it."""


def make_codec(folder: Path, name: str, declared: str = "") -> Path:
    """Writes the codec of docs/add-a-codec.md into a folder: under the name ``faulty`` with faults in its
    adapter, under the name ``liar`` with a fault in its library.

    Args:
        declared: the lines at the head of its ``codec.toml``.

    Returns:
        The folder of the codec.
    """
    codec = folder / "codecs" / "cpp" / name
    codec.mkdir(parents=True, exist_ok=True)
    page = PROJECT / "docs" / "add-a-codec.md"
    toml, adapter = fenced(page, "toml")[0], fenced(page, "cpp")[0]
    if name == "faulty":
        called, before = "terse::misbehave();", OURS
    else:
        called, before = "if (liar::next(0x7fffffff) == 0) return {};", '#include "liar/liar.hpp"\n'
        toml += '\n[cmake]\nheader = "liar/liar.hpp"\n'
        header = folder / "prefix" / "include" / "liar" / "liar.hpp"
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(LIBRARY)
    (codec / "codec.toml").write_text(f"{declared}\n{toml}")
    assert "      buffer_.clear();\n" in adapter
    text = adapter.replace("#pragma once\n", f"#pragma once\n{before}").replace(
        "buffer_.clear();\n", f"buffer_.clear();\n{called}\n"
    )
    if name == "faulty":
        text = text.replace(
            "{ terse::Reader{bytes}", "{ terse::misread(bytes.data() + bytes.size()); terse::Reader{bytes}"
        )
    (codec / "adapter.hpp").write_text(text)
    return codec


def verify_sanitized(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *codecs: Path
) -> tuple[int, dict[str, Any]]:
    """Runs ``verify --sanitize``; returns its exit status, and its records by codec."""
    monkeypatch.setenv("SERBENCH_PREFIX", str(folder / "prefix"))
    loaded = [load_codec(codec / "codec.toml") for codec in codecs]
    tiny = Workload("tiny", "", TINY, lambda: iter([(1, ["a"]), (2, ["b", "c" * 300])]))
    paths = Paths(PROJECT, sharing(folder / "home"), (folder,))
    variants = [variant for codec in loaded for variant in codec.variants.values()]
    builds = [CppBuild(paths, "g++", loaded, [tiny])]
    job = Job(paths, Chosen(variants, [WorkloadSpec(tiny, {})]), builds)
    monkeypatch.setattr(sanitizing, "to_build", lambda _: job)
    app = typer.Typer()
    register(["verify"], app)
    done = CliRunner().invoke(app, ["--sanitize", "--format", "json"], catch_exceptions=False)
    assert done.stdout, done.stderr
    return done.exit_code, {record["codec"]: record for record in json.loads(done.stdout)}


def test_faults_that_were_put_in_are_found_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codecs = faulty, liar = [make_codec(tmp_path, name) for name in ("faulty", "liar")]
    status, found = verify_sanitized(tmp_path, monkeypatch, *codecs)
    assert status == 1
    lines = (faulty / "adapter.hpp").read_text().splitlines()
    told = {fault["kind"]: fault for fault in found["cpp/faulty"]["faults"]}
    assert {kind: lines[fault["line"] - 1].strip() for kind, fault in told.items()} == {
        kind: next(line.strip() for line in lines if part in line) for kind, part in PUT_IN.items()
    }
    for fault in told.values():
        assert (
            fault["file"] == "codecs/cpp/faulty/adapter.hpp" and fault["is_ours"] and fault["processes"] >= 2
        )
        assert "serbench::terse::mis" in fault["function"]
        assert any("::encode(" in frame or "::decode(" in frame for frame in fault["stack"])
    assert (found["cpp/faulty"]["status"], found["cpp/faulty"]["reason"]) == ("failed", "")

    (undeclared,) = found["cpp/liar"]["faults"]
    assert (undeclared["kind"], undeclared["place"], undeclared["is_ours"]) == (
        "signed-integer-overflow",
        "liar/liar.hpp:4",
        False,
    )
    assert (found["cpp/liar"]["status"], undeclared["declared"]) == ("failed", None)

    declaration = (
        '{ kind = "signed-integer-overflow", place = "liar/liar.hpp", seen = "1.0", '
        'reason = "counts beyond the end" }'
    )
    make_codec(tmp_path, "liar", f"faults = [{declaration}]")
    status, found = verify_sanitized(tmp_path, monkeypatch, liar)
    (declared,) = found["cpp/liar"]["faults"]
    assert (status, found["cpp/liar"]["status"], declared["declared"]) == (
        0,
        "noted",
        "counts beyond the end",
    )


WORKLOAD = "monsters"
SANITIZED = [
    language for language in NATIVE if language not in ("go", "rust")
]  # whose compilers have no sanitizers, or only in nightly builds
VARIANTS = {v.id: v for v in load_variants(Paths.default().codecs).values() if v.codec.language in SANITIZED}


def is_tried(variant: Variant, config: pytest.Config) -> bool:
    """Whether a variant is tested: with ``--all`` each, otherwise the first of each codec whose code is ours
    alone or whose library is popular."""
    is_usual = variant.popular or not variant.codec.competes
    return bool(config.getoption("all")) or (is_usual and next(iter(variant.codec.variants)) == variant.name)


@pytest.fixture(scope="session")
def sanitized(request: pytest.FixtureRequest) -> Mapping[str, Sanitized]:
    """The findings of the sanitizers by variant id, for each variant that was asked for, on a small
    workload."""
    given = [
        item.callspec.params.get("variant") for item in request.session.items if hasattr(item, "callspec")
    ]
    asked = {each.id for each in given if isinstance(each, Variant)}
    own = [
        variant
        for variant in VARIANTS.values()
        if variant.id in asked and is_tried(variant, request.config) and not why_not(variant.id, WORKLOAD)
    ]
    builds = [build_of(language, PATHS, [all_workloads()[WORKLOAD]]) for language in SANITIZED]
    made = prepare_sanitized(
        Job(PATHS, Chosen(own, [small_spec(WORKLOAD)]), builds, Permission(install=True)), Listener(print)
    )
    return {each.unit.variant.id: each for each in sanitizing.sanitized(made, lambda *_: None)}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda v: v.id)
def test_no_codec_does_wrong_but_what_is_declared_of_its_library(
    variant: Variant, sanitized: Mapping[str, Sanitized], request: pytest.FixtureRequest
) -> None:
    if not is_tried(variant, request.config):
        pytest.skip(f"{variant.id} is left to ./serbench test --all")
    if reason := why_not(variant.id, WORKLOAD):
        pytest.skip(f"{variant.id}: {reason}")
    found = sanitized[variant.id]
    if found.unit.status == "not_installed" and not variant.codec.install.get("apt"):
        pytest.skip(found.unit.reason)
    assert found.status in ("ok", "noted"), (found.unit.reason, found.failure, found.told)
