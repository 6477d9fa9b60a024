"""The plugin of the tests that tells the time of each test file, on the clock and of processors.

The plugin is loaded in each process that runs tests; the process that prints the summary adds up what the
others report.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

MOST_FILES = 30

Spent = dict[str, tuple[float, float]]
"""Test file → seconds on the clock, and seconds of processors, with those of child processes."""

_SPENT = pytest.StashKey[Spent]()


_elsewhere = 0.0


def spent_elsewhere(seconds: float) -> None:
    """Adds seconds of processors that a process has used which is no ended child of this one."""
    global _elsewhere
    _elsewhere += seconds


def processor_s() -> float:
    """The seconds of processors that this process and what it started have used, as far as that has ended."""
    taken = os.times()
    return taken.user + taken.system + taken.children_user + taken.children_system + _elsewhere


def add(all_of: Spent, more: Mapping[str, tuple[float, float]]) -> None:
    for file, (clock_s, busy_s) in more.items():
        before = all_of.get(file, (0.0, 0.0))
        all_of[file] = before[0] + clock_s, before[1] + busy_s


def table(spent: Mapping[str, tuple[float, float]]) -> list[str]:
    """The lines of the summary: one for each of the files that took the most time of processors, and one for
    all others; none if all files were brief."""
    if sum(busy_s for _, busy_s in spent.values()) < 10:
        return []
    order = sorted(spent.items(), key=lambda each: -each[1][1])
    first, others = order[:MOST_FILES], order[MOST_FILES:]
    if others:
        sums = (sum(clock_s for _, (clock_s, _) in others), sum(busy_s for _, (_, busy_s) in others))
        first.append((f"{len(others)} other files", sums))
    width = max(len(file) for file, _ in first)
    return [
        f"{'took':{width}}  processors    clock",
        *(f"{file:{width}}  {busy_s:8.0f} s {clock_s:6.0f} s" for file, (clock_s, busy_s) in first),
    ]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    began, busy = time.monotonic(), processor_s()
    try:
        return (yield)
    finally:
        spent = item.config.stash.setdefault(_SPENT, {})
        add(spent, {item.path.name: (time.monotonic() - began, processor_s() - busy)})


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["spent"] = session.config.stash.get(_SPENT, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    of_all: Spent = node.config.stash.setdefault(_SPENT, {})
    add(of_all, getattr(node, "workeroutput", {}).get("spent", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    spent: Spent = config.stash.get(_SPENT, {})
    for line in table(spent):
        terminalreporter.write_line(line)
