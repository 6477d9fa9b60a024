"""The JVM, in Scala and Java, as the code for all languages sees it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from serbench.codecs.codec import Codec
from serbench.codecs.traits import Traits, Typical, WarmUp
from serbench.languages.base import BuildOrder, Toolchain, of_editions
from serbench.languages.jvm.build import JvmBuild
from serbench.languages.jvm.options import VARIANT_KEYS, MavenOptions
from serbench.languages.jvm.programs import SETTINGS
from serbench.languages.jvm.versions import MavenVersions
from serbench.languages.language import Language, Tools

WARM_UP = WarmUp(
    cells_of_a_process=3,
    start_s=2.0,
    runner_s=1.0,
    sample_s=0.25,
    longest_ns=10_000_000_000,  # Measurement.java
    settling_ns=1_500_000_000,  # two windows of half a second at least: WarmUp.java
    shortest_ns=100_000_000,  # a batch of passes
)


class Jvm(Language):
    """The languages Java and Scala, built with Maven."""

    traits = Traits(
        "the JVM",
        shares_texts=True,
        in_batches=False,  # each start of Maven takes seconds
        quick_looks=False,  # each would be a fork, with seconds of warm-up
        warm_up=WARM_UP,
        ordered_maps=True,  # those of a few entries
        no_figure={
            "instructions": (
                "callgrind does not support JIT compilers, and perf cannot separate the compiler's "
                "work from the codec's"
            ),
            "allocations": "the JVM reports bytes along with times: add --metric time",
            "peak": "it is set by JVM flags",
        },
        tells_allocated_bytes=True,
        shares=True,
        typical=Typical(
            ready_s=15, again_s=6, build_s=12, verify_s=3, pass_ns=8, made_ns=100, resident=8, weigh_s=0.1
        ),
    )
    table = "maven"
    options = MavenOptions
    variant_keys = VARIANT_KEYS
    glue_file = "Glue.scala"
    settings = SETTINGS
    versions = MavenVersions()
    tools = Tools(useful={"java": "the JVM", "mvn": "the JVM"})

    def problems(self, declared: Any, folder: Path) -> Iterator[str]:
        for key in ("command", "outputs") if declared.idl else ():
            if getattr(declared.idl, key):
                yield f"idl.{key}: unknown; expected one of file, language"
        names = {each.rpartition(":")[0] for each in declared.maven.dependencies}
        for name in sorted({*declared.maven.moves} - names):
            yield f"maven.moves: {name} is not among maven.dependencies"
        for name in declared.maven.sources:
            if not (folder.parent / name / "codec.toml").is_file():
                yield f"maven.sources: found '{name}', expected the name of a codec beside this one"

    def how_to_get(self, codec: Codec) -> str:
        return f"install its artifacts into the local Maven repository; see {codec.homepage}"

    def toolchains(self, order: BuildOrder) -> Sequence[Toolchain]:
        return of_editions(JvmBuild(order.paths, order.codecs, order.workloads), order)


LANGUAGE = Jvm()
