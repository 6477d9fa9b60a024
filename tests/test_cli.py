"""Tests of the command line as a user meets it, in a home folder of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.started import started
from tests.test_pipeline import make_run

from serbench import __version__
from serbench.cli.app import COMMANDS
from serbench.paths import PROJECT

LAUNCHER = PROJECT / "serbench"


def serbench(home: Path, *arguments: str, columns: int = 100) -> subprocess.CompletedProcess[str]:
    return started(*arguments, home=home, further={"COLUMNS": str(columns)})


def test_no_arguments_print_help(tmp_path: Path) -> None:
    done = serbench(tmp_path)
    commands = done.stdout.partition("Commands:")[2]
    assert re.findall(r"^  (\w+)", commands, re.MULTILINE) and {
        *re.findall(r"^  (\w+)", commands, re.MULTILINE)
    } == {*COMMANDS}


def test_for_a_command_no_other_is_imported(tmp_path: Path) -> None:
    code = (
        "import sys; from serbench.cli.app import register; register(['list']);"
        "print([m for m in ('serbench.cli.run', 'serbench.imports', 'google.protobuf') if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout == "[]\n"


def test_the_version_is_printed_without_importing_the_rest(tmp_path: Path) -> None:
    assert serbench(tmp_path, "--version").stdout == f"serbench {__version__}\n"
    code = (
        "import sys; sys.argv = ['serbench', '--version']; from serbench.cli.app import main; main();"
        "print([m for m in ('numpy', 'scipy', 'rich.table', 'serbench.codecs.codec') if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "command", ["run", "show", "plot", "list", "verify", "encode", "doctor", "setup", "test"]
)
def test_every_option_has_help_and_every_command_an_example(tmp_path: Path, command: str) -> None:
    done = serbench(tmp_path, command, "--help", columns=200)
    assert "Example: ./serbench" in done.stdout
    options = [line for line in done.stdout.splitlines() if re.match(r"\s+(-\w, )?--\w", line)]
    assert options
    for line in options:
        assert re.search(r"\S {2,}\S.*", line.strip()), f"no help: {line}"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "-w", "monster"), "unknown workload 'monster'; did you mean monsters"),
        (
            ("run", "-w", "monsters:cont=3"),
            "unknown parameter of workload monsters 'cont'; did you mean count?",
        ),
        (
            ("run", "-w", "monsters:count=x"),
            "workload monsters, parameter count: found 'x', expected a whole number",
        ),
        (
            ("run", "-w", "record:ids=big"),
            "workload record, parameter ids: found 'big', expected small or mixed",
        ),
        (("run", "-c", "cpp/protobuff"), "unknown codec 'cpp/protobuff'; did you mean cpp/protobuf"),
        (("run", "-o", "serialise"), "unknown operation 'serialise'; did you mean"),
        (("run", "--memory", "new"), "unknown memory policy 'new'; known: fresh, reuse"),
        (("show",), "there is no run yet; start one with: ./serbench run"),
        (("compare",), "expected RUN_A, or --baseline with -c CODEC"),
        (("compare", "--baseline", "1.0"), "expected -c CODEC, the codec whose library is compared"),
        (
            ("compare", "--baseline", "1.0", "-c", "python/orjson", "-c", "cpp/cereal"),
            "name codecs of one kind",
        ),
        (("compare", "--baseline", "1.0", "aaa"), "expected no RUN_A, found aaa"),
        (("compare", "aaa", "--rounds", "9"), "--rounds say what --baseline measures; a run has its own"),
        (
            ("compare", "aaa", "--candidate", "1.0"),
            "--candidate, --metric, --quick and --rounds say what --baseline",
        ),
        (("compare", "aaa", "--quick"), "a run has its own"),
        (
            ("compare", "--baseline", "no/such.whl", "-c", "python/orjson"),
            "--baseline no/such.whl: there is no such file or folder, no version and no git revision",
        ),
        (
            ("compare", "--baseline", "HEAD", "--candidate", "no/folder", "-c", "cpp/cereal"),
            "--candidate no/folder: there is no such file or folder and no git revision",
        ),
        (
            ("compare", "--baseline", "1.0", "--candidate", "HEAD", "-c", "python/orjson"),
            "--candidate HEAD is a git revision; expected a version or package, as --baseline is",
        ),
        (
            ("run", "--cxx", "no-such-compiler", "-c", "cpp/memcpy"),
            "no program 'no-such-compiler' is on the path",
        ),
    ],
)
def test_a_wrong_selection_names_what_was_found_and_what_is_near(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = serbench(tmp_path, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr and done.stdout == ""


def test_a_dry_run_prints_the_plan_and_measures_nothing(tmp_path: Path) -> None:
    done = serbench(
        tmp_path,
        "run",
        "--dry-run",
        "-c",
        "cpp/handwritten",
        "-w",
        "record:ids=mixed",
        "--rounds",
        "3",
        "--seed",
        "7",
    )
    assert done.returncode == 0
    assert (
        "cpp/handwritten:checked × record:ids=mixed: serialize:reuse, deserialize:reuse, deserialize:fresh"
        in done.stdout
    )
    assert re.search(
        r"6 cells in 2 processes a round, 3 rounds, seed 7: about \d+ s of measuring", done.stdout
    )
    assert not (tmp_path / "runs").exists() and not (tmp_path / "build").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-w", "graph"), "uses the selection and seed of the run"),
        (("--cxx", "clang++"), "uses the selection and seed of the run"),
        (("--seed", "3"), "uses the selection and seed of the run"),
        (("--layouts", "2"), "uses the number of layouts of the run"),
        (("--iterations", "4"), "uses the run's own --iterations"),
    ],
)
def test_a_run_that_is_continued_takes_nothing_that_it_has_itself(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    run = make_run(tmp_path / "runs", ["cpp/cereal"])
    done = serbench(tmp_path, "run", "--resume", run.id, *options)
    assert done.returncode == 2
    assert f"--resume {said}" in done.stderr


@pytest.mark.parametrize(
    "pattern", ["cpp/handwritten", "cpp/hand*", "cpp/handwritten:*", "handwritten", "*/handwritten:*"]
)
def test_patterns_select_all_variants_of_a_codec_and_all_languages_where_none_is_named(
    tmp_path: Path, pattern: str
) -> None:
    done = serbench(tmp_path, "run", "--dry-run", "-c", pattern)
    names = ["cpp/handwritten:checked", "cpp/handwritten:unsafe"]
    others = ["go/handwritten", "javascript/handwritten", "jvm/handwritten", "python/handwritten"]
    others += ["rust/handwritten:checked", "rust/handwritten:unsafe"]
    names += [] if pattern.startswith("cpp/") else others
    assert [line.split(" ")[0] for line in done.stdout.splitlines() if " × " in line] == names


@pytest.mark.parametrize("kind", ["workloads", "operations", "suites", "runs"])
@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json"])
def test_lists_come_in_every_format(tmp_path: Path, kind: str, form: str) -> None:
    done = serbench(tmp_path, "list", kind, "--format", form)
    assert done.returncode == 0
    if form == "json":
        assert isinstance(json.loads(done.stdout), list)
    if kind == "workloads":
        assert "monsters" in done.stdout


def test_the_launcher_refuses_an_old_python_with_a_clear_message(tmp_path: Path) -> None:
    """The launcher ends with an error message where the only python3 that it finds says that it is version
    3.9."""
    tools = tmp_path / "bin"
    tools.mkdir()
    old = tools / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.2" && exit 0\nexit 1\n')
    old.chmod(0o755)
    for name in ("sh", "dirname", "readlink", "cmp", "id"):
        (tools / name).symlink_to(str(shutil.which(name)))
    copy = tmp_path / "serbench"
    shutil.copy(LAUNCHER, copy)
    (tmp_path / "requirements.lock").write_text("")
    done = subprocess.run([str(copy), "--version"], capture_output=True, text=True, env={"PATH": str(tools)})
    assert done.returncode == 2
    assert "serbench needs Python 3.11 or newer; found Python 3.9.2." in done.stderr
    assert "apt-get install python3" in done.stderr
