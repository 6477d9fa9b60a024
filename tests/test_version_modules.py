"""Tests of ``--version`` with Go, which is asked of small modules that are made here and lie in a folder."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import TEST_WORKLOADS

from serbench.codecs.codec import Codec
from serbench.codecs.edition import Edition, Version
from serbench.errors import SetupError
from serbench.languages.go import toolchain
from serbench.languages.go.build import GoBuild
from serbench.languages.go.options import GoOptions
from serbench.languages.go.toolchain import find_go
from serbench.languages.go.versions import ModuleVersions, required, tools
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs
from serbench.workload import load_workload

needs_go = [pytest.mark.native, pytest.mark.skipif(not find_go(), reason="there is no go")]

TINY, OTHER = "example.test/tiny", "example.test/other"
USES_TINY = f'package adapter\n\nimport "{TINY}"\n\nvar _ = tiny.Made\n'
NEEDS_OTHER = f'package tiny\n\nimport "{OTHER}"\n\nvar Made = other.Made\n'


def publish(folder: Path, module: str, version: str, text: str, needs: str = "") -> None:
    """Put a module of one file into a folder that Go takes modules from."""
    listed = folder / module / "@v"
    listed.mkdir(parents=True, exist_ok=True)
    with (listed / "list").open("a") as versions:
        versions.write(f"{version}\n")
    described = f"module {module}\n\ngo 1.24\n{needs}"
    (listed / f"{version}.info").write_text(f'{{"Version": "{version}", "Time": "2026-11-29T05:00:00Z"}}')
    (listed / f"{version}.mod").write_text(described)
    with zipfile.ZipFile(listed / f"{version}.zip", "w") as archive:
        archive.writestr(f"{module}@{version}/go.mod", described)
        archive.writestr(f"{module}@{version}/tiny.go", text)


@pytest.fixture(name="published")
def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that has all modules which Go knows: three of ``tiny``, the newest of which needs another."""
    folder = tmp_path / "a folder"
    publish(folder, OTHER, "v1.0.0", "package other\n\nvar Made = 1\n")
    publish(folder, OTHER, "v1.5.0", "package other\n\nvar Made = 2\n")
    for version in ("v1.0.0", "v1.7.0"):
        publish(folder, TINY, version, "package tiny\n\nvar Made = 1\n")
    publish(folder, TINY, "v1.10.0", NEEDS_OTHER, f"\nrequire {OTHER} v1.0.0\n")
    monkeypatch.setenv("GOPROXY", folder.as_uri())
    monkeypatch.setenv("GONOSUMDB", "example.test")
    monkeypatch.setenv("GOMODCACHE", str(tmp_path / "cache"))
    toolchain._known.cache_clear()
    yield folder
    toolchain._known.cache_clear()
    subprocess.run([find_go(), "clean", "-modcache"], check=True)


@pytest.fixture(name="codec")
def tiny(tmp_path: Path) -> Codec:
    """A codec with the library ``tiny``, usually in the version 1.7.0."""
    folder = tmp_path / "codecs" / "go" / "small"
    shutil.copytree(PROJECT / "codecs" / "go" / "handwritten", folder)
    described = (folder / "codec.toml").read_text()
    (folder / "codec.toml").write_text(f'{described}\n[go]\nmodule = "{TINY}"\n')
    needs = f"require (\n\tserbench v0.0.0\n\t{TINY} v1.7.0\n)\n"
    (folder / "go.mod").write_text(f"module cell\n\ngo 1.24\n\n{needs}")
    (folder / "library.go").write_text(USES_TINY)
    return load_codecs(tmp_path / "codecs")["go/small"]


def configured(codec: Codec, version: str, home: Path) -> GoBuild:
    """The build of a codec in a version, its modules brought if they can be."""
    edition = Edition((), version, version=Version((codec.id,), version))
    workload = load_workload(TEST_WORKLOADS / "grown" / "unions.py")
    pinned = ModuleVersions().pinned(codec, version)
    build = GoBuild(Paths(PROJECT, home), [pinned], [workload], edition)
    build.configure()
    return build


def why_not(build: GoBuild) -> str:
    """The reason why the library of a build is not there."""
    (found,) = build.found.values()
    return found.missing


