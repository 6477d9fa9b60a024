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
from serbench.report.numbers import mean_size
from serbench.report.table import UNBOUNDED
from serbench.report.why import TIMES, Taking, Why
from serbench.report.why_table import table_of, tables_below, why_tables
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
            yield f"<td>{html_text(row[n])}{_bar(took, not cost.path or took.is_told) if took else ''}"
    yield "</table></div>"


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


def _bar(took: Taking, is_told: bool) -> str:
    """A bar of the share of a time, with its interval; the interval alone where nothing is told."""
    share, low, high = (100 * max(0.0, min(each, 1.0)) for each in _ends(took))
    bar = f'<i style="width:{share:.1f}%"></i>' if is_told else ""
    return f'<span class="share-bar">{bar}<b style="left:{low:.1f}%;width:{high - low:.1f}%"></b></span>'


def _ends(took: Taking) -> tuple[float, float, float]:
    return took.share.estimate, took.share.low, took.share.high


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole if whole else 0:.4g}%"


def _attribute(text: str) -> str:
    return escape(safe(text))
