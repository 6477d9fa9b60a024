"""Made-up runs of sweeps: the same workload with ever more messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from serbench.measure.store import Journal, Run, create_run

NUMBERS = (1, 16, 256, 4096)
BYTES = 16_384
"""The canonical bytes of a message."""

CACHES = "L1d 32 KiB, L1i 32 KiB, L2 1 MiB, L3 8 MiB"

TIMES = {
    "cpp/a": (1000, 1500, 1600, 4000),
    "go/b": (2000, 2000, 2000, 2000),
    "rust/c": (2020, 2030, 2020, 2030),
}
"""Codec → the nanoseconds of a message among each number of messages."""


def workload_of(number: int, longer_list: str = "") -> str:
    """The name of the workload of ``w`` with this number of messages, or of items in a list."""
    if longer_list:
        return f"w/length={longer_list}:{number}"
    return f"w/draw={number}" if number > 1 else "w"


def swept_run(
    folder: Path,
    times: Mapping[str, Sequence[int]] = TIMES,
    rounds: int = 9,
    vary: float = 0.02,
    peaks: bool = False,
    longer_list: str = "",
) -> Run:
    """Write a run whose workload ``w`` is a single message, with a sweep of it, or of its ``longer_list``;
    times of a codec vary from round to round by a share, which differs from codec to codec."""
    names = {"w": 1, **{workload_of(number, longer_list): number for number in NUMBERS}}
    own = {"longer_list": longer_list} if longer_list else {}
    manifest = {
        "codecs": [*times], "workloads": [*names], "operations": ["serialize:reuse"], "rounds": rounds,
        "toolchains": [], "arguments": ["run", "-w", "w", "--sweep", "messages"],
        "machine": {"processor": "a made-up processor", "caches": CACHES},
        "datasets": {
            name: {"sha256": "", "messages": 1 if longer_list else number, "canonical_bytes": number * BYTES,
                   **({"number_of": "w", "items": number, **own} if name != "w" else {})}
            for name, number in names.items()
        },
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:
        for turn, (codec, each) in enumerate(times.items()):
            of_all = (*each[: len(names) - len(each)], *each)
            for (name, number), nanoseconds in zip(names.items(), of_all, strict=True):
                unit = {"codec": codec, "workload": name, "compiler": ""}
                known = {"size_bytes": 9000 * number, "messages": number, "operations": ["serialize"]}
                journal.append({"event": "unit", **unit, "status": "ok", **known})
                for n in range(1, rounds + 1):
                    which = {"operation": "serialize", "memory": "reuse", "round": n, "iterations": 10}
                    elapsed = round(10 * number * nanoseconds * (1 + vary * ((n + turn) % 3)))
                    journal.append({"event": "sample", **unit, **which, "elapsed_ns": elapsed})
                if peaks:
                    peak = {"operation": "serialize", "memory": "reuse", "peak_bytes": 1_000_000 * number}
                    journal.append({"event": "peak", **unit, **peak})
        journal.append({"event": "end"})
    return Run(run.directory)
