"""Tests of what CMake finds in folders of made-up libraries; nothing is compiled. Every path contains a
space."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support import all_workloads

from serbench.codecs.codec import Variant
from serbench.codecs.edition import Edition
from serbench.languages.cpp.build import CppBuild
from serbench.languages.cpp.environment import build_environment, left_out, notices
from serbench.languages.cpp.ninja import Ninja, first_error
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs

pytestmark = pytest.mark.slow("have CMake look for libraries")

CODEC = """
summary = "made up"
homepage = "https://example.org"
licence = "MIT"
format = "none"
features = {{ {features} }}
[cmake]
{cmake}
[variants.default]
adapter = "Adapter"
summary = "made up"
"""
FEATURES = "schema code_generation self_describing zero_copy human_readable cross_language cycles"
INTERFACE = "add_library({0}::{0} INTERFACE IMPORTED)\nset({0}_VERSION {1})\n"


def package_of(name: str) -> str:
    """The lines of a ``codec.toml`` by which a codec asks for the CMake package of this name."""
    return f'package = "{name}"\ntargets = ["{name}::{name}"]\nversion = "{name}_VERSION"'


class Project:
    """A project of made-up codecs with serbench's own CMake project, and folders of made-up libraries."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch):
        self.folder = folder / "a project"
        self.monkeypatch = monkeypatch
        self.folder.mkdir()
        (self.folder / "runners").symlink_to(PROJECT / "runners")
        for name in ("SERBENCH_PREFIX", "CMAKE_PREFIX_PATH", *left_out({"CMAKE_X": "1"})):
            monkeypatch.delenv(name, raising=False)

    def codec(self, name: str, cmake: str) -> None:
        folder = self.folder / "codecs" / "cpp" / name
        folder.mkdir(parents=True)
        features = ", ".join(f"{each} = false" for each in FEATURES.split())
        (folder / "codec.toml").write_text(CODEC.format(cmake=cmake, features=features))
        (folder / "adapter.hpp").write_text("#error no adapter\n")

    def package(self, prefix: str, name: str, text: str) -> Path:
        """Installs a made-up CMake package whose ``NAMEConfig.cmake`` has this text; returns its prefix."""
        return self.file(prefix, f"lib/cmake/{name}/{name}Config.cmake", text)

    def file(self, prefix: str, path: str, text: str = "") -> Path:
        file = self.folder / prefix / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return self.folder / prefix

    def use(self, prefix: Path | None) -> None:
        if prefix:
            self.monkeypatch.setenv("SERBENCH_PREFIX", str(prefix))
        else:
            self.monkeypatch.delenv("SERBENCH_PREFIX")

    def build(self, workloads: Iterable[Any] = ()) -> CppBuild:
        load_codecs.cache_clear()
        paths = Paths(self.folder, self.folder / "state")
        return CppBuild(paths, "g++", list(load_codecs(paths.codecs).values()), list(workloads))

    def found(self) -> dict[str, str]:
        """Codec → the version of its library, or the reason why it is not found."""
        build = self.build()
        build.configure()
        return {name: found.missing or found.version for name, found in build.found.items()}


@pytest.fixture(name="project")
def made_up_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(tmp_path, monkeypatch)


