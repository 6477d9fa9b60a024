"""``serbench advise``: find changes of a schema that keep what its messages say, in fewer bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from serbench.building.prepare import Listener, prepare_builds
from serbench.changes.advice import Suggestion, suggestions
from serbench.changes.catalogue import parse
from serbench.changes.derived import parse_spec
from serbench.cli import options
from serbench.cli.console import Steps, announce
from serbench.cli.ends import end_shown
from serbench.cli.options import option
from serbench.cli.selected import chosen_job, to_build
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode
from serbench.errors import SelectionError, SerbenchError, reason_of
from serbench.idl import emit, emitters
from serbench.measure.job import Job, Permission
from serbench.measure.lengths import lengths_of
from serbench.measure.unit import Unit
from serbench.report.advice_table import Advice, Gain, advice_tables, record_of
from serbench.report.show import show
from serbench.verification.units import verified
from serbench.workload import WorkloadSpec, load_workloads

_LAST = ("ungroup", "columns")
"""The words of changes that move paths, so that they come behind the others where all are made."""


def advise(
    workload: options.Workloads = None,
    codec: options.Codecs = None,
    write: Annotated[
        str | None,
        option("IDL", f"Write the advised schema to a file in this language: {', '.join(emitters())}."),
    ] = None,
    format: options.OutputFormat = options.TableFormat.table,
    no_install: options.NoInstall = False,
    compilers: options.Compilers = None,
) -> None:
    """Show which changes of a schema keep all that its messages say, and how many bytes each saves.

    Every value is looked at: texts that are all UUIDs, moments or numbers, whole numbers that fit fewer bits,
    and so on. Each change is built, verified and measured, and those that save bytes once more together.
    """
    if write is not None and write not in emitters():
        raise SelectionError(f"--write: found '{write}'; expected {', '.join(emitters())}")
    job = chosen_job(workload, codec, compilers, Permission(not no_install))
    if len(job.chosen.workloads) != 1 or job.chosen.workloads[0].whole:
        raise SelectionError(f"found {len(job.chosen.workloads)} workloads; expected one, with -w")
    (spec,) = job.chosen.workloads
    found = _suggested(job, spec)
    units = _verified(job, [spec, *(_with(job, spec, [each]) for each in found)])
    advice = Advice(spec.id, list(_gains(units, spec, found)), _messages(job, spec))
    best = advice.best
    if len(best) > 1:
        together = _together(spec, best)
        made = _with(job, spec, together)
        units = [unit for unit in units if unit.spec.id == spec.id] + _verified(job, [made])
        one = Suggestion("", made.id.removeprefix(f"{spec.id}/"), f"{len(together)} changes together")
        advice = replace(advice, together=list(_gains(units, spec, [one])))
    show(advice_tables(advice), [record_of(each) for each in advice.all], format.value)
    if write is not None:
        _write(write, spec, _together(spec, best))
    end_shown(any(each.reason for each in advice.all))


def _messages(job: Job, spec: WorkloadSpec) -> int:
    return dataset_for(spec, job.paths).messages


def _suggested(job: Job, spec: WorkloadSpec) -> list[Suggestion]:
    schema = spec.workload.schema
    data = dataset_for(spec, job.paths)
    return suggestions(schema, (decode(schema.root, each) for each in data.read_messages()))


def _with(job: Job, spec: WorkloadSpec, made: Sequence[Suggestion]) -> WorkloadSpec:
    """The workload with these changes."""
    return parse_spec(
        "/".join([spec.id, *(each.change for each in made)]), load_workloads(*job.paths.all_workloads)
    )


def _together(spec: WorkloadSpec, made: Sequence[Suggestion]) -> list[Suggestion]:
    """Those of the suggestions that can be made one after the other."""
    schema, kept = spec.workload.schema, []
    for each in sorted(made, key=lambda one: one.change.startswith(_LAST)):
        try:
            schema = parse(each.change, schema).new
        except SelectionError:
            continue
        kept.append(each)
    return kept


def _verified(job: Job, specs: Sequence[WorkloadSpec]) -> list[Unit]:
    job = to_build(replace(job, chosen=replace(job.chosen, workloads=list(specs))))
    with Steps("building") as steps:
        units = prepare_builds(job, Listener(announce, steps.step))
    with Steps("verifying") as steps:
        return verified(job.paths, units, steps.step, job.time_limit_s)


def _gains(units: Sequence[Unit], spec: WorkloadSpec, found: Sequence[Suggestion]) -> Iterator[Gain]:
    """What each suggestion saves with each codec that can write the workload as it is."""
    by_change = {(unit.name, unit.spec.id): unit for unit in units}
    for base in (unit for unit in units if unit.spec.id == spec.id):
        if base.status != "ok":
            yield Gain(Suggestion("", "", ""), base.name, reason=base.reason)
            continue
        before = lengths_of(base)
        for each in found:
            unit = by_change.get((base.name, f"{spec.id}/{each.change}"))
            if unit is None or unit.status != "ok":
                yield Gain(each, base.name, before, reason=unit.reason if unit else "it was not built")
                continue
            try:
                yield Gain(each, base.name, before, lengths_of(unit))
            except SerbenchError as error:
                yield Gain(each, base.name, before, reason=reason_of(error, unit.data.is_private))


def _write(language: str, spec: WorkloadSpec, made: Sequence[Suggestion]) -> None:
    schema = spec.workload.schema
    for each in made:
        schema = parse(each.change, schema).new
    file = Path(f"{spec.workload.name}-advised.{language}")
    if file.exists():
        raise SelectionError(f"{file} is there already; move it away to have it written")
    file.write_text(emit(language, schema))
    announce(f"{file}: the schema with {len(made)} changes")
