"""Tests of running the programs of a build, and of the report on one that fails."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from serbench.errors import SetupError
from serbench.languages.install import install_command, missing_program, need
from serbench.languages.running import failure_of, first_error


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("print('fine')", ""),
        ("import sys; print('out'); sys.exit('no')", "no"),
        ("import sys; print(' out '); sys.exit(3)", "out"),
        ("import sys; sys.exit(3)", "it ended with status 3"),
        ("import sys; sys.stderr.buffer.write(b'\\xff'); sys.exit(3)", "\ufffd"),
    ],
)
def test_a_program_that_fails_is_told_by_its_own_words(program: str, said: str) -> None:
    assert failure_of([sys.executable, "-c", program]) == said


def test_a_program_runs_in_its_folder_and_environment(tmp_path: Path) -> None:
    program = "import os, sys; sys.exit(os.getcwd() + ' ' + os.environ['OWN'])"
    assert failure_of([sys.executable, "-c", program], tmp_path, {"OWN": "x"}) == f"{tmp_path.resolve()} x"


@pytest.mark.parametrize(
    ("said", "pattern", "line"),
    [
        ("\n  one \n two\n", "", "one"),
        ("note: x\nerror: y\nerror: z", "^error", "error: y"),
        ("note: x", "^error", "it failed"),
        ("npm error code 1\nnpm error \nnpm error it broke", r"^npm error (?!code )(.+)$", "it broke"),
        ("error: `registry+https://a.example/b?c` is away", "", "error: its registry is away"),
        ('Get "https://a.example/b": no route', "", "Get its registry: no route"),
        ("from git+ssh://a.example:1/b (again)", "", "from its registry (again)"),
        ("std::vector and a/b: c", "", "std::vector and a/b: c"),
    ],
)
def test_the_first_error_is_a_line_without_addresses(said: str, pattern: str, line: str) -> None:
    assert first_error(said, pattern) == line


def test_a_program_that_is_needed_is_found_or_told_with_what_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").write_text("#!/bin/sh\n")
    (tmp_path / "here").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert need("here") == str(tmp_path / "here")
    assert missing_program(["here"]) == "" and missing_program([]) == ""
    assert missing_program(["here", "away", "gone"]) == "no program 'away' is on the path"
    with pytest.raises(SetupError) as error:
        need("away", "a-package", why="it does all the work")
    get = install_command(["a-package"])
    assert str(error.value) == f"no program 'away' is on the path; it does all the work; get it: {get}"
    with pytest.raises(SetupError, match=r"^no program 'away' is on the path$"):
        need("away")
