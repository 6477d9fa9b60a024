"""``serbench setup``: get and build what the selected codecs need."""

from __future__ import annotations

from typing import Annotated

from serbench.cli import options
from serbench.cli.ends import end_shown
from serbench.cli.options import option
from serbench.cli.selected import build_units, chosen_job
from serbench.errors import unknown
from serbench.measure.job import Permission
from serbench.report.show import show
from serbench.report.table import Table
from serbench.system.extras import EXTRAS, install


def setup(
    workload: options.Workloads = None,
    codec: options.Codecs = None,
    format: options.OutputFormat = options.TableFormat.table,
    no_install: options.NoInstall = False,
    compilers: options.Compilers = None,
    extra: Annotated[
        list[str] | None,
        option(
            "NAME",
            "Install only this optional part of serbench into the environment of a checkout; may be "
            f"repeated: {', '.join(EXTRAS)}.",
        ),
    ] = None,
) -> None:
    """Install what the selected codecs need, and build them for all workloads or the selected ones."""
    if extra:
        for name in extra:
            if name not in EXTRAS:
                raise unknown("extra", name, EXTRAS)
            install(name)
        return
    may = Permission(not no_install, fetch=True)
    _, units = build_units(chosen_job(workload or ["*"], codec, compilers, may))
    rows = [
        (c.name, c.spec.workload.name, "built" if c.status == "ok" else c.status.replace("_", " "), c.reason)
        for c in units
    ]
    headings = ("codec", "workload", "status", "reason")
    records = [dict(zip(headings, row, strict=True)) for row in rows]
    show([Table("setup", headings, rows)], records, format.value)
    end_shown(any(unit.status == "failed" for unit in units))
