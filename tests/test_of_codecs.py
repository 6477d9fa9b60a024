"""Tests that ``./serbench test --codec NAME`` leaves out the tests of all other codecs."""

from __future__ import annotations

import subprocess
import sys

from serbench.paths import PROJECT


def test_tests_of_other_codecs_are_left_out() -> None:
    words = ["-m", "pytest", "-p", "no:xdist", "-o", "addopts=", "--collect-only", "-q"]
    words += ["--codec", "go/memcpy"]
    files = ["tests/test_native.py", "tests/test_interop.py", "tests/test_budget.py"]
    done = subprocess.run([sys.executable, *words, *files], cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    tests = [line for line in done.stdout.splitlines() if "::" in line]
    of_codecs = [test for test in tests if "test_native.py" in test]
    assert of_codecs and all("go/memcpy" in test for test in of_codecs)
    # Those that take whatever was built are no test of another codec.
    others = {test.partition("[")[0] for test in tests} - {test.partition("[")[0] for test in of_codecs}
    assert others == {"tests/test_interop.py::test_real_codecs_of_one_format_read_each_other"}
