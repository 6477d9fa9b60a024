"""``serbench advise``: find changes of a schema that keep what its messages say, in fewer bytes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from serbench.changes.advice import Suggestion
from serbench.changes.catalogue import parse
from serbench.cli import options
from serbench.cli.advising import Suggested, built_and_verified, gains_of, suggested, values_of, with_changes
from serbench.cli.console import announce
from serbench.cli.effort import Effort
from serbench.cli.ends import Interrupted, end_shown
from serbench.cli.options import flag, option
from serbench.cli.quantities import TIMES, seconds
from serbench.cli.selected import job_of_one
from serbench.cli.timing import of_headline, timed, untimed
from serbench.errors import SelectionError
from serbench.idl import emit, emitters
from serbench.measure.job import Job, Permission
from serbench.measure.process import measuring_core
from serbench.measure.store import Run
from serbench.measure.unit import Unit
from serbench.model import Schema
from serbench.report.advice_table import Advice, advice_tables, record_of
from serbench.report.kept import keep_advice
from serbench.report.show import show
from serbench.system.command import COMMAND
from serbench.system.locks import claim_core
from serbench.workload import WorkloadSpec

MOST_TRIED, _AT_ONCE = 24, 8
"""The most changes that are built, those that promise most bytes, and how many of them at once."""

LOOKING_S, TRYING_S, EXCHANGING_S = 60.0, 300.0, 60.0
"""The seconds after which no further message is looked at; no further changes are built and no further
programs read each other's messages; and none of those with all changes do."""

MOST_TIMED = 8
"""The most changes that are timed one by one: those that save most bytes."""

_LAST = ("ungroup", "columns", "record")
"""The words of changes that move paths, so that they come behind the others where all are made."""


def advise(
    workload: options.Workloads = None,
    codec: options.Codecs = None,
    write: Annotated[
        str | None,
        option("IDL", f"Write the advised schema to a file in this language: {', '.join(emitters())}."),
    ] = None,
    show_values: Annotated[
        bool, flag("--show-values", "Also show the texts of suggested enums, and the keys of such records.")
    ] = False,
    sizes: Annotated[bool, flag("--sizes", "Take sizes alone, and no times.")] = False,
    max_time: Annotated[
        float,
        option(
            "TIME",
            f"Take times no longer than this, {TIMES}; builds come before, and have a limit of their own.",
            parser=seconds(least=0),
        ),
    ] = 90.0,
    format: options.OutputFormat = options.TableFormat.table,
    no_install: options.NoInstall = False,
    compilers: options.Compilers = None,
) -> None:
    """Show which changes of a schema keep all that its messages say, and what each saves.

    Every value is looked at: texts that are all UUIDs, moments or numbers, whole numbers that fit fewer bits,
    and so on. Each change is built, verified and measured, and those that save bytes once more together: at
    most 24 changes, those that promise most first, and none after five minutes. What is left out is told.
    """
    if write is not None and write not in emitters():
        raise SelectionError(f"--write: found '{write}'; expected {', '.join(emitters())}")
    job = job_of_one(workload, codec, compilers, Permission(not no_install))
    (spec,) = job.chosen.workloads
    file = _file(spec, write)
    effort = Effort(quick=True, max_time=max_time)
    job = of_headline(job, effort)
    looked = suggested(job, spec, MOST_TRIED, LOOKING_S)
    spec = looked.spec
    job, units, advice = _tried(job, looked)
    advice, together = _together(job, units, spec, advice)
    interrupted: Interrupted | None = None
    run: Run | None = None
    if advice.best and not sizes:
        try:
            run = _timed(job, units, advice, effort)
            advice = advice.timed(run)
        except Interrupted as error:
            interrupted = error
    if advice.gains and not interrupted:
        run = run or untimed(job, [unit for unit in units if unit.spec.id == spec.id], effort)
        keep_advice(advice, run)
    _show(advice, format, run)
    for line in values_of(job, spec, looked.found) if show_values else ():
        announce(line, whole=True)
    if write is not None:
        _write(file, write, spec, together)
    if interrupted:
        raise interrupted
    end_shown(any(each.reason for each in advice.all))


def _file(spec: WorkloadSpec, language: str | None) -> Path:
    """The file to which the schema is written; raises SelectionError where it is there already."""
    file = Path(f"{spec.workload.name}-advised.{language}")
    if language and file.exists():
        raise SelectionError(f"{file} is there already; move it away to have it written")
    return file


