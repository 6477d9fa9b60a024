"""The contents of the pictures of a run: bars with intervals, their texts, and the notes below them.

Plain data, from which ``drawing.py`` makes images; all that is decided about content is decided here.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from serbench.measure.store import Run
from serbench.report.computed import filters_of
from serbench.report.filters import notes_on_filter, rows_of_filter
from serbench.report.gathering import gathered
from serbench.report.lossy import MARK, losses
from serbench.report.notes import TOO_FEW_ROUNDS, UNFINISHED, linked_dynamically
from serbench.report.numbers import count, duration, ratio, rounded
from serbench.report.rows import Row
from serbench.report.run_table import described
from serbench.selecting.selection import OPERATIONS
from serbench.selecting.suite import Suite
from serbench.stats.summary import CONFIDENCE, ROUNDS_TO_RANK
from serbench.text import safe

LOGARITHMIC_FROM = 30
"""How many times as long as the shortest bar the longest has to be for a logarithmic scale: on a linear one,
the shortest would be a few pixels."""

_MEMORY = {
    "reuse": "buffers and objects are used again for the next message",
    "fresh": "buffers and objects are made anew for each message",
}
_VIEW_OPERATIONS = ("decode", "decode_fast", "native_roundtrip")
_REASON_CHARACTERS = 160


@dataclass(frozen=True)
class PictureRow:
    """One row of a picture: a bar with its label and texts.

    Attributes:
        value: nanoseconds, bytes or a share; ``low`` and ``high`` are the ends of its interval, equal where
            it has none.
        texts: beside the bar, one for each of the picture's headings.
        apart: why it does not compete and is set apart; empty for all others.
    """

    label: str
    value: float
    low: float
    high: float
    texts: tuple[str, ...]
    apart: str = ""


@dataclass(frozen=True)
class Picture:
    """One picture of a run, as plain data.

    Attributes:
        name: the name of its files, without ending.
        subtitle: the work that is measured, and the tools; paragraphs that may be broken over lines.
        bars: those that do not compete first, then the best first.
        notes: paragraphs below, which may be broken over lines.
        axis: the title of the axis; empty for that of the unit.
    """

    name: str
    title: str
    subtitle: Sequence[str]
    unit: Literal["ns", "bytes", "share"]
    headings: tuple[str, ...]
    bars: Sequence[PictureRow]
    notes: Sequence[str]
    axis: str = ""

    @property
    def logarithmic(self) -> bool:
        """Whether the scale is logarithmic: then dots are drawn, since bars would have no zero to begin
        at."""
        values = [bar.value for bar in self.bars if not bar.apart]
        positive = all(bar.low > 0 for bar in self.bars)
        return bool(values) and positive and max(values) > LOGARITHMIC_FROM * min(values)


def label_of(row: Row, suite: Suite | None) -> str:
    """The name of a row: the suite's, else the codec variant; with the compiler if there are several."""
    names = {each.codec: each.name for each in reversed(suite.rows)} if suite else {}
    name = f"{names.get(row.codec, row.codec)} {row.compiler}".rstrip()
    return f"{name} {MARK}" if row.lossy else name


def meaning_of(run: Run, workload: str, operation: str) -> list[str]:
    """Paragraphs on what an operation with its memory policy does, and with which data."""
    name, _, memory = operation.partition(":")
    return [
        f"{OPERATIONS.get(name, name).partition(';')[0]}; {_MEMORY[memory]}",
        f"time of one pass over {described(run.manifest.datasets.get(workload))}",
    ]


def pictures_of(run: Run, rows: Sequence[Row], suite: Suite | None) -> list[Picture]:
    """The pictures of a run: for each workload the sizes, then the time of each operation.

    A run that measured the operation ``cycle`` has one more picture of it, with only the rows that its suite
    sets apart. A picture without any bar is left out.
    """
    pictures = []
    for workload in run.manifest.workloads:
        maker = _Maker(run, workload, [r for r in rows if r.workload == workload], suite)
        pictures.append(maker.sizes())
        for operation in run.manifest.operations_of(workload):
            pictures.append(maker.times(operation))
            if operation.startswith("cycle:"):
                pictures.append(maker.zero_copy_pair(operation))
    return [picture for picture in pictures if picture.bars]


