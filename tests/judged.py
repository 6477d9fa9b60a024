"""Made-up runs, and the verdicts and tables that serbench writes of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from serbench.measure.store import Journal, Run, create_run
from serbench.report.rows import Row, rows_of
from serbench.report.verdict import Verdict, verdict_of
from serbench.report.verdict_lines import lines_of

CELLS = ("serialize:reuse", "deserialize:reuse")
Disturbed = Callable[[str, str], bool]


def made(
    folder: Path,
    times: Mapping[str, Sequence[float]],
    sizes: Mapping[str, int] | None = None,
    rounds: int = 12,
    noise: float = 0.01,
    disturbed: Disturbed = lambda codec, cell: False,
    ended: bool = True,
    messages: int = 1,
    sample: Mapping[str, Any] | None = None,
    views: Sequence[str] = (),
    **more: Any,
) -> Run:
    """Makes a run of one workload with made-up times.

    Args:
        times: codec → the nanoseconds of a pass in each cell, which are ``CELLS`` unless ``operations`` names
            others.
        sizes: codec → the bytes of a message.
        disturbed: whether another process had the core for a tenth of the time of each sample, by codec and
            cell.
        ended: whether the run has come to its end.
        sample: further fields of each sample.
        views: the operations that are constant-time views, for the codec ``v``.
        more: further fields of the run's manifest.
    """
    operations = more.pop("operations", CELLS)
    draw = random.Random(1)
    manifest = {
        "codecs": [*times], "floors": [], "workloads": ["w"], "operations": [*operations], "rounds": rounds,
        "arguments": [],
        "datasets": {"w": {"messages": messages, "canonical_bytes": 1000 * messages, "sha256": "00"}},
        "machine": {"processor": "none"}, "toolchains": [], **more,
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:

        def say(event: str, codec: str, **values: Any) -> None:
            journal.append({"event": event, "codec": codec, "workload": "w", "compiler": "", **values})

        names = list(dict.fromkeys(cell.partition(":")[0] for cell in operations))
        for codec in times:
            size = (sizes or {}).get(codec, 100) * messages
            known = {
                "size_bytes": size,
                "messages": messages,
                "operations": names,
                "views": [*views] if codec == "v" else [],
            }
            say("unit", codec, status="ok", reason="", **known)
        for number in range(1, rounds + 1):
            for codec, figures in times.items():
                for cell, ns in zip(operations, figures, strict=True):
                    operation, _, memory = cell.partition(":")
                    elapsed = round(1000 * ns * (1 + draw.gauss(0, noise)))
                    waited = elapsed // 10 if disturbed(codec, cell) else 0
                    own = {"own_ns": elapsed - waited} if waited else {}
                    which = {"operation": operation, "memory": memory, "round": number, "iterations": 1000}
                    say(
                        "sample",
                        codec,
                        **which,
                        **{"elapsed_ns": elapsed, "waited_ns": waited, **own, **(sample or {})},
                    )
        if ended:
            journal.append({"event": "end"})
    return run


def verdict(run: Run) -> Verdict:
    return verdict_of(run, "w", rows_of(run))


def said(run: Run) -> dict[str, str]:
    return {each.label: each.text for each in lines_of(run, verdict(run))}


def names(rows: Sequence[Row]) -> list[str]:
    return [row.name for row in rows]


THREE = {"a": (100, 300), "b": (200, 200), "c": (400, 400)}
