"""The build of Go cells: what does not compile or cannot be fetched costs itself alone, and what has not
changed is left alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.support import TEST_WORKLOADS

from serbench.catalogue import load_codecs
from serbench.languages.go.build import GoBuild
from serbench.languages.go.toolchain import find_go
from serbench.paths import PROJECT, Paths
from serbench.workload import load_workload

pytestmark = [pytest.mark.native, pytest.mark.skipif(not find_go(), reason="there is no go")]


def codec(folder: Path, name: str, file: str = "", text: str = "") -> None:
    """A copy of a codec that needs no modules, with another file."""
    made = folder / "go" / name
    shutil.copytree(PROJECT / "codecs" / "go" / "handwritten", made)
    if file:
        (made / file).write_text(text)


def built(tmp_path: Path) -> tuple[GoBuild, dict[tuple[str, str], str]]:
    """The build of all codecs below ``tmp_path`` with a workload, and what failed."""
    codecs = load_codecs(tmp_path / "codecs")
    workload = load_workload(TEST_WORKLOADS / "grown" / "unions.py")
    build = GoBuild(Paths(PROJECT, tmp_path / "home"), list(codecs.values()), [workload])
    build.configure()
    pairs = [(variant, "unions") for each in codecs.values() for variant in each.variants.values()]
    return build, dict(build.build(pairs, lambda *_: None))


def test_an_error_costs_the_cell_that_has_it(tmp_path: Path) -> None:
    codec(tmp_path / "codecs", "good")
    codec(tmp_path / "codecs", "bad", "more.go", "package adapter\n\nvar wrong = missing\n")
    module = "module cell\n\ngo 1.24\n\nrequire (\n\tserbench v0.0.0\n\texample.invalid/none v1.0.0\n)\n"
    codec(tmp_path / "codecs", "absent", "go.mod", module)
    build, failures = built(tmp_path)
    assert failures == {("go/bad", "unions"): "adapter/more.go:3:13: undefined: missing"}
    assert not build.found["absent"].installed
    assert build.found["absent"].missing.startswith(
        "Go cannot fetch its modules: go: example.invalid/none@v1.0.0"
    )
    assert "://" not in build.found["absent"].missing
    (good,) = load_codecs(tmp_path / "codecs")["go/good"].variants.values()
    assert Path(*build.command(good, "unions")).exists()


def test_what_has_not_changed_is_left_alone(tmp_path: Path) -> None:
    codec(tmp_path / "codecs", "good")
    build, failures = built(tmp_path)
    assert not failures
    (good,) = load_codecs(tmp_path / "codecs")["go/good"].variants.values()
    (program,) = map(Path, build.command(good, "unions"))
    before = program.stat()
    built(tmp_path)
    assert program.stat().st_mtime_ns == before.st_mtime_ns
    adapter = tmp_path / "codecs" / "go" / "good" / "adapter.go"
    adapter.write_text(adapter.read_text() + "\n// another line\n")
    built(tmp_path)
    assert program.stat().st_mtime_ns != before.st_mtime_ns
