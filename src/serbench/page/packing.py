"""Packs columns for a page (``page/src/data.ts``): small, and without characters that HTML would read."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from typing import Any

import msgspec

from serbench.export.columns import Columns

DIGITS = 6
"""How many significant digits a number keeps: ten times as fine as an interval's end can be read in any
chart."""

Packed = dict[str, Any]


def pack_columns(columns: Columns) -> dict[str, Packed | list[Any]]:
    """Packs each column: numbers and truth values as a list; texts as ``{"words": […], "at": […]}``, the
    different texts and the place of each row's text among them. Unknown values are null."""
    return {
        name: _words(values) if any(isinstance(each, str) for each in values) else [*map(_number, values)]
        for name, values in columns.items()
    }


def _words(values: Sequence[str | None]) -> Packed:
    places: dict[str, int] = {}
    at = [None if value is None else places.setdefault(value, len(places)) for value in values]
    return {"words": list(places), "at": at}


def _number(value: Any) -> Any:
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return int(short) if short.is_integer() and abs(short) < 1 << 53 else short
    return value


def packed(data: Any) -> str:
    """Plain values as JSON, gzipped, in base64, which holds no markup whatever the texts are.

    The same values give the same text: no time of writing is in it.
    """
    return base64.b64encode(gzip.compress(msgspec.json.encode(data), 6, mtime=0)).decode()
