"""The cost of each part of messages: its bytes, and the time that it takes to write and to read, as messages
without it tell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from serbench.changes.emptying import EMPTY, EVERYTHING, Part
from serbench.measure.identity import Identity
from serbench.measure.store import Run
from serbench.measure.taken import CellSamples
from serbench.stats.summary import Interval, geometric_interval, share_of_part
from serbench.verification.emptied import Emptied, Weighed
from serbench.verification.sizes import Size

TIMES = {"write": "serialize:reuse", "read": "deserialize:reuse"}
"""The words for what takes time → the operation with its memory policy."""

LEAST = 0.05
"""The share of the bytes or of a time above which a part is gone into: the parts in it are timed too."""

DROP = "drop"
"""The word of the change that removes a field, by which programs have no such field."""

CHOICE = "choice"
"""Says of a cost that it is what another form of all values of a kind saves, of which the codec has the
choice."""

KIND = "kind"
"""Says of a cost that it is of all values of a kind, which are empty together."""

OF_KIND = f"{EVERYTHING}:"
"""Begins the path of a kind of value, whose word follows."""

MOST_OF_IT = 0.5
"""The share of what a part takes that a part inside has to have for it to be named in place of the whole."""

ALL = f"{EMPTY}={EVERYTHING}"
"""The change that empties every part at once; what is left then is no part's."""


@dataclass(frozen=True)
class Taking:
    """The time that a part takes.

    Attributes:
        share: of the time of the whole message, with its interval.
        ns: in nanoseconds of a message.
    """

    share: Interval
    ns: Interval

    @property
    def is_told(self) -> bool:
        """Whether it is told apart from nothing."""
        return self.share.low > 0 or self.share.high < 0


@dataclass(frozen=True)
class Cost:
    """The cost of one part with one codec, per message.

    Attributes:
        path: the part; empty for the whole message, ``*`` for what is left with every part empty; the word of
            a kind where it is one of all its values; the change where it is of a choice.
        filled: in how many messages the part holds something; None for a choice.
        bytes, compressed: the bytes that the part takes; None where the part is already empty, and of
            ``bytes`` also where an empty value takes as many.
        share: of the bytes of the message.
        times: the word for what takes time → the time; nothing where it was not timed.
        by: the word of the change that tells it, or ``KIND`` or ``CHOICE``.
    """

    codec: str
    path: str
    filled: int | None
    bytes: float | None
    compressed: float | None
    share: float | None
    times: dict[str, Taking] = field(default_factory=dict)
    by: str = EMPTY

    @property
    def left(self) -> dict[str, Interval]:
        """The word for bytes or for what takes time → how much of the whole message stays without this, as a
        ratio; nothing where it is not known."""
        found: dict[str, Interval] = {}
        if self.compressed is not None:
            share = self.share or 0.0
            found["bytes"] = _without(Interval(share, share, share, 0.0))
        return found | {word: _without(took.share) for word, took in self.times.items()}

    def to_json(self, messages: int) -> dict[str, Any]:
        """The cost in plain values for ``--format json``; times that are not told apart from nothing are
        null, as are those that were not taken."""
        values: dict[str, Any] = {
            "path": self.path,
            "codec": self.codec,
            "messages": self.filled,
            "of_messages": messages,
            "bytes": _short(self.bytes),
            "bytes_share": _short(self.share, 4),
            "bytes_compressed": _short(self.compressed),
        }
        for word in TIMES:
            took = self.times.get(word)
            is_told = took is not None and took.is_told
            figures = (took.ns.estimate, took.ns.low, took.ns.high) if took and is_told else (None,) * 3
            for ending, value in zip(("", "_low", "_high"), figures, strict=True):
                values[f"{word}_ns{ending}"] = _short(value)
            values[f"{word}_share"] = _short(took.share.estimate, 4) if took and is_told else None
        return {**values, "timed": bool(self.times), "by": self.by if self.path else None}


def _without(share: Interval) -> Interval:
    return Interval(1 - share.estimate, 1 - share.high, 1 - share.low, share.coverage)


def _short(value: float | None, digits: int = 3) -> float | None:
    return None if value is None else round(value, digits)