def _tried(job: Job, looked: Suggested) -> tuple[Job, list[Unit], Advice]:
    """The job with its toolchains, the units with each change alone, and the savings; changes are built some
    at a time, those that promise most first, until the time is up."""
    spec, left_out, until = looked.spec, [*looked.left_out], time.monotonic() + TRYING_S
    ranked = sorted(looked.found, key=lambda each: -each.promise)
    some, rest = ranked[:_AT_ONCE], ranked[_AT_ONCE:]
    made_from, units = built_and_verified(job, [spec, *(with_changes(job, spec, [each]) for each in some)])
    gains = list(gains_of(made_from, units, spec, some, until))
    broken = {each.codec for each in gains if not each.suggestion.change}
    while rest and time.monotonic() < until:
        some, rest = rest[:_AT_ONCE], rest[_AT_ONCE:]
        _, more = built_and_verified(job, [with_changes(job, spec, [each]) for each in some])
        units += more
        gains += gains_of(made_from, [each for each in units if each.name not in broken], spec, some, until)
    if rest:
        changes = ", ".join(each.change for each in rest)
        left_out.append(f"not tried, since {TRYING_S:.0f} s were over: {changes}")
    codecs, places = list(dict.fromkeys(each.codec for each in gains)), [each.change for each in looked.found]
    gains.sort(key=lambda one: (codecs.index(one.codec), [*places, ""].index(one.suggestion.change)))
    return made_from, units, Advice(spec.id, gains, left_out=left_out)


def _together(
    job: Job, units: list[Unit], spec: WorkloadSpec, advice: Advice
) -> tuple[Advice, list[Suggestion]]:
    """The advice with the savings of all changes that save bytes at once, and these changes; the units with
    them are added to ``units``."""
    together, excluded = in_turn(spec.workload.schema, advice.best)
    advice = replace(advice, excluded=excluded)
    if len(together) < 2:
        return advice, together
    made = with_changes(job, spec, together)
    job, more = built_and_verified(job, [made])
    units += more
    one = Suggestion("", made.id.removeprefix(f"{spec.id}/"), f"{len(together)} changes together")
    gains = list(gains_of(job, units, spec, [one], time.monotonic() + EXCHANGING_S))
    return replace(advice, together=gains), together


def _show(advice: Advice, format: options.TableFormat, run: Run | None) -> None:
    show(advice_tables(advice, format.room), [record_of(each) for each in advice.all], format.value)
    if run:
        announce(f"this is kept: {COMMAND} show {run.id}")


def _timed(job: Job, units: Sequence[Unit], advice: Advice, effort: Effort) -> Run:
    """The run of the messages as they are, with each of the changes that save most bytes, and with all of
    them."""
    changes = [each.change for each in advice.best[:MOST_TIMED]]
    changes += dict.fromkeys(each.suggestion.change for each in advice.together)
    ids = [advice.workload, *(f"{advice.workload}/{change}" for change in changes)]
    chosen = [unit for unit in units if unit.spec.id in ids and unit.status == "ok"]
    specs = list({unit.spec.id: unit.spec for unit in chosen}.values())
    job = replace(job, chosen=replace(job.chosen, workloads=specs))
    return timed(job, chosen, effort, claim_core(measuring_core(), False, announce))


def in_turn(schema: Schema, made: Sequence[Suggestion]) -> tuple[list[Suggestion], list[str]]:
    """Those of the suggestions that can be made one after the other, and the changes of those that others
    exclude."""
    kept, excluded = list[Suggestion](), list[str]()
    for each in sorted(made, key=lambda one: one.change.startswith(_LAST)):
        try:
            schema = parse(each.change, schema).new
        except SelectionError:
            excluded.append(each.change)
        else:
            kept.append(each)
    return kept, excluded


def _write(file: Path, language: str, spec: WorkloadSpec, made: Sequence[Suggestion]) -> None:
    if not made:
        announce(f"{file} is not written: no change saves bytes")
        return
    schema = spec.workload.schema
    for each in made:
        schema = parse(each.change, schema).new
    file.write_text(emit(language, schema))
    announce(f"{file}: the schema with {len(made)} changes")
