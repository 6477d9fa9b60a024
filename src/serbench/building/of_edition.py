"""Gives units the codecs of the edition in which they are built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from serbench.languages.base import Toolchain
from serbench.measure.unit import Unit
from serbench.selecting.catalogue import load_codecs


def as_declared(build: Toolchain, unit: Unit) -> Unit:
    """Return the unit with its variant as the codecs of the toolchain's edition declare it, whose adapter is
    another file; one that they do not declare is unsupported."""
    ids = (v for codec in build.codecs for v in codec.variants.values() if v.id == unit.variant.id)
    if variant := next(ids, None):
        return replace(unit, variant=variant)
    reason = unit.reason or f"{build.name} has no {unit.variant.id}"
    return replace(unit, status="unsupported" if unit.status == "ok" else unit.status, reason=reason)


def lacking(build: Toolchain, units: Sequence[Unit]) -> dict[str, dict[str, Any]]:
    """Return the status and the reason of units by codec, for codecs that the toolchain's edition does not
    have or that cannot be loaded from it."""
    if build.edition is None:
        return {}
    absent = {unit.variant.codec.id for unit in units} - {codec.id for codec in build.codecs}
    broken = load_codecs(*build.edition.codecs).broken if absent else {}
    return {
        codec: {"status": "failed", "reason": str(broken[codec])}
        if codec in broken
        else {"status": "unsupported", "reason": f"{build.name} has no {codec}"}
        for codec in absent
    }
