"""The table of a run of several languages: the fastest codec of each format in each of them.

Who writes in one language and reads in another chooses a format first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from serbench.languages import title_of
from serbench.measure.store import Run
from serbench.report.numbers import duration
from serbench.report.rows import Row
from serbench.report.table import Table


@dataclass(frozen=True)
class _Best:
    """A codec that was measured with every operation of the table, in their order."""

    rows: Sequence[Row]

    @property
    def time(self) -> float:
        """What codecs of one language and format are compared by: neither operation counts more than the
        other, however long it takes."""
        return geometric_mean([row.time.estimate for row in self.rows if row.time])

    def shown(self, messages: int) -> str:
        """Its name without the language, and below it the times of a message."""
        times = " / ".join(duration(row.time.scaled(1 / messages)) for row in self.rows if row.time)
        return f"{self.rows[0].name.partition('/')[2]}\n{times}"


def languages_table(run: Run, workload: str, rows: Sequence[Row]) -> Table | None:
    """A line for each format that is there in two languages or more, a column for each language; None where
    no format is.

    Args:
        rows: those of ``workload``. Floors, references, constant-time views and codecs without a rank take no
            part.
    """
    operations = _compared(run.manifest.operations)
    best = _best(run.manifest.formats, rows, operations) if operations else {}
    shared = [
        format
        for format in dict.fromkeys(format for format, _ in best)
        if sum(format == other for other, _ in best) > 1
    ]
    if not shared:
        return None
    columns = sorted({language for format, language in best if format in shared}, key=title_of)
    shared.sort(key=lambda format: min(each.time for (other, _), each in best.items() if other == format))
    data = run.manifest.datasets.get(workload)
    messages = max(data.messages, 1) if data else 1
    body = [
        [
            format,
            *(
                best[format, language].shown(messages) if (format, language) in best else "–"
                for language in columns
            ),
        ]
        for format in shared
    ]
    what = " / ".join(operation.partition(":")[0] for operation in operations)
    memory = operations[0].partition(":")[2]
    of = " of a message" if messages > 1 else ""
    title = f"{workload}: the fastest codec of each format and language: {what}{of}, {memory}"
    return Table(title, ["format", *map(title_of, columns)], body)


def _compared(operations: Sequence[str]) -> list[str]:
    """Writing and reading with the same memory policy, as far as they were measured."""
    for memory in ("reuse", "fresh"):
        if found := [o for o in (f"serialize:{memory}", f"deserialize:{memory}") if o in operations]:
            return found
    return []


def _best(
    formats: Mapping[str, str], rows: Sequence[Row], operations: Sequence[str]
) -> dict[tuple[str, str], _Best]:
    """The fastest codec by format and language."""
    cells = {(row.name, f"{row.operation}:{row.memory}"): row for row in rows}
    best: dict[tuple[str, str], _Best] = {}
    for name, codec in {row.name: row.codec for row in rows}.items():
        own = [
            row
            for o in operations
            if (row := cells.get((name, o))) and row.time and row.rank and not row.view
        ]
        if len(own) < len(operations) or codec not in formats:
            continue
        key = formats[codec], own[0].language
        one = _Best(own)
        if key not in best or one.time < best[key].time:
            best[key] = one
    return best
