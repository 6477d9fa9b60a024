"""Tests that commands end with a result or an error message, whatever bytes are in a file that serbench
reads; see mutations.py.

``pytest tests/test_mutations.py --mutations 5000`` tries 5,000 damaged files of each kind in place
of 20.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from tests.mutated_files import KINDS
from tests.mutations import MOST_BYTES, json_mutant, toml_mutant
from tests.test_import_round import PROGRAMS, need

from serbench.paths import PROJECT


@pytest.mark.slow("damage every kind of file")
@pytest.mark.parametrize("kind", KINDS)
def test_no_mutant_ends_in_a_traceback_a_crash_a_hang_or_a_gigabyte(
    kind: str, request: pytest.FixtureRequest
) -> None:
    if (language := kind.partition("_")[0]) in PROGRAMS:
        need(language)
    count = request.config.getoption("--mutations")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(PROJECT / "src"), str(PROJECT)))}
    command = [sys.executable, "-m", "tests.mutations", kind, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT, env=environment)
    assert done.returncode == 0, f"status {done.returncode} after: {done.stderr[-3000:]}"
    found = json.loads(done.stdout)
    assert not found["bad"], "\n".join(found["bad"][:20])
    assert found["results"] + found["messages"] >= count
    assert found["peak_kib"] * 1024 < MOST_BYTES


def test_mutants_follow_from_their_number_and_are_not_what_they_were() -> None:
    import random

    data = b'{"a": [1, 2, {"b": "c"}], "d": null}'
    first, again = ([json_mutant(data, random.Random(n)) for n in range(200)] for _ in range(2))
    assert first == again
    assert len(set(first)) > 100
    assert sum(mutant == data for mutant in first) < 20
    assert b"a = [1, 2]\n" in {toml_mutant(b"a = [1, 2]\nb = 3\n", random.Random(n)) for n in range(300)}
