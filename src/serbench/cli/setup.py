"""``serbench setup``: get and build what the selected codecs need."""

from __future__ import annotations

import sys

import typer

from serbench.cli import options
from serbench.cli.console import Steps, announce
from serbench.paths import Paths
from serbench.prepare import Permission, known_variants, prepare_builds, toolchains
from serbench.report.table import Table, show
from serbench.selection import select_variants, select_workloads
from serbench.workload import load_workloads


def register(app: typer.Typer) -> None:
    app.command(
        "setup", short_help="Install and build what codecs need.", epilog="Example: ./serbench setup -c cpp/protobuf -w graph"
    )(setup)


def setup(
    workload: options.Workloads = None,
    codec: options.Codecs = None,
    format: options.OutputFormat = options.Format.table,
    no_install: options.NoInstall = False,
    cxx: options.Cxx = None,
) -> None:
    """Install what the selected codecs need and build them for all workloads, or those selected."""
    paths = Paths.default()
    specs = select_workloads(workload or ["*"], load_workloads(paths.workloads))
    variants = select_variants(codec or [], known_variants(paths))
    builds = toolchains(paths, variants, cxx or ())
    with Steps("building") as steps:
        cells = prepare_builds(builds, paths, variants, specs, Permission(not no_install, conan=True), announce, steps.step)
    rows = [(c.name, c.spec.workload.name, "built" if c.status == "ok" else c.status.replace("_", " "), c.reason) for c in cells]
    headings = ("codec", "workload", "status", "reason")
    show([Table("setup", headings, list(rows))], [dict(zip(headings, row, strict=True)) for row in rows], format.value)
    if any(cell.status == "failed" for cell in cells):
        sys.exit(1)
