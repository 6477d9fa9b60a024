"""The table of what each codec makes of changes of a schema, with its reasons below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from serbench.changes.catalogue import KINDS, word_of
from serbench.errors import in_short
from serbench.report.table import Table
from serbench.verification.evolution import OUTCOMES, Evolved, Word

MARKS: dict[Word, str] = {
    "kept": "✓",
    "defaults": "○",
    "refused": "✗",
    "misread": "!",
    "hang": "∞",
    "crash": "†",
    "impossible": "–",
    "not tried": "?",
}


_DUE: dict[str, str] = {"adapter": " (the adapter's error)", "schema": " (due to the schema)"}


def evolution_tables(outcomes: Sequence[Evolved]) -> list[Table]:
    """One table for each workload: codecs in rows, changes in columns, every direction in a cell. Outcomes of
    couples of codecs are left out."""
    alone = [each for each in outcomes if not each.reader]
    workloads = dict.fromkeys(each.workload for each in alone)
    return [_table(name, [each for each in alone if each.workload == name]) for name in workloads]


def record_of(outcome: Evolved) -> dict[str, Any]:
    """An outcome in plain values, for ``--format json``."""
    record = asdict(outcome)
    del record["is_loss"]
    if outcome.writer_schema is None:
        del record["writer_schema"]
    if not outcome.reader:
        del record["reader"]
    return record


def row_of(outcome: Evolved) -> str:
    """The name of the table's row for an outcome: that of the codec, which has a second row for readers
    without the writer's schema."""
    without = outcome.writer_schema is False
    return f"{outcome.codec}, without the writer's schema" if without else outcome.codec


def _table(workload: str, outcomes: Sequence[Evolved]) -> Table:
    heads = _headings(list(dict.fromkeys(each.change for each in outcomes)))
    cells: dict[tuple[str, str], str] = {}
    for each in outcomes:  # backward comes first, through last
        key = (row_of(each), each.change)
        cells[key] = cells.get(key, "") + MARKS[each.outcome]
    names = dict.fromkeys(row_of(each) for each in outcomes)
    rows = [[name, *(cells.get((name, change), "") for change in heads)] for name in names]
    notes = [_legend({each.outcome for each in outcomes}), *_meanings(heads), *_reasons(outcomes)]
    marks = frozenset(range(1, 1 + len(heads)))  # never broken, as figures are not
    return Table(f"{workload}: what is read after a change", ["codec", *heads.values()], rows, marks, notes)


def _headings(changes: Sequence[str]) -> dict[str, str]:
    """The heading of each change: the word of its kind, where no other change has it, or else its text."""
    words = [word_of(change) for change in changes]
    return {
        change: word if word in KINDS and words.count(word) == 1 else change
        for change, word in zip(changes, words, strict=True)
    }


def _legend(found: set[Word]) -> str:
    told = "; ".join(
        f"{MARKS[word]} {word}: {meaning}" for word, meaning in OUTCOMES.items() if word in found
    )
    return (
        f"First backward (new reads old), then forward (old reads new), then through (new reads what old has "
        f"read of new and written again). {told}. Readers get the bytes alone, and the writer's schema too "
        "where their library reads with both."
    )


def _meanings(heads: dict[str, str]) -> Iterator[str]:
    short = [change for change, head in heads.items() if change != head]
    if short:
        yield f"Changes: {', '.join(short)}."


def _reasons(outcomes: Sequence[Evolved]) -> Iterator[str]:
    """The reasons of each codec, the worst outcomes first; equal ones are told once."""
    places: dict[tuple[Word, str, str, str], list[str]] = {}
    for each in outcomes:
        if each.reason:
            is_error = each.outcome in ("refused", "hang", "crash")
            due = _DUE.get(each.by, "") if is_error else ""
            key = (each.outcome, row_of(each), due, in_short(each.reason).partition("\n")[0])
            places.setdefault(key, []).append(f"{each.change} {each.direction}")
    worst = list(reversed(OUTCOMES))
    by_outcome = sorted(places.items(), key=lambda item: worst.index(item[0][0]))
    for (outcome, codec, due, reason), where in by_outcome:
        yield f"{codec}, {', '.join(where)}: {outcome}{due}: {reason}"
