"""Measures work of known time as codecs are measured: with the same program, sampler and statistics.

``measure`` takes samples; the functions that judge them are pure functions over figures by round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from statistics import median

from serbench.codecs.traits import Traits
from serbench.doctor.verdicts import bad, check, judged, unknown
from serbench.errors import RunnerError
from serbench.languages.language import KnownWork
from serbench.measure.conversation import Answers
from serbench.measure.events import Event, Sample
from serbench.measure.plan import Plan, Task
from serbench.measure.process import measuring_core, run_runner
from serbench.measure.reference import FIELDS, reference_kernel
from serbench.measure.run import Progress, execute
from serbench.measure.said import Hello
from serbench.measure.store import Journal, Run
from serbench.measure.taken import Taken
from serbench.selecting.selection import Operation
from serbench.stats.distributions import binomial_quantile
from serbench.stats.summary import CONFIDENCE, ROUNDS_TO_RANK, Rounds, median_interval, paired_ratio
from serbench.stats.ties import standings
from serbench.system.finding import Finding, Meaning, percent

CHAIN_STEPS = 100_000
"""How many instructions a pass of ``one_cycle`` or ``three_cycles`` has, in every runner of known work."""

EMPTY_LIMIT_NS = 2.0
"""How many nanoseconds an operation that does nothing may seem to take: a call through a pointer and a step
of the loop."""

KNOWN_LIMIT = 0.01
"""The share by which known work may differ from its computed time."""

FLOOR_LIMIT = 0.02
"""The half-width of the interval that a run aims at by default, as a share. A machine that cannot tell such a
difference needs more rounds."""

DRIFT_LIMIT = 0.05
"""The share by which the reference kernel may differ between rounds; beyond it, comparing times of different
runs says little."""

ADDED_PERCENT = (1, 3, 5, 10)
SEPARATED_SHARE = 0.95
"""The share of comparisons in which a true difference has to be found."""

_MORE_ROUNDS = "take more rounds (--rounds 20), and fix the problems and warnings above"

Figures = dict[tuple[str, str], dict[int, float]]
"""(contender, operation) → round → nanoseconds of a pass."""

References = Mapping[int, Mapping[str, int]]
"""Round → kind of work → nanoseconds that the reference kernel took."""


def offered_operations(selftest: KnownWork) -> list[str]:
    """The operations that the runner of known work offers on this architecture.

    Raises:
        RunnerError: it could not be started, or did not keep to the protocol.
    """
    hello, *_ = run_runner([*selftest.command, "describe"], Answers())
    return list(hello.operations) if isinstance(hello, Hello) else []


def known_task(selftest: KnownWork, offered: Sequence[str]) -> Task:
    """A task, so one process, with every work of known duration that the runner has ``offered``."""
    names = [name for name in ("empty", "clock", "one_cycle", "three_cycles") if name in offered]
    return _task(selftest, "known", names)


def contenders(selftest: KnownWork) -> list[Task]:
    """Tasks that do the same work under two names, and others that do it with known delays added."""
    same = [_task(selftest, name, ["compute", "copy"]) for name in ("first", "second")]
    return same + [_task(selftest, f"+{added}", [f"compute+{added}"]) for added in ADDED_PERCENT]


def _task(selftest: KnownWork, name: str, operations: Sequence[str]) -> Task:
    asked = tuple(Operation(each, "reuse") for each in operations)
    return Task(
        name,
        "selftest",
        asked,
        selftest.command,
        selftest.dataset,
        traits=Traits("known work", one_executable=True),
    )


def plan_of(tasks: Sequence[Task], rounds: int, seed: int) -> Plan:
    """A plan that measures as ``run`` does: in fresh pinned processes and another order every round."""
    return Plan(tasks, rounds, seed, core=measuring_core())


def measure(plan: Plan, run: Run, progress: Progress, length: int) -> tuple[list[Figures], References]:
    """Executes a plan, with the reference kernel at the start of each round.

    Returns:
        The figures of each comparison, which consists of ``length`` successive rounds, without the samples
        that tables leave out too; and the times of the reference kernel in all rounds.

    Raises:
        RunnerError: the self-test's runner or the reference kernel failed.
    """
    with Journal(run) as journal:
        outcome = execute(plan, journal, progress, lambda: reference_kernel(plan.core))
    if outcome.failures:
        (name, _, _, operation), reason = next(iter(outcome.failures.items()))
        raise RunnerError(f"the self-test failed at {operation} of '{name}': {reason}; see {run.directory}")
    return figures_of(run.events(), plan.rounds // length, length), run.taken.references


def figures_of(events: Iterable[Event], comparisons: int, length: int) -> list[Figures]:
    """The figures of each comparison of ``length`` successive rounds, made from samples as for tables."""
    parts = [Taken() for _ in range(comparisons)]
    for event in events:
        if isinstance(event, Sample):
            parts[(event.round - 1) // length].add(event)
    return [
        {
            (name, operation.partition(":")[0]): samples.figures()
            for (name, _, _, operation), samples in part.cells.items()
        }
        for part in parts
    ]


@check("empty operation")
def judge_empty(empty: Rounds) -> Finding:
    cost = median_interval(list(empty.values()))
    return judged(
        Meaning.good if cost.estimate <= EMPTY_LIMIT_NS else Meaning.mind,
        f"the sampler's loop takes {cost.estimate:.2f} ns for an empty pass, {cost.low:.2f} to "
        f"{cost.high:.2f}; expected at most {EMPTY_LIMIT_NS:g}",
        "repeat on an idle machine; if it persists, times below some hundreds of nanoseconds are too long",
        {"empty_ns": round(cost.estimate, 3)},
    )


@check("clock reading")
def judge_clock(clock: Rounds) -> Finding:
    cost = median_interval(list(clock.values()))
    return judged(
        Meaning.good if 2 * cost.estimate / Plan.sample_ns <= 1e-3 else Meaning.mind,
        f"{cost.estimate:.0f} ns, twice per sample of {Plan.sample_ns / 1e6:g} ms",
        "use a clock source that the processor can read directly",
        {"clock_ns": round(cost.estimate, 2)},
    )


@check("known work")
def judge_known(one_cycle: Rounds | None, three_cycles: Rounds | None) -> Finding:
    """Judges two chains of instructions, of one cycle each and of three: the first gives the processor's
    frequency, which predicts the time of the second."""
    ratio = paired_ratio(three_cycles, one_cycle) if one_cycle and three_cycles else None
    if not (one_cycle and ratio):
        return unknown("no instructions with a known number of cycles are listed for this architecture")
    frequency = CHAIN_STEPS / median(one_cycle.values())
    error = ratio.estimate / 3 - 1
    is_known = abs(error) <= KNOWN_LIMIT and ratio.relative_half_width <= KNOWN_LIMIT
    times = f"{ratio.estimate:.4f} times as long as those of one ({ratio.low:.4f} to {ratio.high:.4f})"
    found = (
        f"instructions of three cycles took {times}: {percent(error, 2, signed=True)} "
        f"off, at {frequency:.2f} GHz"
    )
    return judged(
        Meaning.good if is_known else Meaning.mind,
        found if is_known else f"{found}; expected within ±{percent(KNOWN_LIMIT)} on an idle machine",
        "see load, turbo and governor: the frequency varies or other processes use the core; or "
        "this processor needs other numbers of cycles",
        {"known_work_error": round(error, 5), "frequency_ghz": round(frequency, 4)},
    )


def separated(first: Rounds, second: Rounds) -> bool:
    """Whether the statistics of tables give the two different ranks."""
    return found_slower(first, second) or found_slower(second, first)


def found_slower(first: Rounds, second: Rounds) -> bool:
    """Whether the statistics of tables rank the second behind the first."""
    standing = standings({"first": first, "second": second})
    return standing["second"].rank > standing["first"].rank


@check("A/A, {}")
def judge_same(what: str, pairs: Sequence[tuple[Rounds, Rounds]]) -> Finding:
    """Judges whether equal work under two names is called different no more often than chance may do."""
    different = sum(separated(*pair) for pair in pairs)
    allowed = binomial_quantile(CONFIDENCE, len(pairs), 1 - CONFIDENCE)
    return judged(
        Meaning.good if different <= allowed else Meaning.bad,
        f"{different} of {len(pairs)} comparisons of equal work were called different; up to "
        f"{allowed} may be by chance",
        "do not rely on small differences on this machine in its present state; see the problems and "
        "warnings above",
        {"comparisons": len(pairs), "called_different": different},
    )


def smallest_separable(
    pairs: Sequence[tuple[Rounds, Rounds]], share: float = SEPARATED_SHARE
) -> float | None:
    """The least difference, to a tenth of a per cent, that statistics find in ``share`` of comparisons.

    The two of each pair did equal work; the times of the second are multiplied by more and more until the
    statistics call it slower.

    Returns:
        A share of the time, such as 0.012; None if not even twice the time would be found.
    """
    needed = ceil(share * len(pairs))

    def enough(thousandths: int) -> bool:
        slower = [(a, {n: ns * (1 + thousandths / 1000) for n, ns in b.items()}) for a, b in pairs]
        return sum(found_slower(*pair) for pair in slower) >= needed

    low, high = 0, 1000
    if not enough(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high / 1000


@check("noise floor, {}")
def judge_floor(what: str, pairs: Sequence[tuple[Rounds, Rounds]], rounds: int) -> Finding:
    floor = smallest_separable(pairs)
    if floor is None:
        found = f"{rounds} rounds could not even separate work that takes twice as long"
        return bad(found, "fix the problems and warnings above, or take more rounds: --rounds 20")
    return judged(
        Meaning.good if floor <= FLOOR_LIMIT else Meaning.mind,
        f"{percent(floor, 1)} is the smallest difference between two codecs that {rounds} rounds detect "
        f"in {percent(SEPARATED_SHARE)} of comparisons",
        _MORE_ROUNDS,
        {"noise_floor": floor, "rounds": rounds},
    )


@check("A/B, added delay")
def judge_added(pairs: Mapping[int, Sequence[tuple[Rounds, Rounds]]]) -> Finding:
    """Judges whether known delays, added to the same work, are found; ``pairs`` are by per cent added."""
    slower = {added: sum(found_slower(*pair) for pair in of) for added, of in pairs.items()}
    said = []
    for added, of in pairs.items():
        ratios = [each.estimate for pair in of if (each := paired_ratio(pair[1], pair[0]))]
        seen = f" (seen as {percent(median(ratios) - 1, 2, signed=True)})" if ratios else ""
        said.append(f"+{added} %{seen} in {slower[added]} of {len(of)}")
    missed = any(
        added >= 3 and count < ceil(SEPARATED_SHARE * len(pairs[added])) for added, count in slower.items()
    )
    return judged(
        Meaning.mind if missed else Meaning.good,
        f"found slower: {', '.join(said)}",
        _MORE_ROUNDS,
        {f"separated_{added}_percent": count for added, count in slower.items()},
    )


@check("drift")
def judge_drift(references: References) -> Finding:
    """Judges how much the machine's speed changed between rounds: times then differ, and ratios do not."""
    widths = {}
    for kind in FIELDS:
        values = sorted(reference[kind] for reference in references.values() if kind in reference)
        if len(values) >= ROUNDS_TO_RANK:
            outside = len(values) // 20
            widths[kind.removesuffix("_ns")] = (values[-1 - outside] - values[outside]) / median(values)
    if not widths:
        return unknown("there were too few rounds to see any")
    said = " and ".join(f"{percent(width, 1)} ({kind})" for kind, width in widths.items())
    return judged(
        Meaning.good if max(widths.values()) <= DRIFT_LIMIT else Meaning.mind,
        f"the calibration loop's times in nine of ten rounds lie within {said} of each other",
        "rely on ratios, which are taken within each round, not on differences of times",
        {f"drift_{kind}": round(width, 5) for kind, width in widths.items()},
    )


def judge_known_work(figures: Figures) -> list[Finding]:
    """All findings from the process of known work."""
    known = {operation: rounds for (_, operation), rounds in figures.items()}
    return [
        judge_empty(known["empty"]),
        judge_clock(known["clock"]),
        judge_known(known.get("one_cycle"), known.get("three_cycles")),
    ]


def judge_contenders(comparisons: Sequence[Figures], rounds: int) -> list[Finding]:
    """All findings from the figures of the tasks of ``contenders``; a comparison has ``rounds`` rounds."""

    def pairs(operation: str, other: tuple[str, str]) -> list[tuple[Rounds, Rounds]]:
        return [(figures["first", operation], figures[other]) for figures in comparisons]

    findings = []
    for what, operation in (("computing", "compute"), ("memory", "copy")):
        same = pairs(operation, ("second", operation))
        findings += [judge_same(what, same), judge_floor(what, same, rounds)]
    findings.append(
        judge_added({each: pairs("compute", (f"+{each}", f"compute+{each}")) for each in ADDED_PERCENT})
    )
    return findings
