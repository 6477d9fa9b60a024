"""A verdict in a few lines above its table, in words, and what to type next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from serbench.measure.store import Run
from serbench.report.alone import Alone
from serbench.report.gathering import gathered
from serbench.report.lossy import marked
from serbench.report.numbers import between, count, duration, mean_size, ratio, rounded, speed
from serbench.report.rows import Row
from serbench.report.table import Said, Tone
from serbench.report.trust import Trust
from serbench.report.verdict import Beside, Fastest, Smallest, Verdict, are_known
from serbench.stats.summary import ROUNDS_TO_RANK
from serbench.stats.ties import ALIKE
from serbench.system.command import COMMAND, HIDDEN, READS, SWEEPS, UPDATES, WHERE, values_of

_NAMED = 4
"""How many codecs are named where more are too close to call."""

_EVOLVED = {"kept": "kept by", "refused": "refused by", "misread": "misread in silence by"}
"""Outcome of a changed schema → the words before the codecs with this outcome."""

_WORDS = {
    "serialize": "Fastest to write",
    "deserialize": "Fastest to read",
    "read": "Fastest to read",
    "update": "Fastest to change",
    "filter": "Fastest to filter, computed",
}

TONES: dict[str, Tone] = {"yes": "good", "with care": "care", "no": "bad"}


def trust_line(trust: Trust) -> Said:
    """The line that says whether the figures can be trusted, and if not, why."""
    return Said("Trust", trust.in_a_line(), TONES[trust.level])


def too_early(few_rounds: int) -> str:
    """The words for a run with too few rounds to rank anything."""
    rounds = f"{few_rounds} round{'s' if few_rounds > 1 else ''}"
    return f"too early to call after {rounds}; ranking takes {ROUNDS_TO_RANK}"


def lines_of(run: Run, verdict: Verdict, alone: Sequence[Alone] = ()) -> list[Said]:
    """The verdict in words, a line for each question.

    Args:
        alone: the factors between a message alone and one among others, where a sweep found them.
    """
    learnt = [Said("One message", learnt_line(alone))] if verdict.is_learnt else []
    return [*Wording(run, verdict).lines(), *learnt]


def learnt_line(alone: Sequence[Alone]) -> str:
    """The words on a single message, which is measured again and again."""
    told = "; ".join(each.in_words for each in alone)
    return f"learnt by the branch predictor; {told or f'{SWEEPS} messages tells by how much'}"


def next_step(run: Run, verdicts: Sequence[Verdict]) -> str:
    """The command to type after a run's tables: it mends what the run lacks, or else tells more."""
    of_all, several, _ = run.id.partition("/")
    where = ["--cluster", "ADDRESS"] if several else []
    if not run.taken.ended:
        return f"{COMMAND} run {shlex.join(['--resume', of_all, *where])}    (to finish this run)"
    metrics = run.manifest.metrics
    if any(each.few_rounds for verdict in verdicts for each in verdict.fastest):
        reads, conditions = _reading(run)
        again = _measuring(run, _asked(run), metrics if metrics != ("time",) else (), [*reads, *where])
        lacking = f"; put the condition's value in place of {HIDDEN}" if conditions else ""
        return f"{again}    (with enough rounds to rank{lacking})"
    if any(verdict.trust.level == "no" for verdict in verdicts):
        return f"{COMMAND} doctor    (to find out what disturbs measuring on this machine)"
    whole = (verdict for verdict in verdicts if not (verdict.data and verdict.data.whole))
    split = next((verdict for verdict in whole if len(verdict.front) > 1), None)
    if split and "wire" not in metrics and not several:
        return f"{_measuring(run, [split.workload], ['wire'], [])}    (to compare sizes after compression)"
    return f"{COMMAND} plot {run.id}    (to draw this as pictures)"


def _reading(run: Run) -> tuple[list[str], list[str]]:
    """The words by which parts of messages, changes of values, numbers of messages and conditions were asked
    for, and the conditions alone; these have no values."""
    words = run.manifest.arguments
    conditions = values_of(words, WHERE)
    options = {**{each: values_of(words, each) for each in (READS, UPDATES, SWEEPS)}, WHERE: conditions}
    return [word for name, values in options.items() for each in values for word in (name, each)], conditions


