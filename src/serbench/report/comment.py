"""The Markdown of a comparison for a pull request: short enough to be read there, and open about what the
comparison could not have seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from serbench.report.compare_counts import EQUAL, Counted
from serbench.report.compare_figures import ComparedFigure
from serbench.report.compare_table import Compared, RunComparison, Side, contender
from serbench.report.numbers import duration, rounded
from serbench.report.show import markdown
from serbench.report.table import Table
from serbench.stats.summary import Interval
from serbench.text import counted

_MOST_ROWS = 8
"""The most cells that a comment has in its table: reviewers read more in the log of the job."""

_MOST_NOTES = 5
"""The most notes below the table."""

Further = Counted | ComparedFigure
"""A figure of another metric than times of passes."""


def comment(
    found: RunComparison, further: Sequence[Further], before: Side, after: Side, threshold: float
) -> str:
    """Return a comparison as Markdown of about twenty lines: cells that changed, regressions first, what did
    not change, how sure that is, and what was measured on what.

    Args:
        threshold: the share by which a cell has to be slower to be a regression.
    """
    changed: list[Compared | Further] = [each for each in [*found.cells, *further] if _has_changed(each)]
    changed.sort(key=lambda each: (not each.regression, -abs(_ratio(each) - 1)))
    headings = ["codec", "workload", "operation", "before", "after", "change", "verdict"]
    notes = [*_notes(found, further, threshold), *_circumstances(before, after)]
    if len(changed) > _MOST_ROWS:
        notes.insert(0, f"{counted(len(changed) - _MOST_ROWS, 'more cell')} changed less than those above.")
    rows = [_row(each) for each in changed[:_MOST_ROWS]]
    title = _title(found, further, threshold)
    return markdown(Table(title, headings if rows else [], rows, frozenset(range(3, 6)), notes))


def _has_changed(each: Compared | Further) -> bool:
    match each:
        case Counted():
            return each.verdict != "equal"
        case ComparedFigure():
            return each.has_changed and not each.same
    return each.change.verdict in ("slower", "faster") and not each.same


def _ratio(each: Compared | Further) -> float:
    return each.change.ratio.estimate if isinstance(each, Compared) else each.ratio


def _title(found: RunComparison, further: Sequence[Further], threshold: float) -> str:
    every: list[Compared | Further] = [*found.cells, *further]
    regressions = sum(each.regression for each in every)
    of_all = f"{regressions} of {counted(len(every), 'figure')}"
    return f"serbench: {of_all} worse by more than {100 * threshold:g} %"


def _row(each: Compared | Further) -> list[str]:
    name = [contender(each.cell), each.cell[1], each.cell[3]]
    if isinstance(each, Counted):
        figures = [rounded(each.before, 4), rounded(each.after, 4), _percent(each.ratio)]
        verdict = f"{each.verdict} instructions"
    elif isinstance(each, ComparedFigure):
        name[2] = f"{each.about} {each.name}".lstrip()
        figures, verdict = [*each.shown, _percent(each.ratio)], f"{each.verdict}: {each.key.metric}"
    else:
        ratio = each.change.ratio
        change = f"{_percent(ratio.estimate)} ({_percent(ratio.low)} to {_percent(ratio.high)})"
        figures, verdict = [duration(each.before), duration(each.after), change], each.change.verdict
    return [*name, *figures, verdict + (", a regression" if each.regression else "")]


def _percent(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.1f} %".replace("-", "−")


def _notes(found: RunComparison, further: Sequence[Further], threshold: float) -> Iterator[str]:
    """The cells that did not change, and how small a change would have been seen."""
    close = [each.change.ratio for each in found.cells if each.change.verdict == "too close to call"]
    if close:
        yield (
            f"No change is told of {counted(len(close), 'time')}; the widest interval among them reaches "
            f"{_percent(max(map(_reach, close)))}. Intervals hold with 95 % for all cells together (Holm)."
        )
    if unreliable := sum(each.change.verdict == "unreliable" for each in found.cells):
        yield f"{counted(unreliable, 'time')} cannot be judged: other processes disturbed the measurement."
    if same := sum(each.same and each.change.verdict in ("slower", "faster") for each in found.cells):
        yield f"{counted(same, 'time')} changed although the program is the same; the machine caused that."
    counts = [each for each in further if isinstance(each, Counted)]
    if equal := sum(each.verdict == "equal" for each in counts):
        yield f"{counted(equal, 'count')} of instructions are equal within {100 * EQUAL:g} %."
    figures = [each for each in further if isinstance(each, ComparedFigure)]
    if left := sum(not each.has_changed for each in figures):
        yield f"{counted(left, 'further figure')} of other metrics did not surely change."
    for unit, (old, new) in [*found.sizes.items()][:_MOST_NOTES]:
        yield f"Size of {' '.join(filter(None, unit))}: {old:,} bytes, now {new:,}."
    if found.only_in_one:
        yield f"{counted(len(found.only_in_one), 'cell')} cannot be compared: only one side has figures."
    if found.machines:
        yield f"The two sides are from different machines: {found.machines}."
    more = len(found.notes) - _MOST_NOTES
    yield from found.notes[:_MOST_NOTES]
    if more > 0:
        yield f"{counted(more, 'further difference')}: see the log."


def _reach(ratio: Interval) -> float:
    """The greatest ratio, or inverse of one, that an interval has."""
    return max(ratio.high, 1 / ratio.low)


def _circumstances(before: Side, after: Side) -> Iterator[str]:
    manifest = after.manifest
    old, new = _libraries(before), _libraries(after)
    if other := [
        f"{each} {old[each]}, now {new[each]}" for each in old if old[each] != new.get(each, old[each])
    ]:
        yield f"Libraries: {'; '.join(other)}."
    is_timed = "time" in manifest.metrics
    rounds = f", {counted(manifest.rounds, 'round')}" if is_timed else ""
    in_turn = " in turn in every round" if is_timed and before.manifest is manifest else ""
    machine = manifest.machine
    cores = f", {counted(machine.cores, 'core')}" if machine.cores else ""
    yield (
        f"Before is {before.name}, after is {after.name}, measured{in_turn} by serbench {manifest.serbench} "
        f"on {machine.processor}{cores}{rounds}."
    )


def _libraries(side: Side) -> Mapping[str, str]:
    """The version of each codec's library on a side; of half a run, those of its own toolchain."""
    tools = side.manifest.toolchains
    own = [each for each in tools if each.name == side.name] or tools
    return {codec: version for each in own for codec, version in each.libraries.items()}