@dataclass(frozen=True)
class Why:
    """The costs of the parts of a workload's messages, as far as they are known.

    Attributes:
        workload: the id of the workload.
        units: the identity of each unit that was measured, by the name of its codec.
        parts: the parts, each directly behind the one that it is in.
        messages: how many messages a pass has.
        runs: the runs in which times were taken, each with the workload as it is and some parts emptied or
            removed.
        dropped: the path of a part → the name of a codec → the size of all messages as a program without the
            part writes them; of the whole messages by the empty path.
        undropped: the path of a part without which no program can be built → the reason.
        chosen: the change that gives all values of a kind another form → the name of a codec → the size of
            all messages; those of the whole messages are in ``dropped``.
    """

    workload: str
    units: dict[str, Identity]
    parts: Sequence[Part]
    weighed: Weighed
    messages: int
    runs: Sequence[Run] = ()
    dropped: Mapping[str, Mapping[str, Size]] = field(default_factory=dict)
    undropped: Mapping[str, str] = field(default_factory=dict)
    chosen: Mapping[str, Mapping[str, Size]] = field(default_factory=dict)

    @property
    def codecs(self) -> list[str]:
        """The names of the codecs that wrote something."""
        return [name for name in self.units if name in self.weighed.whole.sizes]

    def weight(self, change: str) -> Emptied:
        """The sizes of the messages with a change; the whole messages for none."""
        return self.weighed.parts[change] if change else self.weighed.whole

    def cost(self, codec: str, part: Part) -> Cost:
        """The cost of a part, which was weighed."""
        weight = self.weight(part.change)
        without = weight.sizes.get(codec) if weight.filled else None
        return self._cost(
            codec, part, EMPTY, (self.weighed.whole.sizes[codec], without), self.weighed.messages
        )

    def whole(self, codec: str) -> Cost:
        """The bytes and times of the whole message."""
        return self._total(codec, "", "")

    def left(self, codec: str) -> Cost:
        """The cost of the message with every part empty: framing, calls, allocations."""
        return self._total(codec, ALL, EVERYTHING)

    def costs(self, codec: str) -> list[Cost]:
        """The cost of the whole message, of each part, and of what is left without all of them."""
        return [self.whole(codec), *(self.cost(codec, part) for part in self.weighed_parts), self.left(codec)]

    def without(self, codec: str, part: Part) -> Cost:
        """The cost of a part that was removed, as the program tells that has no such field."""
        whole, own = (self.dropped.get(path, {}).get(codec) for path in ("", part.path))
        return self._cost(codec, part, DROP, (whole, own), self.messages)

    def _cost(
        self, codec: str, part: Part, by: str, sizes: tuple[Size | None, Size | None], messages: int
    ) -> Cost:
        """The cost of a part by a change; ``sizes`` are those of so many messages as they are and with it."""
        change = part.path if by == CHOICE else f"{by}={part.path}"
        filled = None if by == CHOICE else self.weight(part.change).filled
        times = {word: took for word in TIMES if (took := self._taking(codec, change, word))}
        whole, own = sizes
        if whole is None or own is None:
            return Cost(codec, part.path, filled, None, None, None, times, by)
        lost, compressed = whole.bytes - own.bytes, (whole.compressed - own.compressed) / messages
        each, share = (lost / messages, lost / whole.bytes) if lost and whole.bytes else (None, None)
        return Cost(codec, part.path, filled, each, compressed, share, times, by)

    def of_kind(self, codec: str, kind: Part) -> Cost:
        """The cost of all values of a kind."""
        return replace(self.cost(codec, kind), path=kind.path.removeprefix(OF_KIND), by=KIND)

    def of_choice(self, codec: str, choice: Part) -> Cost:
        """The bytes and times that another form of all values of a kind saves; less than nothing where it
        takes more."""
        whole, own = (sizes.get(codec) for sizes in (self.dropped.get("", {}), self.chosen[choice.path]))
        return self._cost(codec, choice, CHOICE, (whole, own), self.messages)

    @property
    def choices(self) -> list[Part]:
        """The other forms with which programs were built, each as a part whose path is the change."""
        return [Part(change, "", 0) for change in self.chosen]

    @property
    def kinds(self) -> list[Part]:
        """The kinds of values that the messages have and whose sizes were taken, as parts to be emptied,
        those that matter most first."""
        paths = [change.removeprefix(f"{EMPTY}=") for change, own in self.weighed.parts.items() if own.filled]
        found = [Part(path, "", 0) for path in paths if path.startswith(OF_KIND)]
        return sorted(found, key=lambda kind: -self.greatest(kind))

    @property
    def dropped_parts(self) -> list[Part]:
        """The parts without which programs were built."""
        return [part for part in self.weighed_parts if part.path in self.dropped]

    def to_drop(self, most: int) -> Iterator[Part]:
        """The parts that matter most, at most so many, to be removed if they can be: those with the greatest
        shares, without items, and without parts of which one inside has most."""
        parts = {part.path: self.greatest(part) for part in self.weighed_parts}
        inside = {part.path: 0.0 for part in self.weighed_parts}
        for part in reversed(self.weighed_parts):
            deepest = max(parts[part.path], inside[part.path])
            inside[part.above] = max(inside.get(part.above, 0.0), deepest)
        told = [
            part
            for part in self.weighed_parts
            if part.step != "[]"
            and parts[part.path] > LEAST
            and inside[part.path] <= MOST_OF_IT * parts[part.path]
        ]
        yield from sorted(told, key=lambda part: -parts[part.path])[:most]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The costs in plain values, those of each codec together."""
        return [
            cost.to_json(self.weighed.messages)
            for name in self.codecs
            for cost in [
                *self.costs(name),
                *(self.of_kind(name, kind) for kind in self.kinds),
                *(self.of_choice(name, choice) for choice in self.choices),
                *(self.without(name, part) for part in self.dropped_parts),
            ]
        ]

    @property
    def weighed_parts(self) -> list[Part]:
        """The parts whose sizes were taken."""
        return [part for part in self.parts if part.change in self.weighed.parts]

    def is_timed(self, change: str) -> bool:
        """Whether a time was asked for of the messages with a change."""
        return any(self._changed(change) in run.manifest.workloads for run in self.runs)

    @property
    def failures(self) -> dict[str, str]:
        """The name of each unit, or of each of its cells, that could not be timed → why."""
        found: dict[str, str] = {}
        for run in self.runs:
            units = {Identity(*of).title: each for of, each in run.taken.units.items()}
            found |= {title: each.reason for title, each in units.items() if each.status != "ok"}
            failed = {(Identity(*of[:3]).title, of[3]): reason for of, reason in run.taken.failures.items()}
            found |= {f"{title}, {cell}": reason for (title, cell), reason in failed.items()}
        return found

    def to_time(self, all_of_them: bool = False) -> list[Part]:
        """The parts that are to be timed next, which were not timed before, those with most bytes first.

        At first these are the parts directly in the message, or in a part that has more than ``LEAST`` of the
        bytes with some codec; later, those in a part that has more than this of the time.

        Args:
            all_of_them: whether the parts directly in the message also come later, if they were left out.
        """
        listed = {part.path for part in self.weighed_parts}
        entered: set[str] = set()
        wanted: list[Part] = []
        for part in self.weighed_parts:
            is_top = part.above not in listed
            if not self.weight(part.change).filled or not (is_top or part.above in entered):
                continue
            if self.greatest(part) > LEAST:
                entered.add(part.path)
            if not self.is_timed(part.change) and (all_of_them or not (self.runs and is_top)):
                wanted.append(part)
        return sorted(wanted, key=lambda part: -self.greatest(part))

    def shown(self, most: int) -> list[Part]:
        """The parts with the greatest shares, at most about so many, and those that they are in."""
        parts = self.weighed_parts
        chosen = {part.path for part in sorted(parts, key=lambda part: -self.greatest(part))[:most]}
        for part in reversed(parts):
            if part.path in chosen:
                chosen.add(part.above)
        return [part for part in parts if part.path in chosen]

    def greatest(self, part: Part) -> float:
        """The greatest share of the bytes, or of a time that is told apart from nothing, that a part has with
        any codec."""
        costs = [self.cost(codec, part) for codec in self.codecs]
        times = [t.share.estimate for cost in costs for t in cost.times.values() if t.is_told]
        return max([*(cost.share or 0.0 for cost in costs), *times], default=0.0)

    def _total(self, codec: str, change: str, path: str) -> Cost:
        weight, whole = self.weight(change), self.weighed.whole.sizes[codec]
        each, size = self.weighed.messages, weight.sizes.get(codec)
        times = {word: took for word in TIMES if (took := self._absolute(codec, change, word))}
        if size is None:
            return Cost(codec, path, each, None, None, None, times)
        share = size.bytes / whole.bytes if whole.bytes else 1.0
        return Cost(codec, path, each, size.bytes / each, size.compressed / each, share, times)

    def _changed(self, change: str) -> str:
        return f"{self.workload}/{change}" if change else self.workload

    def _samples(self, codec: str, change: str, word: str) -> Iterator[tuple[CellSamples, CellSamples]]:
        """The samples of the whole messages, and with a change, in each run that has both."""
        identity = self.units[codec]
        for run in self.runs:
            taken = run.taken
            cells = [
                (identity.codec, self._changed(each), identity.compiler, TIMES[word]) for each in ("", change)
            ]
            if all(cell in taken.cells and cell not in taken.failures for cell in cells):
                yield taken.cells[cells[0]], taken.cells[cells[1]]

    def _taking(self, codec: str, change: str, word: str) -> Taking | None:
        """The time of the part that a change empties, in the last run that has it."""
        for whole, without in reversed([*self._samples(codec, change, word)]):
            spread = math.hypot(whole.doubt, without.doubt)
            share = share_of_part(whole.figures(), without.figures(), spread)
            if share:
                time = geometric_interval(whole.figures().values()).estimate
                return Taking(share, share.scaled(time / self.messages))
        return None

    def _absolute(self, codec: str, change: str, word: str) -> Taking | None:
        """The time of the messages with a change, and its share of that of the whole ones."""
        for whole, own in self._samples(codec, change, word):
            time = geometric_interval(own.figures().values(), own.doubt)
            part = share_of_part(whole.figures(), own.figures(), math.hypot(whole.doubt, own.doubt))
            if part:
                return Taking(_without(part), time.scaled(1 / self.messages))
        return None
