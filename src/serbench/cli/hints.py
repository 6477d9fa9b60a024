"""The hint below a first look: which changes of the schema would save most bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from serbench.cli.advising import built_and_verified, gains_of, suggested, with_changes
from serbench.dataset.cache import dataset_for
from serbench.errors import SerbenchError
from serbench.languages import languages
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.system.command import COMMAND

MOST_BYTES = 4 << 20
"""The most canonical bytes of a workload that is looked at: a hint is to take seconds."""

_HINTS, _TRIED = 2, 3
_LOOKING_S = 3.0

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
        found = suggested(job, spec, _TRIED, _LOOKING_S).found
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
