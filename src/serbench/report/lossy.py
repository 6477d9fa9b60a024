"""Marks codecs that are lossy by design: they do less work than the rows beside them that keep every bit."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from serbench.measure.manifest import Manifest
from serbench.report.gathering import gathered

MARK = "≈"


def marked(name: str, codec: str, manifest: Manifest) -> str:
    """Add the mark of lossy codecs to ``name`` if the run says that ``codec`` is lossy."""
    return f"{name} {MARK}" if codec in manifest.lossy else name


def losses(manifests: Iterable[Manifest], codecs: Collection[str] | None = None) -> list[str]:
    """A line on what each lossy codec changes, of all or of these ``codecs``; empty where none is lossy."""
    lossy = dict.fromkeys(
        (loss, codec)
        for manifest in manifests
        for codec, loss in manifest.lossy.items()
        if codecs is None or codec in codecs
    )
    found = gathered(lossy)
    told = "; ".join(f"{', '.join(names)}: {loss}" for loss, names in found.items())
    return [f"{MARK}: lossy by design, so it does less work than the others. {told}."] if told else []
