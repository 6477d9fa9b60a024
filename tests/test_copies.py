"""Tests of doctor's findings on the places of code and data: copies of executables, and copied blocks."""

from __future__ import annotations

import pytest
from tests.test_doctor import holds

from serbench.doctor.copies import PAGE, STEP, check_copies, look_at_copies
from serbench.doctor.system import (
    check_placement,
)


@pytest.mark.parametrize(
    ("copies_run", "verdict", "said"),
    [
        (True, "good", "at a different place in memory"),
        (False, "warning", "vm.memfd_noexec"),
        (None, "unknown", "no program 'true'"),
    ],
)
def test_place_of_code(copies_run: bool | None, verdict: str, said: str) -> None:
    holds(check_placement(copies_run), verdict, said)


EVERYWHERE = dict.fromkeys(range(0, PAGE, STEP), 700.0)


@pytest.mark.parametrize(
    ("slow", "verdict", "said", "advice"),
    [
        ({}, "good", "copying 16 KiB takes 700 ns, at most 700, for any offset", ""),
        ({48: 1300.0}, "good", "at most 1,300, for any offset", ""),  # loads that seem to depend on stores
        (
            {16: 5300.0},
            "warning",
            "5,300 where the destination lies 16 bytes above the source modulo 4096",
            "GLIBC_TUNABLES=",
        ),
        (
            {16: 5300.0, 32: 5000.0, 48: 2100.0},
            "warning",
            "lies 16, 32 or 48 bytes above",
            "x86_rep_movsb_threshold",
        ),
        (
            dict.fromkeys(range(0, 128, 16), 7000.0),
            "warning",
            "lies 0, 16, 32, 48 or 4 others of 256 bytes above",
            "rounds",
        ),
    ],
)
def test_place_of_data(slow: dict[int, float], verdict: str, said: str, advice: str) -> None:
    finding = check_copies(EVERYWHERE | slow)
    holds(finding, verdict, said)
    assert advice in finding.advice and bool(advice) == bool(finding.advice)
    assert ("glibc bug 30994" in finding.found) == bool(advice)


def test_copies_are_timed_at_every_difference() -> None:
    times = look_at_copies(1)
    assert times.keys() == EVERYWHERE.keys() and min(times.values()) > 0
