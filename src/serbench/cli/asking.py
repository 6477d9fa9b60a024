"""A request of ``run``: what is measured, how it is built, or the run that is continued."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from serbench.building.prepare import Permission
from serbench.cli import options
from serbench.cli.console import announce
from serbench.cli.effort import Effort
from serbench.cli.grouped import words_of
from serbench.errors import SelectionError
from serbench.measure.resume import check_version
from serbench.measure.store import Run, find_run, refuse_if_going_on
from serbench.paths import Paths
from serbench.selecting.selection import METRICS, Asked


@dataclass(frozen=True)
class What:
    """The options that say what is measured. The suite, or else a default, decides what is not given."""

    workload: options.Workloads = None
    codec: options.Codecs = None
    operation: options.Operations = None
    memory: options.MemoryPolicies = None
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help=f"What to measure: {', '.join(METRICS)}; may be repeated. Default: time, or for a suite "
            "what its table shows.",
        ),
    ] = None
    suite: options.SuiteName = None
    need: options.Needs = None

    def asked(self, quick: bool) -> Asked:
        return Asked(
            self.workload or (),
            self.codec or (),
            self.operation or (),
            self.memory or (),
            self.metric or (),
            quick,
        )


@dataclass(frozen=True)
class Making:
    """The options that say what programs are built from, and what may be done for it."""

    no_install: options.NoInstall = False
    compilers: options.Compilers = None
    revision: options.Revisions = None
    prefix: options.Prefixes = None
    profile: options.Profiles = None
    time_limit: options.TimeLimit = options.TIME_LIMIT_DEFAULT


@dataclass(frozen=True)
class Request:
    """The user's request, or that of the run that is continued (``again``).

    Attributes:
        looking_since: when the user began to wait for a first look, by the monotonic clock in seconds: sizes
            are shown while programs are still being built, and measuring ends sooner. None for a run that
            takes its time.
    """

    paths: Paths
    what: What
    effort: Effort
    making: Making
    again: Run | None
    looking_since: float | None = None

    @property
    def looks(self) -> bool:
        return self.looking_since is not None

    @property
    def waited_s(self) -> float:
        """Seconds for which the user has been waiting for a first look; 0 for a run that takes its time."""
        return 0.0 if self.looking_since is None else time.monotonic() - self.looking_since

    @property
    def selection(self) -> tuple[str, ...]:
        """The words for what is measured, as the manifest of a run has them."""
        if self.again:
            return self.again.manifest.selection or ()
        effort = Effort(iterations=self.effort.iterations)
        what, making = words_of(self.what, "workload", "metric"), words_of(self.making, "time_limit")
        return (*what, *words_of(effort), *making)

    @property
    def permission(self) -> Permission:
        return Permission(not self.making.no_install)


def ask(what: What, effort: Effort, making: Making, resume: str | None, on_cluster: bool = False) -> Request:
    """The user's request, or, if a run is continued (``resume``), the request of that run.

    Raises:
        SelectionError: there is no such run, it cannot be continued, or options are given that it has
            already.
    """
    paths = Paths.default()
    if resume is None:
        return Request(paths, what, effort, making, None)
    again = find_run(paths.runs, resume, note=announce)
    effort.refuse_for(again)
    check_version(again)
    refuse_if_going_on(again)
    if bool(again.manifest.cluster) != on_cluster:
        expected = f"--cluster {again.manifest.cluster}" if again.manifest.cluster else "no --cluster"
        raise SelectionError(f"--resume: run {again.id} is continued where it was made; expected {expected}")
    given = (what.suite, what.need, making.compilers, making.revision, making.prefix, making.profile)
    if what.asked(effort.quick) != Asked(quick=effort.quick) or any(given) or effort.seed is not None:
        raise SelectionError(
            "--resume uses the selection and seed of the run; leave out -w, -c, -o, --suite and similar "
            "options"
        )
    was = again.manifest
    made = replace(
        making,
        compilers=list(was.compilers),
        revision=list(was.revisions),
        prefix=list(was.prefixes),
        profile=list(was.profiles),
    )
    return Request(paths, replace(what, suite=was.suite), effort, made, again)
