"""Sweeps: the time per message over the number of messages, or per item over the items of a list, and which
codecs change places in between."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, takewhile
from typing import Any

from serbench.measure.events import Peak
from serbench.measure.store import Run
from serbench.report.gathering import gathered
from serbench.report.numbers import between, quantity, ratio
from serbench.report.rows import Row, is_surely_ahead, mean_ratio
from serbench.stats.summary import Interval
from serbench.text import counted


@dataclass(frozen=True)
class Size:
    """A size of a sweep.

    Attributes:
        number: the number of messages, or of the items of a list in each message.
        workload: the workload that has it, and the canonical ``bytes`` of its ``messages``.
        longer_list: the path of the list; empty where messages are counted.
    """

    number: int
    workload: str
    bytes: int
    messages: int
    longer_list: str = ""

    @property
    def in_words(self) -> str:
        what = "item" if self.longer_list else "message"
        return f"{counted(self.number, what)} ({megabytes(self.bytes)})"

    def each(self, time: Interval) -> Interval:
        """The time of a message, or of an item of the list, where ``time`` is that of a pass."""
        return time.scaled(1 / (self.messages * (self.number if self.longer_list else 1)))


@dataclass(frozen=True)
class SweptCodec:
    """A codec's rows in one operation, by the number of messages."""

    name: str
    codec: str
    rows: dict[int, Row]


@dataclass(frozen=True)
class Sweep:
    """The times of one operation over the number of messages, or of the items of a list.

    Attributes:
        workload: the workload that grows.
        operation: the operation with its memory policy.
        sizes: the sizes, the smallest first.
        codecs: those that were measured, the fastest with the greatest size first.
        caches: name of each cache that holds data → its bytes.
    """

    run: Run
    workload: str
    operation: str
    sizes: Sequence[Size]
    codecs: Sequence[SweptCodec]
    caches: dict[str, int]

    @property
    def longer_list(self) -> str:
        """The path of the list that grows; empty where messages are counted."""
        return self.sizes[0].longer_list

    @property
    def one(self) -> str:
        """The thing whose time is told, in words."""
        return "item" if self.longer_list else "message"

    @property
    def over(self) -> str:
        """The axis of the sweep, in words."""
        return f"items in {self.longer_list}" if self.longer_list else "number of messages"

    def cache_of(self, size: Size) -> str:
        """The nearest cache that holds the messages of a size; empty where none does."""
        return next((name for name, bytes in self.caches.items() if size.bytes <= bytes), "")

    def grown(self, codec: SweptCodec) -> int | None:
        """The bytes of resident memory that a process takes with the most messages more than with the fewest;
        None where memory was not measured."""
        peaks = {event.cell: event.peak_bytes for event in self.run.taken.costs if isinstance(event, Peak)}
        ends = [codec.rows.get(size.number) for size in (self.sizes[0], self.sizes[-1])]
        cells = [(row.codec, row.workload, row.compiler, row.cell) if row else None for row in ends]
        least, most = (peaks.get(cell) if cell else None for cell in cells)
        return most - least if most is not None and least is not None else None


@dataclass(frozen=True)
class Lead:
    """A codec that is surely ahead of another with these messages; ``ratio`` is of its time to the other's,
    and ``throughout`` whether it is with all sizes measured on that side of the change: before the change, at
    least two."""

    name: str
    size: Size
    ratio: Interval
    throughout: bool


@dataclass(frozen=True)
class Change:
    """Two codecs that change places: one is ahead ``before``, the other one ``after``, with more messages."""

    before: Lead
    after: Lead

    @property
    def least(self) -> float:
        """The smaller of both leads, as a logarithm."""
        return min(abs(math.log(lead.ratio.estimate)) for lead in (self.before, self.after))

    @property
    def in_words(self) -> str:
        before, after = self.before, self.after
        up_to = "up to" if before.throughout else "with"
        since = "from {} on" if after.throughout else "with {}"
        return (
            f"{before.name} is ahead of {after.name} {up_to} {before.size.in_words}, "
            f"{_factor(before.ratio)}; "
            f"{after.name} is ahead {since.format(after.size.in_words)}, {_factor(after.ratio)}."
        )

    def to_json(self) -> dict[str, Any]:
        return {
            key: value
            for word, lead in (("before", self.before), ("after", self.after))
            for key, value in (
                (f"ahead_{word}", lead.name),
                (f"{'items' if lead.size.longer_list else 'messages'}_{word}", lead.size.number),
                *_ratio_to_json(word, lead.ratio).items(),
            )
        }


