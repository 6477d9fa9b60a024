"""Tests of the user's own codecs and workloads outside of the source tree: every command finds them before
the built-in ones."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.started import started
from tests.support import raw_manifest
from tests.test_docs import fenced
from tests.test_pipeline import make_run

from serbench.errors import SelectionError
from serbench.measure.store import create_run
from serbench.paths import PROJECT, Paths
from serbench.report.tables import tables_of
from serbench.selecting.catalogue import load_codecs, load_variants
from serbench.workload import load_workloads


def add_terse(folder: Path, name: str = "terse") -> None:
    """Writes the codec of docs/add-a-codec.md into a folder."""
    codec = folder / "codecs" / "cpp" / name
    codec.mkdir(parents=True)
    page = PROJECT / "docs" / "add-a-codec.md"
    (codec / "codec.toml").write_text(fenced(page, "toml")[0])
    (codec / "adapter.hpp").write_text(fenced(page, "cpp")[0])


def add_sensors(folder: Path, name: str = "sensors") -> None:
    """Writes the workload of docs/add-a-workload.md into a folder."""
    (folder / "workloads").mkdir(parents=True, exist_ok=True)
    (text,) = fenced(PROJECT / "docs" / "add-a-workload.md", "python")
    (folder / "workloads" / f"{name}.py").write_text(text.replace('name="sensors"', f'name="{name}"'))


def serbench(cwd: Path, *words: str, path: str = "") -> subprocess.CompletedProcess[str]:
    further = {"COLUMNS": "200", "SERBENCH_PATH": path}
    return started(*words, home=cwd / "home", folder=cwd, further=further)


def planned(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [line.partition(":")[0] for line in done.stdout.splitlines() if " × " in line]


def test_codecs_and_workloads_of_the_folder_and_of_the_path_are_found(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "over there"
    add_terse(here)
    add_sensors(there)
    words = ("run", "--dry-run", "-c", "terse", "-c", "cpp/cereal", "-w", "sensors")
    assert planned(serbench(here, *words, path=str(there))) == ["cpp/terse × sensors", "cpp/cereal × sensors"]
    refused = serbench(here, *words)
    assert refused.returncode == 2 and "unknown workload 'sensors'" in refused.stderr


def test_no_codec_of_ones_own_is_a_floor(tmp_path: Path) -> None:
    add_terse(tmp_path)
    (path,) = tmp_path.glob("codecs/cpp/terse/codec.toml")
    path.write_text(f"floor = true\n{path.read_text()}")
    done = serbench(tmp_path, "run", "--dry-run", "-c", "cpp/terse")
    assert done.returncode == 2
    assert "floor: found true; only codecs that come with serbench can be floors" in done.stderr


def test_lists_say_where_they_are_from(tmp_path: Path) -> None:
    add_sensors(tmp_path)
    (tmp_path / "workloads" / "graph.py").write_text("workload = 1\n")
    listed = serbench(tmp_path, "list", "workloads").stdout
    assert f"from {tmp_path}/workloads: graph, sensors" in listed
    assert f"graph: used from {tmp_path}/workloads, instead of others with the same name" in listed
    assert f"broken: {tmp_path}/workloads/graph.py declares no workload" in " ".join(listed.split())
    records = json.loads(serbench(tmp_path, "list", "workloads", "--format", "json").stdout)
    files = {each["workload"]: each["file"] for each in records if "file" in each}
    assert files["sensors"] == f"{tmp_path}/workloads/sensors.py"
    assert files["monsters"] == f"{PROJECT}/workloads/monsters.py"


def test_of_a_name_the_users_own_is_taken_with_a_note_even_if_it_is_broken(tmp_path: Path) -> None:
    add_sensors(tmp_path, "monsters")
    done = serbench(tmp_path, "run", "--dry-run", "-c", "cpp/cereal", "-w", "monsters")
    assert planned(done) == ["cpp/cereal × monsters"]
    assert f"monsters: used from {tmp_path}/workloads, instead of others with the same name" in done.stderr
    add_terse(tmp_path, "cereal")
    toml = tmp_path / "codecs" / "cpp" / "cereal" / "codec.toml"
    toml.write_text(toml.read_text().replace("licence", "license"))
    done = serbench(tmp_path, "run", "--dry-run", "-c", "cpp/cereal")
    assert done.returncode == 2
    assert f"codec cpp/cereal cannot be used: {toml}" in done.stderr and "license" in done.stderr


def test_the_first_folder_counts(tmp_path: Path) -> None:
    for name in ("one", "two"):
        add_terse(tmp_path / name)
        add_sensors(tmp_path / name)
    folders = [tmp_path / name for name in ("one", "two")]
    found = load_codecs(*(folder / "codecs" for folder in folders), PROJECT / "codecs")
    assert found["cpp/terse"].directory == tmp_path / "one" / "codecs" / "cpp" / "terse"
    assert found.passed_over == {"cpp/terse": [tmp_path / "two" / "codecs"]}
    assert load_variants(tmp_path / "two" / "codecs")["cpp/terse"].codec.directory.is_relative_to(
        tmp_path / "two"
    )
    assert load_workloads(*(folder / "workloads" for folder in folders))["sensors"].source.is_relative_to(
        tmp_path / "one"
    )


def test_a_checkout_is_not_found_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    monkeypatch.setenv("SERBENCH_PATH", os.pathsep.join(("", str(PROJECT))))
    assert Paths.default().own == ()


def test_builds_of_other_folders_are_kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two folders may have codecs of the same name, so each folder's codecs are built in another place."""
    builds = []
    for name in ("a b/lib", "other/lib", "none"):
        if name != "none":
            add_terse(tmp_path / name)
        (tmp_path / name).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / name)
        builds.append(Paths.default().builds)
        assert Paths.default().builds == builds[-1]
    assert len({*builds}) == 3 and builds[2] == Paths.default().home / "build"


def test_a_path_without_any_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_terse(tmp_path)
    monkeypatch.setenv("SERBENCH_PATH", str(tmp_path / "codecs"))
    with pytest.raises(
        SelectionError,
        match=r"SERBENCH_PATH: found .*/codecs, which has neither codecs/<language>/<name>/codec",
    ):
        Paths.default()


def test_a_table_says_what_was_not_built_in(tmp_path: Path) -> None:
    made = make_run(tmp_path, ["fake/a"])
    notes = [note for table in tables_of(made, PROJECT / "suites")[0] for note in table.notes]
    assert not any("Not built in" in note for note in notes)
    run = create_run(tmp_path, raw_manifest(made) | {"own": ["fake/a", "sensors"]})
    assert (
        tables_of(run, PROJECT / "suites")[0][-1].notes[-1]
        == "Not built in, but added by whoever measured: fake/a, sensors."
    )
