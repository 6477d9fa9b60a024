"""JavaScript on Node, as the code for all languages sees it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from serbench.codecs.traits import Traits, Typical, WarmUp
from serbench.languages.base import BuildOrder, OtherSampler, Toolchain, of_editions
from serbench.languages.javascript.build import JavaScriptBuild
from serbench.languages.javascript.engines import SETTINGS
from serbench.languages.javascript.options import NpmOptions
from serbench.languages.javascript.versions import NpmVersions
from serbench.languages.language import Language, Tools

WARM_UP = WarmUp(
    cells_of_a_process=1,
    start_s=0.2,
    sample_s=0.21,
    longest_ns=10_000_000_000,  # measurement.js
    settling_ns=1_200_000_000,  # two windows of half a second at least: warmup.js
    shortest_ns=100_000_000,  # a batch of passes
)

TINYBENCH = OtherSampler(
    title="tinybench",
    name="tinybench",
    codecs=("javascript/msgpackr", "javascript/protobufjs:static", "javascript/builtin_json"),
    workload="monsters",
    # A process that warms up takes some seconds, so that there are fewer.
    rounds=20,
    sample_ns=200_000_000,
    samples=4,
    warmup_ns=2_000_000_000,
)


class JavaScript(Language):
    """The language JavaScript, with Node and npm."""

    traits = Traits(
        "JavaScript",
        shares_texts=True,
        interpreted=True,
        quick_looks=False,  # each cell would be a process, with seconds of warm-up
        warm_up=WARM_UP,
        ordered_maps=True,
        no_figure={
            "instructions": (
                "valgrind counts the work of V8's compilers with the codec's, and perf cannot separate them"
            ),
            "allocations": "Node tells bytes along with times: add --metric time",
            "peak": "it is set by V8's flags",
        },
        tells_allocated_bytes=True,
        typical=Typical(
            ready_s=8, again_s=2, build_s=1, verify_s=3, pass_ns=30, made_ns=100, resident=8, weigh_s=0.8
        ),
    )
    table = "npm"
    options = NpmOptions
    glue_file = "glue.js"
    codec_files = ("adapter.js",)
    fetcher = "npm"
    settings = SETTINGS
    versions = NpmVersions()
    other_sampler = TINYBENCH
    tools = Tools(useful={"node": "JavaScript", "npm": "JavaScript"})

    def problems(self, declared: Any, folder: Path) -> Iterator[str]:
        for name in set(declared.npm.moves) - declared.npm.dependencies.keys():
            yield f"npm.moves: {name} is not among npm.dependencies"
        yield from super().problems(declared, folder)

    def toolchains(self, order: BuildOrder) -> Sequence[Toolchain]:
        return of_editions(JavaScriptBuild(order.paths, order.codecs, order.workloads), order)


LANGUAGE = JavaScript()
