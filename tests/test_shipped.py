"""Tests of the metric ``shipped``: which packages count, and how the figures are shown."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from serbench.errors import BuildError
from serbench.export.tables import table_of
from serbench.languages.base import Carried
from serbench.languages.cpp import cost
from serbench.languages.cpp.domain import program_without
from serbench.languages.jvm.carried import carried as jars
from serbench.languages.python.carried import carried as wheels
from serbench.measure.store import Journal, Run, create_run
from serbench.paths import PROJECT, Paths
from serbench.report.tables import tables_of
from serbench.workload import load_workload


def wheel(folder: Path, name: str, metadata: str, bytes: int) -> None:
    """Writes a package as pip would have installed it, with one module of so many bytes."""
    module, own = folder / f"{name}.py", folder / f"{name}-1.dist-info"
    own.mkdir(parents=True)
    module.write_bytes(b"#" * bytes)
    (own / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\n{metadata}\n\nA text.\n")
    (own / "RECORD").write_text(f"{module.name},sha256=x,{bytes}\n{name}-1.dist-info/RECORD,,\n../gone,,\n")


def test_a_program_carries_what_its_library_requires_and_no_tools(tmp_path: Path) -> None:
    needs = "\n".join(
        f"Requires-Dist: {each}"
        for each in (
            "Base_Types>=2", 'fast; extra == "speed"', "slow; extra == 'slowness'", "absent; os_name == 'nt'"
        )
    )  # fmt: skip
    wheel(tmp_path, "library", f"License-Expression: MIT\nLicense: ignored\n{needs}", 1000)
    wheel(tmp_path, "base.types", "Classifier: License :: OSI Approved :: BSD License", 200)
    wheel(tmp_path, "fast", f"License: Apache-2.0\nLicense: {'whole text ' * 9}", 30)
    wheel(tmp_path, "slow", "License: GPL", 4)
    wheel(tmp_path, "compiler", "License: GPL\nRequires-Dist: library", 50_000)
    told = wheels(tmp_path, ["library[speed] >= 1"])
    records = sum(path.stat().st_size for path in tmp_path.glob("*/RECORD") if path.parts[-2][0] in "lbf")
    assert told.bytes == {"shipped": 1230 + records}
    assert told.packages == 3 and told.licences == ["Apache-2.0", "BSD License", "MIT"]
    assert wheels(tmp_path, ["library"]).packages == 2
    assert wheels(None, []).bytes == {"shipped": 0}


def artifact(repository: Path, group: str, name: str, project: str, bytes: int | None = None) -> Path:
    folder = repository.joinpath(*group.split("."), name, "1")
    folder.mkdir(parents=True)
    space = ' xmlns="urn:example:project"' if bytes else ""
    (folder / f"{name}-1.pom").write_text(f"<project{space}>{project}</project>")
    if bytes:
        (folder / f"{name}-1.jar").write_bytes(b"j" * bytes)
    return folder / f"{name}-1.jar"


def test_jars_that_every_program_has_are_left_out_and_licences_are_inherited(tmp_path: Path) -> None:
    def parent(group: str, name: str) -> str:
        return (
            f"<parent><groupId>{group}</groupId><artifactId>{name}</artifactId><version>1</version></parent>"
        )

    licence = "<licenses><license><name>The\n  Licence</name></license></licenses>"
    needs = "<dependencies><dependency><artifactId>options</artifactId></dependency></dependencies>"
    artifact(tmp_path, "org.top", "top", licence)
    artifact(tmp_path, "org.a", "middle", parent("org.top", "top"))
    class_path = [
        artifact(tmp_path, "org.run", "runtime", f"<groupId>org.run</groupId>{needs}", 7000),
        artifact(tmp_path, "org.run", "options", "<groupId>org.run</groupId>", 500),
        artifact(tmp_path, "org.a", "library", parent("org.a", "middle"), 40),
        artifact(tmp_path, "org.b.c", "other", "<groupId>org.b.c</groupId>", 3),
    ]
    told = jars(class_path, ["org.run:runtime:1"])
    assert (told.bytes, told.packages, told.licences) == ({"shipped": 43}, 2, ["The Licence"])
    class_path[2].with_suffix(".pom").write_text("<project")
    assert jars(class_path, ["org.run:runtime:1"]).licences == []


def shipped(folder: Path) -> Run:
    """Makes a run in which four codecs of two languages were weighed, and one could not be."""
    codecs = ["go/small", "go/great", "python/one", "python/none", "go/broken", "go/absent"]
    run = create_run(
        folder,
        {
            "suite": None, "codecs": codecs, "floors": [], "workloads": ["record"], "operations": [],
            "metrics": ["shipped"], "datasets": {}, "rounds": 1, "machine": {"processor": "none"},
            "arguments": [], "toolchains": [],
        },
    )  # fmt: skip
    wheels = {"kind": "wheels", "packages": 5, "licences": ["A", "B", "C", "D", "E"]}
    found: dict[str, dict[str, Any]] = {
        "go/great": {"kind": "programs", "bytes": {"shipped": 2_000_000}, "packages": 3},
        "go/small": {
            "kind": "programs",
            "bytes": {"shipped": -12},
            "missing": {"browser": "there is no zlib"},
        },
        "python/one": {**wheels, "bytes": {"shipped": 800, "gzip": 90}},
        "python/none": {**wheels, "bytes": {"shipped": 0}, "packages": 0, "licences": []},
    }
    with Journal(run) as journal:
        for codec, values in found.items():
            journal.append({"event": "shipped", "codec": codec, "workload": "record", **values})
        journal.append(
            {
                "event": "shipped_failure",
                "codec": "go/broken",
                "workload": "record",
                "reason": "did not build",
            }
        )
        unit = {"event": "unit", "codec": "go/absent", "workload": "record", "status": "not_installed"}
        journal.append({**unit, "reason": "no network"})
        journal.append({"event": "end"})
    return run


def test_the_least_bytes_come_first_among_things_of_a_kind(tmp_path: Path) -> None:
    (table,), _, figures = tables_of(shipped(tmp_path), Paths.default().suites)
    assert table.headings == ["", "shipped", "gzip", "packages", "licences"]
    assert [list(row) for row in table.rows] == [
        ["go/small", "-12", "–", "–", "–"],
        ["go/great", "2,000,000", "–", "3", "–"],
        ["python/none", "0", "–", "0", "–"],
        ["python/one", "800", "90", "5", "A, B, C, 2 more"],
        ["go/broken", "–", "–", "–", "–"],
        ["go/absent", "–", "–", "–", "–"],
    ]
    assert table.notes[:5] == [
        "go/broken: did not build",
        "go/absent: no network",
        "browser: go/small: there is no zlib",
        "go: programs.",
        "python: wheels.",
    ]
    records = {each.codec: each.to_json() for each in figures}
    assert records["python/one"]["shipped_bytes"] == 800
    assert records["python/one"]["licences"] == ["A", "B", "C", "D", "E"]
    assert records["go/broken"]["reason"] == "did not build"
    columns = table_of("costs", [shipped(tmp_path)])
    exported = dict(zip(zip(columns["codec"], columns["cost"], strict=True), columns["value"], strict=True))
    assert exported["go/great", "shipped_packages"] == 3 and exported["python/one", "gzip_bytes"] == 90


@pytest.mark.skipif(not (shutil.which("g++") and shutil.which("size")), reason="there is no g++ or no size")
def test_a_least_program_is_weighed_against_one_without_the_codec(tmp_path: Path) -> None:
    def built(text: str) -> cost.LeastProgram:
        source = tmp_path / "least.cpp"
        source.write_text(text)
        return cost.built_without(
            ["g++", str(source)], tmp_path / f"least{len(text)}", {"PATH": "/usr/bin:/bin"}
        )

    less, more = built("int main() {}"), built("char table[70000] = {1}; int main() { return table[1]; }")
    size = [
        int(subprocess.run(["size", each.executable], capture_output=True, text=True).stdout.split()[7])
        for each in (less, more)
    ]
    told = cost.carried(more, less, "MIT")
    assert isinstance(told, Carried) and told.licences == ["MIT"] and told.packages is None
    assert abs(told.bytes["shipped"] - (size[1] - size[0])) < 8192
    assert {path.name.partition(".")[0] for path in cost.shared_libraries(more.executable)} >= {"libc"}
    with pytest.raises(BuildError, match=r"without a codec did not build: .*expected"):
        built("int main() { return 1 }")


def test_the_program_without_a_codec_has_the_types_of_its_workload() -> None:
    text = program_without(load_workload(PROJECT / "workloads" / "record.py").schema.plain())
    assert '#include "domain.hpp"' in text and "copy_message<Nothing, serbench::Root>" in text
