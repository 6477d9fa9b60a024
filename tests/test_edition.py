"""Tests of editions: adapters of a git revision, and libraries of another folder, measured beside the usual
ones."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from serbench.building.prepare import _dealt, lacking, toolchains
from serbench.cli.asking import Making
from serbench.codecs.edition import Edition, Editions, editions
from serbench.errors import SelectionError
from serbench.languages.cpp.build import CppBuild
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs, load_variants
from serbench.selecting.selection import Chosen

TOML = Path(__file__).parents[1] / "codecs" / "cpp" / "handwritten"


def git(folder: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=m", *words],
        cwd=folder,
        check=True,
        capture_output=True,
    )


@pytest.fixture(name="paths")
def project(tmp_path: Path) -> Paths:
    """A project of two git revisions: in the first one, the codec has another summary, and there is a second
    codec."""
    project = tmp_path / "project"
    for name in ("handwritten", "gone"):
        folder = project / "codecs" / "cpp" / name
        folder.mkdir(parents=True)
        for file in TOML.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    toml = project / "codecs" / "cpp" / "handwritten" / "codec.toml"
    toml.write_text(toml.read_text().replace('summary = "', 'summary = "changed: ', 1))
    git(project, "rm", "-rqf", "codecs/cpp/gone")
    git(project, "commit", "-qam", "second")
    return Paths(project, tmp_path / "home")


def test_a_revision_has_its_own_adapters(paths: Paths) -> None:
    before, now, tree = editions(paths, Editions("revision", ("HEAD~1", "HEAD", ".")))
    assert [sorted(load_codecs(*each.codecs)) for each in (before, now, tree)] == [
        ["cpp/gone", "cpp/handwritten"],
        ["cpp/handwritten"],
        ["cpp/handwritten"],
    ]
    assert load_codecs(*now.codecs)["cpp/handwritten"].summary.startswith("changed: ")
    assert not load_codecs(*before.codecs)["cpp/handwritten"].summary.startswith("changed: ")
    assert tree.codecs == paths.all_codecs
    assert [each.name("g++") for each in (before, now, tree)] == ["g++@HEAD~1", "g++@HEAD", "g++@."]


def test_a_folder_of_libraries_is_the_prefix_of_its_build_alone(
    paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERBENCH_PREFIX", "usual")
    (tmp_path / "new").mkdir()
    (edition,) = editions(paths, Editions("prefix", (str(tmp_path / "new"),)))
    assert edition.environment["SERBENCH_PREFIX"] == str(tmp_path / "new")
    (usual,) = editions(paths, Editions())
    assert usual.environment["SERBENCH_PREFIX"] == "usual" and usual.name("g++") == "g++"


def test_each_edition_is_built_in_a_folder_of_its_own(paths: Paths) -> None:
    revisions = editions(paths, Editions("revision", ("HEAD~1", ".")))
    variants = [
        variant for codec in load_codecs(paths.codecs).values() for variant in codec.variants.values()
    ]
    (paths.project / "workloads").mkdir()
    builds = toolchains(paths, variants, ["g++", "clang++"], revisions)
    assert [build.name for build in builds] == ["g++@HEAD~1", "clang++@HEAD~1", "g++@.", "clang++@."]
    assert len({build.directory for build in builds if isinstance(build, CppBuild)}) == 4


def test_a_codec_that_an_edition_lacks_or_that_cannot_be_loaded_from_it_is_told_so(paths: Paths) -> None:
    now = [
        Unit(v, *[cast(Any, None)] * 3)
        for c in load_codecs(paths.codecs).values()
        for v in c.variants.values()
    ]
    (paths.project / "workloads").mkdir()
    glue = paths.codecs / "cpp" / "handwritten" / "glue.py"
    glue.write_text("from serbench import something_else\n")
    (paths.codecs / "other").write_text("a folder without files is not in git\n")
    git(paths.project, "add", "-A")
    git(paths.project, "commit", "-qm", "broken")
    git(paths.project, "rm", "-rqf", "codecs/cpp/handwritten")
    git(paths.project, "commit", "-qm", "none")
    for revision, status, said in (
        ("HEAD~2", None, ""),
        ("HEAD~1", "failed", r"handwritten/glue\.py, line 1 cannot be loaded: ImportError: .*something_else"),
        ("HEAD", "unsupported", r"g\+\+@HEAD has no cpp/handwritten"),
    ):
        asked = editions(paths, Editions("revision", (revision,)))
        (build,) = toolchains(paths, [unit.variant for unit in now], ["g++"], asked)
        told = lacking(build, now).get("cpp/handwritten", {})
        assert told.get("status") == status
        assert re.search(said, told.get("reason", ""))


@pytest.mark.parametrize(
    ("revisions", "prefixes", "said"),
    [
        (["nothing"], [], "--revision nothing is not a git revision"),
        (["--all"], [], "--revision --all is not a git revision"),
        ([], ["/does/not/exist"], "--prefix /does/not/exist is not a folder"),
        (["HEAD"], ["."], "cannot be combined"),
    ],
)
def test_what_is_no_edition_is_refused(
    paths: Paths, revisions: list[str], prefixes: list[str], said: str
) -> None:
    with pytest.raises(SelectionError, match=said):
        editions(paths, Editions.of({"revision": revisions, "prefix": prefixes}))


def test_an_error_names_the_option_that_was_given() -> None:
    with pytest.raises(SelectionError, match="--allocator and --version cannot be combined"):
        _ = Making(allocator=["mimalloc"], version=["rust/prost=0.13"]).editions


def test_the_usual_programs_stand_before_those_of_a_profile_and_of_a_setting() -> None:
    asked = Making(profile=["rust:lto=fat"], allocator=["mimalloc"]).editions
    assert asked.named == ("*:allocator=mimalloc", "rust:lto=fat")


def test_the_usual_edition_has_no_label(paths: Paths) -> None:
    assert editions(paths, Editions()) == [Edition(paths.all_codecs)]


@pytest.mark.parametrize("codec", ["javascript/builtin_json", "jvm/memcpy", "python/orjson:dict"])
def test_codecs_of_package_managers_have_revisions_too(codec: str, tmp_path: Path) -> None:
    """Each revision is built in a folder of its own; another folder of libraries changes nothing for them."""
    paths = Paths(Paths.default().project, tmp_path)
    variant = load_variants(paths.codecs)[codec]
    usual: Any = toolchains(paths, [variant])[0]
    before, after = cast("Any", toolchains)(
        paths, [variant], made_from=[Edition((paths.codecs,), name) for name in ("HEAD~1", ".")]
    )
    assert (before.name, after.name) == (f"{usual.name}@HEAD~1", f"{usual.name}@.")
    assert before.directory.parent == usual.directory / "editions" and after.directory == usual.directory
    (same,) = cast("Any", toolchains)(paths, [variant], made_from=[Edition((paths.codecs,), "a", tmp_path)])
    assert (same.name, same.directory) == (usual.name, usual.directory)


def test_the_floor_of_a_revision_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(tmp_path))
    for folder, found in (("revisions/1a/codecs", 1), ("codecs", 0)):
        shutil.copytree(TOML.parent / "memcpy", tmp_path / folder / "cpp" / "memcpy")
        assert len(load_codecs(tmp_path / folder)) == found


OF_EACH_LANGUAGE = [
    "c/libcbor", "cpp/cereal", "go/gob", "javascript/builtin_json", "jvm/jackson:json", "python/json:dict",
    "rust/bincode",
]  # fmt: skip


@pytest.mark.parametrize("codec", OF_EACH_LANGUAGE)
def test_a_revision_of_a_codec_has_its_own_adapter(codec: str, tmp_path: Path) -> None:
    """A job's units have the usual codec, and those of a toolchain the codec of its edition. Programs that
    need no C++ compiler, no Cargo and no Maven are built, so that the adapter is seen to be read."""
    paths = Paths(Paths.default().project, tmp_path)
    variant = next(v for v in load_variants(paths.codecs).values() if v.id.startswith(codec))
    folder = tmp_path / "before" / "codecs" / variant.codec.id
    shutil.copytree(variant.codec.directory, folder)
    edition = Edition((tmp_path / "before" / "codecs",), "HEAD~1")
    builds: Any = toolchains(paths, [variant], ("g++",), [Edition((paths.codecs,), "."), edition])
    job = Job(paths, Chosen([variant], []), builds=builds)
    (usual, (same,)), (before, (other,)) = _dealt(job, [Unit(variant, *[cast(Any, None)] * 3)])
    assert (same.variant.codec.directory, other.variant.codec.directory) == (variant.codec.directory, folder)
    assert other.variant != variant and Chosen([], [], beside=[variant]).is_beside(other.variant)
    assert not job.chosen.is_beside(other.variant)
    if variant.codec.language in ("go", "javascript", "python"):
        (adapter,) = (each for each in folder.iterdir() if each.stem == "adapter")
        adapter.write_text("the adapter of a revision cannot be read")
        for build, unit in ((usual, same), (before, other)):
            build.codecs = [each for each in build.codecs if each.name == variant.codec.name]
            build.configure()
            failed = build.build([(unit.variant, "record")], lambda *_: None)
            assert set(failed) == ({(variant.id, "record")} if unit is other else set())