def filter_pictures(run: Run, rows: Sequence[Row], suite: Suite | None) -> Iterator[Picture]:
    """The pictures of filters, whose times are computed: one for each filter and memory policy."""
    for filter in filters_of(run.manifest):
        own = rows_of_filter(run, filter, rows)
        maker = _Maker(run, filter.workload, own, suite)
        notes = [*notes_on_filter(filter, own)]
        for operation in dict.fromkeys(row.cell for row in own):
            yield maker.times(operation, filter.title, notes)


@dataclass(frozen=True)
class _Maker:
    """Makes the pictures of one workload."""

    run: Run
    workload: str
    rows: Sequence[Row]
    suite: Suite | None

    def sizes(self) -> Picture:
        """The picture of sizes: the bytes of all messages together, which all operations of a row share."""
        by_label = {label_of(row, self.suite): row for row in reversed(self.rows)}
        rows = [by_label[label] for label in dict.fromkeys(label_of(row, self.suite) for row in self.rows)]
        known = [(row, row.size_bytes) for row in rows if row.size_bytes is not None]
        least = min((size for row, size in known if row.competes), default=None)
        bars = []
        for row, size in known:
            relative = f"×{rounded(size / least, 3)}" if least else ""
            bars.append(
                PictureRow(label_of(row, self.suite), size, size, size, (count(size), relative), _apart(row))
            )
        notes = [
            "All the bytes that a receiver needs, for all messages together. × is relative to the smallest.",
            *_set_apart(bars),
            *self._missing(row for row in rows if row.size_bytes is None),
            *self._absent(),
        ]
        subtitle = [described(self.run.manifest.datasets.get(self.workload))]
        return self._finished(Picture("size", "size", subtitle, "bytes", ("bytes", "×best"), bars, notes))

    def times(self, operation: str, work: str = "", computed: Sequence[str] = ()) -> Picture:
        """The picture of the times of one operation, such as ``serialize:reuse``, with ratios and ranks.

        Args:
            work: what is done, for an operation that is ``computed``, whose notes say of what.
        """
        rows = [row for row in self.rows if row.cell == operation]
        bars = self._bars(rows, lambda row: (ratio(row.ratio) if row.ratio else "–", row.rank_shown))
        compared = "× is relative to the best, paired by round. Equal ranks (#): too close to call."
        if any(row.time for row in rows) and max(row.rounds for row in rows) < ROUNDS_TO_RANK:
            compared += f" {TOO_FEW_ROUNDS}, so nothing is ranked."
        if any(row.not_known for row in rows):
            compared += " With ~, the order within the rank is not known."
        notes = [*computed, *_measured(rows), compared]
        if operation.partition(":")[0] in _VIEW_OPERATIONS:
            notes.append(
                "A codec that reads in place has not read any field here; cycle, deserialize and "
                "decode_traverse include reading."
            )
        shared = [row for row in rows if row.time and row.codec in self.run.manifest.dynamic]
        notes += [*_set_apart(bars), *linked_dynamically([label_of(row, self.suite) for row in shared])]
        notes += [*self._missing(row for row in rows if row.status != "ok"), *self._absent()]
        subtitle = meaning_of(self.run, self.workload, operation)
        if work:
            memory = _MEMORY[operation.partition(":")[2]]
            subtitle = [work, f"time of one pass over all messages, computed; {memory}"]
        name, headings = f"time-{operation}", ("time", "×best", "#")
        title = f"{operation}, computed" if work else operation
        return self._finished(Picture(name, title, subtitle, "ns", headings, bars, notes))

    def zero_copy_pair(self, operation: str) -> Picture:
        """The picture of ``operation``, a ``cycle``, of the codecs that the suite sets apart since their
        decoding only returns a view. Ratios are left out, since they are to the best of all codecs."""
        apart = {each.codec for each in self.suite.rows if each.apart} if self.suite else set()
        rows = [row for row in self.rows if row.cell == operation and row.codec in apart]
        notes = [*_measured(rows), "Decoding only returns a view; cycle reads every field."]
        notes += self._missing(row for row in rows if row.status != "ok")
        name, title = f"time-zero_copy_pair-{operation}", f"the zero-copy pair, {operation}"
        subtitle = meaning_of(self.run, self.workload, operation)
        bars = self._bars(rows, lambda row: ())
        return self._finished(Picture(name, title, subtitle, "ns", ("time",), bars, notes))

    def _finished(self, picture: Picture) -> Picture:
        """Complete a picture: name and title in full, bars in order, notes that hold for the whole run."""
        manifest = self.run.manifest
        rounds = max((row.rounds for row in self.rows), default=0) or manifest.rounds
        details = [
            manifest.machine.processor,
            *(f"{t.compiler} {t.flags}" for t in manifest.toolchains if not t.missing),
            f"{rounds}\u00a0round{'s' if rounds != 1 else ''}",
            manifest.started[:10],
            f"run\u00a0{self.run.id}",
        ]
        parts = [f"suite {self.suite.name}"] if self.suite else []
        told = [*picture.notes, *losses([manifest], {row.codec for row in self.rows})]
        if not self.run.taken.ended:
            told.append(UNFINISHED)
        bars = [replace(bar, label=safe(bar.label)) for bar in picture.bars]
        return replace(
            picture,
            name=f"{self.workload}-{picture.name}".replace("/", "-").replace(":", "-").replace("=", "_"),
            title=safe(" · ".join([*parts, self.workload, picture.title])),
            subtitle=[*map(safe, picture.subtitle), safe(" · ".join(details))],
            bars=sorted(bars, key=lambda bar: (not bar.apart, bar.value, bar.label)),
            notes=[*map(safe, told)],
        )

    def _bars(self, rows: Sequence[Row], texts: Callable[[Row], tuple[str, ...]]) -> list[PictureRow]:
        """Bars of the times of rows, each with ``texts`` of its row beside it."""
        return [
            PictureRow(label, time.estimate, time.low, time.high, (duration(time), *texts(row)), _apart(row))
            for row in rows
            for label, time in [(label_of(row, self.suite), row.time)]
            if time
        ]

    def _missing(self, rows: Iterable[Row]) -> Iterator[str]:
        """Notes that name the rows without a figure, one note for each reason."""
        by_reason = gathered((_why_not(row), label_of(row, self.suite)) for row in rows)
        for why, labels in by_reason.items():
            yield f"Without a figure, {why}: {', '.join(dict.fromkeys(labels))}."

    def _absent(self) -> Iterator[str]:
        """A note on the rows of the suite's published table whose codecs the run did not have."""
        there = {row.codec for row in self.rows}
        published = self.suite.rows if self.suite else ()
        if absent := [each.name for each in published if each.codec not in there]:
            yield f"In the published table but not in this run: {', '.join(absent)}."


