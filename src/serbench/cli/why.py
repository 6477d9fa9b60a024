"""``serbench why``: what each part of a workload's messages costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from serbench.changes.emptying import inside, kinds_to_empty, parts_to_empty
from serbench.cli import options
from serbench.cli.console import Steps, announce
from serbench.cli.effort import Effort
from serbench.cli.ends import Interrupted, end_shown
from serbench.cli.options import flag, option
from serbench.cli.parts_timed import MOST_CHOICES, MOST_DROPPED, Timing, forms_offered
from serbench.cli.quantities import TIMES, seconds
from serbench.cli.selected import build_units, job_of_one
from serbench.cli.timing import of_headline, untimed
from serbench.errors import SelectionError, SetupError
from serbench.measure.job import Job, Permission
from serbench.measure.process import measuring_core
from serbench.measure.resume import check_version
from serbench.measure.store import Run, find_run, refuse_if_going_on
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.report.kept import keep_why, why_of
from serbench.report.show import show
from serbench.report.why import ALL, Why
from serbench.report.why_table import why_tables
from serbench.system.command import COMMAND
from serbench.system.locks import claim_core
from serbench.verification.emptied import weigh

MOST_WEIGHED = 200
"""The most parts whose sizes are taken, in the order of the schema, those near the root first."""

WEIGHING_S = 60.0
"""The seconds after which the sizes of no further parts are taken."""

DROPPED = 3
"""Without how many parts programs are built by default: a build takes some seconds."""

MOST_CODECS = 6
"""The most codecs that are looked at side by side."""

_Choices = Annotated[
    bool,
    flag(
        "--choices",
        "Also build programs in which all whole numbers have another form that the format has, or all texts "
        f"are bytes, at most {MOST_CHOICES}.",
    ),
]

_Drop = Annotated[
    int | None,
    option(
        "N",
        f"Also build programs without each of the N fields that matter most, at most {MOST_DROPPED}. "
        f"Default: {DROPPED}; with --quick or --max-time, none.",
        min=0,
        max=MOST_DROPPED,
    ),
]

_Resume = Annotated[
    str | None,
    option(
        "RUN",
        "Go on with what an earlier why kept: parts that were not timed, and further rounds of the "
        "others, --rounds in all; default: as many more as were planned.",
    ),
]


def why(
    workload: Annotated[
        str | None,
        option("NAME", "Workload, with parameters after a colon, and changes.", "-w", "--workload"),
    ] = None,
    codec: options.Codecs = None,
    path: Annotated[
        list[str] | None,
        option("PATH", "Look at this part and those in it alone; may be repeated.", "--field"),
    ] = None,
    rounds: Annotated[
        int | None, option("N", "Number of rounds. Default: as many as run plans.", min=1)
    ] = None,
    quick: Annotated[bool, flag("--quick", "Measure fewer rounds, with fewer samples in each.")] = False,
    max_time: Annotated[
        float | None,
        option(
            "TIME",
            f"Measure no longer than this, {TIMES}; parts with few bytes are left out.",
            parser=seconds(least=0),
        ),
    ] = None,
    drop: _Drop = None,
    choices: _Choices = False,
    resume: _Resume = None,
    format: options.OutputFormat = options.TableFormat.table,
    no_install: options.NoInstall = False,
    time_limit: options.TimeLimit = options.TIME_LIMIT_DEFAULT,
) -> None:
    """Show what each part of the messages costs: its bytes, and the time to write and to read it.

    The same program writes and reads messages in which the values of a part are empty, absent or zero, in the
    same rounds as the messages themselves. Programs without the fields that matter most follow, which tell
    what these cost when they are empty, and with --choices those in which a kind of value has another form.
    """
    effort = Effort(rounds=rounds, quick=quick, max_time=max_time)
    if resume is not None:
        if workload or codec or path or quick or drop is not None or choices:
            raise SelectionError(
                "--resume uses the selection of the run; expected no -w, -c or similar option"
            )
        _show(*_gone_on(resume, effort, no_install, time_limit), format)
        return
    asked = _job([workload] if workload else (), codec, effort, no_install, time_limit)
    job, units, found = _weighed(asked, path or ())
    timing = Timing(job, units, effort, claim_core(measuring_core(), False, announce))
    if drop is None:
        drop = 0 if quick or max_time is not None else DROPPED
    found, interrupted = timing.of_parts(found, all_of_them=max_time is not None)
    if (drop or choices) and not interrupted:
        found, interrupted = timing.without(asked, found, drop, forms_offered(asked) if choices else [])
    runs = found.runs or ([] if interrupted else [untimed(job, units, effort)])
    _show(found, runs, interrupted, format)


def _gone_on(
    name: str, effort: Effort, no_install: bool, time_limit_s: float
) -> tuple[Why, list[Run], Interrupted | None]:
    """The costs that a run has, with parts that were not timed before and with further rounds; the runs that
    have them; and whether measuring was interrupted.

    Raises:
        SelectionError: there is no such run, or it has no costs of parts.
        SerbenchError: it is still going on, or machine, programs or messages are others now.
    """
    run = find_run(Paths.default().runs, name, note=announce)
    found = why_of(run)
    if found is None:
        raise SelectionError(f"--resume: found run {run.id}, which is not one of why; expected one that is")
    for each in (run, *found.runs):
        check_version(each)
        refuse_if_going_on(each)
    job, units = build_units(_job([found.workload], run.manifest.codecs, effort, no_install, time_limit_s))
    was = run.manifest.datasets.get(found.workload)
    if was is None or units[0].data.sha256 != was.sha256:
        raise SelectionError(
            f"--resume: {found.workload} has other messages than in run {run.id}; start anew"
        )
    units, core = [u for u in units if u.name in found.codecs], claim_core(run.manifest.core, True, announce)
    timing = Timing(job, units, effort, core)
    found, interrupted = timing.again(found)
    if not interrupted:
        found, interrupted = timing.of_parts(found, all_of_them=True)
    return found, [run, *found.runs], interrupted


def _show(
    found: Why, runs: Sequence[Run], interrupted: Interrupted | None, format: options.TableFormat
) -> None:
    """Keeps and shows what was found, and ends the command."""
    keep_why(found, runs)
    show(why_tables(found, format.room), found.records, format.value)
    for made in runs[-1:]:
        announce(f"this is kept: {COMMAND} show {made.id}")
    if interrupted:
        raise interrupted
    end_shown(bool(found.weighed.failures or found.failures))


def _job(
    workload: Sequence[str],
    codec: Sequence[str] | None,
    effort: Effort,
    no_install: bool,
    time_limit_s: float,
) -> Job:
    """The job of one workload, whose programs are still to be built.

    Raises:
        SelectionError: not one workload is selected, none or too many codecs are, or messages are read in
            part.
    """
    job = job_of_one(workload, codec, None, Permission(not no_install), time_limit_s)
    if len(job.chosen.variants) > MOST_CODECS:
        raise SelectionError(f"found {len(job.chosen.variants)} codecs; expected at most {MOST_CODECS}")
    return of_headline(job, effort)


def _weighed(job: Job, paths: Sequence[str]) -> tuple[Job, list[Unit], Why]:
    """The job with its units, which are built, and the sizes of their messages with each part empty.

    Raises:
        SelectionError: a path is not there.
        SetupError: no codec could be built, or none writes the messages.
    """
    (spec,) = job.chosen.workloads
    schema = spec.workload.schema
    listed = parts_to_empty(schema)
    parts = inside(listed, schema, paths)
    job, units = build_units(job)
    nearest = sorted(parts, key=lambda part: part.depth)[:MOST_WEIGHED]
    kinds = [] if paths else kinds_to_empty(schema)
    with Steps("weighing") as steps:
        weighed = weigh(units, [ALL, *(each.change for each in (*kinds, *nearest))], steps.step, WEIGHING_S)
    if not weighed.whole.sizes:
        raise SetupError("; ".join(f"{name}: {reason}" for name, reason in weighed.failures.items()))
    units = [unit for unit in units if unit.name in weighed.whole.sizes]
    known = {unit.name: unit.identity for unit in units}
    return job, units, Why(spec.id, known, parts, weighed, units[0].data.messages)
