"""Tests of the settings of a language's build (``--profile``), which are an edition of its toolchain."""

from __future__ import annotations

import os
import sys
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from serbench.building.prepare import toolchains
from serbench.codecs.edition import Edition, Editions, Profile, editions
from serbench.errors import SelectionError, SetupError
from serbench.languages import choices_of, chosen_settings, profile_of, profiles_of
from serbench.languages.cpp import allocators
from serbench.languages.javascript.engines import Brought
from serbench.languages.python.engines import interpreter_of
from serbench.languages.rust.build import RustBuild
from serbench.languages.rust.profile import cargo_config
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants

VARIANTS = load_variants(Paths.default().codecs)
CODECS = [VARIANTS["rust/memcpy"], VARIANTS["cpp/memcpy"]]


def built_with(settings: str, home: Path) -> RustBuild:
    paths = Paths(PROJECT, home)
    edition = Edition(paths.all_codecs, settings, profile=Profile("rust", settings))
    return RustBuild(paths, "g++", [VARIANTS["rust/memcpy"].codec], [], edition=edition)


def test_settings_are_of_one_language_and_the_others_are_built_as_usual(tmp_path: Path) -> None:
    paths = Paths(PROJECT, tmp_path)
    texts = ("rust:release", "rust:lto=fat", "rust:lto=fat")
    read = partial(profiles_of, selected=["cpp", "rust"])
    assert [read(text) for text in texts[:2]] == [[Profile("rust", "")], [Profile("rust", "lto=fat")]]
    builds = toolchains(paths, CODECS, (), editions(paths, Editions("profile", texts), read))
    assert [build.name for build in builds] == ["g++", "rustc", "rustc@lto=fat"]
    folders = {build.directory for build in builds if isinstance(build, RustBuild)}
    assert len(folders) == 2


def test_a_table_names_the_settings(tmp_path: Path) -> None:
    usual, other = (built_with(text, tmp_path).flags for text in ("", "target-cpu=native,lto=thin"))
    assert "opt-level=3, codegen-units=16, lto=false, no target-cpu; linked with -O3" in usual
    assert "opt-level=3, codegen-units=16, lto=thin, target-cpu=native; linked with -O3" in other


def test_cargo_reads_the_settings_where_it_is_started() -> None:
    written = cargo_config("lto=fat,codegen-units=1,opt-level=s,target-cpu=x86-64-v3")
    assert tomllib.loads(written) == {
        "profile": {"release": {"lto": "fat", "codegen-units": 1, "opt-level": "s"}},
        "build": {"rustflags": ["-C", "target-cpu=x86-64-v3"]},
    }
    assert cargo_config("") == ""


def test_the_examples_of_each_language_are_right() -> None:
    assert chosen_settings()
    for name, settings in chosen_settings().items():
        assert settings.problem(settings.examples) == ""
        assert profile_of(f"{name}:{settings.examples}", [name]) == Profile(name, settings.examples)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lto=fat", "--profile lto=fat; expected LANGUAGE:SETTINGS, such as .*rust:lto=fat"),
        ("pascal:fast", "--profile pascal:fast; expected LANGUAGE:SETTINGS"),
        ("go:-O2", "--profile go:-O2: Go is built in one way alone; expected"),
        (
            "cpp:-O2",
            "--profile cpp:-O2: found '-O2', expected allocator=libc, or allocator= with one of jemalloc",
        ),
        ("rust:", "found '', expected release, or KEY=VALUE with one of lto, codegen-units"),
        ("rust:fast", "found 'fast', expected release, or KEY=VALUE"),
        ("rust:allocator=libc", "found allocator=libc, expected one of jemalloc, mimalloc, tcmalloc"),
        ("rust:lto=very", "found lto=very, expected false, off, thin, fat or true"),
        ("rust:codegen-units=0", "expected a whole number from 1 on"),
        ("rust:opt-level=4", "expected 0 to 3, s or z"),
        ("rust:target-cpu=a b", r"expected native or the name of a processor \(rustc --print"),
        ("rust:lto=fat,lto=thin", "found lto twice, expected it once"),
    ],
)
def test_settings_that_there_are_not_are_refused(text: str, said: str) -> None:
    with pytest.raises(SelectionError, match=said):
        profile_of(text, ["cpp", "go", "rust"])


def test_settings_for_no_codec_are_refused() -> None:
    with pytest.raises(SelectionError, match="no codec of Rust is selected; expected one after -c"):
        profile_of("rust:lto=fat", ["cpp"])


