"""``serbench verify``: hold every cell to the timing contract."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated, Any

import typer

from serbench.cli import options
from serbench.cli.console import Steps
from serbench.cli.selected import build_selected
from serbench.examples import epilog
from serbench.measure.interop import Exchange, exchange_all, shared_formats
from serbench.paths import Paths
from serbench.prepare import Permission, Prepared, parties_of, verified
from serbench.report.interop_table import interop_tables, record_of
from serbench.report.numbers import count
from serbench.report.show import show
from serbench.report.table import Table
from serbench.workload import WorkloadSpec


def register(app: typer.Typer) -> None:
    app.command(
        "verify",
        short_help="Check that codecs give back what they were given.",
        epilog=epilog("verify"),
    )(verify)


def verify(
    workload: options.Workloads = None,
    codec: options.Codecs = None,
    interop: Annotated[
        bool, typer.Option("--interop", help="Let every codec read what the others of its format wrote, and print who can.")
    ] = False,
    format: options.OutputFormat = options.Format.table,
    no_install: options.NoInstall = False,
    compilers: options.Compilers = None,
    time_limit: options.TimeLimit = options.TIME_LIMIT_DEFAULT,
) -> None:
    """Check that codecs give back what they were given, on the workload's data and on edge values.

    Every path that can be measured is checked anew; nothing is taken from earlier checks.
    """
    selected = build_selected(workload, codec, compilers, Permission(not no_install))
    paths, specs, cells = selected.paths, selected.specs, selected.cells
    if interop:
        _interop(paths, cells, specs, time_limit, format)
        return
    with Steps("verifying") as steps:
        cells = verified(paths, cells, steps.step, time_limit, anew=True)
    tables = [_table(spec.id, [c for c in cells if c.spec.id == spec.id]) for spec in specs]
    show(tables, [_record(cell) for cell in cells], format.value)
    if any(cell.status == "failed" for cell in cells):
        sys.exit(1)


def _interop(paths: Paths, cells: list[Prepared], specs: list[WorkloadSpec], time_limit: float, format: options.Format) -> None:
    """Exchanges between all cells that share a format; cells that were not built are named below."""
    exchanges: list[Exchange] = []
    with Steps("exchanging") as steps:
        for n, spec in enumerate(specs):
            for parties in shared_formats(parties_of(cells, spec, paths, time_limit)).values():
                exchanges += exchange_all(spec.id, parties, partial(steps.step, n, len(specs)))
    tables = interop_tables(exchanges) or [Table("no two of the selected codecs share a format", ("",), ())]
    tables[-1].notes += [f"{c.name} × {c.spec.id}: {c.status.replace('_', ' ')}: {c.reason}" for c in cells if c.status != "ok"]
    show(tables, [record_of(each) for each in exchanges], format.value)
    if any(each.failed for each in exchanges) or any(cell.status == "failed" for cell in cells):
        sys.exit(1)


def _table(workload: str, cells: list[Prepared]) -> Table:
    rows = []
    for cell in cells:
        found = cell.verification
        size = count(found.size_bytes) if found and found.ok else "–"
        rows.append((cell.name, cell.status.replace("_", " "), size, _explanation(cell)))
    return Table(workload, ("codec", "status", "size in bytes", "checked"), rows, frozenset({2}))


def _explanation(cell: Prepared) -> str:
    if cell.status != "ok" or not cell.verification:
        return cell.reason
    loss = cell.variant.tolerance.describe()
    declared = f"; declared loss: {loss}" if loss else ""
    views = f"; constant-time views: {', '.join(cell.verification.views)}" if cell.verification.views else ""
    return f"{len(cell.verification.checked)} paths{views}{declared}"


def _record(cell: Prepared) -> dict[str, Any]:
    found = cell.verification
    return {
        **cell.identity,
        "status": cell.status,
        "reason": cell.reason,
        "size_bytes": found.size_bytes if found and found.ok else None,
        "messages": found.messages if found and found.ok else None,
        "checked": list(found.checked) if found else [],
        "views": list(found.views) if found else [],
    }
