"""The tables of changes that would save bytes, one for each codec."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from serbench.changes.advice import Suggestion
from serbench.measure.store import Run
from serbench.report.evolution_table import MARKS
from serbench.report.numbers import mean_size
from serbench.report.table import Said, Table, fitting
from serbench.report.why import TIMES
from serbench.stats.summary import ROUNDS_TO_RANK, Interval, paired_ratio
from serbench.verification.evolution import Direction, Word
from serbench.verification.sizes import COMPRESSOR, Size

DIRECTIONS: tuple[Direction, Direction] = ("backward", "forward")

_LEGEND = (
    "old: what a program with the change reads of messages without it, and then one without it of messages "
    "that have it"
)


@dataclass(frozen=True)
class Gain:
    """The savings of one change with one codec.

    Attributes:
        before, after: the sizes of all messages without and with the change; None where there are none.
        messages: how many messages these are.
        ratios: word for what takes time → its time with the change to that without it, paired by round;
            nothing where that was not measured.
        survives: direction → what a program that has the change reads of messages without it (``backward``),
            and the other way round (``forward``); nothing where that was not tried.
        reason: why there are no sizes; empty where there are.
    """

    suggestion: Suggestion
    codec: str
    before: Size | None = None
    after: Size | None = None
    messages: int = 1
    ratios: Mapping[str, Interval] = field(default_factory=dict)
    survives: Mapping[Direction, Word] = field(default_factory=dict)
    reason: str = ""

    @property
    def saved(self) -> float | None:
        """The bytes of a message that it saves; negative where it takes more."""
        if not (self.before and self.after):
            return None
        return (self.before.bytes - self.after.bytes) / self.messages

    @property
    def share_saved(self) -> float:
        """The share of the bytes that it saves; 0 where messages have none."""
        if not (self.before and self.after and self.before.bytes):
            return 0.0
        return 1 - self.after.bytes / self.before.bytes

    @property
    def saved_compressed(self) -> float | None:
        """The bytes of a compressed message that it saves."""
        if not (self.before and self.after):
            return None
        return (self.before.compressed - self.after.compressed) / self.messages


@dataclass(frozen=True)
class Advice:
    """The savings of all changes that lose nothing of a workload's messages.

    Attributes:
        gains: each change alone.
        together: those that save bytes, all at once.
        excluded: the changes that save bytes, and cannot be made after the others.
        left_out: sentences on the messages that were not looked at, and the changes that were not tried.
    """

    workload: str
    gains: Sequence[Gain]
    together: Sequence[Gain] = field(default=())
    excluded: Sequence[str] = field(default_factory=list)
    left_out: Sequence[str] = field(default_factory=list)

    @property
    def all(self) -> list[Gain]:
        return [*self.gains, *self.together]

    def timed(self, run: Run) -> Advice:
        """The advice with the times of a run of the workload as it is and with changes."""
        gains, together = ([_timed(self, each, run) for each in some] for some in (self.gains, self.together))
        return replace(self, gains=gains, together=together)

    @property
    def best(self) -> list[Suggestion]:
        """The changes that save bytes with the first codec, the greatest savings first."""
        first = next((each.codec for each in self.gains if each.before), "")
        helpful = [each for each in self.gains if each.codec == first and (each.saved or 0) > 0]
        return [each.suggestion for each in sorted(helpful, key=lambda one: -(one.saved or 0))]


def _timed(advice: Advice, gain: Gain, run: Run) -> Gain:
    changed = f"{advice.workload}/{gain.suggestion.change}"
    codec, _, compiler = gain.codec.partition(" ")
    found: dict[str, Interval] = {}
    for word, cell in TIMES.items():
        names = [(codec, each, compiler, cell) for each in (changed, advice.workload)]
        cells = [run.taken.cells.get(each) for each in names if each not in run.taken.failures]
        if len(cells) == 2 and cells[0] and cells[1]:
            after, before = cells[0], cells[1]
            rounds = after.figures().keys() & before.figures().keys()
            spread = math.hypot(after.doubt, before.doubt)
            ratio = paired_ratio(after.figures(), before.figures(), spread)
            if ratio and len(rounds) >= ROUNDS_TO_RANK:
                found[word] = ratio
    return replace(gain, ratios=found)


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
        **{f"{word}_ratio{end}": value for word in TIMES for end, value in _ends(gain.ratios.get(word))},
        "old_messages": gain.survives.get("backward"),
        "old_programs": gain.survives.get("forward"),
    }


def _ends(ratio: Interval | None) -> list[tuple[str, float | None]]:
    """The estimate and the ends of a ratio, each with the ending of its name in JSON."""
    if ratio is None:
        return [("", None), ("_low", None), ("_high", None)]
    return [("", round(ratio.estimate, 4)), ("_low", round(ratio.low, 4)), ("_high", round(ratio.high, 4))]


def advice_tables(advice: Advice, room: int, has_intervals: bool = False) -> list[Table]:
    """A table for each codec: changes in rows, the greatest savings first.

    Args:
        room: columns that tables have to fit; reasons stand below the table where there is no room for them.
        has_intervals: whether times are ratios with their intervals, in place of changes in percent.
    """
    codecs = dict.fromkeys(each.codec for each in advice.gains)
    layouts = (
        [_table(advice, codec, has_reasons, has_intervals) for codec in codecs]
        for has_reasons in (True, False)
    )
    return [*fitting(layouts, room)] or [_none(advice)]


def _none(advice: Advice) -> Table:
    return Table(
        f"{advice.workload}: what would save bytes",
        [],
        [],
        verdict=[Said("Advice", "nothing to change was found")],
        notes=[*advice.left_out],
    )


def _table(advice: Advice, codec: str, has_reasons: bool, has_intervals: bool) -> Table:
    own = [each for each in advice.gains if each.codec == codec]
    known = [each for each in own if each.saved is not None]
    telling = [each for each in known if each.saved or each.saved_compressed]
    ranked = sorted(telling, key=lambda each: -(each.saved or 0))
    shown = [*ranked, *(each for each in advice.together if each.codec == codec)]
    times = [word for word in TIMES if any(word in each.ratios for each in shown)]
    rows = [_row(each, times, has_reasons, has_intervals) for each in shown]
    words = {word for each in own for word in each.survives.values()}
    told = ", ".join(f"{mark} {word}" for word, mark in MARKS.items() if word in words)
    notes = [f"{_LEGEND}: {told}"] if words else []
    if times:
        to_what = " to that without it" if has_intervals else ""
        notes.append(
            f"{' and '.join(times)}: time with the change{to_what}; ~ where it is not told apart from none; "
            "of twenty changes that cost nothing, one seems to"
        )
    if not has_reasons:
        notes += [f"{each.suggestion.change}: {each.suggestion.reason}" for each in ranked]
    failed = [each for each in own if each.reason]
    notes += [": ".join(filter(None, (each.suggestion.change, each.reason))) for each in failed]
    if nothing := [each.suggestion.change for each in known if each not in telling]:
        notes.append(f"with no effect on bytes: {', '.join(nothing)}")
    if advice.excluded and advice.together:
        notes.append(f"not among those together, since others exclude them: {', '.join(advice.excluded)}")
    notes += advice.left_out
    title = f"{advice.workload} with {codec}"
    if known and known[0].before:
        sizes = (known[0].before.bytes, known[0].before.compressed)
        whole, compressed = (mean_size(each / known[0].messages) for each in sizes)
        title += f": {whole} bytes a message, {compressed} by {COMPRESSOR}"
    headings = ["change", "bytes", COMPRESSOR, *times, "old", *(["why"] if has_reasons else [])]
    return Table(title, headings, rows, frozenset(range(1, 4 + len(times))), notes)


def _row(gain: Gain, times: Sequence[str], has_reasons: bool, has_intervals: bool) -> list[str]:
    """The cells of a change; those of several at once say how many they are in place of their texts."""
    is_one = bool(gain.suggestion.path)
    name, why = (gain.suggestion.change, gain.suggestion.reason) if is_one else (gain.suggestion.reason, "")
    if not (gain.before and gain.after):
        return [name, "–", "–", *("" for _ in times), "", *([why] if has_reasons else [])]
    before, after = gain.before, gain.after
    shares = (_share(before.bytes, after.bytes), _share(before.compressed, after.compressed))
    marks = "".join(MARKS[gain.survives[way]] for way in DIRECTIONS if way in gain.survives)
    took = [(_ratio if has_intervals else _time)(gain.ratios.get(word)) for word in times]
    return [name, *shares, *took, marks, *([why] if has_reasons else [])]


def _time(ratio: Interval | None) -> str:
    """The change of a time in percent: ``−12 %``; ``~`` where the interval contains none."""
    if ratio is None:
        return ""
    return "~" if ratio.low <= 1 <= ratio.high else f"{100 * (ratio.estimate - 1):+.0f} %".replace("-", "−")


def _ratio(ratio: Interval | None) -> str:
    """The ratio of a time with its interval: ``×0.88 (0.85–0.91)``; with ``~`` where the interval contains
    1."""
    if ratio is None:
        return ""
    mark = "~ " if ratio.low <= 1 <= ratio.high else ""
    return f"{mark}×{ratio.estimate:.2f} ({ratio.low:.2f}–{ratio.high:.2f})"


def _share(before: float, after: float) -> str:
    """The change of a size in percent of what it was: ``−12.3 %``; a dash where it was nothing."""
    if not before:
        return "–"
    percent = 100 * (after - before) / before
    return f"{percent:+.1f} %".replace("-", "−")
