"""Tests of libraries in versions that a user asks for (``--version``): which there are, the nearest ones, and
environments of their own. The packages are made here, and pip looks for them in a folder; Cargo is not
started."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from tests.support import raw_manifest
from tests.test_pipeline import make_run

from serbench.building.prepare import _dealt, toolchains
from serbench.cli import importing
from serbench.cli.asking import Making
from serbench.cli.clustered import Where
from serbench.cli.releases import releases_table
from serbench.codecs.codec import Codec
from serbench.codecs.edition import Edition, Editions, Version, editions
from serbench.errors import SelectionError, SetupError
from serbench.languages import languages
from serbench.languages.python.build import PythonBuild
from serbench.languages.python.versions import PipVersions
from serbench.languages.releases import releases
from serbench.languages.rust import build as rust_build
from serbench.languages.rust import versions as rust_versions
from serbench.languages.rust.options import options_of
from serbench.languages.rust.versions import CargoVersions
from serbench.languages.versions import nearest, resolved, withdrawn_versions
from serbench.measure.job import Job
from serbench.measure.store import Run
from serbench.measure.unit import Unit
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs, load_variants
from serbench.selecting.selection import Chosen

CODECS = load_codecs(Paths.default().codecs)
PUBLISHED = ["2.0rc1", "1.10.1", "1.10.0", "1.9", "1.2"]


def wheel(folder: Path, version: str, tag: str = "py3-none-any") -> Path:
    """Make a wheel of the library ``tiny`` that has no code."""
    folder.mkdir(exist_ok=True)
    path, info = folder / f"tiny-{version}-{tag}.whl", f"tiny-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture(name="folder")
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all that pip knows."""
    folder = tmp_path / "a folder"
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    return folder


@pytest.fixture(name="codec")
def tiny(tmp_path: Path) -> Codec:
    """A codec with the library ``tiny``, usually in a version that the tests do not ask for."""
    (tmp_path / "codec").mkdir()
    (tmp_path / "codec" / "requirements.lock").write_text("tiny==1.7 --hash=sha256:0\n")
    codec = CODECS["python/orjson"]
    options = msgspec.structs.replace(codec.options, requirements=("tiny>=1",))
    return replace(codec, options=options, directory=tmp_path / "codec")


def built(codec: Codec, version: str, home: Path) -> PythonBuild:
    """The build of a codec in a version, its libraries brought."""
    paths, edition = Paths(PROJECT, home), Edition((), version, version=Version((codec.id,), version))
    pinned = PipVersions().pinned(codec, version)
    build = PythonBuild(paths, [pinned], [], edition=edition)
    build.found[codec.name] = build._environment(pinned).install()
    return build


