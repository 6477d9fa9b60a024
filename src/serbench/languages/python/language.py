"""Python, as core sees it: libraries are pip's, and the measuring program is in Python too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from serbench.codecs.codec import Codec
from serbench.codecs.traits import Traits, Typical
from serbench.languages.base import KnownWork, Order, Toolchain, Tools
from serbench.languages.python.build import PythonBuild
from serbench.languages.python.crosscheck import SAMPLER
from serbench.languages.python.options import VARIANT_KEYS, PipOptions
from serbench.paths import Paths
from serbench.system.finding import Finding


class Python:
    """See ``languages.base.Language``."""

    traits = Traits(
        "Python",
        interpreted=True,
        no_figure={
            "instructions": (
                "hashes and addresses of objects are others in each process, so that two of them do not do "
                "the same"
            ),
        },
        typical=Typical(ready_s=15, again_s=3, build_s=1.5, verify_s=1.5),
    )
    table = "pip"
    options = PipOptions
    variant_keys = VARIANT_KEYS
    glue_file = "glue.py"
    compiler_option = None
    settings = None
    other_sampler = SAMPLER
    tools = Tools()

    def problems(self, declared: Any, folder: Path) -> Iterator[str]:
        if not (folder / "adapter.py").exists():
            yield "there is no adapter.py beside it"

    def links_dynamically(self, options: PipOptions) -> bool:
        """What is loaded is in the digest of a command, as the lock that it was installed by."""
        return False

    def how_to_get(self, codec: Codec) -> str:
        return f"pip brings it when there is a network and a wheel for this machine; see {codec.homepage}"

    def toolchains(self, order: Order) -> Sequence[Toolchain]:
        return [PythonBuild(order.paths, order.codecs, order.workloads)]

    def check_builds(self, paths: Paths) -> Sequence[Finding]:
        return ()

    def known_work(self, paths: Paths, compilers: Sequence[str]) -> KnownWork | None:
        return None


LANGUAGE = Python()
