"""The verdict on a run of several machines: on which kinds of machines the machines' own verdicts hold.

No statistic is made here: ``verdict.py`` judges each machine, and this module counts how many give the same
answer. "X" and "X or Y, too close to call" are two answers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from serbench.report.gathering import gathered
from serbench.report.machines_table import MachineRun
from serbench.report.rows import Row
from serbench.report.verdict import Verdict, are_known, verdict_of

What = Literal["fastest", "smallest", "best_in_both"]


@dataclass(frozen=True)
class Judged(MachineRun):
    """A machine of a run, the rows that it measured of one workload, and the verdict on them."""

    verdict: Verdict

    def has(self, name: str, question: Question) -> bool:
        """Whether this machine measured a contender in the operation that a question is about."""
        cell = (question.operation, question.memory)
        return any(
            row.name == name and row.time and (not question.operation or (row.operation, row.memory) == cell)
            for row in self.rows
        )


@dataclass(frozen=True)
class Question:
    """A question to each machine's verdict; only the question who is fastest has an ``operation``."""

    what: What
    operation: str = ""
    memory: str = ""


@dataclass(frozen=True)
class KindAnswer:
    """One answer to a question, with all machines of a kind that give it.

    Attributes:
        first: the rows that come first, as one of these machines has them; several are too close to call,
            equally small, or each may be the fastest (``is_known``). Empty where no codec is first, or
            nothing is ranked.
        few_rounds: how many rounds there were, where these are too few to rank; else 0.
        is_known: whether these machines know that all of ``first`` are first; else one of them is.
    """

    first: Sequence[Row]
    few_rounds: int
    machines: Sequence[Judged]
    is_known: bool = True

    @property
    def names(self) -> frozenset[str]:
        return frozenset() if self.few_rounds else frozenset(row.name for row in self.first)

    @property
    def meaning(self) -> Hashable:
        """A key that is equal for answers that say the same."""
        return self.names, self.is_known, bool(self.few_rounds)

    def to_json(self, question: Question) -> dict[str, Any]:
        names = sorted(self.names)
        data: dict[str, Any] = {"codecs": names, "machines": [each.name for each in self.machines]}
        if question.what != "smallest":
            data |= {"too_close_to_call": len(names) > 1 and self.is_known, "not_known": not self.is_known}
        return data | ({"few_rounds": self.few_rounds} if self.few_rounds else {})


@dataclass(frozen=True)
class OfKind:
    """The answers of the machines of one kind to a question.

    Attributes:
        answers: the different answers, the one that most machines give first.
        without: the contenders that are first on another kind, and have no figure on this one.
    """

    kind: str
    answers: Sequence[KindAnswer]
    without: Sequence[str]

    @property
    def machines(self) -> int:
        return sum(len(answer.machines) for answer in self.answers)

    @property
    def disagrees(self) -> bool:
        """Whether the machines of the kind that name first codecs have none of them in common."""
        told = [answer.names for answer in self.answers if answer.names]
        return len(told) > 1 and not frozenset.intersection(*told)


@dataclass(frozen=True)
class Across:
    """A question with the answers of each kind of machines, in the order of the kinds' names."""

    question: Question
    kinds: Sequence[OfKind]

    @cached_property
    def answers(self) -> Sequence[KindAnswer]:
        return [answer for kind in self.kinds for answer in kind.answers]

    @property
    def holds(self) -> bool:
        """Whether all machines give the same answer."""
        return len({answer.meaning for answer in self.answers}) == 1

    @property
    def never_behind(self) -> Sequence[str]:
        """The contenders that are among the first, or may be, on every machine."""
        return sorted(frozenset.intersection(*(answer.names for answer in self.answers)))

    def to_json(self) -> dict[str, Any]:
        question = self.question
        cell = {"operation": question.operation, "memory": question.memory} if question.operation else {}
        return {
            "verdict": f"{question.what}_by_kind",
            **cell,
            "holds_on_all_kinds": self.holds,
            "first_on_all_machines": list(self.never_behind),
            "kinds": [
                {
                    "kind": each.kind,
                    "machines_disagree": each.disagrees,
                    "answers": [answer.to_json(question) for answer in each.answers],
                    **({"without": list(each.without)} if each.without else {}),
                }
                for each in self.kinds
            ],
        }


