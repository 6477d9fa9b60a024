"""Pictures that are laid out by the pixel: their layers of marks, texts, sizes and colours as Vega-Lite
describes them, and how a picture becomes an image. Nothing is fetched, and the font is the renderer's own."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

Spec = dict[str, Any]
"""A picture as Vega or Vega-Lite describes it."""

Value = dict[str, Any]
"""A mark of a layer by the names of Vega-Lite's channels: its places, in pixels, and its text or colour."""

PNG_SCALE = 2
"""Pixels of a PNG for one of the layout: sharp on dense screens."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The fonts of texts. The first is part of the renderer, and the next two have the same widths, so that an
SVG looks the same where the first is missing."""

ROW_HEIGHT = 20
FLOOR_GAP = 10
TEXT_SIZE = 11
LINE_HEIGHT = 15
LEAST_LABELS = 130

# Mean widths of the font's letters in ems: in names and numbers, which would overlap if it were too small,
# and in prose, which is only wrapped by it.
NAME_EM = 0.6
PROSE_EM = 0.5

FLOOR_COLOUR = "#a8a8a8"
TEXT_COLOUR = "#222222"
QUIET_COLOUR = "#666666"
LINE_COLOUR = "#e4e4e4"

_TITLE_SIZE = 15

_VEGA_LITE = "6.4"
"""The version of Vega-Lite for which pictures are described."""


def svg_of(spec: Spec | str) -> str:
    """Return a picture as SVG, with its texts as text; one that is drawn as SVG is returned as it is."""
    if isinstance(spec, str):
        return spec
    import vl_convert

    if _is_vega(spec):
        return vl_convert.vega_to_svg(spec)
    return vl_convert.vegalite_to_svg(spec, vl_version=_VEGA_LITE)


def png_of(spec: Spec | str) -> bytes:
    """Return a picture, which is described or drawn as SVG, as PNG."""
    import vl_convert

    if isinstance(spec, str):
        return vl_convert.svg_to_png(spec, scale=PNG_SCALE)
    if _is_vega(spec):
        return vl_convert.vega_to_png(spec, scale=PNG_SCALE)
    return vl_convert.vegalite_to_png(spec, vl_version=_VEGA_LITE, scale=PNG_SCALE)


def _is_vega(spec: Spec) -> bool:
    """Whether a picture is described for Vega, and not for Vega-Lite, which the renderer makes into Vega."""
    return "/vega/" in spec["$schema"]


def layered(
    layers: Sequence[Spec], size: tuple[float, float], title: str, subtitle: Sequence[str], described: str
) -> Spec:
    """Return a picture of layers of marks below their title.

    Args:
        size: width and height of the plot, in pixels.
        subtitle: lines.
        described: the text for people who do not see the picture.
    """
    titled = {
        "text": title,
        "subtitle": subtitle,
        "anchor": "start",
        "frame": "bounds",
        "fontSize": _TITLE_SIZE,
        "subtitleFontSize": TEXT_SIZE,
        "subtitleLineHeight": LINE_HEIGHT,
        "subtitleColor": QUIET_COLOUR,
        "subtitlePadding": 6,
        "color": TEXT_COLOUR,
        "offset": 12,
    }
    style = {"font": FONT, "background": "white", "padding": 16, "view": {"stroke": None}}
    return {
        "$schema": f"https://vega.github.io/schema/vega-lite/v{_VEGA_LITE}.json",
        "config": {**style, "text": {"font": FONT}},
        "width": size[0],
        "height": size[1],
        "title": titled,
        "description": described,
        "layer": layers,
    }


def layer(mark: str, values: Sequence[Value], channels: str, x: Spec | None = None, **style: Any) -> Spec:
    """Return a layer with one mark, such as a ``rect``, for each of ``values``.

    Args:
        channels: the Vega-Lite channels, such as ``x y color``, to which each value gives an entry.
        x: the scale and the axis of the channel ``x``, where that does not hold pixels.
    """
    encoding: Spec = {name: {"field": name, **_ENCODED.get(name, {})} for name in channels.split()}
    encoding["x"] |= x or {}
    return {"mark": {"type": mark, "aria": False, **style}, "data": {"values": values}, "encoding": encoding}


_PIXEL = {"type": "quantitative", "scale": None, "axis": None}
_LITERAL = {"type": "nominal", "scale": None, "legend": None}
_ENCODED: dict[str, Spec] = {
    "x": _PIXEL,
    "y": _PIXEL,
    "text": {"type": "nominal"},
    "color": _LITERAL,
    "stroke": _LITERAL,
}
"""Channel → how its values are to be read: as pixels or colours, and not as values of a scale."""


def texts(values: Sequence[Value], channels: str = "x y text", **style: Any) -> Spec:
    """Return a layer of texts; ``y`` is the middle of a text's height."""
    return layer("text", values, channels, baseline="middle", fontSize=TEXT_SIZE, **style)


def wrapped(paragraphs: Sequence[str], width: float) -> list[str]:
    """Break paragraphs into lines of ``width`` pixels, never inside a name or at a no-break space."""
    characters = int(width / (PROSE_EM * TEXT_SIZE))
    return [
        line.replace("\u00a0", " ")
        for paragraph in paragraphs
        for line in textwrap.wrap(paragraph, characters, break_long_words=False, break_on_hyphens=False)
    ]


def tops(apart: Sequence[object]) -> list[float]:
    """The upper edge of each row; rows whose entry in ``apart`` is true come first, with a gap below them."""
    gap = FLOOR_GAP if 0 < sum(map(bool, apart)) < len(apart) else 0
    return [ROW_HEIGHT * n + (0 if each else gap) for n, each in enumerate(apart)]


def prose(paragraphs: Sequence[str], x: float, y: float, width: float) -> list[Value]:
    """Make values for ``texts`` of paragraphs that begin at ``y``, in lines of ``width`` pixels."""
    return [
        {"x": x, "y": y + n * LINE_HEIGHT, "text": line} for n, line in enumerate(wrapped(paragraphs, width))
    ]


def label_width(labels: Sequence[str]) -> float:
    """The pixels that labels take beside a plot, with a gap to it."""
    return max(LEAST_LABELS, max(map(len, labels)) * NAME_EM * TEXT_SIZE + 8)
