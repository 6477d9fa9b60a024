"""The rows of a run: one per cell, measured or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from serbench.errors import unknown
from serbench.measure.events import UnitEvent
from serbench.measure.store import Run
from serbench.measure.taken import CellSamples, Taken
from serbench.stats.stopping import Cell
from serbench.stats.summary import Interval, Rounds, geometric_interval, paired_ratio
from serbench.stats.ties import fastest, standings


@dataclass(frozen=True)
class Row:
    """One cell of a run.

    Attributes:
        compiler: empty where its language has one only.
        status: ``ok``, ``failed``, ``not_installed`` or ``unsupported``, and ``waiting`` while it is still to
            be measured; ``reason`` says why it is not ``ok``.
        size_bytes: bytes of all encoded messages together.
        time: nanoseconds of one pass over all messages; None where nothing was measured.
        mean_ns: the plain mean of all samples, as others publish it, in nanoseconds; codecs are not ranked by
            it.
        view: whether it is a constant-time view, which does not read the message; views are ranked among
            themselves.
        ratio: to the best codec of the same workload, operation and memory policy, paired by round; None
            where all of them are ``overrun``.
        relative: likewise to the codec that was named with ``--relative-to``; None where none was, or where
            it was not measured.
        samples: how many samples were taken, ``disturbed`` ones included.
        unsettled: in how many rounds times had not settled when the warm-up ended; 0 where a fixed count left
            no warm-up.
        disturbed: how many samples something else on the machine took time from. They are left out of every
            figure, unless less than half of the rounds would be left (``overrun``). Then they count, without
            the time in which others had the core; the row has no rank, and no ratio is to it.
        allocated_bytes: what a pass allocates, as a median; None where the runner does not tell.
        lossy: what a codec that is lossy by design changes; empty for all others.
        remembers: what the objects that it begins with keep from an earlier encoding, which makes it less
            work; empty where they keep nothing.
        undercuts: whether it takes less than the floor of its language, though it is no constant-time view.
        rank: that of its tie group, from 1; 0 for the floor, which is no contender; None where it has none.
        unsteady: whether it shares its rank with a row that it seems to be far from, because its own times
            vary too much to tell.
    """

    codec: str
    workload: str
    operation: str
    memory: str
    status: str
    reason: str
    compiler: str = ""
    floor: bool = False
    view: bool = False
    lossy: str = ""
    remembers: str = ""
    size_bytes: int | None = None
    messages: int | None = None
    time: Interval | None = None
    mean_ns: float | None = None
    ratio: Interval | None = None
    relative: Interval | None = None
    rank: int | None = None
    unsteady: bool = False
    undercuts: bool = False
    rounds: int = 0
    samples: int = 0
    unsettled: int = 0
    disturbed: int = 0
    overrun: bool = False
    allocated_bytes: float | None = None

    @property
    def name(self) -> str:
        """The codec variant, and the compiler where there are several: the name of the contender in a
        table."""
        return f"{self.codec} {self.compiler}".rstrip()

    @property
    def language(self) -> str:
        return self.codec.partition("/")[0]

    @property
    def rank_shown(self) -> str:
        """``3``, or ``3~`` where the codec is too unsteady to be separated; empty for a row that does not
        compete."""
        return f"{self.rank}{'~' if self.unsteady else ''}" if self.rank else ""

    def to_json(self) -> dict[str, Any]:
        """Plain values for ``--format json``; times in nanoseconds, absent ones left out."""
        data: dict[str, Any] = {
            "codec": self.codec,
            "workload": self.workload,
            "compiler": self.compiler,
            "operation": self.operation,
            "memory": self.memory,
            "status": self.status,
            "reason": self.reason,
            "size_bytes": self.size_bytes,
            "messages": self.messages,
        }
        if self.lossy:
            data["lossy"] = self.lossy
        if self.remembers:
            data["remembers"] = self.remembers
        if self.time:
            data |= {
                "time_ns": round(self.time.estimate, 3),
                "mean_ns": round(self.mean_ns or 0.0, 3),
                "interval_ns": [round(self.time.low, 3), round(self.time.high, 3)],
                "rank": self.rank,
                "unsteady": self.unsteady,
                "constant_time_view": self.view,
                "undercuts_floor": self.undercuts,
                "rounds": self.rounds,
                "samples": self.samples,
                "disturbed_samples": self.disturbed,
                "disturbed_used": self.overrun,
                "unsettled_rounds": self.unsettled,
                "coverage": round(self.time.coverage, 4),
            }
        if self.ratio:
            data["ratio_best"] = round(self.ratio.estimate, 5)
            data["ratio_interval"] = [round(self.ratio.low, 5), round(self.ratio.high, 5)]
        if self.relative:
            data["ratio_relative"] = round(self.relative.estimate, 5)
            data["ratio_relative_interval"] = [round(self.relative.low, 5), round(self.relative.high, 5)]
        if self.allocated_bytes is not None:
            data["allocated_bytes"] = self.allocated_bytes
        return data


FROM_NATIVE = ("encode", "native_roundtrip")
"""Operations that encode the same native objects in every pass; all others that encode have new ones, which
remember nothing."""

WAITING = "waiting"
"""The status of a cell without samples in a run that is going on."""

Contender = tuple[str, str]
"""Codec and compiler."""


def contenders_of(run: Run) -> list[Contender]:
    """Every codec variant of a run with every compiler of its language, named only where there are
    several."""
    return _named_with_compilers(run, run.manifest.codecs)


def _named_with_compilers(run: Run, codecs: Iterable[str]) -> list[Contender]:
    contenders = []
    for codec in codecs:
        language = codec.partition("/")[0]
        compilers = [t.name for t in run.manifest.toolchains if t.language == language]
        contenders += [(codec, compiler) for compiler in (compilers if len(compilers) > 1 else [""])]
    return contenders


def rows_of(run: Run, relative_to: str | None = None) -> list[Row]:
    """The rows of a run in the order of its plan: workloads, then operations, then codecs and compilers.

    Args:
        relative_to: a codec or variant of the run to which rows get a second ratio.

    Raises:
        SelectionError: the run has no such codec.
    """
    base = _base(run, relative_to) if relative_to else None
    taken = run.taken
    figures = {cell: samples.figures() for cell, samples in taken.cells.items() if cell not in taken.failures}
    rows: list[Row] = []
    for workload in run.manifest.workloads:
        for operation in run.manifest.operations:
            contenders = [*contenders_of(run), *_named_with_compilers(run, run.manifest.beside)]
            cells = [(codec, workload, compiler, operation) for codec, compiler in contenders]
            table = [_row(run, cell, figures, taken) for cell in cells]
            known = {row.name: figures[cell] for row, cell in zip(table, cells, strict=True) if row.time}
            spread = taken.spreads.get((workload, operation), 0.0)
            rows += _with_relative(_with_standings(table, known, spread), base, known, spread)
    return [row for row in rows if row.codec not in run.manifest.beside]


def _base(run: Run, name: str) -> str:
    """The codec variant that is meant: the first that has this name, whole or without its variant."""
    known = run.manifest.codecs
    for codec in known:
        if name in (codec, codec.partition(":")[0]):
            return codec
    raise unknown("codec of this run", name, known)


_NOT_VERIFIED = "the run stopped before this codec was verified"
_NOT_MEASURED = "the run stopped before it was measured"


def _row(run: Run, cell: Cell, figures: Mapping[Cell, Rounds], taken: Taken) -> Row:
    codec, workload, compiler, operation = cell
    name, _, memory = operation.partition(":")
    known = taken.units.get(cell[:3]) or UnitEvent(
        codec=codec, workload=workload, status="failed", reason=_NOT_VERIFIED
    )
    status: str = known.status
    reason = known.reason
    if run.going_on and cell[:3] not in taken.units:
        status, reason = WAITING, ""
    elif status == "ok" and name not in known.operations:
        status, reason = "unsupported", f"offers no {name}"
    elif cell in taken.failures:
        status, reason = "failed", taken.failures[cell]
    elif status == "ok" and cell not in figures:
        status, reason = (WAITING, "") if run.going_on else ("failed", _NOT_MEASURED)
    row = Row(
        codec=codec,
        workload=workload,
        operation=name,
        memory=memory,
        status=status,
        reason="" if status == "ok" else reason,
        compiler=compiler,
        floor=codec in (*run.manifest.floors, *run.manifest.beside),
        view=name in known.views,
        lossy=run.manifest.lossy.get(codec, ""),
        remembers=run.manifest.remembers.get(codec, "") if name in FROM_NATIVE else "",
        size_bytes=known.size_bytes,
        messages=known.messages,
    )
    return replace(row, **_measured(taken.cells[cell], figures[cell], run)) if status == "ok" else row


def _measured(samples: CellSamples, figures: Rounds, run: Run) -> dict[str, Any]:
    """What a row says of its samples, by the names of its attributes."""
    used = samples.used().values()
    return {
        "time": geometric_interval(figures.values()),
        "mean_ns": sum(map(sum, used)) / sum(map(len, used)),
        "rounds": len(figures),
        "samples": samples.count,
        "disturbed": samples.disturbed_count,
        "overrun": samples.overrun,
        "unsettled": 0 if run.manifest.iterations else len(samples.unsettled),
        "allocated_bytes": median(samples.allocated) if samples.allocated else None,
    }


def _with_relative(
    rows: Iterable[Row], base: str | None, figures: Mapping[str, Rounds], spread: float
) -> Iterator[Row]:
    """The same rows with ratios to ``base``: to its figures with the same compiler, or to its only ones."""
    for row in rows:
        names = [f"{base} {row.compiler}".rstrip(), base or ""]
        found = next((figures[name] for name in names if name in figures), None) if base else None
        if row.time and found:
            yield replace(row, relative=paired_ratio(figures[row.name], found, spread))
        else:
            yield row


def _with_undercut(table: Sequence[Row]) -> list[Row]:
    """The same rows, with a mark on those that surely take less time than the floor of their language and are
    no constant-time views."""
    floors = {row.language: row.time.low for row in table if row.floor and row.time}

    def undercuts(row: Row) -> bool:
        contends = row.time is not None and not row.floor and not row.view and not row.overrun
        return contends and row.time is not None and row.time.high < floors.get(row.language, 0.0)

    return [replace(row, undercuts=True) if undercuts(row) else row for row in table]


def _with_standings(table: list[Row], figures: Mapping[str, Rounds], spread: float) -> Iterator[Row]:
    """The same rows with ranks and ratios: constant-time views compete among themselves, all others among
    themselves.

    The floor and codecs that were disturbed too much get a ratio to the best, but do not compete.
    """
    likes = {
        view: {
            r.name: figures[r.name]
            for r in table
            if r.time and not r.floor and not r.overrun and r.view is view
        }
        for view in (False, True)
    }
    ranked = {view: standings(contenders, spread) for view, contenders in likes.items()}
    for row in _with_undercut(table):
        standing = ranked[row.view].get(row.name)
        if standing:
            yield replace(row, ratio=standing.ratio, rank=standing.rank, unsteady=standing.unsteady)
        elif row.time:
            best = fastest(likes[row.view])
            ratio = paired_ratio(figures[row.name], likes[row.view][best], spread) if best else None
            yield replace(row, ratio=ratio, rank=0 if row.floor else None)
        else:
            yield row
