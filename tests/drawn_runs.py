"""Random records of runs, such as a machine makes on good days and on bad ones.

Codecs are libraries, variants of one library, references, floors and constant-time views. Some of their cells
fail, lose rounds or have further ones, lose time to others, or meet a round that is ten times as long. The
machine drifts from round to round, and a run that was continued on another day goes on at another speed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from serbench.measure.events import Event
from serbench.measure.manifest import Manifest
from serbench.measure.store import Run
from serbench.measure.taken import Taken

CELLS = ("serialize:reuse", "deserialize:reuse")
LIBRARIES = ("cpp/a", "cpp/b", "cpp/c", "cpp/d", "go/a", "go/e")
VARIANTS = ("", ":one", ":two")
REFERENCES = {"cpp/hand": "code written by hand", "cpp/iostream": "the standard library"}
FLOOR = "cpp/memcpy"
FACTORS = (1.0, 1.0, 1.002, 1.02, 1.2, 1.6, 3.0, 30.0, 250.0)
NOISES = (0.0005, 0.003, 0.01, 0.03, 0.1, 0.4)
DISTURBANCES: Sequence[Mapping[str, float]] = (
    {"waited_ns": 0.1, "own_ns": 0.9},
    {"waited_ns": 0.5, "own_ns": 0.5},
    {"waited_ns": 0.04, "own_ns": -1},
    {"waited_ns": -1, "own_ns": 0.1, "involuntary_switches": 1000},
    {"waited_ns": -1, "own_ns": -1, "involuntary_switches": 1000},
)
"""Fields of a disturbed sample; those of a time as shares of it, where they are known."""

Cell = tuple[str, str]
"""A codec, and an operation with its memory policy."""


@dataclass(frozen=True)
class Drawn:
    """The record of a run.

    Attributes:
        sizes: codec → the bytes of a message.
        times: cell → round → the nanoseconds of a pass, of which others took what ``disturbed`` says.
        disturbed: the round of a cell → the fields of its sample that tell what others took.
        views: the cells that are constant-time views.
        failed: the cells that fail in the last round.
        rounds: the order in which rounds are told; the journal of a continued run may repeat none.
    """

    sizes: Mapping[str, int]
    times: Mapping[Cell, Mapping[int, float]]
    references: Mapping[str, str] = field(default_factory=dict)
    floors: Sequence[str] = ()
    disturbed: Mapping[tuple[Cell, int], Mapping[str, float]] = field(default_factory=dict)
    views: frozenset[Cell] = frozenset()
    failed: frozenset[Cell] = frozenset()
    settled: bool = True
    ended: bool = True
    messages: int = 1
    target: float | None = 0.02

    def run(self) -> Run:
        """The run with this record, as if its folder had been read."""
        told = {
            "version": 2, "codecs": [*self.sizes], "workloads": ["w"], "operations": CELLS, "rounds": 12,
            "floors": self.floors, "references": self.references, "target": self.target,
            "datasets": {"w": {"messages": self.messages, "canonical_bytes": 1000, "sha256": "00"}},
            "machine": {"processor": "none"}, "toolchains": [],
        }  # fmt: skip
        taken = Taken.of(msgspec.convert([*self._events()], list[Event]))
        return Run(Path("run")).holding(msgspec.convert(told, Manifest), taken)

    def _events(self) -> Iterator[Mapping[str, Any]]:
        for codec, size in self.sizes.items():
            yield {
                "event": "unit", "codec": codec, "workload": "w", "status": "ok", "size_bytes": size,
                "messages": self.messages, "operations": [cell.partition(":")[0] for cell in CELLS],
                "views": [cell.partition(":")[0] for name, cell in self.views if name == codec],
            }  # fmt: skip
        for (codec, cell), rounds in self.times.items():
            operation, _, memory = cell.partition(":")
            who = {"codec": codec, "workload": "w", "operation": operation, "memory": memory}
            for number, time in rounds.items():
                passes = 10 ** max(0, 9 - math.ceil(math.log10(time)))
                elapsed = round(passes * time)
                lost = self.disturbed.get(((codec, cell), number), {})
                shares = {
                    name: value if name == "involuntary_switches" or value < 0 else round(elapsed * value)
                    for name, value in lost.items()
                }
                how = {"elapsed_ns": elapsed, "waited_ns": 0, "settled": self.settled, **shares}
                yield {"event": "sample", **who, "round": number, "iterations": passes, **how}
            if (codec, cell) in self.failed:
                yield {"event": "failure", **who, "reason": "it died", "round": max(rounds, default=1)}
        if self.ended:
            yield {"event": "end"}

    def scaled(self, factor: float) -> Drawn:
        times = {
            cell: {number: factor * time for number, time in rounds.items()}
            for cell, rounds in self.times.items()
        }
        return replace(self, times=times)

    def shuffled(self, draws: Random) -> Drawn:
        """The same record with its codecs, and the rounds of each cell, in another order."""
        sizes, times = [*self.sizes.items()], [*self.times.items()]
        draws.shuffle(sizes)
        draws.shuffle(times)
        rounds = {cell: dict(draws.sample([*own.items()], len(own))) for cell, own in times}
        return replace(self, sizes=dict(sizes), times=rounds)


def drawn_run(draws: Random) -> Drawn:
    """A random record."""
    every = [library + variant for library in LIBRARIES for variant in VARIANTS]
    codecs = draws.sample(every, draws.choice((1, 2, 2, 3, 3, 4, 5, 8, 12)))
    references = {name: what for name, what in REFERENCES.items() if draws.random() < 0.3}
    if draws.random() < 0.03:
        codecs, references = [], dict(REFERENCES)
    floors = [FLOOR] if draws.random() < 0.3 else []
    names = [*floors, *references, *codecs]
    draws.shuffle(names)
    cells = [(codec, cell) for codec in names for cell in CELLS]
    noise, base = draws.choice(NOISES), draws.choice((0.002, 100.0, 1e6))
    levels = {cell: base * draws.choice(FACTORS) * draws.choice((1.0, 1.1)) for cell in cells}
    drifts = drifts_of(draws, 40)
    numbers = {cell: rounds_of(draws, share) for share in [draws.choice((0.0, 0.3))] for cell in cells}
    if draws.random() < 0.6:  # all have the same rounds
        numbers = dict.fromkeys(cells, range(1, draws.choice((1, 3, 5, 6, 7, 9, 12)) + 1))
    restless = {cell: draws.choice(NOISES) if draws.random() < 0.15 else noise for cell in cells}
    times = {
        cell: {
            number: levels[cell] * drifts[number] * math.exp(draws.gauss(0, restless[cell])) * hit(draws)
            for number in numbers[cell]
        }
        for cell in cells
        if draws.random() < 0.97
    }
    lossy = draws.choice((0.0, 0.0, 0.0, 0.1, 0.9, 1.0))
    how = draws.choice(DISTURBANCES)
    lost = {(cell, number): how for cell in times for number in times[cell] if draws.random() < lossy}
    return Drawn(
        {name: draws.choice((0, 10, 10, 20, 300)) for name in names}, times, references, floors, lost,
        frozenset(cell for cell in cells if draws.random() < 0.05),
        frozenset(cell for cell in cells if draws.random() < 0.03),
        draws.random() < 0.9, draws.random() < 0.9, draws.choice((1, 50)), draws.choice((None, 0.02, 0.05)),
    )  # fmt: skip


def rounds_of(draws: Random, missing: float) -> Sequence[int]:
    """The rounds of a cell: the planned ones without some that are ``missing``, perhaps with further ones."""
    planned = [number for number in range(1, 13) if draws.random() >= missing]
    further = range(13, 13 + draws.choice((0, 0, 0, 8, 25)))
    return [*planned, *further] or [1]


def drifts_of(draws: Random, rounds: int) -> Mapping[int, float]:
    """Round → the factor by which the machine was slower; a run may be continued at another speed."""
    step, since = draws.choice((1.0, 1.0, 1.05, 2.0, 5.0)), draws.choice((6, 13))
    walk, drift = draws.choice((0.0, 0.02)), 0.0
    drifts = {}
    for number in range(1, rounds + 1):
        drift += draws.gauss(0, walk)
        drifts[number] = math.exp(drift) * (step if number >= since else 1.0)
    return drifts


def hit(draws: Random) -> float:
    return 10.0 if draws.random() < 0.02 else 1.0
