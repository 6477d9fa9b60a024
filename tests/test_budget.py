"""Plans that are fitted into the time that they have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from serbench.measure.budget import LEAST_WARMUP_NS, SETTLING_NS, told_of, with_fitting_warmup
from serbench.measure.run import JVM_WARMUP_NS, Plan, Unit
from serbench.selection import Operation
from serbench.stats.summary import ROUNDS_TO_RANK

HEADLINE = (Operation("serialize", "reuse"), Operation("deserialize", "reuse"), Operation("deserialize", "fresh"))


def plan_of(codecs: int, workloads: int = 1, **changes: object) -> Plan:
    units = [Unit(f"jvm/{n}", f"w{w}", (), "", HEADLINE) for n in range(codecs) for w in range(workloads)]
    return replace(Plan(units, rounds=9, seed=1, samples=3, budget_s=480.0), **changes)  # type: ignore[arg-type]


def rounds_in(plan: Plan, seconds: float) -> int:
    return int(seconds // replace(plan, rounds=1, budget_s=None).estimate_s())


def test_one_codec_keeps_its_warm_up() -> None:
    fitted = with_fitting_warmup(plan_of(1))
    assert fitted.warmup_ns == JVM_WARMUP_NS
    assert told_of(fitted) == ""


@pytest.mark.parametrize("codecs", [2, 4, 6, 9, 12, 16, 24, 40])
def test_rounds_that_rank_come_before_a_long_warm_up_and_settling_before_rounds(codecs: int) -> None:
    fitted = with_fitting_warmup(plan_of(codecs))
    assert fitted.warmup_ns is not None and SETTLING_NS <= fitted.warmup_ns <= JVM_WARMUP_NS
    rounds = rounds_in(fitted, 480)
    assert rounds >= 1
    longer = rounds_in(replace(fitted, warmup_ns=fitted.warmup_ns + 10**8), 480)
    assert fitted.warmup_ns == JVM_WARMUP_NS or longer < min(rounds, ROUNDS_TO_RANK)
    assert rounds >= ROUNDS_TO_RANK or rounds_in(replace(fitted, warmup_ns=SETTLING_NS), 480) == rounds
    assert ("too few to rank" in told_of(fitted)) == (rounds < ROUNDS_TO_RANK)


def test_a_selection_of_four_workloads_ends_in_time_too() -> None:
    fitted = with_fitting_warmup(plan_of(24, workloads=4, samples=2))
    assert fitted.warmup_ns is not None and fitted.warmup_ns < SETTLING_NS
    assert rounds_in(fitted, 480) == 1
    assert "had not settled" in told_of(fitted)


def test_what_fits_in_no_time_keeps_a_batch() -> None:
    assert with_fitting_warmup(plan_of(400)).warmup_ns == LEAST_WARMUP_NS


def test_the_time_asked_for_counts() -> None:
    brief, long = (with_fitting_warmup(plan_of(6, max_time_s=s)) for s in (100.0, 3600.0))
    assert brief.warmup_ns is not None and long.warmup_ns == JVM_WARMUP_NS and brief.warmup_ns < long.warmup_ns


def test_plans_without_a_jit_compiler_or_a_limit_stay_as_they_are() -> None:
    native = Plan([Unit("cpp/a", "w", (), "", HEADLINE)], 9, 1, budget_s=1.0)
    assert with_fitting_warmup(native) is native and told_of(native) == ""
    for plan in (plan_of(24, budget_s=None), plan_of(24, iterations=5)):
        assert with_fitting_warmup(plan) is plan
