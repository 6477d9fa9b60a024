"""Go, as core sees it: a cell is a module, which Go builds, and its measuring program is in Go too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from serbench.codecs.traits import Traits, Typical
from serbench.languages.base import BuildOrder, OtherSampler, Toolchain
from serbench.languages.go.build import GoBuild
from serbench.languages.go.domain import TAGS
from serbench.languages.go.options import VARIANT_KEYS, GoOptions
from serbench.languages.go.sources import MODULE
from serbench.languages.go.versions import ModuleVersions
from serbench.languages.language import Language, Tools

TESTING = OtherSampler(
    title="testing.B",
    name="testing",
    # A pass of two microseconds, and codecs that allocate: a constant that a sampler adds to each pass would
    # show in the first, a share of the collector's work that it leaves out in the others.
    codecs=("go/handwritten", "go/protobuf:official", "go/vmihailenco_msgpack:arrays"),
    workload="monsters",
    # testing.B collects garbage before each benchmark. What the kernel then does for pages that are used anew
    # takes up to 2 ms, and the next collection comes when 16 MiB have been allocated: samples are long enough
    # for neither to count. Where the objects of a process lie makes more of a difference than either, so that
    # there are more processes than samples.
    rounds=40,
    sample_ns=300_000_000,
    samples=2,
)


class Go(Language):
    """The language Go, built with its own compiler and its own packages."""

    traits = Traits(
        "Go",
        shares_texts=True,
        one_executable=True,
        no_figure={
            "instructions": "the collector works on threads of its own, whenever it finds time",
        },
        tells_allocated_bytes=True,
        typical=Typical(
            ready_s=5,
            again_s=2,
            build_s=11,
            verify_s=2,
            pass_ns=12,
            sample_s=0.18,
            resident=8,
            start_s=0.05,
            weigh_s=3,
        ),
    )
    table = "go"
    options = GoOptions
    variant_keys = VARIANT_KEYS
    glue_file = "glue.go"
    codec_files = ("adapter.go", MODULE)
    fetcher = "Go"
    versions = ModuleVersions()
    other_sampler = TESTING
    tools = Tools(useful={"go": "Go"})

    def problems(self, declared: Any, folder: Path) -> Iterator[str]:
        tables = {"go": declared.go}
        tables |= {f"variants.{name}": variant for name, variant in declared.variants.items()}
        for name, table in tables.items():
            for key in table.tags.keys() - TAGS.keys():
                yield f"{name}.tags.{key}: unknown; expected one of {', '.join(sorted(TAGS))}"
        yield from super().problems(declared, folder)

    def toolchains(self, order: BuildOrder) -> Sequence[Toolchain]:
        return [
            GoBuild(order.paths, codecs, order.workloads, edition) for edition, codecs in order.every_edition
        ]


LANGUAGE = Go()
