"""Tests of ``--version`` on the JVM, with a program in place of Maven that finds what the tests made."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from serbench.codecs.codec import Codec
from serbench.codecs.edition import Edition, Version
from serbench.errors import SetupError
from serbench.languages import languages
from serbench.languages.jvm import build as jvm_build
from serbench.languages.jvm.build import JvmBuild
from serbench.languages.jvm.maven import cut_off
from serbench.languages.jvm.options import options_of
from serbench.languages.jvm.versions import MavenVersions
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs
from serbench.workload import load_workloads

CODECS = load_codecs(Paths.default().codecs)
JACKSON, AVRO = CODECS["jvm/jackson"], CODECS["jvm/avro_java"]
LIST = "<metadata><version>9</version><versioning><versions>{}</versions></versioning></metadata>"


@pytest.fixture(name="maven_says")
def fake_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """A function that puts a Maven on the path that says a text, with a local repository in ``tmp_path``."""
    program = tmp_path / "bin" / "mvn"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")

    def says(text: str) -> None:
        where = f"[DEBUG] Using local repository at {tmp_path}"
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{where}\n{text}\nEND\nexit 1\n")
        program.chmod(0o755)

    return says


def put_list(repository: Path, artifact: str, place: str, *versions: str) -> None:
    """Write the list of an artifact's versions that a local repository keeps."""
    group, _, name = artifact.partition(":")
    folder = repository / group.replace(".", "/") / name
    folder.mkdir(parents=True, exist_ok=True)
    listed = "".join(f"\n  <version>{each}</version>" for each in versions)
    (folder / f"maven-metadata-{place}.xml").write_text(LIST.format(listed))


def test_versions_are_those_that_all_artifacts_have_that_move_together(
    maven_says: Callable[[str], None], tmp_path: Path
) -> None:
    maven_says("No versions available")
    library, *moving = (each.rpartition(":")[0] for each in options_of(JACKSON).dependencies)
    assert tuple(moving) == options_of(JACKSON).moves
    put_list(tmp_path, library, "central", "2.21.0", "2.21.0.1", "2.22.0")
    put_list(tmp_path, library, "local", "2.23.0-SNAPSHOT")
    for each in moving:
        put_list(tmp_path, each, "central", "2.20.0", "2.21.0", "2.22.0", "2.23.0-SNAPSHOT")
    assert sorted(MavenVersions().published(JACKSON)) == ["2.21.0", "2.22.0", "2.23.0-SNAPSHOT"]
    assert MavenVersions().usual(JACKSON) == options_of(JACKSON).dependencies[0].rpartition(":")[2]
    maven_says("[WARNING] Could not transfer metadata x from/to central")
    with pytest.raises(SetupError, match=r"Maven does not tell which versions of com\.fasterxml"):
        MavenVersions().published(JACKSON)
    maven_says("")
    with pytest.raises(SetupError, match=r"of org\.apache\.avro:avro there are"):
        MavenVersions().published(AVRO)


def build_of(
    codec: Codec, version: str, home: Path, monkeypatch: pytest.MonkeyPatch, *jars: Path
) -> JvmBuild:
    """The build of a codec in a version, which found these jars in place of Maven."""

    def resolve(_: JvmBuild, project: Path, *__: object) -> str:
        (project.parent / f"codec-{codec.name}").mkdir(exist_ok=True)
        (project.parent / f"codec-{codec.name}" / "class_path").write_text(os.pathsep.join(map(str, jars)))
        return ""

    monkeypatch.setattr(jvm_build, "need", lambda name: name)
    monkeypatch.setattr(jvm_build, "jdk_version", lambda: "17")
    monkeypatch.setattr(JvmBuild, "_run_maven", resolve)
    pinned = MavenVersions().pinned(codec, version)
    edition = Edition((), version, version=Version((codec.id,), version))
    workloads = [load_workloads(Paths.default().workloads)["record"]]
    build = JvmBuild(Paths(PROJECT, home), [pinned], workloads, edition=edition)
    build.configure()
    return build


