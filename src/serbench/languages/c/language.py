"""The language C: built and measured as C++ is, with domain types and adapters of its own."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.codecs.traits import Traits, Typical
from serbench.languages.c.build import CBuild, c_compiler
from serbench.languages.cpp.language import Cpp
from serbench.languages.language import KnownWork, Tools
from serbench.paths import Paths
from serbench.system.finding import Finding


class C(Cpp):
    """The language C, which is built and measured as C++ is."""

    traits = Traits(
        "C",
        one_executable=True,
        ordered_maps=True,
        typical=Typical(ready_s=3, again_s=2, build_s=6, verify_s=1, pass_ns=3, weigh_s=1),
    )
    build = CBuild
    glue_file = CBuild.sources.glue_file
    adapter_file = "adapter.c"
    other_sampler = None
    tools = Tools()  # the tools of C++, whose compiler brings one for C

    def compiler(self, named: str) -> str:
        return c_compiler(named)

    def check_builds(self, paths: Paths) -> Sequence[Finding]:
        """The findings on built programs; none where none was built, as C++'s findings say already."""
        return super().check_builds(paths) if (paths.builds / CBuild.folder).exists() else ()

    def known_work(self, paths: Paths, compilers: Sequence[str]) -> KnownWork | None:
        return None


LANGUAGE = C()
