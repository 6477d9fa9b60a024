"""Test of ``serbench history`` and ``compare --baseline`` with a small library in each language, one version
of which writes more slowly by a tenth."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.started import started
from tests.test_version_packages import registry
from tests.tiny_libraries import BROKEN, LIBRARIES, OLDER, PASSES, SAME, SLOWER, JavaScriptTiny, Tiny

NEEDED = {"go": "go", "rust": "cargo", "javascript": "npm", "jvm": "mvn", "python": sys.executable}
METRICS = {each: "instructions" if each == "rust" else "time" for each in LIBRARIES}
"""Language → the metric of its comparisons: instructions where they can be counted."""

ROUNDS, MOST_TIMES = 8, 30
"""The rounds of a run, and how often it is continued before a difference counts as not found."""

LIMIT_S = 1200
"""The seconds after which a command is killed: a first look at two editions takes the JVM five minutes."""

packages = registry


@pytest.fixture(name="library")
def published(request: pytest.FixtureRequest, tmp_path: Path) -> Tiny:
    """The library in a language, published in all its versions, in the folder of a user who has a codec of
    it."""
    language = request.param
    if not request.config.getoption("--all"):  # each measures until a difference is certain
        pytest.skip("left to ./serbench test --all")
    if not shutil.which(NEEDED[language]):
        pytest.skip(f"there is no {NEEDED[language]}")
    served = request.getfixturevalue("packages") if language == "javascript" else {}
    library = LIBRARIES[language](tmp_path)
    for version in PASSES:
        library.publish(version)
        if isinstance(library, JavaScriptTiny):
            served[version] = library.packed(version)
    library.add_codec()
    return library


def serbench(library: Tiny, *words: str) -> subprocess.CompletedProcess[str]:
    home, further = library.folder / "home", library.environment
    return started(*words, home=home, folder=library.folder, further=further, limit_s=LIMIT_S)


def newest(library: Tiny) -> str:
    """Return the id of the newest run."""
    return max(path.parent.name for path in library.folder.glob("home/runs/*/manifest.json"))


def more_rounds(library: Tiny, rounds: int) -> None:
    """Continue the newest run to so many rounds in all: on a busy machine, it takes more of them until a
    difference is certain."""
    done = serbench(library, "run", "--resume", newest(library), "--rounds", str(rounds))
    assert done.returncode in (0, 1), done.stderr  # 1: a version that cannot write


def check_history(library: Tiny) -> None:
    words = ("-w", "record", "--quick", "--rounds", str(ROUNDS), "--format", "json")
    done = serbench(library, "history", library.id, *words)
    for times in range(2, MOST_TIMES):
        assert done.returncode == 0, done.stderr
        told = {(each["version"], each["operation"]): each for each in json.loads(done.stdout)}
        if changed := {cell for cell, each in told.items() if each["changed"]}:
            break
        more_rounds(library, times * ROUNDS)
        done = serbench(library, "show", "--format", "json")
    assert {version for version, _ in told} == {*PASSES}
    assert changed == {(SLOWER, "serialize:reuse")}, done.stdout
    found = told[SLOWER, "serialize:reuse"]
    assert found["before"] == SAME and 1.03 < found["interval_before"][0] < found["interval_before"][1]
    assert "it cannot write" in told[BROKEN, "serialize:reuse"]["reason"]
    again = serbench(library, "show")
    assert f"slower since {SLOWER}" in " ".join(again.stdout.split()), again.stdout


def check_comment(library: Tiny, metric: str) -> None:
    """Check that a comparison by a metric ends with status 1 for a library that writes more slowly, and with
    status 0 for one that is the same."""
    before, after, same = (
        library.checkout(library.folder / name, PASSES[version])
        for name, version in (("before", OLDER), ("after", SLOWER), ("same", SAME))
    )
    of_all = ("--threshold", "3%", "--comment", "comment.md")
    words = ("-c", library.id, "-w", "record", "--metric", metric, "--quick", "--baseline", str(before))
    done = serbench(library, "compare", *words, *of_all, "--candidate", str(after))
    for times in range(2, MOST_TIMES if metric == "time" else 2):
        if done.returncode:
            break
        more_rounds(library, times * ROUNDS)
        done = serbench(library, "compare", newest(library), *of_all)
    assert done.returncode == 1, done.stdout + done.stderr
    said = (library.folder / "comment.md").read_text()
    assert "serbench: 1 of " in said and "worse by more than 3 %" in said
    (row,) = (line for line in said.splitlines() if line.startswith("|") and "a regression" in line)
    assert "serialize:reuse" in row
    passed = serbench(library, "compare", *words, *of_all, "--candidate", str(same))
    assert passed.returncode == 0, passed.stdout + passed.stderr


@pytest.mark.slow("measure versions of a library")
@pytest.mark.parametrize("library", LIBRARIES, indirect=True)
def test_the_version_that_writes_more_slowly_is_named(library: Tiny) -> None:
    check_history(library)


@pytest.mark.slow("measure versions of a library")
@pytest.mark.parametrize(("library", "metric"), METRICS.items(), indirect=["library"])
def test_a_change_that_writes_more_slowly_fails_the_job_and_none_passes_it(
    library: Tiny, metric: str
) -> None:
    check_comment(library, metric)
