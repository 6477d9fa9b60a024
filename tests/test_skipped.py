"""Tests of the summary at the end of a run of the tests, which tells of tests that did not run."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from tests.skipped import EACH, MOST_LINES, group_of, summary
from tests.support import SMALL, why_not

from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants

UNABLE = group_of("cpp/x: it has no maps")


def test_whatever_codecs_cannot_do_is_one_line() -> None:
    variants = load_variants(Paths.default().codecs)
    reasons = [
        f"{variant}: {reason}" for variant in variants for name in SMALL if (reason := why_not(variant, name))
    ]
    assert len(reasons) > 100
    assert {group_of(reason) for reason in reasons} == {UNABLE}


@pytest.mark.parametrize(
    ("reason", "group"),
    [
        ("cpp/cereal with mk48 is left to ./serbench test --all", "left to ./serbench test --all"),
        ("left to ./serbench test --all", "left to ./serbench test --all"),
        ("files of a gigabyte are made and imported with --large", "left to ./serbench test --large"),
        ("needs two cores", "needs two cores"),
        ("cpp/zpp: not found; get it: apt-get install zpp", group_of("no program protoc is on the path")),
    ],
)
def test_a_reason_is_counted_with_its_like(reason: str, group: str) -> None:
    assert group_of(reason) == group


def test_however_many_reasons_there_are_the_summary_is_short() -> None:
    reasons = [f"for reason {n}" for n in range(400) for _ in range(n + 1)]
    lines = summary({"build": 7}, reasons, told=False)
    assert len(lines) == MOST_LINES
    assert lines[0] == "left out: 7 tests (build)" and lines[1] == "skipped: 400 tests: for reason 399"
    assert lines[-1] == EACH
    counts = [int(re.findall(r": ([\d,]+) test", line)[0].replace(",", "")) for line in lines[1:-1]]
    assert sum(counts) == len(reasons)


def test_nothing_is_said_of_nothing() -> None:
    assert summary({}, [], told=False) == []


@pytest.mark.parametrize(("more", "each"), [([], False), (["-rs"], True)])
def test_a_run_ends_with_the_groups_and_then_pytests_own_line(more: list[str], each: bool) -> None:
    files = ["tests/test_import_large.py", "tests/test_import_published.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *more, *files],
        cwd=PROJECT, capture_output=True, text=True,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert not done.returncode
    group = re.compile(r"skipped: \d+ tests: left to ./serbench test --(large|published)")
    assert len([line for line in lines if group.fullmatch(line)]) == 2
    assert re.fullmatch(r"=+ \d+ skipped in .*=+", lines[-1])
    assert any(line.startswith("SKIPPED [") for line in lines) == each
    assert (EACH in lines) != each