def _asked(run: Run) -> list[str]:
    """The workloads without those that ``--read``, ``--update``, ``--where`` and ``--sweep`` add."""
    manifest = run.manifest
    reads, _ = _reading(run)
    named = {*values_of(manifest.arguments, "-w"), *values_of(manifest.arguments, "--workload")}
    added = {name for name, data in manifest.datasets.items() if data.whole or data.number_of}
    parts = added - named
    return [name for name in manifest.workloads if not reads or name not in parts]


def _measuring(run: Run, workloads: Sequence[str], metrics: Sequence[str], where: Sequence[str]) -> str:
    """The ``run`` command that measures these metrics with a run's codecs; ``where`` are further options."""
    selection = run.manifest.selection
    if selection is None:
        selection = tuple(word for codec in run.manifest.codecs for word in ("-c", codec))
    words = [word for workload in workloads for word in ("-w", workload)]
    words += [*selection, *(word for metric in metrics for word in ("--metric", metric)), *where]
    return f"{COMMAND} run {shlex.join(words)}"


@dataclass(frozen=True)
class Wording:
    """Puts one verdict into words."""

    run: Run
    verdict: Verdict

    @property
    def messages(self) -> int:
        return self.verdict.data.messages if self.verdict.data else 1

    def lines(self) -> Iterator[Said]:
        verdict, front = self.verdict, self.verdict.front
        yield trust_line(verdict.trust)
        for each in verdict.fastest:
            yield Said(self.label(each), self.fastest(each))
        if verdict.smallest:
            yield Said("Smallest", self.smallest(verdict.smallest))
        if verdict.best_in_both:
            yield Said("Best in both", self.first(verdict.best_in_both))
        if verdict.beside:
            yield Said("Reference", self.beside(verdict.beside))
        if front:
            both = "both" if len(verdict.fastest) == 1 else "size and all times"
            others = "none is beaten" if len(front) > 1 else "no other codec is as good"
            yield Said("Size against time", f"{self.names(front)}; {others} in {both}")
        is_part = verdict.data and verdict.data.whole
        if not is_part and (evolved := self.evolved()):
            yield Said("Evolution", evolved)

    def evolved(self) -> str:
        """The line of the verdict on messages when an optional field is added or dropped, by codecs that
        compete; empty where that is not known of any."""
        manifest = self.run.manifest
        known = [(manifest.evolved[each], each) for each in manifest.codecs if each in manifest.evolved]
        apart = {*manifest.floors, *manifest.references}
        codecs = gathered((outcome, codec) for outcome, codec in known if codec not in apart)
        told = [f"{words} {_some(codecs[each])}" for each, words in _EVOLVED.items() if each in codecs]
        return f"if you add or drop an optional field: {'; '.join(told)}" if told else ""

    def label(self, each: Fastest) -> str:
        """The label of a line, with the memory policy where the operation was measured under both."""
        policies = {other.memory for other in self.verdict.fastest if other.operation == each.operation}
        label = _WORDS.get(each.operation, f"Fastest {each.operation}")
        return f"{label}, {each.memory}" if len(policies) > 1 else label

    def fastest(self, each: Fastest) -> str:
        if each.few_rounds:
            return too_early(each.few_rounds)
        said = self.first(each.first)
        if not each.is_known:
            return f"{said}; times vary, or are in doubt, too much to tell which"
        if len(each.first) == 1:
            said += f" ({self.time(each.first[0])}{self.part(each.first[0])})"
        if each.next is None or each.next.ratio is None:
            return said if len(each.first) > 1 else f"{said}; no other library is ranked"
        margin = " ".join(filter(None, (ratio(each.next.ratio), between(each.next.ratio))))
        # The next one is surely behind one of them, and not always behind the best.
        behind = "ahead of" if len(each.first) == 1 or each.next.ratio.low > 1 else "then"
        return f"{said}; {behind} {self.name(each.next)}: {margin}"

    def part(self, row: Row) -> str:
        """How a row reads a part, and how much faster that is than reading everything; empty where it reads
        messages whole."""
        if not row.way:
            return ""
        faster = row.of_everything and row.of_everything.high < 1 and 1 / row.of_everything.estimate
        return f", {row.way}" + (f", ×{rounded(faster, 2)} faster than everything" if faster else "")

    def smallest(self, smallest: Smallest) -> str:
        said = f"{self.names(smallest.first, of_times=False)} ({self.size(smallest.size_bytes)})"
        if smallest.next is None or not smallest.next.size_bytes:
            return said
        said += f"; ahead of {self.name(smallest.next, of_times=False)}"
        ours, theirs = smallest.size_bytes, smallest.next.size_bytes
        return f"{said}: ×{rounded(theirs / ours, 3)}" if ours else said

    def first(self, rows: Sequence[Row]) -> str:
        """The name of the codec that is first, or the names of those that may be."""
        if not are_known(rows):
            return f"not known: {self.names(rows, 'or')}"
        return self.name(rows[0]) if len(rows) == 1 else f"too close to call: {self.names(rows)}"

    def names(self, rows: Sequence[Row], last: str = ",", of_times: bool = True) -> str:
        """The names of rows, the first few where there are many; ``last`` stands before the last name."""
        if last == "," or len(rows) == 1 or len(rows) > _NAMED + 1:
            return _some([self.name(row, of_times) for row in rows])
        names = [self.name(row, of_times) for row in rows]
        return f"{', '.join(names[:-1])} {last} {names[-1]}"

    def beside(self, beside: Sequence[Beside]) -> str:
        """How references compare with the fastest library, operation by operation."""
        by_row = gathered(((self.name(each.row), each.row.reference), each) for each in beside)
        return "; ".join(
            f"{name} ({what}): {', '.join(self.compared(own))}" for (name, what), own in by_row.items()
        )

    def compared(self, beside: Sequence[Beside]) -> Iterator[str]:
        """References in words: ``×2.4 faster than the fastest library to write``, then ``×5.6 to read``."""
        before = ""
        for each in beside:
            found = each.row.ratio
            assert found is not None
            if not each.is_known:
                factor, how = "", "too few rounds to compare it with the fastest library"
            elif 1 / ALIKE <= found.low <= 1 <= found.high <= ALIKE:
                factor, how = "", "as fast as the fastest library, as far as can be told,"
            elif found.low <= 1 <= found.high:
                factor, how = "", "not known to be faster or slower than the fastest library"
            elif found.high < 1:
                factor, how = f"×{rounded(1 / found.estimate, 2)} ", "faster than the fastest library"
            else:
                factor, how = f"×{rounded(found.estimate, 2)} ", "slower than the fastest library"
            yield f"{factor}{'' if how == before and factor else f'{how} '}{self.to_do(each)}"
            before = how

    def to_do(self, each: Beside) -> str:
        """Name an operation as something to do: ``to write``, or ``to read (reuse)``."""
        policies = {other.memory for other in self.verdict.beside if other.operation == each.operation}
        what = {"serialize": "to write", "deserialize": "to read"}.get(each.operation, f"in {each.operation}")
        return f"{what} ({each.memory})" if len(policies) > 1 else what

    def name(self, row: Row, of_times: bool = True) -> str:
        """A row's name with its marks, of which some are left out unless it is about times (``of_times``)."""
        marks = (" ?" if row.undercuts else "") + (" ~" if row.not_known else "")
        return marked(row.name, row.codec, self.run.manifest) + (marks if of_times else "")

    def time(self, row: Row) -> str:
        if row.time is None:
            return ""
        data = self.verdict.data
        if data is None or data.messages <= 1:
            return duration(row.time)
        if data.whole:
            return f"{duration(row.time.scaled(1 / data.messages))} per message"
        return (
            f"{duration(row.time.scaled(1 / data.messages))} per message, "
            f"{speed(data.canonical_bytes, row.time)} MB/s"
        )

    def size(self, size_bytes: int) -> str:
        if self.messages <= 1:
            return f"{count(size_bytes)} bytes"
        return f"{mean_size(size_bytes / self.messages)} bytes per message"


def _some(names: Sequence[str]) -> str:
    """Names joined by commas, the first few where there are many."""
    if len(names) <= _NAMED + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
