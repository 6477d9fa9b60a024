"""Tests of serbench installed from its wheel into an empty environment, and used outside of a clone."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from tests.test_docs import fenced
from tests.test_own import add_sensors, add_terse

from serbench import __version__
from serbench.errors import SetupError
from serbench.paths import PROJECT
from serbench.system.extras import need_packages

TRAVELS = ("codecs", "workloads", "suites", "conformance", "runners", "conanfile.txt")


@dataclass(frozen=True)
class Installed:
    """An environment with nothing but serbench, in which Python finds the packages that serbench needs where
    this test finds them.

    Attributes:
        wheel: the wheel that was installed.
        folder: the folder of the environment; ``cache`` beside it takes the place of the user's cache folder.
    """

    wheel: Path
    folder: Path

    @property
    def cache(self) -> Path:
        return self.folder.parent / "cache"

    def run(self, cwd: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs the installed ``serbench`` in a folder."""
        return self.start(cwd, "serbench", *words, **environment)

    def start(self, cwd: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a command in the environment of a user who has no clone."""
        usual = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SERBENCH", "PYTHON", "XDG"))
        }
        programs = os.pathsep.join(
            (str(self.folder / "bin"), str(Path(sys.executable).parent), usual.get("PATH", ""))
        )
        own = {"PATH": programs, "XDG_CACHE_HOME": str(self.cache), "COLUMNS": "200", **environment}
        if "SERBENCH_PREFIX" in os.environ:
            own.setdefault("SERBENCH_PREFIX", os.environ["SERBENCH_PREFIX"])
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env={**usual, **own})


@pytest.fixture(scope="session", name="installed")
def install(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Builds the wheel with the project's own build backend and installs it; nothing is downloaded."""
    if not importlib.util.find_spec("hatchling"):
        pytest.skip(
            "hatchling, which builds the wheel, is not in this environment; it is of the extra serbench[test]"
        )
    folder = tmp_path_factory.mktemp("an installation")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True, capture_output=True)
    python = str(environment / "bin" / "python")
    pip = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--disable-pip-version-check",
        str(wheel),
    ]
    subprocess.run(pip, check=True)
    (site_packages,) = (environment / "lib").glob("python*/site-packages")
    (site_packages / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Installed(wheel, environment)


def test_the_wheel_holds_all_that_is_tracked_and_nothing_else(installed: Installed) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *TRAVELS], cwd=PROJECT, capture_output=True, text=True, check=True
    ).stdout
    tracked = {name for name in listed.split("\0") if name and (PROJECT / name).exists()}
    assert len(tracked) > 100
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = {
            name.removeprefix("serbench/data/")
            for name in wheel.namelist()
            if name.startswith("serbench/data/")
        }
    new = subprocess.run(
        ["git", "ls-files", "-zo", "--exclude-standard", *TRAVELS],
        cwd=PROJECT,
        capture_output=True,
        text=True,
    )
    assert names - set(new.stdout.split("\0")) == tracked


def test_it_works_from_any_folder(installed: Installed, tmp_path: Path) -> None:
    assert installed.run(tmp_path, "--version").stdout == f"serbench {__version__}\n"
    listed = installed.run(tmp_path, "list", "workloads")
    assert listed.returncode == 0 and "monsters" in listed.stdout
    planned = installed.run(tmp_path, "run", "--suite", "heron", "--dry-run")
    assert planned.returncode == 0 and "cpp/msgpack" in planned.stdout, planned.stderr
    assert list(tmp_path.iterdir()) == []


def test_messages_name_the_command_as_it_was_started(installed: Installed, tmp_path: Path) -> None:
    said = "there is no run yet; start one with: serbench run\n"
    new_user = {"XDG_CACHE_HOME": str(tmp_path)}  # other tests leave runs in the installation's own cache
    assert installed.run(tmp_path, "show", **new_user).stderr == f"error: {said}"
    assert "Usage: serbench show" in installed.run(tmp_path, "show", "--help").stdout
    program = installed.folder / "bin" / "serbench"
    done = subprocess.run(
        [str(program), "show"], capture_output=True, text=True, cwd=tmp_path, env={"HOME": str(tmp_path)}
    )
    assert f"start one with: '{program}' run" in done.stderr


