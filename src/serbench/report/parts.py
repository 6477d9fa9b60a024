"""Tables of reading a part: the ways, the share of reading everything, and who decodes everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from serbench.codecs.codec import UPDATE_WAYS, WAYS, WHOLE
from serbench.report.gathering import gathered
from serbench.report.numbers import rounded
from serbench.report.rows import Row

NOTHING_SAVED = 0.9
"""The share of reading everything from which on a codec is not believed to pass over anything."""

UNCHECKED = "‡"
"""The mark of a way by which text that is no UTF-8 goes unnoticed in what is passed over."""


CHANGES = (
    "update: integers get the other lowest bit, floats the other sign, bools the other value. In place, the "
    "same bytes are changed there and back again, pass by pass."
)
"""The note on what an update does."""


def is_doubtful(row: Row) -> bool:
    """Whether a codec that is to pass over the rest surely takes about as long as for everything."""
    share = row.of_everything
    return row.way not in ("", WHOLE) and share is not None and share.low >= NOTHING_SAVED


def way_of(row: Row) -> str:
    """The way of a row with its marks, such as ``skip‡``."""
    return row.way + (UNCHECKED if row.unchecked else "") + ("?" if is_doubtful(row) else "")


def share_of(row: Row) -> str:
    """The share of the time of reading every field, such as ``12 %``."""
    if row.way_reason:
        return "all"
    return f"{rounded(100 * row.of_everything.estimate, 2)} %" if row.of_everything else "–"


def notes_on_parts(rows: Sequence[Row]) -> Iterator[str]:
    """Notes on the ways that rows have, and on the rows that decode everything."""
    measured = [row for row in rows if row.time]
    meanings: dict[str, str] = {**WAYS, **UPDATE_WAYS}  # type: ignore[dict-item]  # of names
    ways = [way for way in meanings if any(row.way == way for row in measured)]
    if ways:
        yield f"Ways: {'; '.join(f'{way}: {meanings[way]}' for way in ways)}."
    if any(way in UPDATE_WAYS for way in ways):
        yield CHANGES
        return
    yield (
        "Of every field: the share of the time that the same codec takes to decode and read all of them. A "
        f"question mark: {NOTHING_SAVED:.0%} or more of it, so nothing seems to be passed over."
    )
    if any(row.unchecked for row in measured):
        yield (
            f"{UNCHECKED} Text that is no UTF-8 goes unnoticed in what is passed over; the same codec "
            "refuses it in what it reads."
        )
    reasons = gathered((row.way_reason, row.name) for row in measured if row.way_reason)
    for reason, names in reasons.items():
        yield f"{', '.join(dict.fromkeys(names))}: {reason}"
