"""The table of curves of reading: codecs in rows, shares of the fields in columns."""

from __future__ import annotations

from serbench.measure.store import Run
from serbench.report.curves import Curve, Curves, in_words, percent, reach, share_read, told
from serbench.report.lossy import marked
from serbench.report.notes import TOO_FEW_ROUNDS
from serbench.report.numbers import duration
from serbench.report.parts import share_of
from serbench.report.rows import too_few_rounds
from serbench.report.table import Table, grid

_NOTE = (
    "Below every field: up to which of the measured shares a codec surely takes less time than for every "
    "field. Which fields a share has counts too; others of the same number may take another time."
)


def curve_table(run: Run, curves: Curves) -> Table:
    """The table of the share of the time of reading every field, by the share of the fields."""
    data = run.manifest.datasets.get(curves.workload)
    messages = max(data.messages, 1) if data else 1
    every = "every\nfield" + ("\nper message" if messages > 1 else "")

    def cell(curve: Curve, column: str) -> str:
        if column == every:
            return duration(curve.whole.time.scaled(1 / messages)) if curve.whole.time else "–"
        own = [share_of(row) for row in curve.parts if percent(share_read(row)) == column]
        return "\n".join(dict.fromkeys(own)) or "–"

    words = told((each.name, in_words(each)) for each in curves.curves)
    few = too_few_rounds(row for curve in curves.curves for row in curve.parts)
    return grid(
        f"{curves.workload}, {curves.operation}: time by share of the fields, in % of that for every field",
        {
            "codec": lambda curve: marked(curve.name, curve.whole.codec, run.manifest),
            "way": lambda curve: curve.way,
            "below\nevery field": reach,
        },
        curves.curves,
        [*dict.fromkeys(map(percent, curves.shares)), every],
        cells=lambda curve, column: [cell(curve, column)],
        texts=(0, 1, 2),
        notes=[
            f"{TOO_FEW_ROUNDS}." if few else "",
            *words,
            _NOTE,
        ],
    )