def _measured(rows: Iterable[Row]) -> Iterator[str]:
    """A note on what bars and thin lines mean; 95 % is not claimed where there were too few rounds."""
    measured = [(row.rounds, row.time.coverage) for row in rows if row.time]
    if not measured:
        return
    fewest, coverage = min(rounds for rounds, _ in measured), min(each for _, each in measured)
    most = max(rounds for rounds, _ in measured)
    rounds = f"{most}" if fewest == most else f"{fewest} to {most}"
    if coverage >= CONFIDENCE:
        yield (
            f"Mean over {rounds} rounds without the lowest and highest fifth, each in fresh processes; "
            "thin lines: 95 % interval."
        )
    elif most == 1:
        yield "One round only, so there are no intervals."
    else:
        told = "each in fresh processes; no interval where there is only one round"
        yield f"Mean over {rounds} rounds, {told}."


def _set_apart(bars: Iterable[PictureRow]) -> Iterator[str]:
    for reason, labels in gathered((bar.apart, bar.label) for bar in bars if bar.apart).items():
        yield f"{', '.join(labels)} (grey): {reason}, which does not compete."


def _why_not(row: Row) -> str:
    """Why a row has no figure."""
    reason = row.reason.partition("\n")[0]
    if row.status == "not_installed":
        return "not installed"
    if reason.startswith("offers no "):
        return reason
    return f"{row.status}: {textwrap.shorten(reason, _REASON_CHARACTERS, placeholder=' …')}"


def _apart(row: Row) -> str:
    """Why a row does not compete; empty where it does."""
    return "a plain copy of the canonical bytes" if row.floor else row.reference
