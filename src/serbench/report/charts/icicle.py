"""Pictures of what parts of messages cost: their bytes as boxes below each other, and their times as bars;
and of other forms of values, as bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from serbench.report.charts import pixels
from serbench.report.charts.drawing import chart
from serbench.report.charts.picture import Picture, PictureRow
from serbench.report.charts.scatter import plain
from serbench.report.icicle import LEGEND, icicle_of
from serbench.report.numbers import duration, mean_size, rounded
from serbench.report.why import TIMES, Cost, Why
from serbench.report.why_table import NOTHING
from serbench.text import safe, shortened

_WIDTH = 900
_HEIGHT, _GAP = 24, 2
_LETTER = pixels.NAME_EM * pixels.TEXT_SIZE
_FILLS = ("#b9cde4", "#cfe0d2")
"""The colours of boxes beside each other, in turn."""
_REST = "#8a94a0"
_HATCH = 6
_TITLES = {"write": "time to write", "read": "time to read"}
_TOLD = (
    "By empty: the time that is saved when the part is empty, per message; thin lines: 95 % interval, drawn "
    f"from 0 on. {NOTHING}: not told apart from nothing. Parts do not add up to the whole."
)

_FORMS_TOLD = (
    "All values of a kind in another form, by a program of its own, against the messages as they are (100 "
    "%); thin lines: 95 % interval. ~: not told apart from that. utf8: texts are bytes."
)


def why_drawings(why: Why) -> Iterator[tuple[str, Callable[[], pixels.Spec]]]:
    """For each codec, the name of each picture's files, and the function that makes the picture."""
    for codec in why.codecs:
        name = f"{plain(why.workload)}-{plain(codec)}"
        yield f"{name}-bytes-of-parts", partial(_icicle, why, codec)
        for word in TIMES:
            if bars := [*_bars(why, codec, word)]:
                title = f"{safe(why.workload)} with {safe(codec)}: {_TITLES[word]} the parts"
                headings = ("time", "of it")
                picture = Picture(
                    f"{name}-{word}-of-parts", title, [], "ns", headings, bars, [_TOLD], "time of a message"
                )
                yield picture.name, partial(chart, picture)
        if bars := [*_forms(why, codec)]:
            title = f"{safe(why.workload)} with {safe(codec)}: messages with other forms of values"
            notes, axis = [_FORMS_TOLD], "of the message as it is"
            picture = Picture(f"{name}-forms", title, [], "share", ("of it",), bars, notes, axis)
            yield picture.name, partial(chart, picture)


def _forms(why: Why, codec: str) -> Iterator[PictureRow]:
    """The bars of each other form: of the bytes, and of the times that were taken."""
    for choice in why.choices:
        for word, left in why.of_choice(codec, choice).left.items():
            text = (
                "~"
                if left.coverage and left.low <= 1 <= left.high
                else f"{rounded(100 * left.estimate, 3)} %"
            )
            label = f"{shortened(safe(choice.path), 50)}, {_TITLES.get(word, word)}"
            yield PictureRow(label, left.estimate, left.low, left.high, (text,))


def _bars(why: Why, codec: str, word: str) -> Iterator[PictureRow]:
    for cost in why.costs(codec):
        if took := cost.times.get(word):
            is_told = took.is_told or not cost.path
            value, low, high = (max(0.0, each) for each in (took.ns.estimate, took.ns.low, took.ns.high))
            texts = (duration(took.ns) if is_told and took.ns.estimate > 0 else NOTHING,)
            share = f"{100 * took.share.estimate:.0f} %" if is_told else ""
            yield PictureRow(_name(cost), value if is_told else 0.0, low, high, (*texts, share))


def _name(cost: Cost) -> str:
    names = {"": "whole message", "*": "left without all parts"}
    return names.get(cost.path) or shortened(safe(cost.path), 60)


def _icicle(why: Why, codec: str) -> pixels.Spec:
    """The boxes of a codec, for Vega-Lite."""
    root = icicle_of(why, codec)
    scale = _WIDTH / (root.span or 1.0)
    rects, labels, lines = list[pixels.Value](), list[pixels.Value](), list[pixels.Value]()
    deepest = 0
    for n, (box, left, depth) in enumerate(root.placed()):
        deepest = max(deepest, depth + bool(box.inside))
        x, top = left * scale, float(depth * _HEIGHT)
        right = x + max(box.width * scale - _GAP, 0.5)
        rects.append({"x": x, "x2": right, "y": top, "y2": top + _HEIGHT - _GAP, "color": _FILLS[n % 2]})
        if room := int((right - x - 8) / _LETTER):
            text = f"{safe(box.label)} {mean_size(box.width)}"
            if room >= len(text) or room > 5:
                shown = text if len(text) <= room else shortened(safe(box.label), room)
                labels.append({"x": x + 4, "y": top + (_HEIGHT - _GAP) / 2, "text": shown})
        if box.rest * scale > _GAP:
            begin = (left + box.taken) * scale
            lines += _hatched(begin, right, top + _HEIGHT, top + 2 * _HEIGHT - _GAP)
    height = (deepest + 1) * _HEIGHT
    hidden = [path for box in root.all() for path in box.hidden]
    notes = [LEGEND, *([f"Saves nothing when empty: {', '.join(map(safe, hidden))}."] if hidden else [])]
    left_over = why.left(codec).bytes
    if left_over is not None:
        notes.append(f"With every part empty, a message still takes {mean_size(left_over)} bytes.")
    layers = [
        pixels.layer("rect", rects, "x x2 y y2 color"),
        *([pixels.layer("rule", lines, "x x2 y y2 stroke", strokeWidth=1)] if lines else []),
        pixels.texts(labels, align="left", color=pixels.TEXT_COLOUR),
        pixels.texts(pixels.prose(notes, 0, height + 16, _WIDTH), align="left", color=pixels.QUIET_COLOUR),
    ]
    told = "; ".join(f"{_name(box.cost)}: {mean_size(box.width)}" for box in root.all())
    title = f"{safe(why.workload)} with {safe(codec)}: bytes of a message by part"
    return pixels.layered(layers, (_WIDTH, height), title, [], f"{title}. {told}")


def _hatched(left: float, right: float, top: float, bottom: float) -> list[pixels.Value]:
    """Diagonal lines over what no part has, and a line around it."""
    height, found = bottom - top, list[tuple[float, float, float, float]]()
    start = left - height
    while start < right:
        begin, end = max(start, left), min(start + height, right)
        if begin < end:
            found.append((begin, end, bottom - (begin - start), bottom - (end - start)))
        start += _HATCH
    found += [(left, left, top, bottom), (right, right, top, bottom)]
    found += [(left, right, top, top), (left, right, bottom, bottom)]
    return [{**dict(zip(("x", "x2", "y", "y2"), each, strict=True)), "stroke": _REST} for each in found]