def test_what_one_library_brings_is_not_found_as_another(project: Project) -> None:
    """One package also defines targets of two others, and sets in CMake's cache the folder of a third and
    compiler flags. None of this may reach the codecs that ask for other packages."""
    greedy = (
        INTERFACE.format("Greedy", "1.0")
        + INTERFACE.format("Absent", "1.0")
        + INTERFACE.format("Target", "1.0")
    )
    greedy += 'set(Other_DIR "${CMAKE_CURRENT_LIST_DIR}/bundled" CACHE PATH "")\n'
    greedy += 'set(CMAKE_CXX_FLAGS -Dunseen CACHE STRING "" FORCE)\n'
    target = (
        "if(TARGET Target::Target)\nset(Target_VERSION greedy)\nelse()\n"
        f"{INTERFACE.format('Target', '3.0')}endif()\n"
    )
    project.package("some libraries", "Greedy", greedy)
    project.file(
        "some libraries", "lib/cmake/Greedy/bundled/OtherConfig.cmake", INTERFACE.format("Other", "9.9")
    )
    project.package("some libraries", "Other", INTERFACE.format("Other", "2.0"))
    project.package("some libraries", "Target", target)
    project.package(
        "some libraries", "Empty", "add_library(Empty::Empty INTERFACE IMPORTED)\nset(Empty_FOUND FALSE)\n"
    )
    # Codecs are read in the order of their names, so this one comes before those that it would spoil.
    for name, package in {
        "greedy": "Greedy",
        "hidden": "Absent",
        "other": "Other",
        "target": "Target",
        "void": "Empty",
    }.items():
        project.codec(name, package_of(package))
    project.use(project.folder / "some libraries")
    build = project.build([all_workloads()["record"]])
    build.configure()
    assert {name: found.missing or found.version for name, found in build.found.items()} == {
        "greedy": "1.0",
        "hidden": "find_package(Absent) finds nothing",
        "other": "2.0",
        "target": "3.0",
        "void": "find_package(Empty) finds nothing",
    }
    assert "-Dunseen" not in (build.directory / "build.ninja").read_text()


def test_of_two_packages_of_one_name_the_one_with_the_targets_is_found(project: Project) -> None:
    """Two packages have one name and lie in two folders of one prefix, as Debian has those of msgpack for C
    and C++. Each codec must get the one that defines its target."""
    project.codec("one", package_of("Some"))
    project.codec(
        "other", package_of("Some").replace("Some::Some", "Other::Other").replace("Some_V", "Other_V")
    )
    project.codec("three", package_of("Some").replace("Some::Some", "Third::Third"))
    project.package("libraries", "Some", INTERFACE.format("Other", "1.0"))
    prefix = project.file("libraries", "lib/cmake/Some-cxx/SomeConfig.cmake", INTERFACE.format("Some", "2.0"))
    project.use(prefix)
    assert project.found() == {
        "one": "2.0",
        "other": "1.0",
        "three": "find_package(Some) gives no target Third::Third",
    }


def test_a_folder_that_was_configured_before_finds_what_a_fresh_one_finds(project: Project) -> None:
    project.codec("package", package_of("Some"))
    project.codec("files", 'header = "some.h"\nversion_header = "some.h"\nversion_regex = "([0-9.]+)"')
    assert "nothing" in project.found()["package"]
    for version in ("1.0", "2.0"):
        prefix = project.package(f"libraries {version}", "Some", INTERFACE.format("Some", version))
        project.file(f"libraries {version}", "include/some.h", version)
        project.use(prefix)
        assert project.found() == {"package": version, "files": version}
    project.use(None)
    assert project.found() == {"package": "find_package(Some) finds nothing", "files": "no header some.h"}


def test_libraries_that_change_or_go_are_noticed(project: Project) -> None:
    project.codec("package", package_of("Some"))
    project.codec("files", 'header = "some.h"\nversion_header = "some.h"\nversion_regex = "([0-9.]+)"')
    prefix = project.package("libraries", "Some", INTERFACE.format("Some", "1.0"))
    project.use(project.file("libraries", "include/some.h", "1.0"))
    assert project.found() == {"package": "1.0", "files": "1.0"}
    project.package("libraries", "Some", INTERFACE.format("Some", "1.1"))
    assert project.found() == {"package": "1.1", "files": "1.0"}
    project.file("libraries", "include/some.h", "1.1")
    assert project.found() == {"package": "1.1", "files": "1.1"}
    shutil.rmtree(prefix / "include")
    assert project.found() == {"package": "1.1", "files": "no header some.h"}


def test_a_missing_library_is_looked_for_again_where_its_codec_is_selected(project: Project) -> None:
    project.use(project.file("prefix", "include/deep/there.h"))
    for name in ("there", "late"):
        project.codec(name, f'header = "deep/{name}.h"')
    project.build().configure()
    project.file("prefix", "include/deep/late.h")  # where nobody watches
    for selected, missing in ({"there"}, {"late"}), ({"late"}, set()), ((), set()):
        build = replace(project.build(), selected=selected)
        build.configure()
        assert {name for name, each in build.found.items() if not each.installed} == missing


