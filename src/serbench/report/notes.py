"""The notes below the tables of a run: on cells without a figure, on cells with one, and on the whole run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median

from serbench.errors import in_short
from serbench.measure.earlier import NOTE
from serbench.measure.store import Run
from serbench.report.figures import Entry
from serbench.report.gathering import gathered
from serbench.report.lossy import losses
from serbench.report.numbers import growth_in_words
from serbench.report.rows import WAITING, Row
from serbench.report.trust import is_unsettled, is_wide, stolen_share
from serbench.selecting.selection import OPERATION_NOTES
from serbench.stats.disturbance import LOST_SHARE
from serbench.stats.summary import ROUNDS_TO_RANK
from serbench.stats.ties import ALIKE

UNFINISHED = "This run is not finished: it was stopped or is still going on."

TOO_FEW_ROUNDS = f"Fewer than {ROUNDS_TO_RANK} rounds cannot separate any codecs"

LONGEST_REASON = 400
"""The most characters that a note has of a reason."""

_DAMAGED_SHOWN = 5


def without_figures(rows: Sequence[Entry], operations_in_all: int) -> list[str]:
    """One line for each reason why cells have no figure, with the codecs and operations of these cells."""
    # Operations that are not offered make one line together.
    by_codec = gathered(
        ((row.name, row.status, "" if row.reason.startswith("offers no ") else _told(row.reason)), row.cell)
        for row in rows
        if row.status not in ("ok", WAITING)
    )
    by_reason = gathered(
        ((status, reason, tuple(operations)), codec)
        for (codec, status, reason), operations in by_codec.items()
    )
    notes = []
    for (status, reason, cells), codecs in by_reason.items():
        who = _together(codecs)
        if not reason:
            lacking = ", ".join(dict.fromkeys(cell.partition(":")[0] for cell in cells))
            notes.append(f"{who} {'offers' if len(codecs) == 1 else 'offer'} no {lacking}")
        else:
            where = who if len(cells) == operations_in_all else f"{who} {', '.join(cells)}"
            notes.append(f"{where}: {status.replace('_', ' ')}: {reason}")
    return notes


def notes_of(rows: Sequence[Row], operations_in_all: int, target: float | None = None) -> list[str]:
    """Notes on the cells without a figure, then on those that have one; ``target`` is the run's."""
    return [*without_figures(rows, operations_in_all), *_on_figures(rows, target), *_disturbed(rows)]


def _on_figures(rows: Sequence[Row], target: float | None) -> Iterator[str]:
    measured = [row for row in rows if row.time]
    if any(row.view for row in measured):
        yield (
            "°: a constant-time view, which takes no longer for a longer message, or a native_roundtrip that "
            "contains one; ranked and compared only with others of its kind."
        )
    for name, note in OPERATION_NOTES.items():
        if any(row.operation == name for row in measured):
            yield note
    if undercutting := _cells(row for row in rows if row.undercuts):
        yield (
            f"?: faster than the floor, which only copies the message: {undercutting}. "
            "Either it writes far fewer bytes than the message has, or it does not do all of the work; find "
            "out which before you believe it."
        )
    kept = {row.name: row.remembers for row in measured if row.remembers}
    by_text = gathered((what, name) for name, what in kept.items())
    if told := "; ".join(f"{', '.join(names)}: {what}" for what, names in by_text.items()):
        yield (
            f"†: encodes objects that keep something from an earlier encoding ({told}), which saves "
            "work; serialize and roundtrip are not affected."
        )
    if restless := _cells(filter(is_unsettled, rows), lambda row: f" ({row.unsettled})"):
        yield f"Still warming up when timing began (rounds): {restless}."
    if not_known := _cells(row for row in rows if row.not_known):
        yield (
            f"Not known (~): {not_known}. Times vary so much between rounds that it may be more than "
            f"{100 * (ALIKE - 1):g} % before or behind codecs of the same rank; theirs vary less."
        )
    if wide := _cells((row for row in rows if is_wide(row, target)), _reach):
        yield f"Ratios known less precisely than ±{100 * (target or 0):g} %: {wide}."


def _cells(rows: Iterable[Row], more: Callable[[Row], str] = lambda row: "") -> str:
    """Name the cells of rows, with ``more`` on each; empty where there are none."""
    return ", ".join(f"{row.name} {row.cell}{more(row)}" for row in rows)


def _reach(row: Row) -> str:
    reach = 100 * row.ratio.relative_reach if row.ratio else 0.0
    return f" ({reach:.{1 if reach < 10 else 0}f} %)"


def _told(reason: str) -> str:
    """Shorten a reason for a note: from a long one, what the runner printed is cut, and then its end."""
    reason = in_short(reason)
    if len(reason) <= LONGEST_REASON:
        return reason
    told = reason.partition("; it printed: ")[0]
    return (
        f"{told if len(told) <= LONGEST_REASON else told[:LONGEST_REASON] + '…'} (in full with --format json)"
    )


def _disturbed(rows: Sequence[Row]) -> Iterator[str]:
    """A note on how many samples others on the machine took time from, and what became of these samples."""
    disturbed, taken = sum(row.disturbed for row in rows), sum(row.samples for row in rows)
    if not disturbed:
        return
    told = (
        f"{disturbed:,} of {taken:,} samples disturbed: another process or guest used the core for more than "
        f"{100 * LOST_SHARE:g} % of their time. They are left out where their round has others."
    )
    if deducted := [row for row in rows if row.deducted_rounds]:
        rounds, most = sum(row.deducted_rounds for row in deducted), max(row.doubt for row in deducted)
        told += (
            f" In {rounds:,} rounds of {len(deducted)} of {sum(row.time is not None for row in rows)} "
            "figures there are no others; there the lost time is deducted where it is known, and intervals "
            f"are wider for it (by a standard error of {100 * most:.1f} % at most)."
        )
    yield told


