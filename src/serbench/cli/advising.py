"""Changes that lose nothing of a workload's messages, built, verified and weighed with codecs."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from serbench.changes import parse_all
from serbench.changes.advice import Suggestion, suggestions, texts_at
from serbench.changes.derived import parse_spec
from serbench.cli.console import Steps
from serbench.cli.selected import build_units
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode
from serbench.errors import SerbenchError, reason_of
from serbench.idl import dialect_of
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.report.advice_table import Gain
from serbench.verification.evolution import Direction, Sides, Word, ways_across
from serbench.verification.sizes import size_of
from serbench.verification.units import verified
from serbench.verification.writers import evolved
from serbench.workload import WorkloadSpec, load_workloads

MOST_BYTES = 4 << 20
"""The most canonical bytes of messages with which changes are tried: each change makes another dataset, which
is encoded and decoded several times over."""


@dataclass(frozen=True)
class Suggested:
    """Changes that lose nothing of a workload's messages.

    Attributes:
        spec: the workload with which they are tried: where messages are many, the first of them.
        found: the changes that promise most, in the order of the schema.
        left_out: sentences on the messages that were not looked at, and the changes that are left out.
    """

    spec: WorkloadSpec
    found: Sequence[Suggestion]
    left_out: Sequence[str] = ()


def suggested(job: Job, spec: WorkloadSpec, most: int, limit_s: float) -> Suggested:
    """Look at the messages of a workload for changes that lose nothing of them.

    Args:
        most: the most changes to return.
        limit_s: the seconds after which no further message is looked at.
    """
    schema, data = spec.workload.schema, dataset_for(spec, job.paths)
    until, seen, total = time.monotonic() + limit_s, 0, data.messages

    def looked_at() -> Iterator[Any]:
        nonlocal seen
        for message in data.read_messages():
            if seen and time.monotonic() > until:
                return
            seen += 1
            yield decode(schema.root, message)

    idls = {dialect_of(each.codec.idl.language) for each in job.chosen.variants if each.codec.idl}
    found, others = suggestions(schema, looked_at(), most, idls)
    tried = min(seen, max(1, MOST_BYTES * total // max(data.canonical_bytes, 1)))
    left_out = []
    if seen < total:
        left_out.append(f"the first {seen} of {total} messages were looked at, for {limit_s:.0f} s")
    if tried < total:
        left_out.append(f"changes are tried with the first {tried} of {total} messages")
        spec = with_changes(job, spec, [Suggestion("", f"take={tried}", "")])
    if others:
        left_out.append(f"not tried, since they promise less: {others} change{'s' * (others > 1)}")
    return Suggested(spec, found, left_out)


def values_of(job: Job, spec: WorkloadSpec, made: Sequence[Suggestion]) -> Iterator[str]:
    """Yield a line for each change that makes an enum of texts or a record of a map: the texts or keys for
    which its members or fields stand, in their order."""
    named = {each.path: each.change for each in made if re.search(r"^record=|:enum\(", each.change)}
    schema, data = spec.workload.schema, dataset_for(spec, job.paths)
    messages = (decode(schema.root, each) for each in data.read_messages())
    for path, texts in texts_at(schema, messages, named.keys()).items():
        yield f"{named[path]}: {', '.join(map(str, texts))}"


def with_changes(job: Job, spec: WorkloadSpec, made: Sequence[Suggestion]) -> WorkloadSpec:
    """The workload with these changes."""
    known = load_workloads(*job.paths.all_workloads)
    return parse_spec("/".join([spec.id, *(each.change for each in made)]), known)


def built_and_verified(job: Job, specs: Sequence[WorkloadSpec]) -> tuple[Job, list[Unit]]:
    """The job with its toolchains, and the units of its codecs with these workloads."""
    job, units = build_units(replace(job, chosen=replace(job.chosen, workloads=list(specs))))
    with Steps("verifying") as steps:
        return job, verified(job.paths, units, steps.step, job.time_limit_s)


def gains_of(
    job: Job, units: Sequence[Unit], spec: WorkloadSpec, found: Sequence[Suggestion], until: float = 0
) -> Iterator[Gain]:
    """Yield the savings of each suggestion with each codec; of one that fails, the reason.

    Args:
        until: the second of the monotonic clock from which on programs without and with a change no longer
            read each other's messages.
    """
    by_change = {(unit.name, unit.spec.id): unit for unit in units}
    for base in (unit for unit in units if unit.spec.id == spec.id):
        try:
            if base.status != "ok":
                raise SerbenchError(base.reason)
            before = size_of(base)
        except SerbenchError as error:
            reason = reason_of(error, base.data.is_private)
            yield Gain(Suggestion("", "", ""), base.name, reason=reason)
            continue
        for each in found:
            gain = Gain(each, base.name, before, messages=base.data.messages)
            unit = by_change.get((base.name, f"{spec.id}/{each.change}"))
            if unit is None or unit.status != "ok":
                yield replace(gain, reason=unit.reason if unit else "it was not built")
                continue
            try:
                gain = replace(gain, after=size_of(unit))
                is_time = time.monotonic() < until
                yield replace(gain, survives=_exchanged(job, each, base, unit)) if is_time else gain
            except SerbenchError as error:
                yield replace(gain, reason=reason_of(error, unit.data.is_private))


def _exchanged(job: Job, made: Suggestion, old: Unit, new: Unit) -> dict[Direction, Word]:
    """Have a program with the change read messages without it, and the other way round; return the outcome of
    each direction. A library that reads with the writer's schema has that."""
    change, both = parse_all(made.change.split("/"), old.spec.workload.schema), Sides(old, new)
    read: dict[Direction, Word] = {}
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        for way in ways_across(change, both, both):
            for each in evolved(way, old.spec.id, change.text, job.paths, Path(folder)):
                if each.writer_schema is not False:
                    read[each.direction] = each.outcome
    return read
