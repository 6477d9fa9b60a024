"""The tables of changes that would save bytes, one for each codec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from serbench.changes.advice import Suggestion
from serbench.report.evolution_table import MARKS
from serbench.report.numbers import mean_size
from serbench.report.table import Said, Table
from serbench.system.command import COMMAND
from serbench.verification.evolution import Direction, Word
from serbench.verification.sizes import COMPRESSOR, Size

DIRECTIONS: tuple[Direction, Direction] = ("backward", "forward")

_LEGEND = (
    "old: what a program with the change reads of messages without it, and then one without it of messages "
    "that have it"
)


@dataclass(frozen=True)
class Gain:
    """What one change saves with one codec.

    Attributes:
        before, after: the sizes of all messages without and with the change; None where there are none.
        messages: how many messages these are.
        read: direction → what a program reads that has the change of messages without it (``backward``), and
            the other way round (``forward``); nothing where that was not tried.
        reason: why there are no sizes; empty where there are.
    """

    suggestion: Suggestion
    codec: str
    before: Size | None = None
    after: Size | None = None
    messages: int = 1
    read: Mapping[Direction, Word] = field(default_factory=dict)
    reason: str = ""

    @property
    def saved(self) -> float | None:
        """The bytes of a message that it saves; negative where it takes more."""
        if not (self.before and self.after):
            return None
        return (self.before.bytes - self.after.bytes) / self.messages

    @property
    def saved_compressed(self) -> float | None:
        """The bytes of a compressed message that it saves."""
        if not (self.before and self.after):
            return None
        return (self.before.compressed - self.after.compressed) / self.messages


@dataclass(frozen=True)
class Advice:
    """What all changes save that keep a workload's messages.

    Attributes:
        gains: each change alone.
        together: those that save bytes, all at once.
    """

    workload: str
    gains: Sequence[Gain]
    together: Sequence[Gain] = field(default=())

    @property
    def all(self) -> list[Gain]:
        return [*self.gains, *self.together]

    @property
    def best(self) -> list[Suggestion]:
        """The changes that save bytes with the first codec, the greatest savings first."""
        first = next((each.codec for each in self.gains if each.before), "")
        helpful = [each for each in self.gains if each.codec == first and (each.saved or 0) > 0]
        return [each.suggestion for each in sorted(helpful, key=lambda one: -(one.saved or 0))]


def record_of(gain: Gain) -> dict[str, Any]:
    """A gain in plain values, for ``--format json``; bytes are means of a message."""
    return {
        "path": gain.suggestion.path,
        "change": gain.suggestion.change,
        "reason": gain.reason or gain.suggestion.reason,
        "codec": gain.codec,
        "bytes": gain.before.bytes / gain.messages if gain.before else None,
        "bytes_saved": gain.saved,
        "compressed_saved": gain.saved_compressed,
        "old_messages": gain.read.get("backward"),
        "old_programs": gain.read.get("forward"),
    }


def advice_tables(advice: Advice) -> list[Table]:
    """A table for each codec: changes in rows, the greatest savings first."""
    codecs = dict.fromkeys(each.codec for each in advice.gains)
    return [_table(advice, codec) for codec in codecs] or [_none(advice)]


def _none(advice: Advice) -> Table:
    return Table(
        f"{advice.workload}: what would save bytes",
        [],
        [],
        verdict=[Said("Advice", "nothing to change was found")],
    )


def _table(advice: Advice, codec: str) -> Table:
    own = [each for each in advice.gains if each.codec == codec]
    known = [each for each in own if each.saved is not None]
    telling = [each for each in known if each.saved or each.saved_compressed]
    ranked = sorted(telling, key=lambda each: -(each.saved or 0))
    rows = [_row(each) for each in (*ranked, *(each for each in advice.together if each.codec == codec))]
    words = {word for each in own for word in each.read.values()}
    told = ", ".join(f"{mark} {word}" for word, mark in MARKS.items() if word in words)
    notes = [f"{_LEGEND}: {told}"] if words else []
    notes += [f"{each.suggestion.change}: {each.reason}" for each in own if each.reason]
    if nothing := [each.suggestion.change for each in known if each not in telling]:
        notes.append(f"with no effect on bytes: {', '.join(nothing)}")
    title = f"{advice.workload} with {codec}"
    if known and known[0].before:
        sizes = (known[0].before.bytes, known[0].before.compressed)
        whole, compressed = (mean_size(each / known[0].messages) for each in sizes)
        title += f": {whole} bytes a message, {compressed} by {COMPRESSOR}"
    best = ranked[0] if ranked and (ranked[0].saved or 0) > 0 else None
    paired = f"{COMMAND} run -w {advice.workload} -w" if best else ""
    return Table(
        title,
        ["change", "bytes", COMPRESSOR, "old", "why"],
        rows,
        frozenset({1, 2, 3}),
        notes,
        next_step=f"{paired} '{advice.workload}/{best.suggestion.change}'" if best else "",
    )


def _row(gain: Gain) -> list[str]:
    """The cells of a change; those of several at once say how many they are in place of their texts."""
    is_one = bool(gain.suggestion.path)
    words = [gain.suggestion.change, gain.suggestion.reason] if is_one else [gain.suggestion.reason, ""]
    if not (gain.before and gain.after):
        return [words[0], "–", "–", "", words[1]]
    before, after = gain.before, gain.after
    shares = (_share(before.bytes, after.bytes), _share(before.compressed, after.compressed))
    marks = "".join(MARKS[gain.read[way]] for way in DIRECTIONS if way in gain.read)
    return [words[0], *shares, marks, words[1]]


def _share(before: float, after: float) -> str:
    """The change of a size in percent of what it was: ``−12.3 %``."""
    percent = 100 * (after - before) / before
    return f"{percent:+.1f} %".replace("-", "−")
