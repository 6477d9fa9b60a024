"""``serbench doctor``: whether this machine can be trusted, and what to do about it."""

from __future__ import annotations

import sys

import typer

from serbench.cli import options
from serbench.doctor.checkup import check_up
from serbench.doctor.files import observe
from serbench.doctor.finding import Verdict, findings_table, summary
from serbench.paths import Paths
from serbench.report.table import show

LOOK_S = 1.0
"""For so long the counters of load, stolen time, heat and swap are watched."""


def register(app: typer.Typer) -> None:
    app.command(
        "doctor",
        short_help="Say whether this machine can be trusted, and what to do.",
        epilog="Example: ./serbench doctor --format markdown",
    )(doctor)


def doctor(
    format: options.OutputFormat = options.Format.table,
) -> None:
    """Say whether this machine can be trusted with measuring, and what to do about it. Exit status 1 where something is bad.

    Takes a second, in which nothing else should be started.
    """
    paths = Paths.default()
    findings = check_up(observe(LOOK_S), paths)
    tables = [findings_table(f"this machine: {summary(findings)}", findings)]
    show(tables, [finding.to_json() for finding in findings], format.value)
    if any(finding.verdict is Verdict.bad for finding in findings):
        sys.exit(1)
