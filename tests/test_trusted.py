"""Tests of the lines that say whether a run's figures can be trusted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.judged import CELLS, THREE, made, said

from serbench.measure.store import Run
from serbench.paths import Paths
from serbench.report.show import print_table
from serbench.report.tables import tables_of
from serbench.report.trust import trust_of
from serbench.stats.disturbance import TICK_NS

ALONE = {"times": {"a": [100], "b": [200]}, "operations": CELLS[:1]}
"""Arguments for a run with one sample for each process; a single tick of stolen time then says nothing about
that sample."""


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({}, "yes"),
        (
            {"noise": 0.2, "target": 0.02},
            r"with care: \d of 6 ratios are known less precisely than the target of ±2 %",
        ),
        ({"ended": False}, "with care: the run is not finished: it was stopped or is still going on"),
        (ALONE | {"sample": {"stolen_ns": TICK_NS}}, "with care: other guests of this machine took "),
        (
            {"sample": {"stolen_ns": 2 * TICK_NS}},
            "no: other guests of this machine used the core all the time",
        ),
        ({"sample": {"settled": False}}, "with care: 6 of 6 figures were measured before times had settled"),
        (
            {"disturbed": lambda codec, cell: True},
            "with care: other processes or guests used the core while 6 of 6 figures were measured; what ",
        ),
        (
            {"sample": {"waited_ns": -1, "own_ns": -1, "involuntary_switches": 9}},
            "no: another process used the core all the time, and how long is not known",
        ),
        ({"rounds": 1}, "no: 1 round, but ranking codecs takes 6"),
        (
            {"ended": False, "sample": {"settled": False}},
            r"with care: the run is not finished.* \(and 1 more\)$",
        ),
    ],
)
def test_a_run_says_whether_it_is_to_be_trusted(tmp_path: Path, how: dict[str, Any], told: str) -> None:
    line = said(made(tmp_path, **{"times": THREE, **how}))["Trust"]
    assert re.match(told, line), line


def test_a_run_of_which_nothing_was_measured_is_not_trusted(tmp_path: Path) -> None:
    run = made(tmp_path, THREE, rounds=1)
    assert trust_of(run, []).in_a_line() == "no: nothing was measured"


def test_damaged_lines_of_a_journal_are_told(tmp_path: Path) -> None:
    run = made(tmp_path, THREE)
    run.journal.write_text(run.journal.read_text().replace('{"event":"end"}', '{"event":"end"'))
    run.journal.write_text(run.journal.read_text() + '\n{"event":"end"}\n')
    assert said(Run(run.directory))["Trust"] == "with care: 1 line of its journal is damaged"


@pytest.mark.parametrize(("rounds", "code"), [(12, "\x1b[32m"), (3, "\x1b[1;31m")])
def test_trust_is_coloured_on_a_terminal_and_in_words_everywhere(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    rounds: int,
    code: str,
) -> None:
    (table,), _, _ = tables_of(made(tmp_path, THREE, rounds=rounds), Paths.default().suites)
    monkeypatch.delenv("NO_COLOR", raising=False)
    print_table(table, 100)
    plain = capsys.readouterr().out
    assert "\x1b" not in plain and ("yes" if rounds == 12 else "no: 3 rounds") in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    print_table(table, 100)
    assert code + ("yes" if rounds == 12 else "no: 3") in capsys.readouterr().out
