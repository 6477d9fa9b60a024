"""Deals the cells of a run to machines of one kind, which share them.

In each round, one of the machines measures a unit, and in the next round another one. So every machine
measures every unit sooner or later, none has to be measured again where a machine is lost, and no figure
rests on one machine. All machines measure the links (some fixed codecs) in all rounds. Their times show how
much faster one machine is than another, how far equal machines differ, and which machine deviates
(``measure/joined.py``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from serbench.codecs.codec import Variant
from serbench.measure.identity import Identity
from serbench.stats.stopping import Cell, column_of


@dataclass(frozen=True)
class Share:
    """The cells that one of several machines measures in each round.

    Attributes:
        at: the machine's index, from 0.
        of: the number of machines.
        links: the codecs that all of them measure.
        codecs, workloads: those of the run, in its order.
    """

    at: int
    of: int
    links: frozenset[str]
    codecs: Sequence[str]
    workloads: Sequence[str]

    def takes(self, unit: Identity, number: int) -> bool:
        """Whether this machine measures a unit in the round with this number."""
        codec, workload, _ = unit
        position = self.codecs.index(codec) * len(self.workloads) + self.workloads.index(workload)
        return codec in self.links or (position + number) % self.of == self.at

    def part_of(self, codec: str) -> float:
        """Return the share of the rounds in which this machine measures a codec."""
        return 1.0 if codec in self.links else 1 / self.of


def links_among(variants: Sequence[Variant]) -> tuple[str, ...]:
    """Choose the codecs that all machines measure: the floors of one language and its first two contenders.
    How far the latter are apart on two machines shows how far equal machines differ. A language without a JIT
    compiler is preferred, since its times settle at once."""
    languages: dict[str, list[Variant]] = {}
    for variant in sorted(variants, key=lambda variant: variant.codec.traits.warm_up is not None):
        languages.setdefault(variant.codec.language, []).append(variant)
    own = next((each for each in languages.values() if len(each) > 1), list(variants)[:2])
    floors = [variant.id for variant in own if variant.codec.floor]
    return tuple(floors + [variant.id for variant in own if not variant.codec.floor][:2])


def dealt(
    cells: Iterable[Cell], offered: Sequence[Collection[Cell]], links: Collection[str], number: int
) -> list[set[Cell]]:
    """Deal the cells of a further round to the machines that are left.

    Args:
        cells: the cells that need another round.
        offered: the cells that each machine can measure.
        links: the codecs that each machine measures beside the cells that it is dealt, in the same columns.
        number: the number of the round; the next one begins with the next machine.
    """
    units: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in sorted(cells):
        if cell[0] not in links:
            units.setdefault(cell[:3], []).append(cell)
    hands: list[set[Cell]] = [set() for _ in offered]
    for at, own in enumerate(units.values()):
        able = [n for n, there in enumerate(offered) if any(cell in there for cell in own)]
        if able:
            machine = able[(at + number) % len(able)]
            hands[machine].update(cell for cell in own if cell in offered[machine])
    wanted = {cell for cell in cells if cell[0] in links}
    for hand, there in zip(hands, offered, strict=True):
        columns = {column_of(cell) for cell in (*hand, *wanted)}
        hand.update(cell for cell in there if cell[0] in links and column_of(cell) in columns)
    return hands
