"""Tests of docs/keep-a-codec-beside-a-package.md: its steps and those of the action, in a repository that git
alone knows, with a library that is not published anywhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from tests.test_docs import fenced
from tests.tiny_libraries import LIBRARIES, Tiny

from serbench.paths import PROJECT

PAGE = PROJECT / "docs" / "keep-a-codec-beside-a-package.md"
STEPS = dict(zip(("rust", "go", "python", "javascript"), fenced(PAGE, "sh"), strict=True))
NEEDED = {"rust": "cargo", "go": "go", "python": "git", "javascript": "npm"}
BUILD = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
FEW, SAME, MANY = 20, 20, 60


def commit(library: Tiny, passes: int) -> None:
    """Commit the library as it is when it writes each message so often."""
    library.checkout(library.folder, passes)
    git = ["git", "-C", str(library.folder), "-c", "user.name=x", "-c", "user.email=x@example.test"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "Change", "--allow-empty"]):
        subprocess.run([*git, *words], check=True)


def repository(library: Tiny, passes: int) -> None:
    """Make the repository: a commit of the library, another one, and a worktree of the first."""
    codec = library.add_codec()
    if (lock := codec / "package-lock.json").exists():
        lock.write_text(json.dumps({"lockfileVersion": 3, "packages": {}}))
    own = f'[project]\nname = "tiny"\nversion = "1.1.0"\n{BUILD}[tool.hatch.build]\ninclude = ["tiny.py"]\n'
    if library.language == "python":
        (library.folder / "pyproject.toml").write_text(own)
    (library.folder / ".gitignore").write_text("/base\n/dist\n*.whl\n*.tgz\n")
    commit(library, FEW)
    commit(library, passes)
    before = ["git", "-C", str(library.folder), "worktree", "add", "-q", "--detach", "base", "HEAD~1"]
    subprocess.run(before, check=True)


def follow(library: Tiny, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run steps at the top of the repository, with serbench and pip on the path."""
    programs = library.beside / "programs"
    programs.mkdir(exist_ok=True)
    for name, module in (("serbench", "serbench"), ("pip", "pip")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        (programs / name).chmod(0o755)
    own = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(PROJECT / "src"),
        "SERBENCH_HOME": str(library.beside / "home"),
        "PIP_NO_BUILD_ISOLATION": "0",  # the build backend is that of this environment
    }
    return subprocess.run(
        ["bash", "-ec", script],
        cwd=library.folder,
        capture_output=True,
        text=True,
        env={**os.environ, **library.environment, **own, **variables},
    )


@pytest.fixture(name="library")
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Tiny:
    language = request.param
    if not request.config.getoption("--all"):  # each builds and measures twice, and wants a quiet core
        pytest.skip("left to ./serbench test --all")
    if not shutil.which(NEEDED[language]) or (language == "rust" and not shutil.which("valgrind")):
        pytest.skip(f"{NEEDED[language]} or valgrind is missing")
    library: Tiny = LIBRARIES[language](tmp_path / "repository")
    return library


@pytest.mark.slow("follow the steps for a package")
@pytest.mark.parametrize("library", STEPS, indirect=True)
@pytest.mark.parametrize(("passes", "status"), [(SAME, 0), (MANY, 1)])
def test_the_steps_fail_for_a_slower_package_and_pass_otherwise(
    library: Tiny, passes: int, status: int
) -> None:
    repository(library, passes)
    steps = STEPS[library.language].replace("mine", "tiny").replace("monsters", "record")
    done = follow(library, steps)
    assert done.returncode == status, done.stdout + done.stderr
    said = (library.folder / "comment.md").read_text()
    assert said.startswith(f"**serbench: {status} of "), said
    assert ("a regression" in said) == bool(status)


@pytest.mark.slow("follow the steps for a package")
@pytest.mark.parametrize("library", ["rust"], indirect=True)
@pytest.mark.parametrize(("passes", "status"), [(SAME, 0), (MANY, 1)])
def test_the_action_has_the_same_steps(library: Tiny, passes: int, status: int) -> None:
    repository(library, passes)
    described = yaml.safe_load((PROJECT / "action.yml").read_text())
    given = {"codec": library.id, "baseline": "./base", "candidate": ".", "workload": "record"}
    inputs = {name: given.get(name, each.get("default")) for name, each in described["inputs"].items()}
    _, verify, compare, _ = described["runs"]["steps"]
    for step, expected in ((verify, 0), (compare, status)):
        own = {name: inputs[re.sub(r"\W|inputs", "", text)] for name, text in step["env"].items()}
        done = follow(library, step["run"], **own)
        assert done.returncode == expected, done.stdout + done.stderr
    assert (library.folder / inputs["comment"]).read_text().startswith(f"**serbench: {status} of ")
