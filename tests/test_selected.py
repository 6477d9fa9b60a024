"""Tests of which of the project's own tests are run: all, the quick ones, or those of given codecs."""

from __future__ import annotations

import os
import subprocess
import sys

from serbench.paths import PROJECT


def collected(*words: str) -> tuple[list[str], str]:
    """The tests that pytest would run with these arguments, and its other output."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *words]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "src")}
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, env=environment)
    lines = done.stdout.splitlines()
    return [line for line in lines if "::" in line], "\n".join(line for line in lines if "::" not in line)


def test_a_codec_that_is_not_there_is_named_before_anything_is_run() -> None:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "src")}
    command = [sys.executable, "-m", "serbench", "test", "-c", "cpp/ceral"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 2 and "unknown codec 'cpp/ceral'; did you mean cpp/cereal" in done.stderr


def test_of_a_codec_only_its_own_tests_are_run() -> None:
    tests, said = collected("--codec=cpp/protobuf", "tests/test_native.py")
    assert tests and all("cpp/protobuf:" in test for test in tests)
    assert "tests (are of no codec that was asked for)" in said


def test_quick_tests_build_nothing_and_say_what_they_leave_out() -> None:
    files = ["tests/test_native.py", "tests/test_docs.py", "tests/test_workloads.py"]
    everything, _ = collected(*files)
    tests, said = collected("--quick", *files)
    assert tests and set(tests) < set(everything)
    assert not [test for test in tests if "test_native.py" in test]
    for reason in (
        "build and run real codecs",
        "run the commands of the documentation",
        "generate the whole graph",
    ):
        assert f" ({reason})" in said
    assert "four fifths of the examples that are drawn; ./serbench test runs everything" in said
    assert "left out" not in collected("tests/test_workloads.py")[1]
