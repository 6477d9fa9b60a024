"""Whether a codec variant supports a workload with its data, decided before anything is built."""

from __future__ import annotations

from pathlib import Path

from serbench.codec import Variant
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode
from serbench.dataset.edges import float_outside
from serbench.dataset.file import Dataset
from serbench.dataset.values import steps_of
from serbench.model import Scalar
from serbench.model.parts import types_in
from serbench.paths import Paths
from serbench.workload import WorkloadSpec


def why_unsupported(variant: Variant, spec: WorkloadSpec, paths: Paths) -> str | None:
    """Why a codec variant cannot do the data of a workload with these parameters; None if it can.

    The data are looked at, and generated if need be, only if the codec declares a limit on data.
    """
    if reason := variant.why_not(spec.workload.schema):
        return reason
    sizes = {
        each.message_bytes_over: each.reason for each in variant.cannot if each.message_bytes_over is not None
    }
    if sizes:
        largest = max(map(len, dataset_for(spec, paths).read_messages()))
        for most, reason in sizes.items():
            if largest > most:
                return f"{reason}; one has {largest:,} canonical bytes, but it supports at most {most:,}"
    if limit := variant.steps_limit(spec.workload.schema):
        deepest = _deepest(dataset_for(spec, paths))
        if deepest > limit.steps:
            return (
                f"{limit.reason}; a message has {deepest:,} steps of recursion, "
                f"but it supports at most {limit.steps:,}"
            )
    if allowed := variant.tolerance.float_range:
        return _float_outside(dataset_for(spec, paths), *allowed)
    return None


_DEEPEST: dict[tuple[Path, str], int] = {}
"""The most steps of recursion in a dataset, by its path and digest: many codecs have a limit."""


def _deepest(dataset: Dataset) -> int:
    """The most steps of recursion that a message has."""
    key = dataset.path, dataset.sha256
    if key not in _DEEPEST:
        root = dataset.schema().root
        _DEEPEST[key] = max(steps_of(root, decode(root, message)) for message in dataset.read_messages())
    return _DEEPEST[key]


def _float_outside(dataset: Dataset, low: float, high: float) -> str | None:
    """Why a codec that takes floats from ``low`` to ``high`` cannot do the data, with the place of a float
    outside; None if there is no such float."""
    root = dataset.schema().root
    if any(isinstance(type, Scalar) and type.is_float for type in types_in(root)):
        for n, message in enumerate(dataset.read_messages()):
            if place := float_outside(root, decode(root, message), low, high):
                return f"it supports only floats from {low:g} to {high:g}; message {n}, {place}"
    return None
