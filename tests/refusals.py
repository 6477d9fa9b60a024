"""Samples for tests of adapters that cheat, taken and refused as in a round of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from serbench.dataset.file import Dataset
from serbench.errors import RunnerError
from serbench.measure.agreement import agreed
from serbench.measure.conversation import Samples
from serbench.measure.judging import Differing, judged
from serbench.measure.process import measuring_words, run_runner
from serbench.measure.said import Event
from serbench.measure.unit import Unit
from serbench.verification.watching import judge_of

SAMPLES = 4
SAMPLE_NS = 20_000_000


def refusals(
    unit: Unit, data: Dataset, edits: str, cells: Sequence[str], **further: int | str | None
) -> list[str]:
    """Takes samples of cells; returns why they are refused, which is empty for an honest adapter. ``further``
    are more options of the command ``measure``.

    A cell that is suspected only by its times is refused where enough other processes agree, and otherwise
    another process measures the cells after it.
    """
    reasons: list[str] = []
    places = count(1)

    def failure(expected: Samples) -> RunnerError | None:
        words = measuring_words(data.path, expected.cells, SAMPLE_NS, SAMPLES, next(places), edits, **further)

        def run(more: Sequence[str]) -> Iterator[Event]:
            command = [*unit.command, *words, *more]
            return run_runner(command, expected, silence_limit_s=unit.silence_limit_s)

        try:
            for event in judged(judge_of(unit, data, edits), run):
                if isinstance(event, Differing):
                    reasons.append(event.reason)
        except RunnerError as error:
            return error
        return None

    def look(suspected: Sequence[str]) -> list[str]:
        error = failure(Samples(suspected, SAMPLES))
        return [error.cell] if error else []

    left = list(cells)
    while left and (error := failure(expected := Samples(left, SAMPLES))):
        if not error.by_times or agreed(look, [error.cell]):
            return [*reasons, str(error)]
        left = [cell for cell in left if cell not in (*expected.finished, error.cell)]
    return reasons
