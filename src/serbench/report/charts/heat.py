"""The contents of heat maps as plain data: how far each codec is behind the fastest on each machine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean

import msgspec

from serbench.measure.store import Run
from serbench.report.charts.picture import label_of, meaning_of
from serbench.report.charts.scatter import plain
from serbench.report.gathering import gathered
from serbench.report.lossy import losses
from serbench.report.machines_table import MachineRun
from serbench.report.notes import TOO_FEW_ROUNDS
from serbench.report.numbers import ratio
from serbench.report.rows import Row
from serbench.selecting.suite import Suite
from serbench.stats.summary import ROUNDS_TO_RANK, median_interval
from serbench.system.command import COMMAND
from serbench.text import safe


@dataclass(frozen=True)
class HeatColumn:
    """A column of a heat map: one machine, or all machines of a kind; then ``name`` tells their number."""

    kind: str
    name: str


@dataclass(frozen=True)
class Square:
    """A square of a heat map: how many times as long a codec takes as the fastest of its column.

    Attributes:
        text: the ratio with its marks, as it is written into the square.
        first: whether no codec is ranked before it.
    """

    ratio: float
    text: str
    first: bool


@dataclass(frozen=True)
class HeatLine:
    """A row of a heat map: a codec with its square in each column, None where the codec has no figure."""

    label: str
    apart: bool
    squares: Sequence[Square | None]

    @property
    def mean(self) -> float:
        """The geometric mean of the codec's ratios."""
        return math.exp(fmean(math.log(each.ratio) for each in self.squares if each))


@dataclass(frozen=True)
class Heat:
    """A heat map of one workload and operation.

    Attributes:
        name: the name of its files, without ending.
        subtitle, notes: paragraphs above and below the map, which may be broken over lines.
        scale: the meaning of the colours, in words.
        columns: the machines of one kind are beside each other.
        lines: first the codecs that do not compete, then the others, the best first.
    """

    name: str
    title: str
    subtitle: Sequence[str]
    scale: str
    columns: Sequence[HeatColumn]
    lines: Sequence[HeatLine]
    notes: Sequence[str]

    @property
    def greatest(self) -> float:
        """The greatest ratio of a codec that competes."""
        return max((s.ratio for line in self.lines if not line.apart for s in line.squares if s), default=1.0)

    @property
    def top(self) -> float:
        """The ratio with the last colour: the greatest, within bounds, so that codecs which are alike look
        alike, and one that is far behind leaves the others their colours."""
        return min(max(self.greatest, settings().least_top), settings().most_top)


class HeatSettings(msgspec.Struct, frozen=True):
    """The settings that heat maps share with those of the page (``page/src/shade.ts``).

    Attributes:
        colours: ``#rrggbb``, the colour of the fastest first.
        least_top, most_top: the bounds of the ratio that gets the last colour (``Heat.top``).
        most_machines: the most machines that have a column each; more are shown by kind.
    """

    colours: tuple[str, ...]
    source: str
    least_top: float
    most_top: float
    most_machines: int


@cache
def settings() -> HeatSettings:
    """Read the settings of heat maps from ``specs/heat.json``."""
    return msgspec.json.decode(
        (Path(__file__).parent / "specs" / "heat.json").read_bytes(), type=HeatSettings
    )


