"""The table of couples of codecs of which the reader makes something else of the writer's messages of another
schema than of its own ones."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.errors import in_short
from serbench.report.evolution_table import MARKS
from serbench.report.table import Table
from serbench.verification.evolution import Evolved, Word

HEADS = ("writer", "reader", "change", "outcome", "with its own messages")


def across_tables(outcomes: Sequence[Evolved]) -> list[Table]:
    """One table for each workload of which codecs read messages of other codecs; none where there is none."""
    told = [each for each in outcomes if each.reader and each.writer_schema is not False]
    workloads = dict.fromkeys(each.workload for each in told)
    return [
        _table(name, [each for each in told if each.workload == name], _alone(name, outcomes))
        for name in workloads
    ]


def _alone(workload: str, outcomes: Sequence[Evolved]) -> dict[tuple[str, str, str], Word]:
    """The outcome of each codec, change and direction with the codec's own messages."""
    return {
        (each.codec, each.change, each.direction): each.outcome
        for each in outcomes
        if each.workload == workload and not each.reader and each.writer_schema is not False
    }


def _table(workload: str, told: Sequence[Evolved], alone: dict[tuple[str, str, str], Word]) -> Table:
    groups: dict[tuple[str, str, Word, Word], list[Evolved]] = {}
    for each in told:
        own = alone.get((each.reader, each.change, each.direction), "not tried")
        if own != each.outcome:
            groups.setdefault((each.codec, each.reader, each.outcome, own), []).append(each)
    rows = [
        (
            writer,
            reader,
            ", ".join(map(_where, several)),
            f"{MARKS[outcome]} {outcome}",
            f"{MARKS[own]} {own}",
        )
        for (writer, reader, outcome, own), several in groups.items()
    ]
    differ = sum(map(len, groups.values()))
    couples = {(each.codec, each.reader) for each in told}
    others = {(each.codec, each.reader) for several in groups.values() for each in several}
    notes = [
        f"{len(told) - differ:,} of {len(told):,} outcomes, and all of {len(couples) - len(others)} of "
        f"{len(couples)} couples, are those of the reader with its own messages."
    ]
    reasons: dict[tuple[str, str], list[str]] = {}
    for (writer, reader, _, _), several in groups.items():
        for each in several:
            if each.reason:
                reason = in_short(each.reason).partition("\n")[0]
                reasons.setdefault((f"{writer} → {reader}", reason), []).append(_where(each))
    notes += [f"{couple}, {', '.join(where)}: {reason}" for (couple, reason), where in reasons.items()]
    return Table(f"{workload}: what codecs read of another codec's messages", HEADS, rows, notes=notes)


def _where(outcome: Evolved) -> str:
    return f"{outcome.change} {outcome.direction}"
