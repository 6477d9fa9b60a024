"""The rows of a run: one per cell, measured or not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from serbench.errors import unknown
from serbench.measure.store import Run
from serbench.measure.taken import CellSamples, Taken
from serbench.report.figures import Entry, outcome_of
from serbench.report.gathering import gathered
from serbench.selecting.selection import READING
from serbench.stats.disturbance import DOUBT_OF_ALL
from serbench.stats.stopping import Cell
from serbench.stats.summary import (
    ROUNDS_TO_RANK,
    Interval,
    Rounds,
    geometric_interval,
    geometric_mean_ratio,
    paired_ratio,
)
from serbench.stats.ties import Doubts, fastest, is_behind, levels, standings


@dataclass(frozen=True)
class Row(Entry):
    """One cell of a run, as a row of tables.

    Attributes:
        size_bytes: bytes of all encoded messages together.
        time: nanoseconds of one pass over all messages; None where nothing was measured.
        mean_ns: the plain mean of all samples, as others publish it, in nanoseconds; codecs are not ranked by
            it.
        view: whether it is a constant-time view, which does not read the message; views are ranked among
            themselves.
        floor: whether it only copies bytes. It does not compete.
        reference: the kind of code, where it is no library and so does not compete; empty for all others.
        ratio: to the best codec of the same workload, operation and memory policy, paired by round; None
            where none competes.
        relative: the ratio to the codec that was named with ``--relative-to``; None where none was, or where
            it was not measured.
        samples: how many samples were taken, ``disturbed`` ones included.
        unsettled: in how many rounds times had not settled when the warm-up ended; 0 where a fixed count left
            no warm-up.
        disturbed: how many samples something else on the machine took time from. They count where their round
            has no others, less the time in which others had the core.
        deducted_rounds: in how many rounds disturbed samples count, with that time deducted.
        doubt: the standard error, as a share, that disturbances add to the figure beyond what differs from
            round to round.
        allocated_bytes: allocated by a pass, as a median; None where the runner does not tell.
        lossy: the changes by a codec that is lossy by design; empty for all others.
        remembers: the traces of an earlier encoding in the objects that it begins with, which save work;
            empty where there are none.
        undercuts: whether it takes less than the floor of its language, though it is no constant-time view.
        rank: the rank of its tie group, from 1; 0 for a floor or a reference, which do not compete; None
            where nothing can be concluded.
        not_known: whether it shares its rank with a row from which it may well be far, because its own times
            vary too much to tell: their order is not known.
        may_lead: whether it may be the fastest of those that it competes with, as far as the rounds tell.
        number_of: the workload of which the messages are another number, in a sweep; empty for all others.
        data_bytes: the canonical bytes of all messages, in a sweep.
        longer_list: the path of the list that a sweep makes longer, and has ``items`` in each message; empty
            for all others.
        paths: the part of the messages that is read, where only a part is.
        share_of_fields: the share of the fields that the part has, at most 1; None where it is not known.
        way: how the part is read; ``way_reason`` says why everything is decoded for it.
        unchecked: whether text that is no UTF-8 is accepted in what is passed over, and nowhere else.
        of_everything: the ratio to reading everything with the same codec, paired by round; None where a part
            is not read, or everything was not measured.
    """

    floor: bool = False
    reference: str = ""
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
    not_known: bool = False
    may_lead: bool = False
    undercuts: bool = False
    rounds: int = 0
    samples: int = 0
    unsettled: int = 0
    disturbed: int = 0
    deducted_rounds: int = 0
    doubt: float = 0.0
    allocated_bytes: float | None = None
    number_of: str = ""
    data_bytes: int | None = None
    longer_list: str = ""
    items: int | None = None
    paths: str = ""
    share_of_fields: float | None = None
    way: str = ""
    way_reason: str = ""
    unchecked: bool = False
    of_everything: Interval | None = None

    @property
    def language(self) -> str:
        return self.codec.partition("/")[0]

    @property
    def competes(self) -> bool:
        """Whether the codec is measured against the others, and not only beside them."""
        return not self.floor and not self.reference

    @property
    def library(self) -> str:
        """The codec without its variant: two variants of one library are no rivals."""
        return self.codec.partition(":")[0]

    @property
    def rank_shown(self) -> str:
        """``3``, or ``3~`` if the order in the rank is not known; ``ref`` for a reference; else empty."""
        if self.reference and self.time:
            return "ref"
        return f"{self.rank}{'~' if self.not_known else ''}" if self.rank else ""

    def to_json(self) -> dict[str, Any]:
        """The row in plain values for ``--format json``; times in nanoseconds, missing figures left out."""
        data = {**super().to_json(), "size_bytes": self.size_bytes, "messages": self.messages}
        for name in ("reference", "lossy", "remembers", "paths", "way", "way_reason", "unchecked"):
            if told := getattr(self, name):
                data[name] = told
        if self.time:
            data |= {
                "time_ns": round(self.time.estimate, 3),
                "mean_ns": round(self.mean_ns or 0.0, 3),
                "interval_ns": [round(self.time.low, 3), round(self.time.high, 3)],
                "rank": self.rank,
                "unsteady": self.not_known,
                "may_lead": self.may_lead,
                "constant_time_view": self.view,
                "undercuts_floor": self.undercuts,
                "rounds": self.rounds,
                "samples": self.samples,
                "disturbed_samples": self.disturbed,
                "deducted_rounds": self.deducted_rounds,
                "doubt": round(self.doubt, 5),
                "unsettled_rounds": self.unsettled,
                "coverage": round(self.time.coverage, 4),
            }
        if self.number_of:
            data |= {"number_of": self.number_of, "data_bytes": self.data_bytes}
        if self.longer_list:
            data |= {"longer_list": self.longer_list, "items": self.items}
        if self.share_of_fields is not None:
            data["share_of_fields"] = round(self.share_of_fields, 5)
        for name, interval, ratio in (
            ("ratio_best", "ratio_interval", self.ratio),
            ("ratio_relative", "ratio_relative_interval", self.relative),
            ("ratio_everything", "ratio_everything_interval", self.of_everything),
        ):
            if ratio:
                data[name] = round(ratio.estimate, 5)
                data[interval] = [round(ratio.low, 5), round(ratio.high, 5)]
        if self.allocated_bytes is not None:
            data["allocated_bytes"] = self.allocated_bytes
        return data


FROM_NATIVE = ("encode", "native_roundtrip")
"""Operations that encode the same native objects in every pass; all others that encode have new ones, which
remember nothing."""

WAITING = "waiting"
"""The status of a cell without samples in a run that is going on."""


def contenders_of(run: Run, beside: bool = False) -> list[tuple[str, str]]:
    """Every codec variant of a run with every compiler of its language, which is named only if there are
    several; then, if asked for, the codecs that are timed ``beside`` and not shown."""
    compilers = gathered((t.language, t.name) for t in run.manifest.toolchains)
    contenders = []
    for codec in (*run.manifest.codecs, *(run.manifest.beside if beside else ())):
        own = compilers.get(codec.partition("/")[0], [])
        contenders += [(codec, compiler) for compiler in (own if len(own) > 1 else [""])]
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
        for operation in run.manifest.operations_of(workload):
            contenders = contenders_of(run, beside=True)
            cells = [(codec, workload, compiler, operation) for codec, compiler in contenders]
            table = [_row(run, cell, figures, taken) for cell in cells]
            known = {row.name: figures[cell] for row, cell in zip(table, cells, strict=True) if row.time}
            doubts = Doubts(
                taken.spreads.get((workload, operation), 0.0), {row.name: row.doubt for row in table}
            )
            rows += with_ranks(table, known, doubts, base)
    shown = [row for row in rows if row.codec not in run.manifest.beside]
    return list(_with_wholes(run, shown))


def _with_wholes(run: Run, rows: Sequence[Row]) -> Iterator[Row]:
    """The rows; those that read a part have the ratio to reading everything."""
    measured = {(row.name, row.workload, row.cell): row for row in rows if row.time}
    for row in rows:
        data = run.manifest.datasets.get(row.workload)
        whole = measured.get((row.name, data.whole if data else "", row.cell))
        if row.time and whole and not row.way_reason:  # else it is the same program, measured twice
            row = replace(row, of_everything=mean_ratio(run, [(row, whole)]))
        yield row


def mean_ratio(run: Run, pairs: Sequence[tuple[Row, Row]]) -> Interval | None:
    """The geometric mean of the ratios of the first row of each pair to the second, paired by round."""
    figures = [(_figures(run, row), _figures(run, other)) for row, other in pairs]
    return geometric_mean_ratio(figures, max(_doubt_between(run, *pair) for pair in pairs))


def is_surely_ahead(run: Run, row: Row, other: Row, pairs: int) -> bool:
    """Whether a row takes less time than another one of its workload and operation for certain, by the test
    that ranks come from, where so many ``pairs`` are compared."""
    doubt = _doubt_between(run, row, other)
    return is_behind(_figures(run, other), _figures(run, row), pairs, doubt)


def _figures(run: Run, row: Row) -> Rounds:
    return run.taken.cells[row.codec, row.workload, row.compiler, row.cell].figures()


def _doubt_between(run: Run, row: Row, other: Row) -> float:
    spread = run.taken.spreads.get((row.workload, row.cell), 0.0)
    return math.hypot(spread, row.doubt, other.doubt)


def too_few_rounds(rows: Iterable[Row]) -> int:
    """The most rounds of any cell, if these are too few to conclude anything from; else 0."""
    rounds = max((row.rounds for row in rows if row.time), default=0)
    return rounds if rounds < ROUNDS_TO_RANK else 0


def all_in_doubt(rows: Iterable[Row]) -> bool:
    """Whether disturbances leave nothing to be concluded from any of the figures."""
    doubts = [row.doubt for row in rows if row.time and row.competes]
    return bool(doubts) and min(doubts) > DOUBT_OF_ALL


def _base(run: Run, name: str) -> str:
    """The first codec variant of a run with this name, which may leave out the variant."""
    known = run.manifest.codecs
    for codec in known:
        if name in (codec, codec.partition(":")[0]):
            return codec
    raise unknown("codec of this run", name, known)


_NOT_MEASURED = "the run stopped before it was measured"


def _row(run: Run, cell: Cell, figures: Mapping[Cell, Rounds], taken: Taken) -> Row:
    codec, workload, compiler, operation = cell
    name, _, memory = operation.partition(":")
    unit = taken.units.get(cell[:3])
    status, reason = outcome_of(unit, name)
    if run.going_on and unit is None:
        status, reason = WAITING, ""
    elif cell in taken.failures and status != "unsupported":
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
        reference=run.manifest.references.get(codec, ""),
        view=unit is not None and name in unit.views,
        lossy=run.manifest.lossy.get(codec, ""),
        remembers=run.manifest.remembers.get(codec, "") if name in FROM_NATIVE else "",
        size_bytes=unit.size_bytes if unit else None,
        messages=unit.messages if unit else None,
        paths=data.paths if (data := run.manifest.datasets.get(workload)) else "",
        number_of=data.number_of if data else "",
        data_bytes=data.canonical_bytes if data and data.number_of else None,
        longer_list=data.longer_list if data else "",
        items=data.items if data and data.longer_list else None,
        share_of_fields=_share_of_fields(run, workload),
        way=unit.way if unit else "",
        way_reason=unit.way_reason if unit else "",
        unchecked=unit is not None and unit.unchecked,
    )
    return replace(row, **_measured(taken.cells[cell], figures[cell], run)) if status == "ok" else row


def _share_of_fields(run: Run, workload: str) -> float | None:
    """The fields of a part as a share of those of the whole messages."""
    part = run.manifest.datasets.get(workload)
    if part and part.operation != READING:
        return None
    whole = run.manifest.datasets.get(part.whole) if part else None
    return min(part.fields / whole.fields, 1.0) if part and whole and part.fields and whole.fields else None


def _measured(samples: CellSamples, figures: Rounds, run: Run) -> dict[str, Any]:
    """The attributes of a row that follow from its samples, by their names."""
    used = samples.used().values()
    return {
        "time": geometric_interval(figures.values(), samples.doubt),
        "mean_ns": sum(map(sum, used)) / sum(map(len, used)),
        "rounds": len(figures),
        "samples": samples.count,
        "disturbed": samples.disturbed_count,
        "deducted_rounds": samples.deducted_rounds,
        "doubt": samples.doubt,
        "unsettled": 0 if run.manifest.iterations else len(samples.unsettled),
        "allocated_bytes": median(samples.allocated) if samples.allocated else None,
    }


def _brought(row: Row, times: Mapping[str, float]) -> Row:
    """The row with its time brought to the rounds of the other ones (``levels``)."""
    return replace(row, time=row.time.scaled(times[row.name] / row.time.estimate)) if row.time else row


def with_ranks(
    table: Sequence[Row], figures: Mapping[str, Rounds], doubts: Doubts, base: str | None
) -> Iterator[Row]:
    """The rows of one workload and operation, with ranks, ratios to the best and to ``base``, and a mark on
    those that surely take less time than the floor of their language and compiler.

    Constant-time views compete among themselves, all others among themselves. Floors and references get a
    ratio to the best, but do not compete. Where nothing can be concluded, nobody has a rank.
    """
    times = levels(figures)
    table = [_brought(row, times) for row in table]
    floors = {
        (row.language, row.compiler): row.time.low
        for row in table
        if row.floor and row.time and row.rounds >= ROUNDS_TO_RANK
    }
    rivals = {
        view: {r.name: figures[r.name] for r in table if r.time and r.competes and r.view is view}
        for view in (False, True)
    }
    ranked = {view: standings(contenders, doubts, times) for view, contenders in rivals.items()}
    unranked = {
        view: too_few_rounds(row for row in table if row.name in rivals[view]) or all_in_doubt(table)
        for view in rivals
    }

    def ratio_to(row: Row, other: str) -> Interval | None:
        return paired_ratio(figures[row.name], figures[other], doubts.between(row.name, other))

    for row in table:
        if not row.time:
            yield row
            continue
        floor = 0.0 if row.floor or row.view else floors.get((row.language, row.compiler), 0.0)
        told: dict[str, Any] = {"undercuts": row.time.high < floor, "rank": 0}
        if standing := ranked[row.view].get(row.name):
            told["rank"] = None
            names = ("ratio",) if unranked[row.view] else ("ratio", "rank", "not_known", "may_lead")
            told |= {name: getattr(standing, name) for name in names}
        elif best := fastest(rivals[row.view], times):
            told["ratio"] = ratio_to(row, best)
        if base:  # its figures with the same compiler, or its only ones
            same = [name for name in (f"{base} {row.compiler}".rstrip(), base) if name in figures]
            told["relative"] = ratio_to(row, same[0]) if same else None
        yield replace(row, **told)
