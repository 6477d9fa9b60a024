"""The bytes of messages as boxes below each other: the whole message, below it its parts, below each of these
the parts in it.

All widths have one scale, so that no part is drawn smaller than it is. Parts may add up to more than the part
that they are in: then they reach beyond its right edge, and what is beside it begins behind them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from serbench.report.why import Cost, Why

LEGEND = (
    "Width: bytes that are saved when the part is empty, all on one scale. Hatched: what no part in it has. "
    "Parts that together have more than the part above them reach beyond its right edge."
)


@dataclass(frozen=True)
class Box:
    """A part of messages as a box.

    Attributes:
        label: the last step of the part's path.
        width: the bytes of a message that the part takes.
        inside: the boxes of the parts in it that take some, from left to right.
        hidden: the paths of the parts in it that are no box, since emptying them saves no bytes.
    """

    label: str
    cost: Cost
    width: float
    inside: Sequence[Box]
    hidden: Sequence[str]

    @property
    def taken(self) -> float:
        """The width that the parts in it take together."""
        return sum(box.span for box in self.inside)

    @property
    def span(self) -> float:
        """The width that it takes with all that is below it."""
        return max(self.width, self.taken)

    @property
    def rest(self) -> float:
        """The bytes that no part in it has; 0 where nothing is known of parts in it."""
        return max(0.0, self.width - self.taken) if self.inside else 0.0

    def all(self) -> Iterator[Box]:
        """This box, and all below it."""
        yield self
        for box in self.inside:
            yield from box.all()

    def placed(self, left: float = 0.0, depth: int = 0) -> Iterator[tuple[Box, float, int]]:
        """This box and all below it, each with its left edge in bytes and how deep it is."""
        yield self, left, depth
        for box in self.inside:
            yield from box.placed(left, depth + 1)
            left += box.span


def icicle_of(why: Why, codec: str) -> Box:
    """The boxes of the parts of a workload's messages with a codec; those that were weighed."""
    costs = {part.path: why.cost(codec, part) for part in why.weighed_parts}
    return _box(why, costs, "whole message", why.whole(codec), "")


def _box(why: Why, costs: dict[str, Cost], label: str, cost: Cost, path: str) -> Box:
    listed = {part.path for part in why.weighed_parts}
    own = [p for p in why.weighed_parts if (p.above if p.above in listed else "") == path]
    below = [_box(why, costs, part.step, costs[part.path], part.path) for part in own]
    inside = [box for box in below if box.span > 0]
    hidden = [box.cost.path for box in below if box.span <= 0]
    return Box(label, cost, max(0.0, cost.bytes or 0.0), inside, hidden)
