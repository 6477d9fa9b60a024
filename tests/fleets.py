"""Made-up runs of several machines, with the kinds of machines, the codecs and the times that a test
gives."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from tests.judged import made

from serbench.measure.store import MACHINES, Journal, Run, create_run

Times = Mapping[str, Sequence[float]]
"""Codec → the nanoseconds of a pass, one figure for each cell."""


def fleet(folder: Path, machines: Mapping[str, tuple[str, Times]], **of_each: Any) -> Run:
    """Makes a run of these machines.

    Args:
        machines: the kind of each machine, and the times of codecs on it.
        of_each: further arguments of ``judged.made``, which makes the run of each machine; a mapping by
            machine for those that differ between machines.
    """
    head: Run | None = None
    for name, (kind, times) in machines.items():
        own = {key: value[name] if is_by(value, machines) else value for key, value in of_each.items()}
        part = made(folder / "parts" / name, times, **own)
        if head is None:
            manifest = msgspec.structs.replace(part.manifest, cluster="tcp://made.up:1")
            head = create_run(folder / "runs", msgspec.to_builtins(manifest))
        shutil.copytree(part.directory, head.directory / MACHINES / name)
        with Journal(head) as journal:
            journal.append({"event": "machine", "machine": name, "kind": kind, "status": "measures"})
    assert head
    return Run(head.directory)


def is_by(value: Any, machines: Mapping[str, Any]) -> bool:
    """Whether an argument is a mapping with a value for each machine, rather than one value for all
    machines."""
    return isinstance(value, dict) and value.keys() == machines.keys()
