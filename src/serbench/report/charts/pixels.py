"""Parts of pictures that are laid out by the pixel: texts, their sizes and colours, and the way they become
images with Vega-Lite. Nothing is fetched, and the font is the renderer's own."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

Spec = dict[str, Any]
"""A picture as Vega or Vega-Lite describes it."""

Value = dict[str, Any]
"""A mark of a layer: its places, in pixels, and its text or colour."""

PNG_SCALE = 2
"""Pixels of a PNG for one of the layout: sharp on dense screens."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first is part of the renderer, and the next two have the same widths, so that an SVG looks the same
where the first is missing."""

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


def svg_of(spec: Spec) -> str:
    """A picture as SVG, with its texts as text."""
    import vl_convert

    if _is_vega(spec):
        return vl_convert.vega_to_svg(spec)
    return vl_convert.vegalite_to_svg(spec, vl_version=_vegalite_version())


def png_of(spec: Spec) -> bytes:
    """A picture as PNG."""
    import vl_convert

    if _is_vega(spec):
        return vl_convert.vega_to_png(spec, scale=PNG_SCALE)
    return vl_convert.vegalite_to_png(spec, vl_version=_vegalite_version(), scale=PNG_SCALE)


def _is_vega(spec: Spec) -> bool:
    """Whether it is for Vega itself, and not for Vega-Lite, which is made into Vega."""
    return "/vega/" in spec["$schema"]


def _vegalite_version() -> str:
    """The version whose schema Altair writes, as the renderer names it: ``6.4``."""
    import altair as alt

    return ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])


def layered(
    layers: Sequence[alt.Chart],
    size: tuple[float, float],
    title: str,
    subtitle: Sequence[str],
    described: str,
) -> Spec:
    """Layers of marks with their title, as one chart.

    Args:
        size: width and height of the plot, in pixels.
        subtitle: lines.
        described: the text for people who do not see it.
    """
    import altair as alt

    titled = alt.TitleParams(
        title,
        subtitle=list(subtitle),
        anchor="start",
        frame="bounds",
        fontSize=_TITLE_SIZE,
        subtitleFontSize=TEXT_SIZE,
        subtitleLineHeight=LINE_HEIGHT,
        subtitleColor=QUIET_COLOUR,
        subtitlePadding=6,
        color=TEXT_COLOUR,
        offset=12,
    )
    chart = alt.layer(*layers).properties(width=size[0], height=size[1], title=titled, description=described)
    spec: Spec = chart.configure(
        font=FONT,
        background="white",
        padding=16,
        view=alt.ViewConfig(stroke=None),
        text=alt.MarkConfig(font=FONT),
    ).to_dict()
    return spec


def wrapped(paragraphs: Sequence[str], width: float) -> list[str]:
    """Paragraphs as lines of that many pixels, never broken inside a name or at a no-break space."""
    characters = int(width / (PROSE_EM * TEXT_SIZE))
    return [
        line.replace("\u00a0", " ")
        for paragraph in paragraphs
        for line in textwrap.wrap(paragraph, characters, break_long_words=False, break_on_hyphens=False)
    ]


def tops(apart: Sequence[object]) -> list[float]:
    """The upper edges of rows, those that are ``apart`` first, with a gap below them."""
    gap = FLOOR_GAP if 0 < sum(map(bool, apart)) < len(apart) else 0
    return [ROW_HEIGHT * n + (0 if each else gap) for n, each in enumerate(apart)]


def prose(paragraphs: Sequence[str], x: float, y: float, width: float) -> list[Value]:
    """Paragraphs as values of ``texts`` from ``y`` on, in lines of that many pixels."""
    return [
        {"x": x, "y": y + n * LINE_HEIGHT, "text": line} for n, line in enumerate(wrapped(paragraphs, width))
    ]


def label_width(labels: Sequence[str]) -> float:
    """The pixels that labels take beside a plot, with a gap to it."""
    return max(LEAST_LABELS, max(map(len, labels)) * NAME_EM * TEXT_SIZE + 8)


def texts(values: list[Value], **style: Any) -> alt.Chart:
    """Texts, each with its ``x``, ``y`` and ``text``."""
    style = {"baseline": "middle", "fontSize": TEXT_SIZE, "aria": False, **style}
    placed = {"x": pixel("x"), "y": pixel("y", "Y"), "text": "text:N"}
    marked: alt.Chart = of_values(values).mark_text(**style).encode(**placed)
    return marked


def of_values(values: list[Value]) -> alt.Chart:
    """A layer of these values, without marks yet."""
    import altair as alt

    return alt.Chart(alt.InlineData(values=values))


def pixel(field: str, channel: str = "X") -> Any:
    """A field that holds pixels, not values of a scale."""
    import altair as alt

    return getattr(alt, channel)(f"{field}:Q", scale=None, axis=None)


def literal(field: str) -> dict[str, Any]:
    """A field that holds colours as they are."""
    return {"field": field, "type": "nominal", "scale": None, "legend": None}