class Told(PipVersions):
    """Versions of a package manager that tells them once, and has no network afterwards."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, usual: str = "1.10.0"):
        self.asked, self._usual = 0, usual
        monkeypatch.setattr(type(languages()["python"]), "versions", self)

    def usual(self, codec: Codec) -> str:
        return self._usual

    def published(self, codec: Codec) -> Sequence[str]:
        self.asked += 1
        if self.asked > 1:
            raise SetupError("no network")
        return PUBLISHED


@pytest.mark.parametrize(
    ("wanted", "usual", "meant"),
    [
        ("1.9", "1.10.0", "1.9"),
        ("v1.9", "1.10.0", "1.9"),
        ("latest", "1.9", "1.10.1"),
        ("previous", "1.10.0", "1.9"),
        ("previous", "", "1.10.0"),
        ("2.0rc1", "", "2.0rc1"),
    ],
)
def test_a_version_is_a_number_or_a_word(
    wanted: str, usual: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Told(monkeypatch, usual)
    assert resolved(tmp_path, f"python/orjson={wanted}", CODECS) == f"python/orjson={meant}"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("python/orjson=1.10.7", "there is no such version; the nearest are 2.0rc1, 1.10.1, 1.10.0"),
        ("python/orjson=0.1", "the nearest are 1.9, 1.2"),
        ("python/orjson", "expected CODEC=VERSION"),
        ("python/orjsn=1.9", r"unknown selected codec 'python/orjsn'; did you mean python/orjson"),
        ("cpp/cereal=1.3", r"versions are for codecs of .*Python.*; for those of C\+\+ see --prefix"),
        ("python/json=1.9", "this codec has no library"),
        ("python/orjson=./tiny", "expected a wheel"),
        ("python/orjson=./tiny.whl", "there is no file tiny.whl"),
    ],
)
def test_a_version_that_there_is_not_is_refused_with_the_nearest(
    asked: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Told(monkeypatch)
    with pytest.raises(SelectionError, match=said):
        resolved(tmp_path, asked, CODECS)


def test_versions_are_built_alone_where_both_sides_are_named(tmp_path: Path) -> None:
    asked = Editions("version", ("python/orjson=1.9", "python/orjson=1.10.0"))
    both = replace(asked, alone=True)
    assert [each.label for each in editions(Paths.default(), asked)] == ["", "1.9", "1.10.0"]
    assert [each.label for each in editions(Paths.default(), both)] == ["1.9", "1.10.0"]
    assert asked.fields == {"versions": asked.named}
    run = make_run(tmp_path, ["fake/a"])
    kept = msgspec.json.encode(raw_manifest(run) | both.fields)
    (run.directory / "manifest.json").write_bytes(kept)
    assert Run(run.directory).manifest.editions == both, "so has a run that is continued"


def test_your_own_data_are_tried_with_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(tmp_path))
    (tmp_path / "orders.jsonl").write_text('{"id": 1}\n{"id": 2}\n')
    made: list[Making] = []
    monkeypatch.setattr(importing, "run_at_first_sight", lambda *words: made.append(words[2]))
    given = importing.Given([tmp_path / "orders.jsonl"])
    importing.try_(given, version=["python/orjson=3.9.0"], where=Where())
    assert made[0].editions == Editions("version", ("python/orjson=3.9.0",))


def test_a_withdrawn_version_is_meant_by_its_number_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, codec = Told(monkeypatch, usual="1.10.1"), CODECS["python/orjson"]
    monkeypatch.setattr(told, "withdrawn", lambda *_: ["1.10.1", "1.10.0"])
    assert [each.version for each in releases(tmp_path, codec)] == ["1.2", "1.9"]
    for wanted, meant in {"1.10.0": "1.10.0", "latest": "1.9", "previous": "1.9"}.items():
        assert resolved(tmp_path, f"python/orjson={wanted}", CODECS) == f"python/orjson={meant}"
    assert set(withdrawn_versions(tmp_path, codec)) == {"1.10.1", "1.10.0"}


def test_versions_are_ordered_by_their_numbers() -> None:
    assert nearest("1.11", PUBLISHED) == ["2.0rc1", "1.10.1", "1.10.0"]
    assert nearest("9", PUBLISHED) == ["2.0rc1", "1.10.1"]
    assert nearest("2.1", ["2.0.0rc1", "2.0", "1.9"]) == ["2.0", "2.0.0rc1"]


def test_the_package_manager_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(monkeypatch)
    for _ in range(2):
        resolved(tmp_path, "python/orjson=1.9", CODECS)
    assert told.asked == 1
    with pytest.raises(SetupError, match="no network"):
        resolved(tmp_path, "python/orjson=1.8", CODECS)
    assert resolved(tmp_path, "python/orjson=latest", CODECS) == "python/orjson=1.10.1"


def test_releases_that_are_newer_than_the_measured_version_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Told(monkeypatch).released = lambda codec: {"1.10.0": "2026-05-01"}  # type: ignore[method-assign]
    patterns = ["python/orjson", "python/json", "cpp/cereal"]
    table, records = releases_table(Paths(PROJECT, tmp_path), patterns)
    found = {each["codec"]: each for each in records}
    orjson = {"version": "1.10.0", "released": "2026-05-01", "newest": "1.10.1", "newest_released": None}
    assert orjson.items() <= found["python/orjson"].items() and found["python/orjson"]["newer"] == 1
    assert found["python/json"]["newer"] is None
    assert ["python/orjson", "1.10.0", "2026-05-01", "1.10.1", "–", "1"] in table.rows
    assert "python/json: this codec has no library." in table.notes
    (cpp,) = (note for note in table.notes if note.startswith("cpp/cereal"))
    assert re.match(r"cpp/cereal: versions are for codecs of Go, .* and Rust; for those of C\+\+", cpp)


def test_only_its_codec_has_a_version_and_the_usual_one_is_beside_it(tmp_path: Path) -> None:
    paths, variants = Paths(PROJECT, tmp_path), load_variants(Paths.default().codecs)
    asked = Editions("version", ("python/orjson=3.9.0", "python/msgspec=3.9.0", "python/orjson=3.10.0"))
    chosen = [variants["python/orjson:dict"], variants["python/json:dict"], variants["cpp/memcpy"]]
    builds = toolchains(paths, chosen, ["g++"], editions(paths, asked))
    assert [build.name for build in builds] == ["g++", "cpython", "cpython@3.9.0", "cpython@3.10.0"]
    assert [[codec.name for codec in build.codecs] for build in builds[2:]] == [
        ["msgspec", "orjson"],
        ["orjson"],
    ]
    assert len({build.directory for build in builds if isinstance(build, PythonBuild)}) == 3
    units = [Unit(variant, *[cast(Any, None)] * 3) for variant in chosen[:2]]
    dealt = _dealt(Job(paths, Chosen(chosen[:2], []), builds=builds[1:]), units)
    assert [(unit.variant.codec.name, unit.compiler) for _, own in dealt for unit in own] == [
        ("orjson", "cpython"),
        ("json", "cpython"),
        ("orjson", "cpython@3.9.0"),
        ("orjson", "cpython@3.10.0"),
    ]


def test_pip_tells_versions_and_brings_one_by_its_own_lock(
    folder: Path, codec: Codec, tmp_path: Path
) -> None:
    for version in ("1.0", "1.1"):
        wheel(folder, version)
    assert PipVersions().published(codec) == ["1.1", "1.0"] and PipVersions().usual(codec) == "1.7"
    build = built(codec, "1.0", tmp_path)
    assert build.found[codec.name].version == "1.0"
    (lock,) = (build.directory / "environments" / "locks").iterdir()
    assert lock.read_text().startswith("tiny==1.0 --hash=sha256:") and "://" not in lock.read_text()
    (folder / "tiny-1.0-py3-none-any.whl").unlink()
    assert built(codec, "1.0", tmp_path).found[codec.name].installed, "what was fetched is kept"
    (build.directory / "environments" / codec.name / "installed").unlink()
    wheel(folder, "1.0", "py2.py3-none-any")  # the same version with another content
    assert "hash" in built(codec, "1.0", tmp_path).found[codec.name].missing.lower()


def test_pip_tells_which_versions_were_yanked(
    folder: Path, codec: Codec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = [f'<a href="{wheel(folder, version).as_uri()}">tiny-{version}-py3-none-any.whl</a>'
             for version in ("1.0", "1.1", "1.2")]  # fmt: skip
    links[1] = links[1].replace("<a", '<a data-yanked="it loses signs"')
    page = tmp_path / "simple" / "tiny" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text(f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>")
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", page.parent.parent.as_uri())
    assert PipVersions().published(codec) == ["1.2", "1.0"]
    for wanted in ("1.1", "latest", "1.1"):
        assert resolved(tmp_path, f"{codec.id}={wanted}", {codec.id: codec}).endswith(
            "1.2" if wanted == "latest" else "1.1"
        )
    assert withdrawn_versions(tmp_path, codec) == {"1.1"}
    with pytest.raises(SelectionError, match=r"there is no such version; the nearest are 1\.2, 1\.1"):
        resolved(tmp_path, f"{codec.id}=1.3", {codec.id: codec})
    assert [each.version for each in releases(tmp_path, codec)] == ["1.0", "1.2"]


def test_a_version_without_a_wheel_for_this_machine_is_a_reason(
    folder: Path, codec: Codec, tmp_path: Path
) -> None:
    wheel(folder, "1.0", "cp27-cp27m-win32")
    assert "pip cannot install it: " in built(codec, "1.0", tmp_path).found[codec.name].missing
    with pytest.raises(SetupError, match="pip does not tell which versions of tiny there are"):
        PipVersions().published(codec)


def test_a_wheel_that_was_built_here_is_a_version(folder: Path, codec: Codec, tmp_path: Path) -> None:
    path = str(wheel(folder, "1.5"))
    assert PipVersions().problem(codec, path) == ""
    assert built(codec, path, tmp_path).found[codec.name].version == "1.5"


def test_crates_that_have_the_version_of_a_library_move_with_it() -> None:
    capnp, serde = (
        options_of(CargoVersions().pinned(CODECS[name], "1.0.1")).dependencies
        for name in ("rust/capnp", "rust/serde_json")
    )
    assert capnp == {"capnp": {"version": "=1.0.1"}, "capnpc": {"version": "=1.0.1"}}
    assert serde["serde_json"] == {"features": ["float_roundtrip"], "version": "=1.0.1"}
    assert serde["serde"] == options_of(CODECS["rust/serde_json"]).dependencies["serde"]


def test_the_folder_of_a_crate_is_a_version(tmp_path: Path) -> None:
    codec, folder = CODECS["rust/serde_json"], str(tmp_path)
    assert "expected the folder of a crate" in CargoVersions().problem(codec, folder)
    (tmp_path / "Cargo.toml").touch()
    assert CargoVersions().problem(codec, folder) == ""
    own = options_of(CargoVersions().pinned(codec, folder)).dependencies["serde_json"]
    assert own == {"features": ["float_roundtrip"], "path": folder}


def test_cargo_tells_versions_by_its_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codec, said = CODECS["rust/prost"], ""
    file = tmp_path / "registry" / "index" / "an index" / ".cache" / "pr" / "os" / "prost"
    file.parent.mkdir(parents=True)
    lines = ('{"vers": "0.1.0", "yanked": false}', '{"vers": "0.2.0", "yanked": true}', '{"vers": "0.3.0"}')
    file.write_bytes(b"\3\2\0etag\0" + b"".join(b"x\0%b\0" % line.encode() for line in lines))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    monkeypatch.setattr(rust_versions, "need", str)
    monkeypatch.setattr(rust_versions, "failure_of", lambda *_: said)
    assert CargoVersions().published(codec) == ["0.1.0", "0.2.0", "0.3.0"]
    assert CargoVersions().withdrawn(codec) == ["0.2.0"]
    said = "no network"
    with pytest.raises(SetupError, match="Cargo does not tell which versions of prost there are"):
        CargoVersions().published(codec)


def test_the_other_crates_of_a_version_stay_as_the_codec_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codec, asked = CODECS["rust/prost"], list[tuple[str, ...]]()
    monkeypatch.setattr(rust_build, "registry", lambda _: "registry+its index")
    monkeypatch.setattr(rust_build, "rustc_version", lambda: "rustc")

    def cargo(*words: str, folder: Path) -> str:
        asked.append(words)
        return ""

    monkeypatch.setattr(rust_build, "_cargo", cargo)
    for exactly in (True, False):
        rust_build._fetched(tmp_path, codec.directory / "crates.lock", f"wanted {exactly}", exactly)
    assert asked == [("fetch", "--locked"), ("fetch",)]
    assert (
        f'name = "prost"\nversion = "{CargoVersions().usual(codec)}"' in (tmp_path / "Cargo.lock").read_text()
    )