def colour_of(value: float, top: float) -> str:
    """The colour of a ratio, ``#rrggbb``, on a logarithmic scale of colours from 1 to ``top``."""
    colours = settings().colours
    place = min(max(math.log(max(value, 1e-9)) / math.log(top), 0.0), 1.0) * (len(colours) - 1)
    low = min(int(place), len(colours) - 2)
    parts = zip(_parts(colours[low]), _parts(colours[low + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * (place - low)):02x}" for a, b in parts)


def ink_on(colour: str) -> str:
    """Black or white, whichever has more contrast on a colour (WCAG 2, "relative luminance")."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (each / 255 for each in _parts(colour))
    ]
    luminance = sum(w * part for w, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "#000000" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "#ffffff"


def _parts(colour: str) -> list[int]:
    return [int(colour[n : n + 2], 16) for n in (1, 3, 5)]


def heats_of(run: Run, parts: Sequence[MachineRun], suite: Suite | None) -> Iterator[Heat]:
    """A heat map for each workload and operation of which a run of several machines measured anything."""
    for workload in run.manifest.workloads:
        for operation in run.manifest.operations_of(workload):
            cell = (workload, operation)
            own = [
                replace(part, rows=[row for row in part.rows if (row.workload, row.cell) == cell])
                for part in parts
            ]
            made = _Maker(run, own, suite).heat(workload, operation)
            if made.lines:
                yield made


@dataclass(frozen=True)
class _Maker:
    """Makes one heat map, from machines of which only the rows of its workload and operation are given."""

    run: Run
    parts: Sequence[MachineRun]
    suite: Suite | None

    @property
    def by_kind(self) -> bool:
        return len(self.parts) > settings().most_machines

    def heat(self, workload: str, operation: str) -> Heat:
        groups = self.groups()
        labels = dict.fromkeys(label_of(row, self.suite) for part in self.parts for row in part.rows)
        lines = [self.line(label, groups) for label in labels]
        of_suite = [f"suite {self.suite.name}"] if self.suite else []
        shown = [line for line in lines if any(line.squares)]
        lacking = [line.label for line in lines if not any(line.squares)]
        return Heat(
            name=f"{plain(workload)}-{plain(operation)}-on-machines",
            title=safe(" · ".join([*of_suite, workload, self.what(operation)])),
            subtitle=[*map(safe, [*meaning_of(self.run, workload, operation), self.details()])],
            scale="times as long as the fastest on the same machine, logarithmic scale",
            columns=[replace(c, kind=safe(c.kind), name=safe(c.name)) for c in groups],
            lines=sorted(shown, key=lambda line: (not line.apart, line.mean, line.label)),
            notes=[*map(safe, self.notes(shown, lacking))],
        )

    def groups(self) -> dict[HeatColumn, Sequence[MachineRun]]:
        """The columns of the heat map, each with its machines."""
        if not self.by_kind:
            return {HeatColumn(part.kind, part.name): [part] for part in self.parts}
        kinds = gathered((part.kind, part) for part in self.parts)
        return {
            HeatColumn(kind, f"median of {len(own)}" if len(own) > 1 else own[0].name): own
            for kind, own in kinds.items()
        }

    def line(self, label: str, groups: Mapping[HeatColumn, Sequence[MachineRun]]) -> HeatLine:
        rows = {
            column: [row for part in parts for row in part.rows if label_of(row, self.suite) == label]
            for column, parts in groups.items()
        }
        apart = any(not row.competes for own in rows.values() for row in own)
        return HeatLine(safe(label), apart, [_square(own) for own in rows.values()])

    def what(self, operation: str) -> str:
        return f"{operation} on each {'kind of machine' if self.by_kind or self.are_kinds else 'machine'}"

    @property
    def are_kinds(self) -> bool:
        """Whether the machines of each kind divided the cells among them, so that each part is a kind."""
        return all(part.name == part.kind for part in self.parts)

    def details(self) -> str:
        machines, kinds = len(self.parts), len({part.kind for part in self.parts})
        said = f"{machines} machine{'s' if machines > 1 else ''} of {kinds} kind{'s' if kinds > 1 else ''}"
        if self.are_kinds:
            said = f"{kinds} kinds of machines, which shared the cells"
        return f"{said} · {self.run.manifest.started[:10]} · run\u00a0{self.run.id}"

    def notes(self, shown: Sequence[HeatLine], lacking: Sequence[str]) -> Iterator[str]:
        rows = [row for part in self.parts for row in part.rows if row.time]
        if self.by_kind:
            yield (
                f"There are {len(self.parts)} machines, so a column is a kind of machine: the median of the "
                "ratios on those of its machines that have the codec."
            )
        where = "on every one of them" if self.by_kind else "there"
        yield f"× is paired by round. Bold: rank 1 {where}; several in a column share it."
        if max((row.rounds for row in rows), default=0) < ROUNDS_TO_RANK:
            yield f"{TOO_FEW_ROUNDS}, so none is bold."
        if any(square is None for line in shown for square in line.squares):
            yield f"Hatched: no figure there; {COMMAND} show {self.run.id} says why."
        if apart := [line.label for line in shown if line.apart]:
            yield f"{', '.join(apart)} (grey): measured beside the others, without competing."
        if any(row.view for row in rows):
            yield "°: a constant-time view, compared only with others of its kind."
        if lacking:
            yield f"Without a figure on any machine: {', '.join(lacking)}."
        yield from losses([part.run.manifest for part in self.parts], {row.codec for row in rows})
        if stopped := [part.name for part in self.parts if not part.run.taken.ended]:
            yield f"Not measured to the end: {', '.join(stopped)}."


def _square(rows: Sequence[Row]) -> Square | None:
    """The square of a codec in a column, from its rows on the column's machines; None without a ratio."""
    known = [(row, row.ratio) for row in rows if row.time and row.ratio]
    if not known:
        return None
    one = known[0][1] if len(known) == 1 else median_interval([each.estimate for _, each in known])
    views = all(row.view for row, _ in known)
    return Square(one.estimate, ratio(one) + ("°" if views else ""), all(row.rank == 1 for row, _ in known))
