"""The language C++: what core asks of a language, answered for C++."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from serbench.codecs.codec import Codec
from serbench.codecs.traits import Traits, Typical
from serbench.languages.base import BuildOrder, OtherSampler, Toolchain
from serbench.languages.cpp.allocators import SETTINGS
from serbench.languages.cpp.build import CppBuild
from serbench.languages.cpp.checks import check_flags, check_libraries, linked_libraries, ninja_files
from serbench.languages.cpp.conan import conan_or_prefix
from serbench.languages.cpp.options import CMakeOptions
from serbench.languages.cpp.selftest import build_selftest
from serbench.languages.language import CompilerOption, KnownWork, Language, Tools
from serbench.paths import Paths
from serbench.system.finding import Finding

COMPILERS = CompilerOption("--cxx", "C++ compiler", "g++")

GOOGLE_BENCHMARK = OtherSampler(
    title="Google Benchmark",
    name="google_benchmark",
    packages={"apt": "libbenchmark-dev", "homebrew": "google-benchmark"},
    # Samples shorter and more than those of tables, and shorter than the time slices of a loaded machine, so
    # that many of them are not disturbed.
    sample_ns=2_000_000,
    samples=20,
    # Passes of a microsecond, of ten, and of a codec that allocates: a constant that a sampler adds to each
    # pass would show in the first.
    codecs=("cpp/handwritten:checked", "cpp/protobuf:default", "cpp/cereal"),
    workload="monsters",
)


class Cpp(Language):
    """The language C++, built with CMake, Ninja and the libraries of the system."""

    traits = Traits(
        "C++",
        one_executable=True,
        updates=True,
        typical=Typical(ready_s=3, again_s=2, build_s=3, verify_s=1.5, pass_ns=4, weigh_s=4),
    )
    table = "cmake"
    options = CMakeOptions
    build: type[CppBuild] = CppBuild
    glue_file = CppBuild.sources.glue_file
    adapter_file = "adapter.hpp"
    compiler_option = COMPILERS
    settings = SETTINGS
    other_sampler: OtherSampler | None = GOOGLE_BENCHMARK
    tools = Tools(
        needed=("g++", "cmake"),
        useful={
            "clang++": "the other compiler",
            "ccache": "quick builds after a change",
            "valgrind": "instructions where perf is not allowed",
            "strip": "binary sizes",
            "size": "binary sizes",
        },
    )

    def compiler(self, named: str) -> str:
        """The command of this language's compiler that goes with the C++ compiler that a user named."""
        return named

    def problems(self, declared: Any, folder: Path) -> Iterator[str]:
        found: CMakeOptions = declared.cmake
        if found != CMakeOptions() and not (found.package or found.header):
            yield "cmake: found neither package nor header; expected one of them"
        for key in ("command", "outputs") if declared.idl else ():
            if not getattr(declared.idl, key):
                yield f"idl.{key}: missing"
        if not (folder / self.adapter_file).exists():
            yield f"{self.adapter_file} is missing beside it"

    def links_dynamically(self, options: CMakeOptions) -> bool:
        return options.linking == "dynamic"

    def how_to_get(self, codec: Codec) -> str:
        return conan_or_prefix(codec)

    def toolchains(self, order: BuildOrder) -> Sequence[Toolchain]:
        compilers = list(
            dict.fromkeys(self.compiler(each) for each in order.compilers or [COMPILERS.default])
        )
        return [
            self.build(
                order.paths, compiler, codecs, order.workloads,
                edition=edition, asked=order.asked, selected=order.selected,
            )
            for edition, codecs in order.every_edition
            for compiler in compilers
        ]  # fmt: skip

    def check_builds(self, paths: Paths) -> Sequence[Finding]:
        builds = ninja_files(paths.builds / self.build.folder)
        linked = linked_libraries(builds.values())
        return [check_flags(builds), check_libraries(linked)]

    def known_work(self, paths: Paths, compilers: Sequence[str]) -> KnownWork | None:
        return build_selftest(paths, (compilers or [COMPILERS.default])[0])


LANGUAGE = Cpp()
