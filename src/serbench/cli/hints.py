"""The hint below a first look: which changes of the schema would save most bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from serbench.changes.advice import Suggestion
from serbench.changes.catalogue import parse
from serbench.cli.advising import built_and_verified, gains_of, suggested, with_changes
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode
from serbench.errors import SerbenchError, ValueMismatch
from serbench.languages import languages
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.system.command import COMMAND
from serbench.workload import WorkloadSpec

MOST_BYTES = 4 << 20
"""The most canonical bytes of a workload that is looked at: a hint is to take seconds."""

_HINTS, _TRIED = 2, 3
_WEIGHED = 200
"""The messages by which suggestions are ranked before the first of them are built."""

_LEAST = 0.01
"""The least share of the bytes that is worth a hint."""


def hint_of(job: Job, units: Sequence[Unit]) -> str:
    """Return a line on the two changes that save most bytes with an interpreted codec, whose programs are
    ready at once; empty where none was measured, or none saves enough."""
    (spec, *_) = job.chosen.workloads
    codecs = [unit for unit in units if _is_quick(unit) and unit.spec.id == spec.id]
    if not codecs or dataset_for(spec, job.paths).canonical_bytes > MOST_BYTES:
        return ""
    codec = min(codecs, key=lambda unit: unit.verification.size_bytes if unit.verification else 0)
    try:
        found = _first(job, spec, suggested(job, spec))
        chosen = replace(job.chosen, variants=[codec.variant], beside=())
        alone = replace(job, chosen=chosen)
        _, made = built_and_verified(alone, [spec, *(with_changes(job, spec, [each]) for each in found)])
        gains = [each for each in gains_of(job, made, spec, found) if each.share_saved >= _LEAST]
    except SerbenchError:
        return ""  # a hint is no reason for an error below a table
    best = sorted(gains, key=lambda each: -each.share_saved)[:_HINTS]
    if not best:
        return ""
    shares = [f"{100 * each.share_saved:.0f} %" for each in best]
    words = [each.suggestion.in_words for each in best]
    told = f"{words[0]} would save {shares[0]} of the bytes"
    told += "".join(f", {word} {share}" for word, share in zip(words[1:], shares[1:], strict=True))
    return f"{told} ({codec.name}): {COMMAND} advise -w {spec.id} -c {codec.name}"


def _is_quick(unit: Unit) -> bool:
    is_interpreted = languages()[unit.variant.codec.language].traits.interpreted
    return is_interpreted and unit.status == "ok" and unit.variant.codec.competes


def _first(job: Job, spec: WorkloadSpec, found: Sequence[Suggestion]) -> list[Suggestion]:
    """The suggestions that save most bytes of some messages, by a rough guess."""
    schema = spec.workload.schema
    messages = islice(dataset_for(spec, job.paths).read_messages(), _WEIGHED)
    values = [decode(schema.root, each) for each in messages]

    def size(each: Suggestion) -> int:
        forward = parse(each.change, schema).forward
        try:
            return sum(_weight(forward(value)) for value in values)
        except ValueMismatch:
            return 1 << 62

    return sorted(found, key=size)[:_TRIED]


def _weight(value: Any) -> int:
    """The bytes of a value in a format with short numbers, roughly."""
    match value:
        case str() | bytes():
            return 1 + len(value)
        case int():
            return 1 + value.bit_length() // 8
        case float():
            return 9
        case dict():
            return sum(_weight(each) for pair in value.items() for each in pair)
        case tuple() | list():
            return sum(map(_weight, value))
    return 1
