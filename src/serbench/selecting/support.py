"""Whether a codec variant supports a workload with its data, decided before anything is built."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from serbench.codecs.codec import WHOLE, Inability, Variant
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode
from serbench.dataset.file import Dataset
from serbench.dataset.values import FINITE, Limits, kind_of, short, steps_of
from serbench.model import Enum, Map, Scalar, Schema, Type, string
from serbench.model.parts import has_floats, types_in
from serbench.paths import Paths
from serbench.selecting.selection import UPDATING
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
    for limits, reason in limits_of_leaves(variant, spec.workload.schema):
        if place := _beyond(dataset_for(spec, paths), limits):
            return f"{reason}; {place}"
    return None


def limits_of(variant: Variant, schema: Schema) -> Limits:
    """The limits that a variant sets to values of a schema's types."""
    steps = variant.steps_limit(schema)
    limits = Limits(most_steps=max(steps.steps, 0) if steps else None)
    for each, _ in limits_of_leaves(variant, schema):
        limits = limits.and_those(each)
    return limits


def limits_of_leaves(variant: Variant, schema: Schema) -> Iterator[tuple[Limits, str]]:
    """Each limit of a variant that values of the schema can exceed, except on steps, with its reason."""
    types = list(types_in(schema.root))
    has_text_keys = any(isinstance(type, Map) and type.key == string for type in types)
    greatest = max(map(_greatest, types))
    for each in variant.cannot:
        limits = limits_of_values(each)
        if (
            (limits.float_range and has_floats(schema.root))
            or (limits.greatest_integer is not None and greatest > limits.greatest_integer)
            or (has_text_keys and limits.no_nul_in_keys)
            or (string in types and limits.greatest_character is not None)
        ):
            yield limits, each.reason


def limits_of_values(cannot: Inability) -> Limits:
    """The limits that a condition sets to values of whatever schema."""
    return Limits(
        float_range=FINITE if cannot.infinite_floats else cannot.floats_outside,
        greatest_integer=cannot.integers_over,
        no_nul_in_keys=cannot.nul_in_keys,
        greatest_character=cannot.characters_over,
    )


def _greatest(type: Type) -> int:
    """The greatest number that a type holds; 0 for one without numbers."""
    match type:
        case Scalar() if type.width and not type.is_float:
            return type.bounds[1]
        case Enum() if type.open:
            return type.underlying.bounds[1]
        case _:
            return 0


_DEEPEST: dict[tuple[Path, str], int] = {}
"""The most steps of recursion in a dataset, by its path and digest; kept, as many codecs have a limit."""


def _deepest(dataset: Dataset) -> int:
    """The most steps of recursion that a message has."""
    key = dataset.path, dataset.sha256
    if key not in _DEEPEST:
        root = dataset.schema().root
        _DEEPEST[key] = max(steps_of(root, decode(root, message)) for message in dataset.read_messages())
    return _DEEPEST[key]


_BEYOND: dict[tuple[Path, str, Limits], str | None] = {}
"""The first value in a dataset that is beyond limits, by the dataset's path and digest, and the limits; kept,
since many codecs have the same limits."""


def _beyond(dataset: Dataset, limits: Limits) -> str | None:
    """The first value of the data that is beyond the limits, with its place; None if there is none."""
    key = dataset.path, dataset.sha256, limits
    if key not in _BEYOND:
        root, tell = dataset.schema().root, kind_of if dataset.is_private else short
        places = (
            (n, limits.misfit(root, decode(root, message), tell))
            for n, message in enumerate(dataset.read_messages())
        )
        _BEYOND[key] = next((f"message {n}, {place}" for n, place in places if place), None)
    return _BEYOND[key]


def why_no_program(variant: Variant, spec: WorkloadSpec) -> str:
    """Return why no program is built that is handed another one's messages; empty where one may be.

    A codec that decodes everything may still give a program a tree, or a dict, of which that looks at a few
    values; so it has a program of its own where its format tells what the values are.
    """
    if not spec.whole:
        return ""
    if variant.codec.floor:
        return "it copies all bytes, and reads none of them"
    if spec.operation == UPDATING:
        return "" if variant.codec.traits.updates else "programs in its language change no values"
    if variant.reads != WHOLE or variant.codec.features.get("self_describing"):
        return ""
    return "it decodes all fields, whatever a program asks for"