def test_what_would_change_cells_unseen_is_left_out_and_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("RUSTFLAGS", "CARGO_PROFILE_RELEASE_LTO", "CARGO_TARGET_X_LINKER", "CARGO_BUILD_TARGET"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("CARGO_HOME", "kept")
    build = built_with("lto=fat", tmp_path)
    left = {name for name in build.environment if name.startswith(("RUSTFLAGS", "CARGO_"))}
    assert left == {"CARGO_HOME"}
    said = "\n".join(replace(build, edition=None).notices())
    assert "left out of the build of Rust, see --profile: CARGO_BUILD_TARGET, CARGO_PROFILE" in said


def test_an_option_of_one_setting_is_for_each_selected_language_that_knows_it(tmp_path: Path) -> None:
    read = partial(profiles_of, selected=["cpp", "go", "rust"])
    assert read("*:allocator=jemalloc") == [
        Profile("cpp", ""), Profile("rust", ""),
        Profile("cpp", "allocator=jemalloc"), Profile("rust", "allocator=jemalloc"),
    ]  # fmt: skip
    asked = Editions("profile", ("*:allocator=jemalloc", "*:allocator=tcmalloc"))
    builds = toolchains(Paths(PROJECT, tmp_path), CODECS, (), editions(Paths(PROJECT, tmp_path), asked, read))
    assert [build.name for build in builds] == [
        "g++", "g++@allocator=jemalloc", "g++@allocator=tcmalloc",
        "rustc", "rustc@allocator=jemalloc", "rustc@allocator=tcmalloc",
    ]  # fmt: skip
    assert read("*:allocator=libc") == [Profile("cpp", ""), Profile("rust", "")]
    with pytest.raises(SelectionError, match="--allocator slab: expected one of jemalloc, mimalloc"):
        read("*:allocator=slab")
    with pytest.raises(
        SelectionError, match=r"--allocator jemalloc: no codec of C or C\+\+ or Rust is selected"
    ):
        profiles_of("*:allocator=jemalloc", ["go"])
    assert {"jemalloc", "mimalloc", "tcmalloc"} <= {*choices_of("allocator")}


def test_an_engine_is_a_contender_of_its_own_name(tmp_path: Path) -> None:
    paths = Paths(PROJECT, tmp_path)
    read = partial(profiles_of, selected=["javascript"])
    asked = editions(paths, Editions("profile", ("*:engine=bun", "*:engine=deno")), read)
    builds = toolchains(paths, [VARIANTS["javascript/memcpy"]], (), asked)
    assert [build.name for build in builds] == ["node", "bun", "deno"]
    with pytest.raises(SelectionError, match="--engine v8: expected one of bun, deno"):
        read("*:engine=v8")
    with pytest.raises(SelectionError, match="--engine bun: no codec of JavaScript is selected"):
        profiles_of("*:engine=bun", ["cpp", "python"])  # which has engines too, but not this one


def test_an_interpreter_is_an_engine_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = Paths(PROJECT, tmp_path)
    codec, names = VARIANTS["python/msgspec:json_struct"], ("cpython3.12", "cpython3.14t", "pypy")
    for program, script in (
        ("python3.12", f'exec {sys.executable} "$@"'),
        ("pypy3", "echo broken >&2; exit 1"),
    ):
        (tmp_path / program).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    interpreter_of.cache_clear()
    read = partial(profiles_of, selected=["javascript", "python"])
    asked = editions(paths, Editions("profile", tuple(f"*:engine={name}" for name in names)), read)
    usual, there, absent, broken = toolchains(paths, [codec], (), asked)
    assert [each.name for each in (usual, there, absent, broken)] == ["cpython", *names]
    for build in (usual, there):
        build.configure()
        assert build.found["msgspec"].installed
    assert usual.describe() == there.describe()  # it is the same interpreter
    with pytest.raises(SetupError, match=r"engine cpython3\.14t: no program .python3\.14t. is on"):
        absent.configure()
    with pytest.raises(SetupError, match=r"engine pypy: .*pypy3 does not start: broken"):
        broken.configure()


def test_an_engine_starts_with_the_flags_that_a_cell_needs(tmp_path: Path) -> None:
    for name, place in (("bun", "@oven/bun-here/bin/bun"), ("deno", "@deno/here/deno")):
        engine = Brought(name, PROJECT / "runners" / "javascript" / "engines" / name, tmp_path / name)
        with pytest.raises(SetupError, match=f"engine {name}: npm has no {name.title()} for this system"):
            engine.words()
        executable = tmp_path / name / "node_modules" / place
        executable.parent.mkdir(parents=True)
        executable.touch()
        words = engine.words()
        assert str(executable) in words and "--expose-gc" in " ".join(words)
        assert Path(words[0]).is_absolute()
        lock = (engine.given / "package-lock.json").read_text()
        assert "integrity" in lock and "://" not in lock and "resolved" not in lock


def test_an_allocator_that_no_package_has_is_to_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocators, "_found", lambda *_: None)
    missing = [allocators.missing_package(name, "cc", {}) for name in ("jemalloc", "mimalloc")]
    assert missing == ["libjemalloc-dev", ""]
    with pytest.raises(
        SetupError, match=r"found no libmimalloc, expected libmimalloc\.a.*below SERBENCH_PREF"
    ):
        allocators.linked_with("mimalloc", "cc", {})
    shared = {"so": Path("libmimalloc.so")}
    monkeypatch.setattr(allocators, "_found", lambda name, ending, *_: shared.get(ending))
    with pytest.raises(SetupError, match=r"found a shared libmimalloc alone, expected libmimalloc\.a"):
        allocators.linked_with("mimalloc", "cc", {})
