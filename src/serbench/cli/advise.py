"""``serbench advise``: find changes of a schema that keep what its messages say, in fewer bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from serbench.changes.advice import Suggestion
from serbench.changes.catalogue import parse
from serbench.cli import options
from serbench.cli.advising import built_and_verified, gains_of, suggested, with_changes
from serbench.cli.console import announce
from serbench.cli.ends import end_shown
from serbench.cli.options import option
from serbench.cli.selected import chosen_job
from serbench.errors import SelectionError
from serbench.idl import emit, emitters
from serbench.measure.job import Permission
from serbench.report.advice_table import Advice, advice_tables, record_of
from serbench.report.show import show
from serbench.workload import WorkloadSpec

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
    found = suggested(job, spec)
    units = built_and_verified(job, [spec, *(with_changes(job, spec, [each]) for each in found)])
    advice = Advice(spec.id, list(gains_of(job, units, spec, found, exchanged=True)))
    best = advice.best
    if len(best) > 1:
        together = _together(spec, best)
        made = with_changes(job, spec, together)
        units = [unit for unit in units if unit.spec.id == spec.id] + built_and_verified(job, [made])
        one = Suggestion("", made.id.removeprefix(f"{spec.id}/"), f"{len(together)} changes together")
        advice = replace(advice, together=list(gains_of(job, units, spec, [one], exchanged=True)))
    show(advice_tables(advice), [record_of(each) for each in advice.all], format.value)
    if write is not None:
        _write(write, spec, _together(spec, best))
    end_shown(any(each.reason for each in advice.all))


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


def _write(language: str, spec: WorkloadSpec, made: Sequence[Suggestion]) -> None:
    schema = spec.workload.schema
    for each in made:
        schema = parse(each.change, schema).new
    file = Path(f"{spec.workload.name}-advised.{language}")
    if file.exists():
        raise SelectionError(f"{file} is there already; move it away to have it written")
    file.write_text(emit(language, schema))
    announce(f"{file}: the schema with {len(made)} changes")
