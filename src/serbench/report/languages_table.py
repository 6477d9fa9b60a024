"""The table of a run of several languages: the fastest codec of each format in each of them.

To write in one language and read in another, one chooses a format first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import geometric_mean

from serbench.languages import title_of
from serbench.measure.store import Run
from serbench.report.gathering import gathered
from serbench.report.numbers import duration
from serbench.report.rows import Row, mean_ratio
from serbench.report.table import Table, grid

_Codec = Sequence[Row]
"""The rows of a codec, one for each operation of the table."""

_MARKS = {"=": "too close to call", "~": "not known"}


def languages_table(run: Run, workload: str, rows: Sequence[Row]) -> Table | None:
    """A line for each format of two languages or more, a column for each language, and in each cell the
    fastest codec, marked where others may be as fast. None where there is no such format.

    Args:
        rows: those of ``workload``. Floors, references, constant-time views and codecs without a rank take no
            part.
    """
    operations = _compared(run.manifest.operations_of(workload))
    best = _best(run, rows, operations) if operations else {}
    formats = gathered((format, own[0]) for (format, _), own in best.items())
    shared = [format for format, own in formats.items() if len(own) > 1]
    if not shared:
        return None
    shared.sort(key=lambda format: min(map(_time, formats[format])))
    best = {key: own for key, own in best.items() if key[0] in shared}
    columns = sorted({language for _, language in best}, key=title_of)
    data = run.manifest.datasets.get(workload)
    messages = max(data.messages, 1) if data else 1

    def cells(format: str, language: str) -> list[str]:
        return [_shown(best[format, language], messages) if (format, language) in best else "–"]

    notes = _notes(best)
    who = "codec of least time" if notes else "fastest codec"
    what = " / ".join(operation.partition(":")[0] for operation in operations)
    memory = operations[0].partition(":")[2]
    of = " of a message" if messages > 1 else ""
    title = f"{workload}: the {who} of each format and language: {what}{of}, {memory}"
    return grid(
        title,
        {"format": str},
        shared,
        columns,
        lambda language: [title_of(language)],
        cells,
        range(1 + len(columns)),
        notes,
    )


def _compared(operations: Sequence[str]) -> list[str]:
    """The operations of writing and reading, as far as measured, under one memory policy."""
    for memory in ("reuse", "fresh"):
        if found := [o for o in (f"serialize:{memory}", f"deserialize:{memory}") if o in operations]:
            return found
    return []


def _best(run: Run, rows: Sequence[Row], operations: Sequence[str]) -> dict[tuple[str, str], list[_Codec]]:
    """For each format and language: the codec that takes the least time, then those that may be as fast."""
    formats = run.manifest.formats
    ranked = gathered((row.name, row) for row in rows if row.time and row.rank and not row.view)
    measured = gathered(
        ((formats[own[0].codec], own[0].language), own)
        for each in ranked.values()
        if (own := [row for operation in operations for row in each if row.cell == operation])
        and len(own) == len(operations)
        and own[0].codec in formats
    )
    best: dict[tuple[str, str], list[_Codec]] = {}
    for key, codecs in measured.items():
        first, *others = sorted(codecs, key=_time)
        best[key] = [first, *(other for other in others if not _is_behind(run, other, first))]
    return best


def _time(codec: _Codec) -> float:
    """The geometric mean of a codec's times, in which the operation that takes longest counts no more."""
    return geometric_mean([row.time.estimate for row in codec if row.time])


def _is_behind(run: Run, codec: _Codec, first: _Codec) -> bool:
    """Whether a codec is known to take more time than the ``first``: ranks tell them apart in some operation,
    and so does the interval of their ratio over all."""
    ratio = mean_ratio(run, list(zip(codec, first, strict=True)))
    return ratio is not None and ratio.low > 1 and not _share_ranks([codec, first])


def _share_ranks(codecs: Sequence[_Codec]) -> bool:
    return len({tuple(row.rank for row in codec) for codec in codecs}) == 1


def _mark(codecs: Sequence[_Codec]) -> str:
    """The mark of ``codecs``: empty if the first is known to be the fastest, else a key of ``_MARKS``."""
    if len(codecs) == 1:
        return ""
    known = not any(row.not_known for codec in codecs for row in codec)
    return "=" if known and _share_ranks(codecs) else "~"


def _shown(codecs: Sequence[_Codec], messages: int) -> str:
    """The text of a cell: the first codec's name without its language, and below the name its times."""
    times = " / ".join(duration(row.time.scaled(1 / messages)) for row in codecs[0] if row.time)
    return f"{f'{_name(codecs[0])} {_mark(codecs)}'.rstrip()}\n{times}"


def _name(codec: _Codec) -> str:
    return codec[0].name.partition("/")[2]


def _notes(best: Mapping[tuple[str, str], Sequence[_Codec]]) -> list[str]:
    """A note for each mark, with the cells that have it and the codecs that may be as fast as each other."""
    told = gathered(
        (_mark(codecs), f"{format} in {title_of(language)} ({', '.join(map(_name, codecs))})")
        for (format, language), codecs in best.items()
    )
    return [f"{mark}: {words}: {', '.join(told[mark])}." for mark, words in _MARKS.items() if mark in told]
