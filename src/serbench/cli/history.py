"""``serbench history``: which version of a library changed its times, and by how much."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import typer

from serbench.cli import options
from serbench.cli.console import announce
from serbench.cli.effort import Effort
from serbench.cli.ends import end_shown
from serbench.cli.options import flag, option
from serbench.cli.quantities import TIMES, percent, seconds
from serbench.cli.selected import build_units, chosen_job
from serbench.cli.timing import of_headline, timed
from serbench.codecs.codec import Codec
from serbench.codecs.edition import Editions
from serbench.errors import SelectionError, SetupError, unknown
from serbench.languages.releases import Release, between, evenly, releases, since, the_last
from serbench.languages.versions import order_of, versions_of, withdrawn_versions
from serbench.measure.job import Job, Permission
from serbench.measure.process import measuring_core
from serbench.measure.store import Run
from serbench.measure.unit import Unit
from serbench.report.gathering import gathered
from serbench.report.history import FIRST, MOST, History
from serbench.report.history_figures import METRICS
from serbench.report.history_table import history_tables
from serbench.report.kept import keep_history
from serbench.report.show import show
from serbench.stats.history import THRESHOLD
from serbench.system.command import COMMAND
from serbench.system.locks import claim_core

LAST = 6
"""The versions that are measured unless others are asked for."""


def day(text: str) -> str:
    """A day such as ``2026-01-31``; raises typer.BadParameter where it is none."""
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise typer.BadParameter(f"found '{text}'; expected a day such as 2026-01-31") from error


@dataclass(frozen=True)
class Which:
    """Options that select the versions."""

    last: Annotated[int | None, option("N", f"The newest N versions. Default: {LAST}.", "--last", min=2)] = (
        None
    )
    since: Annotated[
        str | None,
        option("DATE", "The versions since this day, such as 2026-01-31.", "--since", parser=day),
    ] = None
    versions: Annotated[
        str | None,
        option("A..B", "The versions from A to B; either may be left out. Example: 3.9.0..", "--versions"),
    ] = None

    def of(self, found: Sequence[Release]) -> Sequence[Release]:
        """The releases that are asked for, the oldest first.

        Raises:
            SelectionError: several of the options are given, or fewer than two releases are selected.
        """
        given = [f"--{name}" for name, value in vars(self).items() if value is not None]
        if len(given) > 1:
            raise SelectionError(f"found {' and '.join(given)}; expected one of them")
        if self.since is not None:
            chosen = since(found, self.since)
        elif self.versions is not None:
            chosen = between(found, self.versions)
        else:
            chosen = the_last(found, self.last or LAST)
        if len(chosen) < 2:
            raise SelectionError(f"found one version, {chosen[0].version}; expected two or more to compare")
        return chosen


def history(
    codec: Annotated[
        str, typer.Argument(metavar="CODEC", help="The codec whose library it is, perhaps with its variant.")
    ],
    which: Which,
    workload: options.Workloads = None,
    metric: Annotated[
        str,
        option(
            "METRIC",
            f"What is compared: {', '.join(METRICS)}; of latency p99, of threads the time with the most.",
            show_default=True,
        ),
    ] = METRICS[0],
    rounds: Annotated[
        int | None, option("N", "Number of rounds. Default: as many as run plans.", min=1)
    ] = None,
    quick: Annotated[bool, flag("--quick", "Measure fewer rounds, with fewer samples in each.")] = False,
    max_time: Annotated[
        float | None, option("TIME", f"Measure no longer than this, {TIMES}.", parser=seconds(least=0))
    ] = None,
    threshold: Annotated[
        float,
        option(
            "PERCENT",
            "A version changed an operation where it differs by more than this for certain from the version "
            f"before. Default: {THRESHOLD:.0%}.",
            parser=percent,
            show_default=False,
        ),
    ] = THRESHOLD,
    format: options.OutputFormat = options.TableFormat.table,
    no_install: options.NoInstall = False,
    time_limit: options.TimeLimit = options.TIME_LIMIT_DEFAULT,
) -> None:
    """Show which published version of a library changed the times of a codec, or another metric.

    Every version is built with the codec's adapter as it is, and all are measured in the same rounds. A
    version that cannot be built or verified has the reason, and the rest goes on.
    """
    if metric not in METRICS:
        raise unknown("metric of a history", metric, METRICS)
    effort = Effort(rounds=rounds, quick=quick, max_time=max_time)
    job = of_headline(chosen_job(workload, [codec], None, Permission(not no_install), time_limit), effort)
    job = replace(job, chosen=replace(job.chosen, metrics=(metric,)))
    own = _codec_of(job, codec)
    asked = which.of(releases(job.paths.home, own))
    if withdrawn := withdrawn_versions(job.paths.home, own):
        announce(f"withdrawn, and measured by --version alone: {', '.join(sorted(withdrawn, key=order_of))}")
    most, first = (MOST, FIRST) if len(asked) > MOST else (len(asked), 0)
    begun = partial(History, own.id, versions_of(own).usual(own), asked, threshold, most)
    found = _measured(job, effort, partial(begun, first=first), evenly(asked, first or len(asked)))
    show(history_tables(found, format.room), found.records, format.value)
    announce(f"this is kept: {COMMAND} show {found.runs[-1].id}")
    end_shown(all(sum(bool(each.time) for each in found.points(own)) < 2 for own in found.series))


def _measured(
    job: Job, effort: Effort, begun: Callable[[Sequence[Run]], History], some: Sequence[Release]
) -> History:
    """Measures releases, and then those between two that differ, until these are in a row. The usual version
    is measured once more, as a control, where it is one of them.

    Args:
        begun: gives the history of runs.
        some: the releases of the first run.

    Raises:
        SetupError: fewer than two of them could be built, with the reasons of the others.
    """
    runs: list[Run] = []
    core: int | None = None
    while some:
        found = begun([])
        of_all = f" of {len(found.releases)}" if len(some) < len(found.releases) else ""
        announce(f"{len(some)}{of_all} versions of {found.codec}: {', '.join(each.version for each in some)}")
        versions = tuple(f"{found.codec}={each.version}" for each in some)
        alone = found.usual not in {each.version for each in some}
        built, units = build_units(replace(job, editions=Editions("version", versions, alone)))
        if len({unit.compiler for unit in units if unit.status == "ok"}) < 2:
            raise SetupError(
                f"{found.codec}: fewer than two of these versions can be measured; expected two or more "
                f"to compare{_reasons(units)}"
            )
        core = core if runs else claim_core(measuring_core(), False, announce)
        runs.append(timed(built, units, effort, core, lambda run: keep_history(begun([*runs, run]))))
        some = begun(runs).to_halve()
    return begun(runs)


def _reasons(units: Sequence[Unit]) -> str:
    """The reasons for which units were not built, a line for each reason with the versions that have it."""
    why = gathered((unit.failure, unit.compiler.partition("@")[2]) for unit in units if unit.failure)
    return "".join(f"\n{', '.join(dict.fromkeys(versions))}: {reason}" for reason, versions in why.items())


def _codec_of(job: Job, asked: str) -> Codec:
    """The codec whose versions are asked for.

    Raises:
        SelectionError: several are selected, or a workload of which messages are read in part.
    """
    codecs = {variant.codec.id: variant.codec for variant in job.chosen.variants}
    if len(codecs) != 1:
        raise SelectionError(f"{asked}: found {len(codecs)} codecs ({', '.join(codecs)}); expected one")
    if parts := [spec.id for spec in job.chosen.workloads if spec.whole]:
        raise SelectionError(f"{parts[0]}: expected a workload whose messages are read as a whole")
    return next(iter(codecs.values()))
