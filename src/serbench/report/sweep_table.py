"""The table of a sweep: codecs in rows, sizes in columns, and the time of a message or an item in each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from serbench.measure.store import Run
from serbench.report.lossy import marked
from serbench.report.numbers import count, duration
from serbench.report.rows import too_few_rounds
from serbench.report.sweeps import (
    Size,
    Sweep,
    SweptCodec,
    changes_of_places,
    kept_orders,
    megabytes,
    one_sided_leads,
)
from serbench.report.table import Table, grid, in_parts
from serbench.text import counted

_CHANGES_TOLD = 8

_SAME_LENGTH = 1.05
"""The most by which messages may be longer on average with one number than with another, and none is told."""

OF_A_LIST = (
    "Items: those of each such list, drawn from the data where it has fewer; the time is that of a message, "
    "divided by them."
)
WORKING_SET = (
    "Data: the uncompressed reference size of all messages, the same for every codec. A pass to write reads "
    "all domain objects and writes to one buffer; a pass to read reads all encoded bytes. Cache: the nearest "
    "one that would hold the data. Messages come in a drawn order; copies have other values."
)


def sweep_tables(run: Run, sweep: Sweep, room: int) -> list[Table]:
    """The tables of a sweep that fit ``room`` columns, and which codecs change places below the last."""
    by_number = {str(size.number): size for size in sweep.sizes}

    def heads(number: str) -> Sequence[str]:
        size = by_number[number]
        return [f"{count(size.number)}\n{megabytes(size.bytes)}\n{sweep.cache_of(size) or 'none'}"]

    def table(numbers: Sequence[str], _: str) -> Table:
        return grid(
            f"{sweep.workload}, {sweep.operation}: time per {sweep.one} by {sweep.over}",
            {"codec\ndata\ncache": lambda codec: marked(codec.name, codec.codec, run.manifest)},
            sweep.codecs,
            numbers,
            heads,
            lambda codec, number: [_shown(codec, by_number[number])],
        )

    tables, _ = in_parts([*by_number], [""], room, table)
    tables[-1].notes += [*_failed(sweep), *notes_of_sweep(sweep)]
    tables[-1].notes += [OF_A_LIST] if sweep.longer_list else []
    tables[-1].notes.append(WORKING_SET)
    return tables


def _shown(codec: SweptCodec, size: Size) -> str:
    row = codec.rows.get(size.number)
    if row is None or not row.time:
        return "–" if row is None or row.status == "unsupported" else row.status
    return duration(size.each(row.time)) + ("°" if row.view else "")


def _failed(sweep: Sweep) -> Iterator[str]:
    """Why a codec has no figure with some number of messages, where it has one with others."""
    for codec in sweep.codecs:
        for size in sweep.sizes:
            row = codec.rows.get(size.number)
            if row and not row.time and row.reason:
                yield f"{codec.name} with {size.in_words}: {row.reason}"


def notes_of_sweep(sweep: Sweep) -> list[str]:
    """The codecs that change places, how long messages are, and how much memory processes took, in words."""
    measured = [row for codec in sweep.codecs for row in codec.rows.values()]
    if few := too_few_rounds(measured):
        return [f"After {few} round{'s' if few > 1 else ''}, it is not known which codecs change places."]
    changes = changes_of_places(sweep)
    told = [change.in_words for change in changes[:_CHANGES_TOLD]]
    if left := len(changes) - len(told):
        told.append(f"Not named: {counted(left, 'more pair')}, with smaller leads.")
    if not changes and len(sweep.codecs) > 1:
        kept, pairs = kept_orders(sweep), math.comb(len(sweep.codecs), 2)
        told = [
            f"No two codecs surely change places between these numbers of {sweep.one}s. "
            f"Pairs that surely keep their order: {kept} of {pairs}."
        ]
    for are_lost in (True, False):
        leads = one_sided_leads(sweep, are_lost)
        told += [each.in_words for each in leads[:_CHANGES_TOLD]]
        if left := len(leads[_CHANGES_TOLD:]):
            how = "lost" if are_lost else "won"
            told.append(f"Not named: {counted(left, 'more lead')}, {how} in the same way.")
    told += _other_lengths(sweep)
    grown = [(codec.name, bytes) for codec in sweep.codecs if (bytes := sweep.grown(codec)) is not None]
    if grown:
        most = sweep.sizes[-1]
        each = ", ".join(f"{name} {megabytes(bytes)}" for name, bytes in grown)
        told.append(f"Resident memory with {most.in_words}, less that with the fewest: {each}.")
    return told


def _other_lengths(sweep: Sweep) -> list[str]:
    """How long messages are with the fewest and with the most, where that differs: times then do too."""
    ends = [(size, size.bytes / size.messages) for size in (sweep.sizes[0], sweep.sizes[-1])]
    (fewest, few), (most, many) = ends
    if sweep.longer_list or max(few, many) <= _SAME_LENGTH * min(few, many):
        return []
    one = counted(fewest.number, "message")
    return [
        f"Messages are not equally long: {megabytes(few)} on average with {one}, {megabytes(many)} with "
        f"{count(most.number)}, by which times may differ too."
    ]
