"""Tests that the module of a codec on the JVM has sources for the workloads that it was asked for, and no
others."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from serbench.codecs.edition import Edition, Profile
from serbench.errors import BuildError, SetupError
from serbench.languages.base import Found
from serbench.languages.jvm import build as jvm_build
from serbench.languages.jvm import programs
from serbench.languages.jvm.build import JvmBuild
from serbench.languages.jvm.generate import workloads_of
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.workload import load_workloads

VARIANT = load_variants(Paths.default().codecs)["jvm/memcpy"]


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JvmBuild:
    """A build with a fake Maven that always succeeds."""
    workloads = list(load_workloads(Paths.default().workloads).values())
    made = JvmBuild(
        Paths(PROJECT, tmp_path), [VARIANT.codec], workloads, {"memcpy": Found(True, "1", "")}, {"memcpy": ""}
    )
    (made.directory / "target").mkdir(parents=True)
    monkeypatch.setattr(jvm_build, "jdk_version", lambda: "17")
    _maven_says(monkeypatch, "[INFO] codec-memcpy ..... SUCCESS")
    return made


def _maven_says(monkeypatch: pytest.MonkeyPatch, log: str) -> None:
    monkeypatch.setattr(JvmBuild, "_run_maven", lambda *_: log)


def _compiled(build: JvmBuild) -> set[str]:
    """The workloads that the codec's module has sources for; asserts that domain types exist for the same
    workloads."""
    found = workloads_of(build.directory / "modules" / "codec-memcpy")
    domain = build.directory / "generated" / "domain"
    assert {path.parent.name for path in domain.rglob("*.scala")} == found
    return found


def test_a_module_has_the_workloads_that_were_asked_of_it_and_keeps_them(build: JvmBuild) -> None:
    for workload, compiled in (
        ("record", {"record"}),
        ("monsters", {"record", "monsters"}),
        ("record", {"record", "monsters"}),
    ):
        assert build.build([(VARIANT, workload)], lambda *_: None) == {}
        assert _compiled(build) == compiled


def test_nothing_is_compiled_again_for_a_workload_that_is_there(
    build: JvmBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    build.build([(VARIANT, "record"), (VARIANT, "monsters")], lambda *_: None)
    monkeypatch.setattr(JvmBuild, "_run_maven", lambda *_: pytest.fail("Maven was run"))
    assert build.build([(VARIANT, "record")], lambda *_: None) == {}


def test_a_module_is_compiled_again_once_the_domain_has_other_types_of_the_same_name(
    build: JvmBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def run(*_: object) -> str:
        runs.append(1)
        return "[INFO] codec-memcpy ..... SUCCESS\n[INFO] codec-java_io ..... SUCCESS"

    monkeypatch.setattr(JvmBuild, "_run_maven", run)
    other = load_variants(Paths.default().codecs)["jvm/java_io"]
    whole = replace(
        build,
        codecs=[VARIANT.codec, other.codec],
        found=dict.fromkeys(("memcpy", "java_io"), Found(True, "1", "")),
        _libraries=dict.fromkeys(("memcpy", "java_io"), ""),
    )
    by_name = {each.name: each for each in build.workloads}
    one, two = (
        replace(whole, workloads=[replace(by_name[name], name="cases")]) for name in ("record", "monsters")
    )
    for of, variant, expected in ((one, VARIANT, 1), (two, other, 2), (one, VARIANT, 3), (one, VARIANT, 3)):
        assert of.build([(variant, "cases")], lambda *_: None) == {}
        assert len(runs) == expected


def test_a_workload_that_could_not_be_compiled_does_no_harm_to_the_next(
    build: JvmBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    _maven_says(monkeypatch, "[INFO] codec-memcpy ..... FAILURE")
    assert list(build.build([(VARIANT, "monsters")], lambda *_: None)) == [("jvm/memcpy", "monsters")]
    _maven_says(monkeypatch, "[INFO] codec-memcpy ..... SUCCESS")
    assert build.build([(VARIANT, "record")], lambda *_: None) == {}
    assert _compiled(build) == {"record"}


def test_an_error_in_what_a_library_s_generator_wrote_is_told(
    build: JvmBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = build.directory / "target" / "codec-memcpy" / "generated-sources" / "Monster.scala"
    _maven_says(
        monkeypatch,
        f"[ERROR] {file}:7: not found: value Adapter_\n"
        "[ERROR] Failed to execute goal compile (scala) on project codec-memcpy: InterfaceCompileFailed",
    )
    told = build.build([(VARIANT, "monsters")], lambda *_: None)["jvm/memcpy", "monsters"]
    assert "Monster.scala:7: not found: value Adapter_" in told


def test_a_revision_is_built_of_its_own_adapter(build: JvmBuild, tmp_path: Path) -> None:
    before = replace(VARIANT.codec, directory=tmp_path / "before" / "memcpy")
    build.codecs, build.edition = [before], Edition((before.directory.parent,), "HEAD~1")
    own = build.own(VARIANT)
    build.build([(own, "record")], lambda *_: None)
    project = build.directory / "modules" / "codec-memcpy" / "pom.xml"
    assert f"<source>{before.directory}</source>" in project.read_text()
    digest = build.command(own, "record")
    before.directory.mkdir(parents=True)
    (before.directory / "Adapter.scala").write_text("changed")
    assert build.command(own, "record") != digest


def test_an_edition_without_class_data_has_the_same_programs_and_another_flag(
    build: JvmBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jvm_build, "need", lambda program: program)
    build.build([(VARIANT, "record")], lambda *_: None)
    profile = Profile("jvm", "class-data=unshared")
    other = replace(build, edition=Edition(build.paths.all_codecs, profile.settings, profile=profile))
    assert (other.name, other.directory) == ("jdk@class-data=unshared", build.directory)
    usual, own = (each.calling(VARIANT, "record", Path("data")) for each in (build, other))
    further = ["-Xshare:off", "-Dserbench.flags=-Xshare:off"]  # the second for the forks of the runner
    assert [word for word in own if word not in usual] == further
    assert [word for word in usual if word not in own] == []
    left = [word for word in other.command(VARIANT, "record") if word not in build.command(VARIANT, "record")]
    assert left == further[1:]
    revision = replace(build, edition=Edition(build.paths.all_codecs, "HEAD~1"))
    assert revision.directory != build.directory


FAKE_JAVA = """#!/usr/bin/env python3
import pathlib, sys
words = sys.argv[1:]
with open(pathlib.Path(__file__).with_name("told"), "a") as told:
    told.write(" ".join(words) + "\\n")
