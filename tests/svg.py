"""The places of texts and marks in an SVG picture."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from xml.etree import ElementTree

import vl_convert

from serbench.report.charts.pixels import FONT

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Box:
    """The rectangle of a text, in pixels of the image."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


@cache
def ems(character: str, weight: str) -> float:
    """The width of a character in ems, in the font of the pictures; measured by how much wider a long line of
    this character makes an image."""

    def width(text: str) -> int:
        title = {"text": text, "fontSize": 100, "fontWeight": weight, "anchor": "start", "limit": 0}
        spec = {
            "title": title,
            "width": 1,
            "height": 1,
            "padding": 0,
            "data": {"values": [{}]},
            "mark": "point",
        }
        found = re.search(r' width="(\d+)"', vl_convert.vegalite_to_svg({**spec, "config": {"font": FONT}}))
        assert found
        return int(found[1])

    return (width(f"|{character * 60}|") - width(f"|{character * 20}|")) / 40 / 100


def translation(element: ElementTree.Element) -> tuple[float, float]:
    found = re.fullmatch(r"translate\(([-\d.e]+),([-\d.e]+)\)", element.get("transform", "translate(0,0)"))
    assert found, element.get("transform")  # nothing is turned or scaled
    return float(found[1]), float(found[2])


def placed(
    element: ElementTree.Element, x: float = 0, y: float = 0
) -> Iterator[tuple[ElementTree.Element, float, float]]:
    """Every element of a picture with the coordinates of its own origin in the image."""
    dx, dy = translation(element)
    yield element, x + dx, y + dy
    for child in element:
        yield from placed(child, x + dx, y + dy)


def boxes(svg: str) -> list[Box]:
    """The rectangles of all lines of text, with the ascent and descent of the font (0.905 and 0.212 of its
    size)."""
    found = []
    for element, x, y in placed(ElementTree.fromstring(svg)):
        if element.tag != f"{SVG}text":
            continue
        size = float(element.get("font-size", "").removesuffix("px"))
        weight = element.get("font-weight", "normal")
        for line in list(element) or [element]:
            y += float(line.get("dy", "0"))
            text = line.text or ""
            width = sum(ems(character, weight) for character in text) * size
            left = x - {"start": 0, "middle": width / 2, "end": width}[element.get("text-anchor", "start")]
            found.append(Box(text, left, y - 0.905 * size, left + width, y + 0.212 * size))
    return found


def marks(svg: str, kind: str) -> list[list[float]]:
    """The coordinates in the path or the transformation of each drawn shape that is a mark of this kind, such
    as ``rect`` or ``symbol``."""
    root = ElementTree.fromstring(svg)
    groups = [e for e, *_ in placed(root) if f"mark-{kind} role-mark" in e.get("class", "")]
    shapes = [shape for group in groups for shape in group]
    return [
        [float(n) for n in re.findall(r"-?[\d.]+", shape.get("d", "") or shape.get("transform", ""))]
        for shape in shapes
    ]
