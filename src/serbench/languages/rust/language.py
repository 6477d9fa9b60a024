"""Rust, as core sees it: crates and cells are Cargo's, the measuring program is that of C++."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from serbench.codecs.codec import Codec
from serbench.codecs.edition import Edition
from serbench.codecs.traits import Traits, Typical
from serbench.languages.base import KnownWork, Order, Toolchain, Tools
from serbench.languages.rust.build import CRITERION, RustBuild
from serbench.languages.rust.domain import ATTRIBUTES
from serbench.languages.rust.options import VARIANT_KEYS, CargoOptions
from serbench.languages.rust.profile import CargoSettings
from serbench.paths import Paths
from serbench.system.finding import Finding

LINKED_BY = "g++"
"""The compiler of the measuring program."""


class Rust:
    """See ``languages.base.Language``."""

    traits = Traits(
        "Rust", one_executable=True, typical=Typical(ready_s=10, again_s=2, build_s=12, verify_s=1.5)
    )
    table = "cargo"
    options = CargoOptions
    variant_keys = VARIANT_KEYS
    glue_file = "glue.rs"
    compiler_option = None
    settings = CargoSettings()
    other_sampler = CRITERION
    tools = Tools(useful={"cargo": "Rust", "rustc": "Rust"})

    def problems(self, declared: Any, folder: Path) -> Iterator[str]:
        tables = {"cargo": declared.cargo}
        tables |= {f"variants.{name}": variant for name, variant in declared.variants.items()}
        for name, table in tables.items():
            for key in table.attributes.keys() - ATTRIBUTES.keys():
                yield f"{name}.attributes.{key}: unknown; expected one of {', '.join(sorted(ATTRIBUTES))}"
        if not (folder / "adapter.rs").exists():
            yield "there is no adapter.rs beside it"

    def links_dynamically(self, options: CargoOptions) -> bool:
        return False

    def how_to_get(self, codec: Codec) -> str:
        return f"Cargo fetches it when there is a network; see {codec.homepage}"

    def toolchains(self, order: Order) -> Sequence[Toolchain]:
        editions = order.editions or [(Edition(order.paths.all_codecs), order.codecs)]
        return [
            RustBuild(order.paths, LINKED_BY, codecs, order.workloads, edition=edition, asked=order.asked)
            for edition, codecs in editions
        ]

    def check_builds(self, paths: Paths) -> Sequence[Finding]:
        return ()

    def known_work(self, paths: Paths, compilers: Sequence[str]) -> KnownWork | None:
        return None


LANGUAGE = Rust()