def test_a_package_that_ends_cmake_costs_its_own_codec(project: Project) -> None:
    project.package("libraries", "Good", INTERFACE.format("Good", "1.0"))
    project.package("libraries", "Fatal", 'message(FATAL_ERROR "needs hwloc,\\nwhich is not there")\n')
    broken = INTERFACE.format("Late", "1.0")
    broken += "set_target_properties(Late::Late PROPERTIES INTERFACE_LINK_LIBRARIES No::No)\n"
    project.use(project.package("libraries", "Late", broken))
    for name in ("fatal", "good", "late"):
        project.codec(name, package_of(name.capitalize()))
    workload = all_workloads()["record"]  # the fault of Late is seen when a program is linked with it
    build = project.build([workload])
    build.configure()
    assert build.found["good"].version == "1.0"
    assert build.found["fatal"].missing == "its CMake package fails: needs hwloc, which is not there"
    assert "its CMake package fails: " in build.found["late"].missing
    assert "No::No" in build.found["late"].missing


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="executables are static on Linux alone")
def test_a_shared_library_alone_is_said_to_be_one(project: Project) -> None:
    text = "add_library(inner SHARED IMPORTED)\n"
    text += (
        'set_target_properties(inner PROPERTIES IMPORTED_LOCATION "${CMAKE_CURRENT_LIST_DIR}/libinner.so")\n'
    )
    text += INTERFACE.format("Some", "1.0")
    text += "set_target_properties(Some::Some PROPERTIES INTERFACE_LINK_LIBRARIES $<LINK_ONLY:inner>)\n"
    project.package("libraries", "Some", text)
    project.file("libraries", "include/some.h")
    project.use(project.file("libraries", "lib/libsome.so"))
    project.codec("package", package_of("Some"))
    project.codec("dynamic", package_of("Some") + '\nlinking = "dynamic"')
    project.codec("files", 'header = "some.h"\nlibraries = ["some"]')
    advice = "executables here are static: build it as a static one"
    libraries = project.folder / "libraries" / "lib"
    assert project.found() == {
        "dynamic": "1.0",
        "files": f"no library some but {libraries}/libsome.so, and {advice}",
        "package": f"{libraries}/cmake/Some/libinner.so is a shared library, and {advice}",
    }


def test_avro_needs_no_library_but_its_own(project: Project) -> None:
    """The codec avro is found with avro's library alone, without fmt: version 1.8 does not use fmt, and later
    versions use only its headers."""
    (project.folder / "codecs" / "cpp").mkdir(parents=True)
    (project.folder / "codecs" / "cpp" / "avro").symlink_to(PROJECT / "codecs" / "cpp" / "avro")
    project.file("libraries", "include/avro/Encoder.hh")
    project.file("libraries", "lib/libavrocpp_s.a")
    prefix = project.file("libraries", "bin/avrogencpp", "#!/bin/sh\n")
    (prefix / "bin" / "avrogencpp").chmod(0o755)
    project.use(prefix)
    project.monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    assert project.found() == {"avro": ""}


def test_flags_of_the_environment_do_not_enter_unseen(project: Project) -> None:
    for name in ("CXXFLAGS", "LDFLAGS"):
        project.monkeypatch.setenv(name, "-Dunseen")
    project.monkeypatch.setenv("CMAKE_BUILD_TYPE", "Debug")
    project.monkeypatch.setenv("CPATH", "/some/include")
    project.codec("none", 'header = "vector"')
    build = project.build([all_workloads()["record"]])
    build.configure()
    ninja = (build.directory / "build.ninja").read_text()
    assert "-O3 -DNDEBUG" in ninja and "unseen" not in ninja and " -g" not in ninja
    (notice,) = build.notices()
    assert notice == (
        f"left out of the build, whose flags are {build.flags} for every cell: "
        "CMAKE_BUILD_TYPE, CPATH, CXXFLAGS, LDFLAGS of the environment"
    )


