"""Made-up runs of several machines, whose kinds, codecs and times a test names."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from tests.judged import made

from serbench.measure.store import MACHINES, Journal, Run, create_run

Times = Mapping[str, Sequence[float]]
"""Nanoseconds of a pass by codec, one for each cell."""


def fleet(folder: Path, machines: Mapping[str, tuple[str, Times]], **of_each: Any) -> Run:
    """A run of these machines.

    Args:
        machines: the kind of each, and the times there.
        of_each: further arguments of ``made``; a mapping of machines for those that differ between them.
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
    """Whether the value is one for each machine."""
    return isinstance(value, dict) and value.keys() == machines.keys()
