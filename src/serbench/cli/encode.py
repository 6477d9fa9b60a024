"""``serbench encode``: write sample files, one per codec."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from serbench.cli import options
from serbench.cli.ends import end_shown
from serbench.cli.options import option
from serbench.cli.selected import build_units, chosen_job
from serbench.errors import SerbenchError, reason_of
from serbench.measure.conversation import Answers
from serbench.measure.job import Permission
from serbench.measure.process import run_runner
from serbench.measure.unit import Unit
from serbench.report.numbers import count
from serbench.report.show import show
from serbench.report.table import Table


def encode(
    output: Annotated[
        Path, option("FOLDER", "Folder for the files, created if it does not exist.", "-O", "--output")
    ],
    workload: options.Workloads = None,
    codec: options.Codecs = None,
    format: options.OutputFormat = options.TableFormat.table,
    no_install: options.NoInstall = False,
    compilers: options.Compilers = None,
) -> None:
    """Encode the data of workloads, with one file per codec and workload.

    A file holds the messages one after the other, each preceded by its length in four little-endian bytes.
    """
    _, units = build_units(chosen_job(workload, codec, compilers, Permission(not no_install)))
    output.mkdir(parents=True, exist_ok=True)
    records = [_encode(unit, output) for unit in units]
    headings = ("codec", "workload", "file", "bytes", "reason")
    rows = [[str(r[h]) if h != "bytes" else count(r[h]) for h in headings] for r in records]
    show([Table("samples", headings, rows, frozenset({3}))], records, format.value)
    end_shown(any(record["status"] == "failed" for record in records))


def _encode(unit: Unit, output: Path) -> dict[str, Any]:
    record = {**unit.identity.fields, "status": unit.status, "file": "", "bytes": None, "reason": unit.reason}
    if unit.status != "ok":
        return record
    file = output / f"{unit.spec.id}-{unit.name}.bin".translate(str.maketrans("/: =", "---_"))
    try:
        command = [*unit.command, "encode", "--dataset", str(unit.data.path), "--out", str(file)]
        for _ in run_runner(command, Answers("encoded")):
            pass
    except SerbenchError as error:
        return {**record, "status": "failed", "reason": reason_of(error, unit.data.is_private)}
    return {**record, "file": str(file), "bytes": file.stat().st_size}