def test_what_is_left_out_of_the_environment() -> None:
    given = {
        "PATH": "/bin",
        "CXXFLAGS": "-g",
        "LDFLAGS": "",
        "CMAKE_PREFIX_PATH": "/opt",
        "CMAKE_TOOLCHAIN_FILE": "t",
    }
    assert left_out(given) == ["CMAKE_TOOLCHAIN_FILE", "CXXFLAGS"]
    assert build_environment(given) == {
        "PATH": "/bin",
        "LDFLAGS": "",
        "CMAKE_PREFIX_PATH": "/opt",
        "LC_ALL": "C",
    }
    assert notices({"SERBENCH_PREFIX": "/no/such"}, "-O3") == [
        "found /no/such, expected a folder with libraries (SERBENCH_PREFIX, CMAKE_PREFIX_PATH)"
    ]


def test_folders_of_prefixes_that_differ_in_a_mark_are_two() -> None:
    paths = Paths.default()

    def folder(label: str, prefix: str) -> Path:
        return CppBuild(
            paths, "g++", (), (), edition=Edition(paths.all_codecs, label, Path(prefix))
        ).directory

    assert (
        len(
            {
                folder("/opt/a/b", "/opt/a/b"),
                folder("/opt/a_b", "/opt/a_b"),
                folder("a", "/one/a"),
                folder("a", "/two/a"),
            }
        )
        == 4
    )
    assert CppBuild(paths, "g++", (), ()).directory.name == "g++"
    assert CppBuild(paths, "/bin/g++", (), ()).directory != CppBuild(paths, "_bin_g++", (), ()).directory


@pytest.fixture(name="cells")
def configured_cells(project: Project) -> tuple[CppBuild, list[tuple[Variant, str]], list[list[str]]]:
    """A build of two codecs, of which the second was added after the first configuration; the variants to
    build, each with its workload; and the list that receives the targets given to Ninja."""
    for name in ("first", "second"):
        project.codec(name, f'header = "{name}.h"')
    project.use(project.file("libraries", "include/first.h"))
    build = project.build([all_workloads()["record"]])
    build.configure()
    told: list[list[str]] = []
    project.monkeypatch.setattr(Ninja, "build", lambda _, targets, __: told.append(list(targets)))
    return build, [(codec.variants["default"], "record") for codec in build.codecs], told


Cells = tuple[CppBuild, list[tuple[Variant, str]], list[list[str]]]


def test_a_target_of_a_library_that_came_since_is_known(cells: Cells, project: Project) -> None:
    build, wanted, told = cells
    stale = build.directory / "build.ninja"
    text = stale.read_text()
    project.file("libraries", "include/second.h")
    build.configure()
    stale.write_text(text)  # as another command leaves it that saw no library
    assert build.build_minimal(wanted, lambda *_: None) == {}
    assert told == [["first.default.record.minimal", "second.default.record.minimal"]]


def test_an_unknown_target_costs_its_own_cell(cells: Cells, project: Project) -> None:
    build, wanted, told = cells
    project.file("libraries", "include/second.h")
    build.configure()
    project.monkeypatch.setattr(Ninja, "targets", lambda _: {"first.default.record.minimal"})
    reason = "has no target second.default.record.minimal, though the library was found"
    assert build.build_minimal(wanted, lambda *_: None) == {
        ("cpp/second", "record"): f"the build in {build.directory} {reason}"
    }
    shutil.rmtree(project.folder / "libraries" / "include")
    reason = "since its library is no longer found"
    assert list(build.build_minimal(wanted[1:], lambda *_: None).values()) == [
        f"the build in {build.directory} has no target second.default.record.minimal, {reason}"
    ]
    assert told == [["first.default.record.minimal"]]


def test_what_ninja_itself_complains_of_is_the_reason(tmp_path: Path) -> None:
    (tmp_path / "build.ninja").write_text("rule none\n  command = true\nbuild here: none\n")
    ninja = Ninja(tmp_path, {})
    assert "here" in ninja.targets() and "there" not in ninja.targets()
    assert ninja.build(["here"], lambda *_: None) is None
    log = ninja.build(["here", "there"], lambda *_: None)
    assert log and first_error(log, ["there"]) == "ninja: error: unknown target 'there', did you mean 'here'?"
