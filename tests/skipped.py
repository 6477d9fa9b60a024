"""The end of a run of the tests: what did not run, in a few lines, with the command that runs it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

MOST_LINES = 10

EACH = "each skipped test with its reason: ./serbench test -rs"

_LEFT_TO = re.compile(r"--(?:all|large|published|schemas N)\b")
"""An option of the tests, by which a reason tells that a test runs where it is asked for."""

_OF_A_CODEC = re.compile(r"[a-z]+/\w+(:\w+)?: (?P<reason>.*)", re.DOTALL)

_MISSING = re.compile(r"get it: |\bnot (found|installed|here)\b|\bno (program|header)\b|there is no ")
"""Matches reasons that something is not on this machine, which ``./serbench setup`` gets."""


def group_of(reason: str) -> str:
    """The line that a skipped test is counted in, by the reason that was given to pytest."""
    if option := _LEFT_TO.search(reason):
        return f"left to ./serbench test {option[0]}"
    if _MISSING.search(reason):
        return "something is not on this machine; ./serbench setup gets what it can"
    if _OF_A_CODEC.fullmatch(reason):
        return "their codec cannot do their workload, as its codec.toml or glue.py says"
    return reason


def summary(left_out: Mapping[str, int], reasons: Iterable[str], told: bool) -> list[str]:
    """At most ``MOST_LINES`` lines, the largest groups first.

    Args:
        left_out: how many tests were left out before any ran, by what they do.
        reasons: one for each skipped test.
        told: whether pytest lists each skipped test by itself.
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
