"""Made-up runs that read shares of the fields of a workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from serbench.measure.store import Journal, Run, create_run

SHARES = (1, 3, 10, 30)
"""The per cent of a hundred fields that are read."""

CODECS = {
    "cpp/a": ("view", (20, 30, 60, 90, 400)),
    "python/b:c": ("skip", (300, 320, 500, 1000, 1000)),
    "go/d": ("skip", (900, 910, 960, 990, 900)),
    "rust/e": ("scan", (100, 310, 120, 300, 300)),
    "python/f": ("whole", (700, 700, 700, 700, 700)),
}
"""Codec → its way, and the nanoseconds of a message for each share, then for every field."""

WHY_WHOLE = "it decodes all fields, whatever a program asks for"


def workload_of(share: int) -> str:
    """The name of the workload that reads this share of the fields of ``w``."""
    return f"w/read={','.join(f'f{n}' for n in range(share))}"


def curved_run(
    folder: Path,
    codecs: Mapping[str, tuple[str, Sequence[int]]] = CODECS,
    rounds: int = 9,
    shares: Sequence[int] = SHARES,
) -> Run:
    """Write a run of 100 messages, in which all times differ alike from round to round, by 2 %."""
    names = {**{workload_of(share): share for share in shares}, "w": 100}
    data = {"sha256": "", "messages": 100, "canonical_bytes": 100_000}
    manifest = {
        "codecs": [*codecs], "workloads": ["w", *(name for name in names if name != "w")],
        "operations": ["serialize:reuse", "read:reuse"], "rounds": rounds, "toolchains": [], "arguments": [],
        "machine": {"processor": "a made-up processor"},
        "datasets": {
            name: {**data, "fields": share, "whole": "" if name == "w" else "w",
                   "paths": "" if name == "w" else name.partition("=")[2]}
            for name, share in names.items()
        },
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:
        for codec, (way, times) in codecs.items():
            for (name, _), nanoseconds in zip(names.items(), times, strict=True):
                unit = {"codec": codec, "workload": name, "compiler": ""}
                told = {"way": way, "unchecked": way == "skip"} if name != "w" else {}
                told |= {"way_reason": WHY_WHOLE} if told and way == "whole" else {}
                known = {"size_bytes": 50_000, "messages": 100, "operations": ["serialize", "read"]}
                journal.append({"event": "unit", **unit, "status": "ok", **known, **told})
                for number in range(1, rounds + 1):
                    for operation in ("serialize", "read") if name == "w" else ("read",):
                        which = {"operation": operation, "memory": "reuse", "round": number, "iterations": 10}
                        elapsed = round(1000 * nanoseconds * (1 + 0.02 * (number % 3)))
                        journal.append({"event": "sample", **unit, **which, "elapsed_ns": elapsed})
        journal.append({"event": "end"})
    return Run(run.directory)