@dataclass(frozen=True)
class OneSidedLead:
    """A codec that is surely ahead of ``behind`` at one end of a sweep, and shares its rank at the other. A
    lead with the fewest messages is lost with more; one with the most is won.

    Attributes:
        led, lead: the size at the end where it is ahead, and the ratio of its time to the other's there.
        from_tie: the size from which to the other end both have the same rank.
        tied, tie: the size at the other end, and the ratio there.
    """

    ahead: str
    behind: str
    led: Size
    lead: Interval
    from_tie: Size
    tied: Size
    tie: Interval

    @property
    def is_lost(self) -> bool:
        return self.led.number < self.tied.number

    @property
    def in_words(self) -> str:
        end, first = f"with {self.tied.in_words}", self.from_tie.in_words
        span = f"from {first} on" if self.is_lost else f"up to {first}"
        then = end if self.from_tie == self.tied else f"{span}; {end}"
        return (
            f"{self.ahead} is ahead of {self.behind} with {self.led.in_words}, {_factor(self.lead)}, "
            f"and too close to call {then}, {_factor(self.tie)}."
        )

    def to_json(self) -> dict[str, Any]:
        counted = "items" if self.tied.longer_list else "messages"
        verdict, when, bound = (
            ("lost_lead", "before", "since") if self.is_lost else ("won_lead", "after", "until")
        )
        ends = ((self.led, self.lead), (self.tied, self.tie))
        (few, before), (many, after) = sorted(ends, key=lambda end: end[0].number)
        return {
            "verdict": verdict,
            f"ahead_{when}": self.ahead,
            f"behind_{when}": self.behind,
            f"{counted}_before": few.number,
            **_ratio_to_json("before", before),
            f"{counted}_{bound}": self.from_tie.number,
            f"{counted}_after": many.number,
            **_ratio_to_json("after", after),
        }


def _ratio_to_json(word: str, ratio: Interval) -> dict[str, Any]:
    interval = [round(ratio.low, 5), round(ratio.high, 5)]
    return {f"ratio_{word}": round(ratio.estimate, 5), f"ratio_{word}_interval": interval}


def _factor(interval: Interval) -> str:
    return " ".join(filter(None, (ratio(interval), between(interval))))


def megabytes(size: float) -> str:
    """Write bytes as ``16 kB`` or ``1.2 MB``, with two digits."""
    return quantity(size, 2 if size < 1e12 else 3, "B")


def _sizes_of(run: Run) -> dict[tuple[str, str], dict[int, Size]]:
    """The workloads of a run of which there are several numbers of messages, or several lengths of a list,
    whose path is beside them; each with its sizes, of which a workload of a single message is one itself."""
    found: dict[tuple[str, str], dict[int, Size]] = {}
    datasets = run.manifest.datasets
    for name in run.manifest.workloads:
        data = datasets.get(name)
        if data and data.number_of:
            number = data.items if data.longer_list else data.messages
            size = Size(number, name, data.canonical_bytes, data.messages, data.longer_list)
            found.setdefault((data.number_of, data.longer_list), {})[number] = size
    for (base, longer_list), sizes in found.items():
        own = datasets.get(base)
        if own and own.messages == 1 and not longer_list and base in run.manifest.workloads:
            sizes.setdefault(1, Size(1, base, own.canonical_bytes, 1))
    return {base: dict(sorted(sizes.items())) for base, sizes in found.items() if len(sizes) > 1}


def in_sweeps(run: Run) -> set[str]:
    """The workloads whose times the tables of sweeps show, beside the workload that they are made of."""
    return {size.workload for (base, _), sizes in _sizes_of(run).items() if base in run.manifest.workloads
            for size in sizes.values() if size.workload != base}  # fmt: skip


def sweeps_of(run: Run, rows: Sequence[Row]) -> Iterator[Sweep]:
    """The sweeps of a run, those of each workload in the order of its operations."""
    caches = run.manifest.machine.data_caches
    for (base, _), sizes in _sizes_of(run).items():
        number = {size.workload: size.number for size in sizes.values()}
        own = [row for row in rows if row.workload in number and row.competes]
        for operation, measured in gathered((row.cell, row) for row in own).items():
            by_name = gathered((row.name, row) for row in measured)
            codecs = [
                SweptCodec(name, each[0].codec, {number[row.workload]: row for row in each})
                for name, each in by_name.items()
                if any(row.time for row in each)
            ]
            if codecs:
                ordered = sorted(codecs, key=lambda codec: _last(codec, [*sizes]))
                yield Sweep(run, base, operation, [*sizes.values()], ordered, caches)


def _last(codec: SweptCodec, numbers: Sequence[int]) -> tuple[int, float]:
    """A key that sorts the fastest with the most messages first; codecs that failed with these come last."""
    timed = [n for n in reversed(numbers) if n in codec.rows and codec.rows[n].time]
    time = codec.rows[timed[0]].time
    return (-timed[0], time.estimate if time else math.inf)


def changes_of_places(sweep: Sweep) -> list[Change]:
    """The pairs of codecs that surely change places, those whose leads are greatest first.

    A codec is ahead where its rank is lower and both orders are known, or where the test of ranks tells the
    two apart, and the interval of the ratio, paired by round, is below 1.
    """
    found = (change for pair in combinations(sweep.codecs, 2) for change in _changes(sweep, *pair))
    return sorted(found, key=lambda change: -change.least)


