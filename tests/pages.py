"""Made-up runs of many codecs, and the HTML reports of these runs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serbench.measure.store import Journal, Run, create_run
from serbench.page.assets import assets
from serbench.page.contents import Installation
from serbench.page.document import page
from serbench.paths import Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.conforming import HeldCodec, SeenConformance

OPERATIONS = ("serialize:reuse", "deserialize:reuse", "serialize:fresh", "deserialize:fresh")

FEATURES = ("schema", "code_generation", "self_describing", "evolution", "human_readable", "cross_language")
CHECKS = ("bounds", "enums", "utf8", "trailing")


@dataclass(frozen=True)
class MadeUp:
    """The contents of a made-up run; its figures follow from ``seed``.

    Attributes:
        missing: the distance between codecs that failed: 9 means that every ninth did; 0 for none.
        slower: the factor by which all times are longer.
        more: further fields of the run's manifest.
    """

    codecs: Sequence[str]
    workloads: Sequence[str] = ("w",)
    operations: Sequence[str] = OPERATIONS
    rounds: int = 12
    missing: int = 9
    messages: int = 100
    seed: int = 1
    reason: str = "its library crashed: segmentation fault"
    wire: bool = True
    slower: float = 1.0
    more: dict[str, Any] | None = None

    def write(self, folder: Path) -> Run:
        draw = random.Random(self.seed)
        data = {"messages": self.messages, "canonical_bytes": 700 * self.messages, "sha256": "00"}
        manifest = {
            "codecs": [*self.codecs], "floors": [*self.codecs[:1]], "workloads": [*self.workloads],
            "operations": [*self.operations], "rounds": self.rounds,
            "arguments": ["run", "-w", *self.workloads[:1]], "datasets": dict.fromkeys(self.workloads, data),
            "features": {codec: {name: draw.random() < 0.5 for name in FEATURES} for codec in self.codecs},
            "checks": {codec: CHECKS[: draw.randrange(5)] for codec in self.codecs},
            "hostile": {codec: [] for codec in self.codecs[::2]},
            "machine": {
                "processor": "a made-up processor", "cores": 2, "memory_bytes": 8 << 30, "system": "Linux",
            },
            "toolchains": [], **(self.more or {}),
        }  # fmt: skip
        run = create_run(folder, manifest)
        with Journal(run) as journal:
            for workload in self.workloads:
                for n, codec in enumerate(self.codecs):
                    self._write_unit(
                        journal,
                        draw,
                        workload,
                        codec,
                        failed=bool(self.missing) and n % self.missing == self.missing - 1,
                    )
            journal.append({"event": "end"})
        return Run(run.directory)

    def _write_unit(
        self, journal: Journal, draw: random.Random, workload: str, codec: str, failed: bool
    ) -> None:
        unit = {"codec": codec, "workload": workload, "compiler": ""}
        if failed:
            journal.append({"event": "unit", **unit, "status": "failed", "reason": self.reason})
            return
        names = list(dict.fromkeys(each.partition(":")[0] for each in self.operations))
        size = round(draw.lognormvariate(6, 0.7)) * self.messages
        known = {"size_bytes": size, "messages": self.messages, "operations": names}
        journal.append({"event": "unit", **unit, "status": "ok", **known})
        for operation in self.operations:
            name, _, memory = operation.partition(":")
            middle = self.slower * draw.lognormvariate(6, 1.3)
            for number in range(1, self.rounds + 1):
                elapsed = round(1000 * self.messages * middle * (1 + abs(draw.gauss(0, 0.02))))
                which = {"operation": name, "memory": memory, "round": number, "iterations": 1000}
                journal.append({"event": "sample", **unit, **which, "elapsed_ns": elapsed, "waited_ns": 0})
        if self.wire:
            self._write_wire(journal, draw, unit, size)

    def _write_wire(self, journal: Journal, draw: random.Random, unit: dict[str, str], size: int) -> None:
        parcel = {**unit, "parcel": "message"}
        journal.append(
            {
                "event": "wire_parcels",
                **parcel,
                "parcels": self.messages,
                "messages": self.messages,
                "bytes": size,
            }
        )
        for compressor, share in (("lz4", 0.7), ("zstd-3", 0.5)):
            packed = {**parcel, "compressor": compressor}
            bytes = round(size * share * draw.uniform(0.7, 1.1))
            journal.append({"event": "wire_size", **packed, "bytes": bytes, "library": "1.0"})
            for direction in ("compress", "decompress"):
                for number in range(1, self.rounds + 1):
                    elapsed = round(1000 * size * share * draw.uniform(1, 1.05))
                    which = {
                        "direction": direction,
                        "round": number,
                        "iterations": 1000,
                        "elapsed_ns": elapsed,
                    }
                    journal.append({"event": "wire_sample", **packed, **which})


def variants(count: int) -> list[str]:
    """Names of ``count`` codec variants: those of the project, and made-up ones if more are wanted."""
    known = list(load_variants(Paths.default().codecs))
    return (known + [f"other/made_up_{n}" for n in range(count)])[:count]


def held(codecs: Sequence[str]) -> tuple[dict[str, Any], SeenConformance]:
    """More of a run's manifest, and how its codecs keep to a made-up format: one in three does wholly, one in
    nine is not known."""
    sections = {"1 Words": 3, "2 Numbers": 20, "3 Ends": 2}
    outcomes: list[dict[str, dict[str, int]]] = [
        {name: {"conforms": number} for name, number in sections.items()},
        {"1 Words": {"conforms": 1, "accepts": 2}, "2 Numbers": {"conforms": 20}, "3 Ends": {"none": 2}},
        {"1 Words": {"conforms": 3}, "2 Numbers": {"conforms": 19, "crash": 1}, "3 Ends": {"open": 2}},
    ]
    known = {c: HeldCodec("words", "1", outcomes[n % 3]) for n, c in enumerate(codecs) if n % 9 != 8}
    libraries = {codec.partition(":")[0]: "1" for codec in codecs}
    toolchain = {"name": "tools", "language": "a", "libraries": libraries}
    more = {"formats": dict.fromkeys(codecs, "words"), "toolchains": [toolchain]}
    return more, SeenConformance({"words": sections}, {"words": {"base": "RFC 0"}}, known)


def write_page(
    runs: Sequence[Run], path: Path, known: Installation | None = None, title: str = "a page"
) -> Path:
    path.write_text(page(runs, known or Installation(), title, assets(lambda _: None)), encoding="utf-8")
    return path