class TestVersions:
    pytestmark = needs_go

    def test_go_tells_versions(self, published: Path, codec: Codec) -> None:
        assert ModuleVersions().published(codec) == ["1.0.0", "1.7.0", "1.10.0"]
        assert ModuleVersions().usual(codec) == "1.7.0" and not ModuleVersions().withdrawn(codec)
        assert ModuleVersions().released(codec) == dict.fromkeys(("1.0.0", "1.7.0", "1.10.0"), "2026-11-29")
        publish(published, TINY, "v1.11.0", "package tiny\n", "\nretract [v1.7.0, v1.7.9]\n")
        assert ModuleVersions().published(codec) == ["1.0.0", "1.7.0", "1.10.0", "1.11.0"]
        assert ModuleVersions().withdrawn(codec) == {"1.7.0"}
        assert "1.7.0" not in ModuleVersions().released(codec)
        shutil.rmtree(published)
        with pytest.raises(SetupError, match=f"Go does not tell which versions of {TINY} there are"):
            ModuleVersions().published(codec)

    def test_a_version_has_modules_of_its_own_and_is_built_with_them(
        self, published: Path, codec: Codec, tmp_path: Path
    ) -> None:
        build = configured(codec, "1.10.0", tmp_path)
        assert build.found["small"].version == "1.10.0" and build.name == "go@1.10.0"
        modules = build.modules(codec)
        assert required(modules["go.mod"], OTHER) == "1.0.0", "the oldest that it needs, not the newest"
        assert f"{TINY} v1.10.0 h1:" in modules["go.sum"]
        shutil.rmtree(published)
        assert configured(codec, "1.10.0", tmp_path).found["small"].installed, "what was fetched is kept"
        (variant,) = codec.variants.values()
        assert build.build([(variant, "unions")], lambda *_: None) == {}
        words = [find_go(), "version", "-m", *build.command(variant, "unions")]
        assert f"{TINY}\tv1.10.0\th1:" in subprocess.run(words, capture_output=True, text=True).stdout

    def test_another_content_under_the_same_version_is_refused(
        self, published: Path, codec: Codec, tmp_path: Path
    ) -> None:
        build = configured(codec, "1.0.0", tmp_path)
        assert not why_not(build)
        (build.directory / "modules" / "small" / "resolved").unlink()
        subprocess.run([find_go(), "clean", "-modcache"], check=True)
        publish(published, TINY, "v1.0.0", "package tiny\n\nvar Made = 3\n")
        assert "checksum mismatch" in why_not(configured(codec, "1.0.0", tmp_path))

    def test_a_version_that_go_cannot_resolve_is_a_reason(
        self, published: Path, codec: Codec, tmp_path: Path
    ) -> None:
        publish(published, TINY, "v1.11.0", NEEDS_OTHER, f"\nrequire {OTHER} v1.9.0\n")
        said = why_not(configured(codec, "1.11.0", tmp_path))
        assert said.startswith(f"Go cannot resolve its modules: go: {TINY} imports {OTHER}: ")
        assert "://" not in said

    def test_the_folder_of_a_module_is_a_version(self, published: Path, codec: Codec, tmp_path: Path) -> None:
        folder = tmp_path / "checkout"
        folder.mkdir()
        assert "expected the folder of a module" in ModuleVersions().problem(codec, str(folder))
        (folder / "go.mod").write_text(f"module {TINY}\n\ngo 1.24\n\nrequire {OTHER} v1.5.0\n")
        (folder / "tiny.go").write_text(NEEDS_OTHER)
        assert ModuleVersions().problem(codec, str(folder)) == ""
        build = configured(codec, str(folder), tmp_path)
        assert build.found["small"].version == "(devel)", why_not(build)
        assert required(build.modules(codec)["go.mod"], OTHER) == "1.5.0"
        (folder / ".hidden").touch()
        assert configured(codec, str(folder), tmp_path).content == build.content
        (folder / "tiny.go").write_text("package tiny\n")
        assert configured(codec, str(folder), tmp_path).content != build.content


def test_tools_are_packages_in_lines_and_in_blocks() -> None:
    assert tools("module cell\n\ntool a.test/one\n\ntool (\n\ta.test/two\n\tb.test/three\n)\n") == [
        "a.test/two",
        "b.test/three",
        "a.test/one",
    ]


def test_a_word_of_modules_without_a_file_of_their_own_is_no_part_of_a_version(codec: Codec) -> None:
    file = codec.directory / "go.mod"
    file.write_text(file.read_text().replace("v1.7.0", "v2.7.0+incompatible"))
    assert ModuleVersions().usual(codec) == "2.7.0"
    assert ModuleVersions().problem(codec, "2.7.0") == ""
    without = replace(codec, options=GoOptions())
    assert ModuleVersions().problem(without, "2.7.0") == "this codec has no library"
