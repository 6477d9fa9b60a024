"""Tables of what each part of messages costs: the tree of the parts, with columns for each codec."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from serbench.changes.emptying import Part
from serbench.errors import in_short
from serbench.report.gathering import gathered
from serbench.report.numbers import count, duration, mean_size
from serbench.report.table import BROKEN, UNBOUNDED, Said, Table, in_parts, over_lines
from serbench.report.why import LEAST, MOST_OF_IT, TIMES, Cost, Taking, Why
from serbench.stats.summary import ROUNDS_TO_RANK, Interval

_LAYOUTS = (
    ("bytes", "%", "", "zstd", "write", "% of it", "read", "% of it"),
    ("bytes", "%", "zstd", "write", "% of it", "read", "% of it"),
    ("bytes", "%", "zstd", "write %", "read %"),
    ("bytes", "zstd", "write %", "read %"),
    ("bytes", "zstd", "write ±", "read ±"),
)
"""The columns of a codec in each layout, the fullest first."""

_WITHOUT_TIMES = (("bytes", "%", "", "zstd"), ("bytes", "%", "zstd"))

NOTHING = "~0"
"""Stands for a time that is not told apart from nothing."""

_BAR = 8
_SHOWN = 40
_NAMED = 5
"""How many paths a note names; it counts the others."""


def why_tables(why: Why, room: int) -> list[Table]:
    """The tables of the costs of parts, with as many codecs side by side as fit ``room`` columns. On a
    terminal, only the parts with the greatest shares are shown."""
    parts = why.weighed_parts if room == UNBOUNDED else why.shown(_SHOWN)
    tables, _ = in_parts(
        why.codecs, _LAYOUTS if why.runs else _WITHOUT_TIMES, room, partial(table_of, why, parts)
    )
    if hidden := len(why.weighed_parts) - len(parts):
        tables[-1].notes.append(
            f"{count(hidden)} parts with less are not shown; --format markdown or json shows all."
        )
    tables[0].verdict = [*_most(why), *_differing(why)]
    tables[-1].notes += [*_notes(why)]
    return [*tables, *tables_below(why, room)]


def tables_below(why: Why, room: int) -> list[Table]:
    """The tables below the tree: of the kinds of values, of other forms of these, and of the parts without
    which programs were built; none of those that are not known."""
    kinds = _list(why, why.kinds, why.of_kind, ("by kind of value", "kind"), room)
    if kinds:
        kinds[-1].notes.append(
            "By kind: with all values of the kind empty at once, wherever they stand. Kinds overlap, as a "
            "text may be optional and stand in a list, so they do not add up. –: empty values take as many "
            "bytes."
        )
    chosen = _list(why, why.choices, why.of_choice, ("by choice of form", "change"), room)
    if chosen:
        chosen[-1].notes.append(
            "By choice: what programs save whose schema gives all values of a kind another form; below zero "
            "it takes more. utf8: texts are bytes. –: it takes as many bytes."
        )
    dropped = _list(why, why.dropped_parts, why.without, ("programs without a field", "part"), room)
    if dropped:
        dropped[-1].notes.append(
            "By drop: what programs save that have no such field, each in several layouts. What is more than "
            "by empty is the cost of the field when it is empty."
        )
    return [*kinds, *chosen, *dropped]


def _list(
    why: Why,
    parts: Sequence[Part],
    cost_of: Callable[[str, Part], Cost],
    words: tuple[str, str],
    room: int,
) -> list[Table]:
    """The tables of some parts without a tree; none for no parts. ``words`` end their titles, and head their
    first column."""
    if not parts:
        return []
    costs = {codec: {(cost := cost_of(codec, part)).path: cost for part in parts} for codec in why.codecs}
    paths = list(costs[why.codecs[0]])

    def table(codecs: Sequence[str], columns: Sequence[str]) -> Table:
        rows = [_row(why, path, path, codecs, costs, columns) for path in paths]
        made = _table(why, f"{why.workload}: {words[0]}", codecs, columns, rows)
        return replace(made, headings=[words[1], *made.headings[1:]])

    layouts = _LAYOUTS[2:] if why.runs else _WITHOUT_TIMES[1:]
    return in_parts(why.codecs, layouts, room, table)[0]


def table_of(why: Why, parts: Sequence[Part], codecs: Sequence[str], columns: Sequence[str]) -> Table:
    """The tree of these parts with the columns of each codec: the whole message, the parts, what is left."""
    costs = {codec: {cost.path: cost for cost in why.costs(codec)} for codec in codecs}
    rows = [_row(why, "whole message", "", codecs, costs, columns)]
    for part in parts:
        rows.append(_row(why, "  " * part.depth + part.step, part.path, codecs, costs, columns))
    rows.append(_row(why, "left without all parts", "*", codecs, costs, columns))
    return _table(why, why.workload, codecs, columns, rows)


def _table(
    why: Why, title: str, codecs: Sequence[str], columns: Sequence[str], rows: list[list[str]]
) -> Table:
    headings = ["part", "in"]
    for codec in codecs:
        first, *others = columns
        name = "" if len(why.codecs) == 1 else f"{over_lines(codec, BROKEN)}\n"
        headings += [f"{name}{first}", *others]
    numeric = {1, *(n for n in range(2, len(headings)) if columns[(n - 2) % len(columns)])}
    return Table(title, headings, rows, frozenset(numeric))


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
    is_in = is_part and some.filled is not None
    cells = [label, _percent((some.filled or 0) / why.weighed.messages) if is_in else ""]
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
                cells.append(_time(took.ns) if column in TIMES else _share(took, path, column))
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


def _share(took: Taking, path: str, column: str) -> str:
    """The share of a time with the ends of its interval, or in a column ``±`` with how far it reaches; that
    of the whole message has none."""
    share = took.share
    if not path:
        return "100 %"
    if column.endswith("±"):
        reach = 100 * max(share.high - share.estimate, share.estimate - share.low)
        return f"{_percent(share.estimate)} ±{reach:.{0 if reach >= 0.95 else 1}f}"
    low, high = (_percent(each).removesuffix(" %") for each in (share.low, share.high))
    return f"{_percent(share.estimate)} ({low}–{high})"


def _most(why: Why) -> Iterator[Said]:
    """A line for each codec: the part that takes most bytes, most time to write, and most to read."""
    for codec in why.codecs:
        costs = {part.path: why.cost(codec, part) for part in why.weighed_parts}
        said = []
        for what, of in _KINDS.items():
            known = {path: of(cost) for path, cost in costs.items()}
            if part := _deepest(why, {path: max(0.0, each.low) for path, each in known.items()}):
                said.append(f"{what} in {part} ({_percent(_share_of(costs[part], what))})")
        if said:
            yield Said(codec, f"most {', '.join(said)}")


def _differing(why: Why) -> Iterator[Said]:
    """A line on the parts in which the codecs surely differ most, per message."""
    costs = {codec: {part.path: why.cost(codec, part) for part in why.weighed_parts} for codec in why.codecs}
    said = []
    for what, of in _KINDS.items():
        figures = {
            part.path: [of(costs[codec][part.path]) for codec in why.codecs] for part in why.weighed_parts
        }
        gaps = {
            path: max(each.low for each in own) - min(each.high for each in own)
            for path, own in figures.items()
        }
        part = _deepest(why, gaps)
        if part:
            ends = sorted(zip(figures[part], why.codecs, strict=True), key=lambda end: end[0].estimate)
            shown = ", ".join(f"{_amount(own, what)} with {codec}" for own, codec in (ends[0], ends[-1]))
            said.append(f"in {what} of {part} ({shown})")
    if said:
        yield Said("differ most", ", ".join(said))


_NONE = Interval(0.0, 0.0, 0.0, 0.0)


def _bytes_of(cost: Cost) -> Interval:
    return replace(_NONE, estimate=cost.bytes, low=cost.bytes, high=cost.bytes) if cost.bytes else _NONE


def _time_of(word: str, cost: Cost) -> Interval:
    return cost.times[word].ns if word in cost.times else _NONE


_KINDS: dict[str, Callable[[Cost], Interval]] = {
    "bytes": _bytes_of,
    "time to write": partial(_time_of, "write"),
    "time to read": partial(_time_of, "read"),
}
"""What a part takes → a function that gives it for a message, with its interval; 0 where it is not known."""


def _share_of(cost: Cost, what: str) -> float:
    word = what.rpartition(" ")[2]
    return cost.times[word].share.estimate if word in cost.times else cost.share or 0.0


def _amount(figure: Interval, what: str) -> str:
    if what == "bytes":
        return f"{_signed(figure.estimate)} B"
    return _time(figure) if figure.low > 0 or figure.high < 0 else NOTHING


def _deepest(why: Why, amounts: dict[str, float]) -> str:
    """The path of the part with the greatest amount, or of a part inside it that has most of that; empty
    where no part has any."""
    listed = {part.path for part in why.weighed_parts}
    path = ""
    while True:
        inside = [
            part.path for part in why.weighed_parts if (part.above if part.above in listed else "") == path
        ]
        best = max(inside, key=lambda each: amounts[each], default="")
        if not best or amounts[best] <= (MOST_OF_IT * amounts[path] if path else 0):
            return path
        path = best


def _notes(why: Why) -> Iterator[str]:
    """Notes on what the figures are, and on what is not seen or was not looked at."""
    yield (
        "By empty: the same program, with messages in which the values of the part are empty, absent or "
        "zero. Figures are per message, on average; in: the messages in which the part holds something."
    )
    yield (
        "Parts do not add up to the whole, since they share framing, caches and allocations; what no part "
        "has is the last line."
    )
    times = [took for codec in why.codecs for cost in why.costs(codec) for took in cost.times.values()]
    if why.runs and not times:
        yield f"Fewer than {ROUNDS_TO_RANK} rounds tell no times; a longer --max-time has more."
    if any(not took.is_told for took in times):
        yield f"{NOTHING}: not told apart from nothing; of twenty parts that cost nothing, one seems to."
    parts = why.weighed_parts
    if empty := [part.path for part in parts if not why.weight(part.change).filled]:
        yield f"Already empty in all messages, so nothing is known of it: {_some(empty)}."
    filled = [part for part in parts if why.weight(part.change).filled]
    kept = {c: tuple(p.path for p in filled if why.cost(c, p).bytes is None) for c in why.codecs}
    for same, codecs in gathered((paths, codec) for codec, paths in kept.items() if paths).items():
        write = "writes" if len(codecs) == 1 else "write"
        yield (
            f"{', '.join(codecs)} {write} as many bytes for an empty value, so that emptying shows none of "
            f"them: {_some(same)}."
        )
    remains = gathered((p.remains, p.path) for p in parts if p.remains and why.weight(p.change).filled)
    for what, paths in remains.items():
        yield f"Cannot be empty, so {what} stands for that: {_some(paths)}."
    yield from _left_out(why, parts)
    elsewhere = gathered(((p.type, p.same_as), p.path) for p in parts if p.same_as is not None)
    for (type, home), paths in elsewhere.items():
        where = f"below {home}" if home else "as those of the message itself"
        yield (
            f"The parts of {type} are shown once, {where}, and are emptied wherever it stands, as in "
            f"{_some(paths)}."
        )


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
        parts_were = "part was" if lacking == 1 else "parts were"
        yield f"{count(lacking)} further {parts_were} not looked at; name those that matter by --field."
    if why.messages == 1:
        yield "There is one message alone, of which all figures are; other messages may cost otherwise."
    elif why.weighed.messages < why.messages:
        yield f"Bytes are of {count(why.weighed.messages)} of {count(why.messages)} messages, evenly spread."
    yield from (f"No program lacks {path}: {reason}." for path, reason in why.undropped.items())
    failures = {**why.weighed.failures, **why.failures}
    yield from (f"{name}: {in_short(reason)}" for name, reason in failures.items())


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(paths[:_NAMED]) + more
