"""The table of the codecs that write the same bytes for equal values, with its reasons below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from serbench.errors import in_short
from serbench.report.table import Table
from serbench.verification.determinism import AGAIN, WORDS, Determinism, Word

MARKS: dict[Word, str] = {"equal": "✓", "differs": "≠", "none": "–", "not tried": "?"}

Versions = Mapping[str, str]
"""Name of a unit → the version of its library."""


def determinism_tables(outcomes: Sequence[Determinism], versions: Versions) -> list[Table]:
    """One table for each workload: codecs in rows, ways to encode equal values again in columns."""
    workloads = dict.fromkeys(each.workload for each in outcomes)
    return [
        _table(name, [each for each in outcomes if each.workload == name], versions) for name in workloads
    ]


def record_of(outcome: Determinism, versions: Versions) -> dict[str, Any]:
    """An outcome in plain values, for ``--format json``: ``twice``, ``process``, ``roundtrip`` and ``order``
    each have a word of ``WORDS``; ``reasons`` has those that there are."""
    return {
        "codec": outcome.codec,
        "version": versions.get(outcome.codec, ""),
        "workload": outcome.workload,
        **{again: each.outcome for again, each in outcome.found.items()},
        "reasons": {again: each.reason for again, each in outcome.found.items() if each.reason},
    }


def _table(workload: str, outcomes: Sequence[Determinism], versions: Versions) -> Table:
    rows = [
        [each.codec, versions.get(each.codec, ""), *(MARKS[each.found[again].outcome] for again in AGAIN)]
        for each in outcomes
    ]
    marks = frozenset(range(2, 2 + len(AGAIN)))  # never broken, as figures are not
    notes = [_legend(outcomes), *_reasons(outcomes)]
    title = f"{workload}: are the bytes of equal values equal?"
    return Table(title, ["codec", "version", *AGAIN], rows, marks, notes)


def _legend(outcomes: Sequence[Determinism]) -> str:
    found = {each.outcome for outcome in outcomes for each in outcome.found.values()}
    columns = "; ".join(f"{again}: {meaning}" for again, meaning in AGAIN.items())
    marks = "; ".join(f"{MARKS[word]} {meaning}" for word, meaning in WORDS.items() if word in found)
    return f"{columns}. {marks}."


def _reasons(outcomes: Sequence[Determinism]) -> Iterator[str]:
    """The reasons of each codec, the worst outcomes first; equal ones are told once."""
    places: dict[tuple[Word, str, str], list[str]] = {}
    for outcome in outcomes:
        for again, each in outcome.found.items():
            if each.reason:
                key = (each.outcome, outcome.codec, in_short(each.reason).partition("\n")[0])
                places.setdefault(key, []).append(again)
    order: list[Word] = ["not tried", "differs", "none"]
    for (_, codec, reason), ways in sorted(places.items(), key=lambda item: order.index(item[0][0])):
        yield f"{codec}, {', '.join(ways)}: {reason}"