def test_state_goes_to_the_users_cache_folder_or_where_it_shall(installed: Installed, tmp_path: Path) -> None:
    code = "from serbench.paths import Paths; print(Paths.default().home)"
    python = str(installed.folder / "bin" / "python")
    for environment, home in (
        ({"XDG_CACHE_HOME": str(tmp_path / "xdg")}, tmp_path / "xdg" / "serbench"),
        ({"SERBENCH_HOME": str(tmp_path / "own")}, tmp_path / "own"),
    ):
        done = subprocess.run(
            [python, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=environment
        )
        assert done.stdout.strip() == str(home), done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("test",), "the tests are not part of an installed serbench"),
        (
            ("run", "--revision", "HEAD"),
            "--revision needs the git repository of a clone",
        ),
    ],
)
def test_what_needs_a_checkout_says_so(
    installed: Installed, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = installed.run(tmp_path, *words)
    assert done.returncode == 2 and done.stderr.startswith(f"error: {said}") and done.stderr.count("\n") == 1


def test_an_extra_that_is_missing_says_what_to_install() -> None:
    need_packages("test", "pytest")
    with pytest.raises(
        SetupError, match=r"needs no_such_module, from the extra serbench\[plot\]; get it: .+ install "
    ):
        need_packages("plot", "pytest", "no_such_module")


@pytest.mark.native
def test_it_measures_away_from_the_checkout_with_a_codec_and_a_workload_of_ones_own(
    installed: Installed, tmp_path: Path
) -> None:
    here = tmp_path / "my library"
    add_terse(here)
    add_sensors(here)
    words = (
        "-c",
        "cpp/cereal",
        "-c",
        "terse",
        "-w",
        "sensors:count=2",
        "--quick",
        "--rounds",
        "1",
    )
    done = installed.run(here, "run", *words, "--format", "json")
    assert done.returncode == 0, done.stderr
    measured = {(row["codec"], row["operation"]): row for row in json.loads(done.stdout) if "codec" in row}
    assert {codec for codec, _ in measured} == {"cpp/cereal", "cpp/terse"}
    assert {row["status"] for row in measured.values()} == {"ok"}, done.stdout
    assert sorted(path.name for path in here.iterdir()) == ["codecs", "workloads"]
    shown = installed.run(here, "show", "--full").stdout
    assert "Not built in, but added by whoever measured: cpp/terse, sensors." in " ".join(shown.split())


def library(folder: Path) -> Path:
    """Makes the repository of docs/keep-a-codec-in-your-repository.md. Its library is the code that
    add-a-codec.md has around its adapter.

    Returns:
        The library's header.
    """
    add_terse(folder)
    codec = folder / "codecs" / "cpp" / "terse"
    text = (codec / "adapter.hpp").read_text()
    of_library, found, adapter = text.partition("template <class Root>\nstruct TerseAdapter")
    assert found
    header = folder / "include" / "terse" / "terse.hpp"
    header.parent.mkdir(parents=True)
    header.write_text(of_library + "}  // namespace serbench\n")
    (codec / "adapter.hpp").write_text(
        f'#pragma once\n#include "terse/terse.hpp"\nnamespace serbench {{\n{found}{adapter}'
    )
    (own,) = fenced(PAGE, "toml")
    (codec / "codec.toml").write_text((codec / "codec.toml").read_text() + own)
    return header


PAGE = PROJECT / "docs" / "keep-a-codec-in-your-repository.md"


@pytest.mark.native
def test_the_workflow_for_a_library_fails_for_a_slower_one_and_passes_otherwise(
    installed: Installed, tmp_path: Path
) -> None:
    here = tmp_path / "repository"
    header = library(here)
    shutil.copytree(here, here / "base")
    inputs = {"codec": "terse", "baseline": "base", "metric": "instructions"}

    def follow(step: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        """Runs a step as the action does, whose inputs are ``inputs`` and its defaults."""
        of_step = {name: _filled(value, inputs) for name, value in step["env"].items()}
        return installed.start(
            here, "bash", "-c", step["run"], SERBENCH_PREFIX=str(here), **of_step,
            GITHUB_STEP_SUMMARY=str(tmp_path / "summary"),
        )  # fmt: skip

    install, *steps = yaml.safe_load((PROJECT / "action.yml").read_text())["runs"]["steps"]
    assert install["run"] == 'pip install "$SERBENCH_SOURCE"'  # the fixture did it, without a network
    for step in steps:
        done = follow(step)
        assert done.returncode == 0, f"{step['run']}\n{done.stdout}{done.stderr}"
    assert "serbench: 0 of 3 figures worse by more than 2 %" in (tmp_path / "summary").read_text()

    sound = header.read_text()
    slower = "  for (volatile int spin = 0; spin < 20; ++spin) {\n  }\n"
    header.write_text(
        sound.replace("  const auto* bytes = static_cast", slower + "  const auto* bytes = static_cast", 1)
    )
    assert header.read_text() != sound
    _, compare, show = steps
    failed = follow(compare)
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert "1 more by more than 2 % (!)" in failed.stdout and "serialize:reuse" in failed.stdout
    assert follow(show).returncode == 0
    summary = (tmp_path / "summary").read_text().partition("serbench: 1 of 3 figures")[2]
    assert "serialize:reuse" in summary and "more instructions, a regression" in summary


def _filled(text: str, inputs: dict[str, str]) -> str:
    """The value of an action's environment variable, which is an input or its default."""
    declared = yaml.safe_load((PROJECT / "action.yml").read_text())["inputs"]
    name = text.removeprefix("${{ inputs.").removesuffix(" }}")
    return inputs.get(name) or str(declared[name]["default"])


def test_the_workflow_of_the_page_has_the_steps_of_the_action() -> None:
    """The page's steps are those of ``action.yml``, of which a test sees that they pass and fail."""
    (workflow,) = fenced(PAGE, "yaml")
    written = [step["run"] for step in yaml.safe_load(workflow)["jobs"]["compare"]["steps"] if "run" in step]
    steps = yaml.safe_load((PROJECT / "action.yml").read_text())["runs"]["steps"]
    inputs = {"codec": "terse", "baseline": "base"}
    for step in steps[1:3]:
        words = re.sub(r" \$\{CANDIDATE:\+.*?\}", "", step["run"])  # the page's library is in a folder
        for name, value in step["env"].items():
            words = words.replace(f'"${name}"', _filled(value, inputs))
        assert words.replace("serbench-comment.md", "comment.md") in written