def test_a_jar_with_another_content_under_the_same_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jars = [tmp_path / name for name in ("avro-1.11.0.jar", "other-1.jar", "mine-2-SNAPSHOT.jar")]
    for path in jars:
        path.write_bytes(b"first")

    def found() -> str:
        build = build_of(AVRO, "1.11.0", tmp_path, monkeypatch, *jars)
        assert build.name == "jdk@1.11.0" and build.directory.parent.name == "editions"
        return build.found["avro_java"].missing or build.found["avro_java"].version

    assert found() == "1.11.0"
    jars[2].write_bytes(b"built again")
    assert found() == "1.11.0", "a snapshot may change"
    jars.pop(0).unlink()
    assert found() == "1.11.0", "Maven is asked again for a jar that is gone"
    jars[0].write_bytes(b"second")
    assert "other-1.jar has another content than when it was fetched" in found()


def test_a_generator_has_the_version_of_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "avro.jar"
    jar.write_bytes(b"jar")
    build = build_of(AVRO, "1.11.0", tmp_path, monkeypatch, jar)
    build.build([(build.own(AVRO.variants["default"]), "record")], lambda *_: None)
    project = (build.directory / "modules" / "codec-avro_java" / "pom.xml").read_text()
    assert "<serbench.version>1.11.0</serbench.version>" in project
    assert "<artifactId>avro</artifactId><version>1.11.0</version>" in project


def test_a_jar_that_was_built_here_is_a_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar, needs = tmp_path / "avro.jar", tmp_path / "avro-1.12.2.pom"
    versions = MavenVersions()
    assert versions.problem(AVRO, str(jar)) == f"there is no file {jar}"
    assert "expected a jar" in versions.problem(AVRO, "./folder")
    assert versions.problem(CODECS["jvm/memcpy"], "1") == "this codec has no library"
    commands = []
    for text in ("Implementation-Version: 1.13.0-mine\n", "Manifest-Version: 1.0\n"):
        with zipfile.ZipFile(jar, "w") as archive:
            archive.writestr("META-INF/MANIFEST.MF", text)
        build = build_of(AVRO, str(jar), tmp_path, monkeypatch, jar, needs)
        commands.append(build.command(build.own(AVRO.variants["default"]), "record"))
        version = build.found["avro_java"].version
        assert version == ("1.13.0-mine" if "Implementation" in text else "avro.jar")
    assert commands[0] != commands[1] and str(needs) not in " ".join(commands[0])
    project = (build.directory / "resolve" / "codec-avro_java" / "pom.xml").read_text()
    assert f"<systemPath>{jar}</systemPath>" in project and "<type>pom</type>" in project


def test_artifacts_that_have_the_version_of_a_library_move_with_it() -> None:
    circe = CODECS["jvm/circe"]
    usual, own = (options_of(each).dependencies for each in (circe, MavenVersions().pinned(circe, "0.14.9")))
    moved = {"circe-core_2.13", "circe-generic_2.13", "circe-jawn_2.13"}
    assert len(usual) == len(own) == 4
    for before, after in zip(usual, own, strict=True):
        name = before.split(":")[1]
        assert after == (before.rpartition(":")[0] + ":0.14.9" if name in moved else before)
    options = msgspec.structs.replace(options_of(circe), moves=("io.circe:other",))
    declared = SimpleNamespace(maven=options, idl=None)
    said = list(languages()["jvm"].problems(declared, circe.directory))
    assert said == ["maven.moves: io.circe:other is not among maven.dependencies"]


def test_maven_that_was_killed_is_quoted() -> None:
    """It names no error then."""
    log = "[INFO] Building a 1 [1/3]\nDownloading from central: https://x.test/a/b.jar\n\n"
    assert cut_off(log).endswith("it last said: Downloading from central:")
    assert cut_off("").endswith("it last said: nothing")