if pathlib.Path(__file__).with_name("refuses").exists() and "describe" in words:
    print("the archive is of another JVM")
    sys.exit(1)
for word in words:
    if word.startswith("-XX:ArchiveClassesAtExit="):
        pathlib.Path(word.partition("=")[2]).write_text("archive")
"""


def archiving(build: JvmBuild) -> JvmBuild:
    """The same build, as the edition whose classes are archived."""
    profile = Profile("jvm", "class-data=archived")
    return replace(build, edition=Edition(build.paths.all_codecs, profile.settings, profile=profile))


def test_an_edition_archives_the_classes_of_jars_once(
    build: JvmBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The calls that are timed have the archive, and the usual runner has none."""
    java = build.paths.home / "java"
    java.write_text(FAKE_JAVA)
    java.chmod(0o755)
    monkeypatch.setattr(jvm_build, "need", lambda program: str(java))
    build.build([(VARIANT, "record")], lambda *_: None)
    for module in ("codec-memcpy", "domain", "core"):
        classes = build.directory / "target" / module / "classes"
        classes.mkdir(parents=True)
        (classes / f"{module}.class").write_text("compiled")
    own = archiving(build)
    assert own.command(VARIANT, "record") == build.command(VARIANT, "record")
    words = own.calling(VARIANT, "record", Path("data"))
    assert own.calling(VARIANT, "record", Path("data")) == words
    trained, checked = (build.paths.home / "told").read_text().splitlines()  # and not again
    assert "calls --dataset data --cell roundtrip:fresh" in trained
    assert "-Xshare:on" in checked and "-Xshare:on" not in words
    (archive,) = (word.partition("=")[2] for word in words if word.startswith("-XX:SharedArchiveFile="))
    assert Path(archive).read_text() == "archive"
    jars = words[words.index("-cp") + 1].split(os.pathsep)
    assert [ZipFile(jar).namelist() for jar in jars] == [
        ["codec-memcpy.class"], ["domain.class"], ["core.class"]
    ]  # fmt: skip
    (build.paths.home / "refuses").touch()
    with pytest.raises(BuildError, match="could not be archived: the archive is of another JVM"):
        own.calling(VARIANT, "record", Path("other data"))


def test_a_jdk_that_archives_no_classes_is_refused(build: JvmBuild, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm_build, "need", lambda program: program)
    for module in (jvm_build, programs):
        monkeypatch.setattr(module, "jdk_version", lambda: "11.0.2")
    with pytest.raises(SetupError, match=r"class-data=archived: found JDK 11\.0\.2, expected 13 or later"):
        archiving(build).configure()