def said_of_codecs(words: Mapping[str, str]) -> list[str]:
    """Notes on codecs, one for each thing that is said of some; ``words`` has it by codec, empty for codecs
    of which nothing is said."""
    by_text = gathered((told, codec) for codec, told in words.items())
    return [f"{_together(codecs)}: {told}." for told, codecs in by_text.items() if told]


def _together(codecs: Sequence[str]) -> str:
    """Name codecs shortly: ``language/codec:one, other`` for two variants of one codec."""
    variants = gathered(codec.partition(":")[::2] for codec in codecs)
    return ", ".join(
        f"{name}:{', '.join(names)}" if names != [""] else name for name, names in variants.items()
    )


def absent(rows: Sequence[Row]) -> list[str]:
    """A line that names the codecs of which nothing was measured; why is told by other notes."""
    measured = {row.name for row in rows if row.time or row.status == WAITING}
    missing = dict.fromkeys((row.status, row.name) for row in rows if row.name not in measured)
    by_status = gathered(missing)
    told = [f"{_together(names)} ({status.replace('_', ' ')})" for status, names in by_status.items()]
    return [f"Without figures: {', '.join(told)}."] if told else []


def legend(run: Run) -> tuple[list[str], list[str]]:
    """The notes on the whole run: those to stand before all other notes, and those to stand after them."""
    foremost = []
    if not run.taken.ended and not run.going_on:
        foremost.append(f"{UNFINISHED} {run.manifest.rounds} rounds were planned.")
    if run.is_earlier:
        foremost.append(NOTE)
    return foremost, [*_on_codecs(run), *_on_machine(run)]


def _on_codecs(run: Run) -> Iterator[str]:
    manifest, units = run.manifest, run.taken.units.values()
    if manifest.floors:
        yield (
            f"{', '.join(manifest.floors)}: the floor, a plain copy of the bytes; it does not compete and "
            "has no rank."
        )
    if manifest.references:
        by_kind = gathered((what, codec) for codec, what in manifest.references.items())
        told = "; ".join(f"{_together(codecs)} ({what})" for what, codecs in by_kind.items())
        yield f"ref: a reference, no library, so it does not compete: {told}."
    there = {unit.codec for unit in units if unit.status == "ok"}
    if beside := [codec for codec in manifest.beside if codec in there]:
        yield (
            f"Timed beside them and not shown: {', '.join(beside)}, the floor, a plain copy of the bytes, so "
            "that what is faster than it is marked (?)."
        )
    yield from losses([manifest], there)
    for words in (manifest.maintenance, manifest.reviewed):
        yield from said_of_codecs({name: told for name, told in words.items() if name in there})
    for unit in units:
        if unit.growth:
            grown = growth_in_words(unit.growth)
            yield f"Memory grows with every pass: {unit.codec} on {unit.workload}, {grown}."


def _on_machine(run: Run) -> Iterator[str]:
    manifest, taken = run.manifest, run.taken
    if max((len(cell.rounds) for cell in taken.cells.values()), default=0) < ROUNDS_TO_RANK:
        yield f"{TOO_FEW_ROUNDS} with 95 % confidence, so nothing is ranked."
    yield f"run {run.id} · {manifest.machine.processor_in_words}"
    if manifest.machine.surroundings:
        yield manifest.machine.surroundings
    yield from (f"{t.compiler} · {t.flags}" for t in manifest.toolchains if not t.missing)
    if share := stolen_share(taken):
        yield (
            f"The hypervisor took {100 * share:.1f} % of the core's time over all samples, too little per "
            "sample to see in most of them. Times are that much longer; ratios are not, as long as it took "
            "equally from both."
        )
    yield from _drift(taken.references)
    yield from linked_dynamically(manifest.dynamic)
    if damaged := taken.damaged:
        more = f", and {len(damaged) - _DAMAGED_SHOWN} more" if len(damaged) > _DAMAGED_SHOWN else ""
        yield f"Damaged and left out: {', '.join(damaged[:_DAMAGED_SHOWN])}{more}."


def linked_dynamically(codecs: Sequence[str]) -> list[str]:
    """Return a note on the codecs that could not be linked statically; none where there are none."""
    told = f"Linked dynamically, because the library exists only as a shared one: {', '.join(codecs)}."
    return [told] if codecs else []


def _drift(references: Mapping[int, Mapping[str, int]]) -> Iterator[str]:
    """A note on how much the machine's speed changed between rounds, if there were two or more."""
    ranges = []
    for kind in sorted({kind for figures in references.values() for kind in figures}):
        times = [figures[kind] for figures in references.values() if kind in figures]
        least, most = (100 * (extreme / median(times) - 1) for extreme in (min(times), max(times)))
        ranges.append(f"{kind.removesuffix('_ns')} work {least:+.0f} to {most:+.0f} %")
    if len(references) > 1 and ranges:
        yield (
            f"Machine speed varied (calibration loop, {len(references)} rounds): "
            f"{', '.join(ranges)} of the median."
        )
