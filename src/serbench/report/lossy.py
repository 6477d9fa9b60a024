"""Marks what a codec that is lossy by design changes: beside rows that keep every bit, its figures are of less work."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

MARK = "≈"


def marked(name: str, codec: str, manifest: Mapping[str, Any]) -> str:
    """``name``, with the mark where the run says that ``codec`` is lossy."""
    return f"{name} {MARK}" if codec in manifest.get("lossy", {}) else name


def losses(manifests: Iterable[Mapping[str, Any]], codecs: Collection[str] | None = None) -> list[str]:
    """A line that says what each lossy codec changes, of ``codecs`` or of all for None; none where nothing is lossy."""
    found: dict[str, list[str]] = {}
    for manifest in manifests:
        for codec, loss in manifest.get("lossy", {}).items():
            if (codecs is None or codec in codecs) and codec not in found.get(loss, ()):
                found.setdefault(loss, []).append(codec)
    told = "; ".join(f"{', '.join(names)}: {loss}" for loss, names in found.items())
    return [f"{MARK}: lossy by design, so less work than for the others. {told}."] if told else []