def kept_orders(sweep: Sweep) -> int:
    """The number of pairs of codecs of which one is surely ahead both with the fewest messages and with the
    most."""

    def ahead(size: Size, first: SweptCodec, second: SweptCodec) -> str:
        return _name(_lead(sweep.run, size, first, second, _order(sweep, size, first, second)))

    names = ([ahead(sweep.sizes[n], *pair) for n in (0, -1)] for pair in combinations(sweep.codecs, 2))
    return sum(bool(fewest) and fewest == most for fewest, most in names)


def one_sided_leads(sweep: Sweep, are_lost: bool) -> list[OneSidedLead]:
    """The leads with the fewest messages that are surely smaller with the most, where both codecs have the
    same rank, or the other way round where leads are not lost but won; the greatest come first."""
    sizes = sweep.sizes if are_lost else sweep.sizes[::-1]
    found = (lead for pair in combinations(sweep.codecs, 2) if (lead := _one_sided(sweep, sizes, *pair)))
    return sorted(found, key=lambda lead: lead.lead.estimate)


def changes_to_json(sweep: Sweep) -> list[dict[str, Any]]:
    """A record in plain values for each pair of codecs that change places, and for each lead that is lost or
    won."""
    about = {"workload": sweep.workload, "operation": sweep.operation}
    changes = [{"verdict": "change_of_places", **each.to_json()} for each in changes_of_places(sweep)]
    leads = (lead.to_json() for are_lost in (True, False) for lead in one_sided_leads(sweep, are_lost))
    return [{**about, **each} for each in (*changes, *leads)]


def _changes(sweep: Sweep, first: SweptCodec, second: SweptCodec) -> Iterator[Change]:
    orders = [_order(sweep, size, first, second) for size in sweep.sizes]
    if len({order for order in orders if order}) < 2:
        return
    pairs = zip(sweep.sizes, orders, strict=True)
    leads = [_lead(sweep.run, size, first, second, order) for size, order in pairs]
    known = [at for at, lead in enumerate(leads) if lead]
    begin = 0
    for n, (at, then) in enumerate(pairwise(known)):
        before, after = leads[at], leads[then]
        if before and after and before[0] != after[0]:
            end = next((k for k in known[n + 1 :] if _name(leads[k]) != after[0]), len(leads))
            yield Change(
                Lead(*before, throughout=at > begin and all(leads[begin : at + 1])),
                Lead(*after, throughout=all(leads[then:end]) and end == len(leads)),
            )
            begin = then


def _one_sided(
    sweep: Sweep, sizes: Sequence[Size], first: SweptCodec, second: SweptCodec
) -> OneSidedLead | None:
    """The lead of one of two codecs with the first of these sizes that is surely smaller with the last one,
    where both have the same rank; None where there is none."""
    led, *_, tied = sizes
    orders = [_order(sweep, size, first, second) for size in sizes]
    found = _lead(sweep.run, led, first, second, orders[0])
    if not found or orders[-1] != 0:
        return None
    lead = found[-1]
    ahead, behind = (first, second) if found[0] == first.name else (second, first)
    tie = _ratio(sweep.run, tied, ahead, behind)
    if not tie or tie.low <= lead.high:
        return None
    ties = len([*takewhile(lambda order: order == 0, reversed(orders))])
    return OneSidedLead(ahead.name, behind.name, led, lead, sizes[-ties], tied, tie)


def _name(lead: tuple[str, Size, Interval] | None) -> str:
    return lead[0] if lead else ""


def _order(sweep: Sweep, size: Size, first: SweptCodec, second: SweptCodec) -> int | None:
    """-1 where the first codec is ahead, 1 where the second is, and 0 where both have the same rank; None
    where that is not known. A codec that is too close to a third one may still be far from this one, so the
    test of ranks is asked of both alone."""
    one, other = first.rows.get(size.number), second.rows.get(size.number)
    if not (one and other and one.rank and other.rank) or one.view != other.view:
        return None
    if not (one.not_known or other.not_known):
        return (one.rank > other.rank) - (one.rank < other.rank)
    pairs = math.comb(sum(1 for codec in sweep.codecs if size.number in codec.rows), 2)
    if is_surely_ahead(sweep.run, one, other, pairs):
        return -1
    return 1 if is_surely_ahead(sweep.run, other, one, pairs) else None


def _lead(
    run: Run, size: Size, first: SweptCodec, second: SweptCodec, order: int | None
) -> tuple[str, Size, Interval] | None:
    """The codec that is ahead with a size, the size, and the ratio; None where none surely is."""
    if not order:
        return None
    ahead, behind = (first, second) if order < 0 else (second, first)
    found = _ratio(run, size, ahead, behind)
    return (ahead.name, size, found) if found and found.high < 1 else None


def _ratio(run: Run, size: Size, first: SweptCodec, second: SweptCodec) -> Interval | None:
    """The time of the first codec to that of the second with a size; None where one has none."""
    rows = first.rows.get(size.number), second.rows.get(size.number)
    return mean_ratio(run, [(rows[0], rows[1])]) if rows[0] and rows[1] else None
