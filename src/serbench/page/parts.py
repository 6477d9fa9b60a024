"""The finding of ``why``, ``advise`` or ``history`` as HTML that needs no script: the bytes of parts as
boxes, which are a nested list; a table with bars of their times; advice as tables; releases as charts and
tables. ``page/src/parts.ts`` lets keys walk the boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from serbench.measure.store import Run
from serbench.page.tables import html_table, html_text, said_html
from serbench.report.advice_table import advice_tables
from serbench.report.charts.releases import TOLD, releases_of, svg
from serbench.report.history_table import history_tables
from serbench.report.icicle import LEGEND, Box, icicle_of
from serbench.report.kept import advice_of, history_of, why_of
from serbench.report.numbers import mean_size, rounded
from serbench.report.table import UNBOUNDED
from serbench.report.why import TIMES, Why
from serbench.report.why_table import table_of, tables_below, why_tables
from serbench.stats.summary import Interval
from serbench.text import safe

_COLUMNS = ("bytes", "%", "zstd", "write %", "read %")


def finding_html(run: Run) -> Iterator[str]:
    """The finding of a run as a section; nothing where the run was for something else."""
    if why := why_of(run):
        yield '<section class="finding"><h2>What each part costs</h2>'
        below = tables_below(why, UNBOUNDED)
        tables = why_tables(why, UNBOUNDED)[: -len(below) or None]
        yield from map(said_html, tables[0].verdict)
        for codec in why.codecs:
            yield from _codec(why, codec)
        notes = "".join(f"<li>{html_text(note)}" for note in tables[-1].notes)
        yield f'<ul class="quiet">{notes}</ul>'
        for table in below:
            yield from html_table(table, len(table.rows), "h3")
        for codec in why.codecs:
            yield from _forms(why, codec)
        yield "</section>"
    elif advice := advice_of(run):
        yield '<section class="finding"><h2>What would save bytes</h2>'
        for table in advice_tables(advice, UNBOUNDED, has_intervals=True):
            yield from html_table(table, len(table.rows), "h3")
        yield "</section>"
    elif history := history_of(run):
        yield '<section class="finding"><h2>Which version changed the times</h2>'
        for chart in releases_of(history):
            yield f'<div class="scrolls">{svg(chart, alone=False)}</div>'
        yield f'<p class="quiet told">{html_text(TOLD)}</p>'
        for table in history_tables(history, UNBOUNDED):
            yield from html_table(table, len(table.rows), "h3")
        yield "</section>"


def _codec(why: Why, codec: str) -> Iterator[str]:
    table = table_of(why, why.weighed_parts, [codec], _COLUMNS)
    rows = {cost.path: row for cost, row in zip(why.costs(codec), table.rows, strict=True)}
    title = f"{why.workload} with {codec}"
    root = icicle_of(why, codec)
    yield f"<h3>{html_text(title)}</h3>"
    yield f'<ul class="icicle" data-label="{_attribute(f"bytes of {title}, by part")}">'
    yield from _box(root, root.span, rows)
    yield f'</ul><p class="quiet told">{html_text(LEGEND)}</p>'
    named = _attribute(f"costs of {title}, by part")
    yield f'<div class="scrolls" tabindex="0" role="region" aria-label="{named}">'
    yield '<table class="plain costs"><tr>'
    heads = ("part", "in", "bytes", "of it", "zstd", *(f"time to {word}" for word in TIMES))
    is_timed = any(cost.times for cost in why.costs(codec))
    shown = [n for n in range(len(heads)) if n < 5 or is_timed]
    yield "".join(f'<th scope="col">{heads[n]}' for n in shown)
    for cost, row in zip(why.costs(codec), table.rows, strict=True):
        deep = (len(row[0]) - len(row[0].lstrip())) / 2
        yield f'<tr><th scope="row" style="padding-left:{deep + 0.5:g}rem">{html_text(row[0].strip())}'
        for n in shown[1:]:
            word = [*TIMES][n - 5] if n >= 5 else ""
            took = cost.times.get(word)
            bar = _bar(took.share, not cost.path or took.is_told) if took else ""
            yield f"<td>{html_text(row[n])}{bar}"
    yield "</table></div>"


def _forms(why: Why, codec: str) -> Iterator[str]:
    """A table with bars of what other forms of values leave of the message; nothing where there are none."""
    rows = {each.path: left for each in why.choices if (left := why.of_choice(codec, each).left)}
    if not rows:
        return
    title = f"{why.workload} with {codec}: messages with other forms of values"
    yield f'<h3>{html_text(title)}</h3><p class="quiet told">Shares of the message as it is.</p>'
    yield f'<div class="scrolls" tabindex="0" role="region" aria-label="{_attribute(title)}">'
    heads = {"bytes": "bytes", **{word: f"time to {word}" for word in TIMES}}
    shown = [word for word in heads if any(word in left for left in rows.values())]
    widest = max(1.0, *(share.high for left in rows.values() for share in left.values()))
    whole = dict.fromkeys(shown, Interval(1.0, 1.0, 1.0, 0.0))
    yield '<table class="plain costs"><tr><th scope="col">change'
    yield "".join(f'<th scope="col">{heads[word]}' for word in shown)
    for name, left in {"as it is": whole, **rows}.items():
        yield f'<tr><th scope="row">{html_text(name)}'
        for word in shown:
            share = left.get(word)
            yield f"<td>{html_text(_told(share))}{_bar(share.scaled(1 / widest), True)}" if share else "<td>"
    yield "</table></div>"


def _told(share: Interval) -> str:
    """A share of the whole message, with the ends of its interval where it has one."""
    percents = [rounded(100 * each, 3) for each in (share.estimate, share.low, share.high)]
    return f"{percents[0]} %" + (f" ({percents[1]}–{percents[2]})" if share.coverage else "")


def _box(box: Box, above: float, rows: dict[str, Sequence[str]]) -> Iterator[str]:
    """The item of a box whose list is ``above`` bytes wide, with the items of those in it."""
    row = rows[box.cost.path]
    said = f"{box.cost.path or box.label}: {row[2]} bytes, {row[3]} of the message"
    said += "".join(f", {row[5 + n]} of the time to {word}" for n, word in enumerate(TIMES) if row[5 + n])
    yield f'<li style="width:{_percent(box.span, above)}">'
    label = html_text(f"{box.label} {mean_size(box.width)}")
    yield f'<span style="width:{_percent(box.width, box.span)}" title="{_attribute(said)}">{label}</span>'
    if box.inside:
        yield "<ul>"
        for each in box.inside:
            yield from _box(each, box.span, rows)
        if box.rest:
            yield f'<li class="rest" style="width:{_percent(box.rest, box.span)}"></li>'
        yield "</ul>"
    yield "</li>"


def _bar(of: Interval, is_told: bool) -> str:
    """A bar of a share, with its interval; the interval alone where nothing is told."""
    share, low, high = (100 * max(0.0, min(each, 1.0)) for each in (of.estimate, of.low, of.high))
    bar = f'<i style="width:{share:.1f}%"></i>' if is_told else ""
    return f'<span class="share-bar">{bar}<b style="left:{low:.1f}%;width:{high - low:.1f}%"></b></span>'


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole if whole else 0:.4g}%"


def _attribute(text: str) -> str:
    return escape(safe(text))
