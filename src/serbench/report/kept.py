"""Findings of ``why`` and ``advise``, kept beside the samples of their runs, so that they can be shown later.

A file has paths, lengths and counts, and no value of the messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from serbench.changes.emptying import Part
from serbench.errors import FileError
from serbench.measure.identity import Identity
from serbench.measure.store import Run
from serbench.report.advice_table import Advice, advice_tables, record_of
from serbench.report.table import Table
from serbench.report.why import ALL, Why
from serbench.report.why_table import why_tables
from serbench.system.files import parse_json, read_bytes
from serbench.system.whole import write_atomically
from serbench.verification.emptied import Weighed
from serbench.verification.sizes import Size

_WHY, _ADVICE = "why.json", "advice.json"


class _KeptWhy(msgspec.Struct):
    """The costs of parts without the samples of their times; ``runs`` are the ids of the runs that have
    these."""

    workload: str
    units: dict[str, Identity]
    parts: list[Part]
    weighed: Weighed
    messages: int
    runs: list[str]
    dropped: dict[str, dict[str, Size]] = {}
    undropped: dict[str, str] = {}


@dataclass(frozen=True)
class Finding:
    """A finding of a run, to be shown in place of its samples.

    Attributes:
        tables: a function that makes the tables for a width in columns.
        records: the same for programs.
    """

    tables: Callable[[int], list[Table]]
    records: Sequence[dict[str, Any]]


def keep_why(why: Why, beside: Sequence[Run]) -> None:
    """Write the costs beside the samples of these runs; raise OSError where that fails."""
    runs = [run.id for run in why.runs]
    dropped = {path: dict(sizes) for path, sizes in why.dropped.items()}
    kept = _KeptWhy(
        why.workload, why.units, [*why.parts], why.weighed, why.messages, runs, dropped, {**why.undropped}
    )
    for run in beside:
        write_atomically(run.directory / _WHY, msgspec.json.encode(kept))


def keep_advice(advice: Advice, run: Run) -> None:
    """Write the advice beside the run of its times; raise OSError where that fails."""
    write_atomically(run.directory / _ADVICE, msgspec.json.encode(advice))


def why_of(run: Run) -> Why | None:
    """Return the costs of parts that a run was for; None where it was for something else. Times are of the
    runs that are still there. Raise FileError where the file was altered."""
    path = run.directory / _WHY
    if not path.is_file():
        return None
    kept = parse_json(read_bytes(path, "costs of parts"), _KeptWhy, str(path), "costs of parts")
    if ALL not in kept.weighed.parts or not kept.weighed.messages or not kept.messages:
        raise FileError(f"{path}: the sizes are incomplete; the file was altered")
    folders = [run.directory.parent / Path(name).name for name in kept.runs]
    runs = [Run(each) for each in folders if (each / "manifest.json").is_file()]
    sizes = kept.weighed, kept.messages
    return Why(kept.workload, kept.units, kept.parts, *sizes, runs, kept.dropped, kept.undropped)


def advice_of(run: Run) -> Advice | None:
    """Return the advice that a run was for; None where it was for something else. Raise FileError where the
    file was altered."""
    path = run.directory / _ADVICE
    if not path.is_file():
        return None
    return parse_json(read_bytes(path, "advice"), Advice, str(path), "advice")


def finding_of(run: Run) -> Finding | None:
    """Return the finding of ``why`` or ``advise`` that a run was for; None where it was for neither."""
    if why := why_of(run):
        return Finding(lambda room: why_tables(why, room), why.records)
    if advice := advice_of(run):
        return Finding(lambda room: advice_tables(advice, room), [record_of(each) for each in advice.all])
    return None


def asked_of(run: Run) -> str:
    """Return the question of ``why`` or ``advise`` that a run is to answer; empty where it is for neither."""
    if why := why_of(run):
        return f"{why.workload}: what does each part cost?"
    advice = advice_of(run)
    return f"{advice.workload}: what would save bytes?" if advice else ""
