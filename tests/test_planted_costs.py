"""Tests of the costs of parts in each language: an adapter that is slow for one kind (``tests/planted``) is
found out, at the place of its slowness."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support import PATHS, sharing

from serbench.paths import PROJECT

pytestmark = pytest.mark.native

PLANTED = Path(__file__).parent / "planted"
LANGUAGES = sorted(folder.name for folder in (PLANTED / "codecs").iterdir())
ALWAYS = "python"
"""The language whose adapter needs no compiler and no warm-up; others take 10 to 150 s of processors."""

WARMED_UP = ("javascript", "jvm")
"""Languages whose processes warm up for seconds: programs without the field would add minutes."""

LEAST_NS = 85_000
"""The least that three prices of 30 µs take, less what clocks differ by."""

MOST_NS = 180_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_adapter_that_is_slow_for_one_kind_is_found_at_its_place(
    language: str, request: pytest.FixtureRequest
) -> None:
    if language != ALWAYS and not request.config.getoption("--all"):
        pytest.skip(f"{language} compiles or warms up: left to ./serbench test --all")
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROJECT / "src"),
        "SERBENCH_HOME": str(sharing(PATHS.home.parent / "planted")),
        "SERBENCH_PATH": str(PLANTED),
    }
    words = ["why", "-w", "sold", "-c", f"{language}/slow", "--quick", "--rounds", "6"]
    words += ["--field", "lines[].sku", "--field", "lines[].price"]
    words += ["--drop", "0" if language in WARMED_UP else "1", "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "serbench", *words], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    records = json.loads(done.stdout)
    dropped = [each for each in records if each["by"] == "drop"]
    assert len(dropped) == (language not in WARMED_UP)
    for each in dropped:
        assert each["path"] == "lines[].price" and each["bytes"] == 3 * 8
        assert LEAST_NS < (each["write_ns"] or 0.0) < MOST_NS
    costs = {each["path"]: each for each in records if each["by"] != "drop"}
    assert [*costs] == ["", "lines[].sku", "lines[].price", "*"]
    slow = costs["lines[].price"]
    assert LEAST_NS < (slow["write_ns"] or 0.0) < MOST_NS and slow["write_share"] > 0.7
    for free in (slow["read_ns"], costs["lines[].sku"]["write_ns"], costs["lines[].sku"]["read_ns"]):
        assert abs(free or 0.0) < slow["write_ns"] / 10
