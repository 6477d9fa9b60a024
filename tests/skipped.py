"""The summary at the end of a run of the tests: which tests did not run, in a few lines, and the command that
runs them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

MOST_LINES = 10

EACH = "each skipped test with its reason: ./serbench test -rs"

_LEFT_TO = re.compile(r"--(?:all|large|published|schemas N)\b")
"""Matches an option of the tests in the reason for skipping one: that test runs only if the option is
given."""

_OF_A_CODEC = re.compile(r"[a-z]+/\w+(:\w+)?: (?P<reason>.*)", re.DOTALL)

_MISSING = re.compile(r"get it: |\bnot (found|installed|here)\b|\bno (program|header)\b|there is no ")
"""Matches a reason for skipping a test that says that something is missing on this machine; ``./serbench
setup`` gets what it can."""


def group_of(reason: str) -> str:
    """The line of the summary under which a skipped test is counted, by the reason that pytest was given."""
    if option := _LEFT_TO.search(reason):
        return f"left to ./serbench test {option[0]}"
    if _MISSING.search(reason):
        return "something is not on this machine; ./serbench setup gets what it can"
    if _OF_A_CODEC.fullmatch(reason):
        return "their codec cannot do their workload, as its codec.toml or glue.py says"
    return reason


def summary(left_out: Mapping[str, int], reasons: Iterable[str], told: bool) -> list[str]:
    """The lines of the summary, ``MOST_LINES`` at most, the largest groups first.

    Args:
        left_out: description of tests → the number of them that were left out before any test ran.
        reasons: one for each skipped test.
        told: whether pytest itself lists each skipped test.
    """
    groups = Counter(map(group_of, reasons))
    lines = [f"left out: {_tests(count)} ({reason})" for reason, count in left_out.items()]
    skipped = [f"skipped: {_tests(count)}: {group}" for group, count in groups.most_common()]
    room = MOST_LINES - len(lines) - 1
    if len(skipped) > room:
        others = groups.most_common()[room - 1 :]
        count = sum(count for _, count in others)
        skipped = [*skipped[: room - 1], f"skipped: {_tests(count)}: {len(others)} other reasons"]
    return [*lines, *skipped, *([EACH] if skipped and not told else [])]


def _tests(count: int) -> str:
    return f"{count:,} test{'s' if count != 1 else ''}"
