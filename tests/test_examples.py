"""Tests that the examples in help texts name things that exist, and that Conan is asked only for libraries
that it has."""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from serbench.errors import SetupError
from serbench.languages.cpp.conan import Conan
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs, load_variants
from serbench.selecting.selection import find_suite, select_operations, select_variants, select_workloads
from serbench.selecting.suite import load_suites
from serbench.system import examples
from serbench.workload import load_workloads

PATHS = Paths.default()


FLAGS = ("-w", "-c", "-o", "--suite")
SELECTING = [
    text
    for text in (*examples.COMMANDS.values(), examples.WORKLOAD, examples.CODECS)
    if {*FLAGS} & {*shlex.split(text)}
]


@pytest.mark.parametrize("text", SELECTING)
def test_what_an_example_selects_is_there(text: str) -> None:
    words = shlex.split(text)
    given = {flag: [words[at + 1] for at, word in enumerate(words) if word == flag] for flag in FLAGS}
    assert select_workloads(given["-w"], load_workloads(PATHS.workloads))
    assert select_variants(given["-c"], load_variants(PATHS.codecs))
    assert select_operations(given["-o"], ())
    suites = load_suites(PATHS.suites)
    assert all(find_suite(suite, suites) for suite in given["--suite"])


def test_most_examples_select_something() -> None:
    assert len(SELECTING) == 9


def test_codecs_that_ratios_may_be_to_are_there() -> None:
    for codec in examples.REFERENCES.split(", "):
        assert select_variants([codec], load_variants(PATHS.codecs))


def test_conan_is_asked_for_what_it_has_and_says_what_it_could_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codecs = load_codecs(PATHS.codecs)
    conan = Conan(tmp_path, tmp_path / "conan")
    assert conan.can_fetch(codecs["cpp/bitsery"])
    assert not conan.can_fetch(replace(codecs["cpp/bitsery"], install={}))
    said: list[str] = []
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match="cpp/bitsery: Conan is not installed; get it: pip install conan"):
        conan.fetch([codecs["cpp/bitsery"]], said.append)
    program = tmp_path / "conan"
    program.write_text(
        '#!/bin/sh\necho "$@" >> "$0.log"\ncase $1 in install) echo no network >&2; exit 1;; esac\n'
    )
    program.chmod(0o755)
    with pytest.raises(
        SetupError, match=r"Conan could not install them; set SERBENCH_PREFIX .*\n  no network"
    ):
        conan.fetch([codecs["cpp/bitsery"]], said.append)
    assert said == ["installing with Conan for cpp/bitsery"]
    asked = subprocess.run(["/bin/cat", f"{program}.log"], capture_output=True, text=True, check=True).stdout
    assert f"install {tmp_path} --output-folder={tmp_path / 'conan'}" in asked
