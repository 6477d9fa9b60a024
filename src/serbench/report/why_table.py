"""Tables of what each part of messages costs: the tree of the parts, with columns for each codec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from serbench.changes.emptying import Part
from serbench.report.numbers import count, duration, mean_size, rounded
from serbench.report.table import Said, Table, in_parts
from serbench.report.why import LEAST, TIMES, Cost, Taking, Why
from serbench.stats.summary import Interval

_LAYOUTS = (
    ("bytes", "%", "", "zstd", "write", "% of it", "read", "% of it"),
    ("bytes", "%", "zstd", "write", "% of it", "read", "% of it"),
    ("bytes", "%", "zstd", "write %", "read %"),
    ("bytes", "zstd", "write %", "read %"),
)
"""The columns of a codec in each layout, the fullest first."""

NOTHING = "~0"
"""Stands for a time that is not told apart from nothing."""

_BAR = 8
_NAMED = 5
"""How many paths a note names; it counts the others."""

_MOST_OF_IT = 0.5
"""The share of a difference that a part inside has to have for it to be named in place of the whole part."""


def why_tables(why: Why, room: int) -> list[Table]:
    """The tables of the costs of parts, with as many codecs side by side as fit ``room`` columns."""
    tables, _ = in_parts(why.codecs, _LAYOUTS, room, partial(_table, why))
    tables[0].verdict = [*_most(why), *_differing(why)]
    tables[-1].notes += [*_notes(why)]
    return tables


def _table(why: Why, codecs: Sequence[str], columns: Sequence[str]) -> Table:
    costs = {codec: {cost.path: cost for cost in why.costs(codec)} for codec in codecs}
    headings = ["part", "in"]
    for codec in codecs:
        first, *others = columns
        headings += [first if len(why.codecs) == 1 else f"{codec}\n{first}", *others]
    rows = [_row(why, "whole message", "", codecs, costs, columns)]
    for part in why.weighed_parts:
        rows.append(_row(why, "  " * part.depth + part.step, part.path, codecs, costs, columns))
    rows.append(_row(why, "left without all parts", "*", codecs, costs, columns))
    numeric = {1, *(n for n in range(2, len(headings)) if columns[(n - 2) % len(columns)])}
    return Table(why.workload, headings, rows, frozenset(numeric))


def _row(
    why: Why,
    label: str,
    path: str,
    codecs: Sequence[str],
    costs: dict[str, dict[str, Cost]],
    columns: Sequence[str],
) -> list[str]:
    """The cells of a row; a column named ``% of it`` has the share of the time before it."""
    some = costs[codecs[0]][path]
    is_part = path not in ("", "*")
    cells = [label, _percent(some.filled / why.weighed.messages) if is_part else ""]
    for codec in codecs:
        cost, word = costs[codec][path], ""
        for column in columns:
            word = column.partition(" ")[0] if column.partition(" ")[0] in TIMES else word
            took = cost.times.get(word)
            if column in ("bytes", "zstd"):
                size = cost.bytes if column == "bytes" else cost.compressed
                cells.append("–" if size is None else _signed(size))
            elif column in ("%", ""):
                shown = _percent if column else _bar
                cells.append("" if cost.share is None else shown(cost.share))
            elif took is None:
                cells.append("")
            elif is_part and not took.is_told:
                cells.append(NOTHING)
            else:
                cells.append(_time(took.ns) if column in TIMES else _share(took, path))
    return cells


def _signed(size: float) -> str:
    return f"−{mean_size(-size)}" if size < 0 else mean_size(size)


def _percent(share: float) -> str:
    """A share of the whole in per cent: whole ones from 10 % on."""
    shown = 100 * abs(share)
    text = "0" if not shown else "<0.1" if shown < 0.1 else f"{shown:.{0 if shown >= 9.95 else 1}f}"
    return f"{'−' if share < 0 else ''}{text} %"


def _bar(share: float) -> str:
    return "█" * round(_BAR * max(0.0, min(share, 1.0))) or ("▏" if share > 0.005 else "")


def _time(ns: Interval) -> str:
    if ns.estimate < 0:
        return f"−{duration(Interval(-ns.estimate, -ns.high, -ns.low, ns.coverage))}"
    return duration(ns)


def _share(took: Taking, path: str) -> str:
    """The share of a time with half the width of its interval; that of the whole message has none."""
    if not path:
        return "100 %"
    half = 50 * (took.share.high - took.share.low)
    return f"{_percent(took.share.estimate)} ±{half:.{0 if half >= 0.95 else 1}f}"


def _most(why: Why) -> Iterator[Said]:
    """A line for each codec: the part that takes most bytes, most time to write, and most to read."""
    for codec in why.codecs:
        costs = {part.path: why.cost(codec, part) for part in why.weighed_parts}
        said = []
        for what, of in _KINDS.items():
            if part := _deepest(why, {path: of(cost)[0] for path, cost in costs.items()}):
                said.append(f"{what} {part} ({_percent(of(costs[part])[1])})")
        if said:
            yield Said(codec, f"most {', '.join(said)}")


def _differing(why: Why) -> Iterator[Said]:
    """A line on the parts in which the codecs differ most: the one that has most with one codec beyond what
    it has with another."""
    if len(why.codecs) < 2:
        return
    costs = {codec: {part.path: why.cost(codec, part) for part in why.weighed_parts} for codec in why.codecs}
    said = []
    for what, of in _KINDS.items():
        figures = {path: [of(costs[codec][path])[0] for codec in why.codecs] for path in costs[why.codecs[0]]}
        part = _deepest(why, {path: max(each) - min(each) for path, each in figures.items()})
        if part:
            shown = _bytes_shown if what == "bytes" else _ns_shown
            ends = [(own, codec) for own, codec in zip(figures[part], why.codecs, strict=True)]
            (least, first), (most, last) = min(ends), max(ends)
            said.append(f"{what} {part} ({shown(least)} with {first}, {shown(most)} with {last})")
    if said:
        yield Said("differ most in", ", ".join(said))


def _bytes_of(cost: Cost) -> tuple[float, float]:
    return cost.bytes or 0.0, cost.share or 0.0


def _time_of(word: str, cost: Cost) -> tuple[float, float]:
    took = cost.times.get(word)
    return (took.ns.estimate, took.share.estimate) if took and took.is_told else (0.0, 0.0)


_KINDS = {
    "bytes": _bytes_of,
    "time to write": partial(_time_of, "write"),
    "time to read": partial(_time_of, "read"),
}
"""What a part takes → a function that gives it for a message, and as a share; 0 where it is not known."""


def _bytes_shown(bytes: float) -> str:
    return f"{_signed(bytes)} B"


def _ns_shown(ns: float) -> str:
    return f"{rounded(ns, 2)} ns" if ns < 1000 else f"{rounded(ns / 1000, 2)} µs"


def _deepest(why: Why, amounts: dict[str, float]) -> str:
    """The path of the part with the greatest amount, or of a part inside it that has most of that; empty where
    no part has more than ``LEAST`` of all."""
    path = ""
    while True:
        inside = [part.path for part in why.weighed_parts if part.above == path]
        best = max(inside, key=lambda each: amounts[each], default="")
        if not best or amounts[best] <= (_MOST_OF_IT * amounts[path] if path else 0):
            return path
        path = best


def _notes(why: Why) -> Iterator[str]:
    """Notes on what the figures are, and on what is not seen or was not looked at."""
    yield (
        "By empty: the same program, with messages in which the values of the part are empty, absent or zero. "
        "Bytes and times are of a mean message; in: the messages in which the part holds something."
    )
    yield (
        "Parts do not add up to the whole, since they share framing, caches and allocations; what no part has "
        "is the last line."
    )
    costs = [cost for codec in why.codecs for cost in why.costs(codec)]
    times = [took for cost in costs[1:] for took in cost.times.values()]
    if any(not took.is_told for took in times):
        yield f"{NOTHING}: not told apart from nothing; of twenty parts that cost nothing, one seems to."
    parts = why.weighed_parts
    if empty := [part.path for part in parts if not why.weight(part.change).filled]:
        yield f"Already empty in all messages, so nothing is known of it: {_some(empty)}."
    for codec in why.codecs:
        kept = [p for p in parts if why.weight(p.change).filled and why.cost(codec, p).bytes is None]
        if kept:
            yield (
                f"{codec} writes as many bytes for an empty value, so that emptying shows none of "
                f"them: {_some([part.path for part in kept])}."
            )
    yield from _left_out(why, parts)
    yield from (_elsewhere(part) for part in parts if part.same_as is not None)


def _left_out(why: Why, parts: Sequence[Part]) -> Iterator[str]:
    """Notes on the parts and messages that were not looked at, and on codecs that failed."""
    untimed = [p for p in parts if why.weight(p.change).filled and not why.is_timed(p.change)]
    if untimed and why.runs:
        most = max(why.greatest(part) for part in untimed)
        how = f"at most {_percent(LEAST)}" if most <= LEAST else f"up to {_percent(most)}"
        one = len(untimed) == 1
        yield (
            f"{len(untimed)} part{'' if one else 's'} {'was' if one else 'were'} not timed, "
            f"with {how} of the bytes: {_some([part.path for part in untimed])}."
        )
    if lacking := len(why.parts) - len(parts):
        yield f"{count(lacking)} further parts were not looked at; name those that matter by --field."
    if why.messages == 1:
        yield "There is one message alone, of which all figures are; other messages may cost otherwise."
    elif why.weighed.messages < why.messages:
        yield f"Bytes are of {count(why.weighed.messages)} of {count(why.messages)} messages, evenly spread."
    yield from (f"{name}: {reason}." for name, reason in why.weighed.failures.items())


def _elsewhere(part: Part) -> str:
    where = f"below {part.same_as}" if part.same_as else "those of the message itself"
    return (
        f"{part.path} is of the type {part.type}, whose parts are shown once, {where}, and are emptied "
        "wherever it stands."
    )


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(paths[:_NAMED]) + more
