"""The verdict on a run of several machines in words, above their tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from serbench.report.gathering import gathered
from serbench.report.kinds_verdict import Across, KindAnswer, KindsVerdict, OfKind, kinds_verdicts
from serbench.report.machines_table import MachineRun
from serbench.report.table import Said, Table
from serbench.report.trust import Level
from serbench.report.verdict_lines import TONES, Wording, too_early

_SHOWN = 3
"""The most different answers of machines of one kind that are told; the others are only counted."""

_NONE = {
    "fastest": "nothing is ranked",
    "smallest": "nothing was measured",
    "best_in_both": "no codec",
}
"""Question → the words for an answer that names no codec."""

_GRAVEST: tuple[Level, ...] = ("no", "with care", "yes")


def kinds_tables(parts: Sequence[MachineRun]) -> list[Table]:
    """For each workload a table without columns, whose verdict says on which kinds of machines the verdicts
    of single machines hold; none for a run of one machine."""
    return [
        Table(
            f"{verdict.workload}: {_counted(verdict)}",
            (),
            (),
            verdict=kinds_lines(verdict),
            verdict_records=verdict.to_json(),
        )
        for verdict in kinds_verdicts(parts)
    ]


def kinds_lines(verdict: KindsVerdict) -> list[Said]:
    """The verdict on several machines in words, a line for each question."""
    return [_trust(verdict), *(Said(_label(each, verdict), _text(each)) for each in verdict.across)]


def _counted(verdict: KindsVerdict) -> str:
    machines, kinds = len(verdict.machines), len(verdict.kinds)
    if all(machine.name == machine.kind for machine in verdict.machines):  # the machines of each are one run
        return f"{kinds} kinds of machines"
    return f"{machines} machines of {kinds} kinds" if kinds > 1 else f"{machines} machines of one kind"


def _trust(verdict: KindsVerdict) -> Said:
    """A line on how many machines' figures can be trusted, and why the first of the others cannot."""
    levels = Counter(machine.verdict.trust.level for machine in verdict.machines)
    gravest = next(level for level in _GRAVEST if levels[level])
    told = [f"{level} on {levels[level]}" for level in _GRAVEST if levels[level]]
    if len(told) == 1:
        said = f"{gravest} on all {len(verdict.machines)} machines"
    else:
        said = f"{', '.join(told)} of {len(verdict.machines)} machines"
    if gravest != "yes":
        first = next(each for each in verdict.machines if each.verdict.trust.level == gravest)
        said += f"; {first.name}: {first.verdict.trust.reasons[0]}"
    return Said("Trust", said, TONES[gravest])


def _label(across: Across, verdict: KindsVerdict) -> str:
    question = across.question
    if question.what != "fastest":
        return "Smallest" if question.what == "smallest" else "Best in both"
    return next(
        Wording(machine.run, machine.verdict).label(each)
        for machine in verdict.machines
        for each in machine.verdict.fastest
        if (each.operation, each.memory) == (question.operation, question.memory)
    )


def _text(across: Across) -> str:
    what = across.question.what
    if across.holds:
        answer = across.answers[0]
        said = _said(answer, what)
        if answer.few_rounds:
            return said
        machines = sum(kind.machines for kind in across.kinds)
        kinds = len(across.kinds)
        return f"{said}; holds on all {f'{kinds} kinds of machines' if kinds > 1 else f'{machines} machines'}"
    by_text = gathered((_of_kind(kind, what), kind.kind) for kind in across.kinds)
    said = "; ".join(f"{' and '.join(kinds)}: {text}" for text, kinds in by_text.items())
    return said + (_never_behind(across) if what == "fastest" else "")


def _never_behind(across: Across) -> str:
    """Words on the codecs that are, or may be, first on every machine, where machines do not agree."""
    first = across.answers[0]
    rows = [row for row in first.first if row.name in across.never_behind]
    if not rows:
        return ""
    names = Wording(first.machines[0].run, first.machines[0].verdict).names(rows)
    if not all(answer.is_known for answer in across.answers):
        return f". {names} may be first on all"
    return f". {names} {'is' if len(rows) == 1 else 'are'} first, or too close to call, on all"


def _of_kind(kind: OfKind, what: str) -> str:
    """The answers of a kind's machines to the question ``what``; where they differ, how many give each."""
    if len(kind.answers) == 1:
        said = _said(kind.answers[0], what)
    else:
        said = "its machines disagree: " if kind.disagrees else ""
        said += ", ".join(_counts(kind, what))
    if kind.without:
        said += f" (without {', '.join(kind.without)})"
    return said


def _counts(kind: OfKind, what: str) -> Iterator[str]:
    for n, answer in enumerate(kind.answers[:_SHOWN]):
        said = _said(answer, what)
        # its codecs have commas between them, as the answers have
        said = f"{said.replace(': ', ' (', 1)})" if what != "smallest" and len(answer.names) > 1 else said
        yield f"{said} on {len(answer.machines)}" + (f" of {kind.machines} machines" if n == 0 else "")
    if left := kind.answers[_SHOWN:]:
        yield f"other answers on {sum(len(answer.machines) for answer in left)}"


def _said(answer: KindAnswer, what: str) -> str:
    """An answer to the question ``what``, in the words of the first machine that gives it."""
    if answer.few_rounds:
        return too_early(answer.few_rounds)
    if not answer.first:
        return _NONE[what]
    machine = answer.machines[0]
    wording = Wording(machine.run, machine.verdict)
    return wording.names(answer.first, of_times=False) if what == "smallest" else wording.first(answer.first)