@dataclass(frozen=True)
class KindsVerdict:
    """The verdict above the tables of a run of several machines, on one workload.

    Attributes:
        machines: the machines that measured something of the workload, by kind and name.
        across: for each question on which codecs are first, the answers of all kinds.
    """

    workload: str
    machines: Sequence[Judged]
    across: Sequence[Across]

    @property
    def kinds(self) -> Sequence[str]:
        return list(dict.fromkeys(machine.kind for machine in self.machines))

    def to_json(self) -> list[dict[str, Any]]:
        """A record in plain values for each statement of the verdict."""
        trust = {machine.name: machine.verdict.trust.level for machine in self.machines}
        records: list[dict[str, Any]] = [{"verdict": "trust_by_machine", "trusted": trust}]
        records += [each.to_json() for each in self.across]
        return [{"workload": self.workload, **record} for record in records]


def kinds_verdicts(parts: Sequence[MachineRun]) -> list[KindsVerdict]:
    """The verdict on each workload that two or more machines of a run have measured."""
    verdicts = []
    for workload in dict.fromkeys(name for part in parts for name in part.run.manifest.workloads):
        machines = []
        for part in sorted(parts, key=lambda part: (part.kind, part.name)):
            own = [row for row in part.rows if row.workload == workload]
            if any(row.time for row in own):
                verdict = verdict_of(part.run, workload, own)
                machines.append(Judged(part.name, part.kind, part.run, own, verdict))
        if len(machines) > 1:
            verdicts.append(KindsVerdict(workload, machines, list(_across(machines))))
    return verdicts


def _across(machines: Sequence[Judged]) -> Iterable[Across]:
    fastest = (Question("fastest", f.operation, f.memory) for m in machines for f in m.verdict.fastest)
    kinds = gathered((machine.kind, machine) for machine in machines)
    for question in [*dict.fromkeys(fastest), Question("smallest"), Question("best_in_both")]:
        answers = {kind: _answers(question, own) for kind, own in kinds.items()}
        first = sorted({name for of_kind in answers.values() for each in of_kind for name in each.names})
        if first or any(each.few_rounds for of_kind in answers.values() for each in of_kind):
            of_kinds = []
            for kind, own in kinds.items():
                without = [name for name in first if not any(each.has(name, question) for each in own)]
                of_kinds.append(OfKind(kind, answers[kind], without))
            yield Across(question, of_kinds)


def _answers(question: Question, machines: Sequence[Judged]) -> list[KindAnswer]:
    """The different answers of the machines of a kind, the commonest first."""
    said = [
        KindAnswer(first, few_rounds, [machine], question.what == "smallest" or are_known(first))
        for machine in machines
        for first, few_rounds in [_first(question, machine.verdict)]
    ]
    answers = [
        replace(same[0], few_rounds=max(a.few_rounds for a in same), machines=[a.machines[0] for a in same])
        for same in gathered((answer.meaning, answer) for answer in said).values()
    ]
    return sorted(answers, key=lambda answer: (-len(answer.machines), len(answer.names)))


def _first(question: Question, verdict: Verdict) -> tuple[Sequence[Row], int]:
    """The first rows in a machine's answer; and its number of rounds, if too few to rank, else 0."""
    if question.what == "smallest":
        return (verdict.smallest.first if verdict.smallest else []), 0
    if question.what == "best_in_both":
        return verdict.best_in_both, 0
    for each in verdict.fastest:
        if (each.operation, each.memory) == (question.operation, question.memory):
            return each.first, each.few_rounds
    return [], 0
