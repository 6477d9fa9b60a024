"""Findings of ``why``, ``advise`` and ``history``, kept beside the samples of their runs, so that they can be
shown later.

A file has paths, lengths and counts, and no value of the messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec

from serbench.changes.emptying import Part
from serbench.errors import FileError
from serbench.languages.releases import Release
from serbench.measure.identity import Identity
from serbench.measure.store import Run
from serbench.report.advice_table import Advice, advice_tables, record_of
from serbench.report.history import History
from serbench.report.history_table import history_tables
from serbench.report.table import Table
from serbench.report.why import ALL, Why
from serbench.report.why_table import why_tables
from serbench.system.files import parse_json, read_bytes
from serbench.system.whole import write_atomically
from serbench.verification.emptied import Weighed
from serbench.verification.sizes import Size

_WHY, _ADVICE, _HISTORY = "why.json", "advice.json", "history.json"


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
    chosen: dict[str, dict[str, Size]] = {}


class _KeptHistory(msgspec.Struct):
    """A history without the samples of its times; ``runs`` are the ids of the runs that have these."""

    codec: str
    usual: str
    releases: list[Release]
    threshold: Annotated[float, msgspec.Meta(ge=0, le=1000)]
    most: Annotated[int, msgspec.Meta(ge=2, le=1000)]
    runs: list[str]
    first: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0


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
    dropped, chosen = (
        {change: dict(sizes) for change, sizes in of.items()} for of in (why.dropped, why.chosen)
    )
    parts, undropped = [*why.parts], {**why.undropped}
    kept = _KeptWhy(
        why.workload, why.units, parts, why.weighed, why.messages, runs, dropped, undropped, chosen
    )
    for run in beside:
        write_atomically(run.directory / _WHY, msgspec.json.encode(kept))


def keep_advice(advice: Advice, run: Run) -> None:
    """Write the advice beside the run of its times; raise OSError where that fails."""
    write_atomically(run.directory / _ADVICE, msgspec.json.encode(advice))


def keep_history(history: History) -> None:
    """Write the history beside the samples of its runs; raise OSError where that fails."""
    runs = [run.id for run in history.runs]
    releases, limits = [*history.releases], (history.threshold, history.most)
    kept = _KeptHistory(history.codec, history.usual, releases, *limits, runs, history.first)
    for run in history.runs:
        write_atomically(run.directory / _HISTORY, msgspec.json.encode(kept))


def history_of(run: Run) -> History | None:
    """Return the history that a run was for, with those of its runs that are still there; None where it was
    for something else. Raise FileError where the file was altered."""
    path = run.directory / _HISTORY
    if not path.is_file():
        return None
    kept = parse_json(read_bytes(path, "history"), _KeptHistory, str(path), "history")
    runs = _still_there(run, kept.runs)
    if not runs:
        raise FileError(f"{path}: it names no run that is there; the file was altered")
    return History(kept.codec, kept.usual, kept.releases, kept.threshold, kept.most, runs, kept.first)


def _still_there(run: Run, names: Sequence[str]) -> list[Run]:
    """Those of the runs beside a run that were not removed."""
    folders = [run.directory.parent / Path(name).name for name in names]
    return [Run(each) for each in folders if (each / "manifest.json").is_file()]


def why_of(run: Run) -> Why | None:
    """Return the costs of parts that a run was for; None where it was for something else. Times are of the
    runs that are still there. Raise FileError where the file was altered."""
    path = run.directory / _WHY
    if not path.is_file():
        return None
    kept = parse_json(read_bytes(path, "costs of parts"), _KeptWhy, str(path), "costs of parts")
    if ALL not in kept.weighed.parts or not kept.weighed.messages or not kept.messages:
        raise FileError(f"{path}: the sizes are incomplete; the file was altered")
    sizes, runs = (kept.weighed, kept.messages), _still_there(run, kept.runs)
    found = Why(kept.workload, kept.units, kept.parts, *sizes, runs, kept.dropped, kept.undropped)
    return replace(found, chosen=kept.chosen)


def advice_of(run: Run) -> Advice | None:
    """Return the advice that a run was for; None where it was for something else. Raise FileError where the
    file was altered."""
    path = run.directory / _ADVICE
    if not path.is_file():
        return None
    return parse_json(read_bytes(path, "advice"), Advice, str(path), "advice")


def finding_of(run: Run) -> Finding | None:
    """Return the finding of ``why``, ``advise`` or ``history`` that a run was for; None where it was for
    none of them."""
    if history := history_of(run):
        return Finding(lambda room: history_tables(history, room), history.records)
    if why := why_of(run):
        return Finding(lambda room: why_tables(why, room), why.records)
    if advice := advice_of(run):
        return Finding(lambda room: advice_tables(advice, room), [record_of(each) for each in advice.all])
    return None


def asked_of(run: Run) -> str:
    """Return the question of ``why``, ``advise`` or ``history`` that a run is to answer; empty where it is
    for none of them."""
    if history := history_of(run):
        return f"{history.codec}: which version changed the times?"
    if why := why_of(run):
        return f"{why.workload}: what does each part cost?"
    advice = advice_of(run)
    return f"{advice.workload}: what would save bytes?" if advice else ""
