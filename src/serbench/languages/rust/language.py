"""The language Rust: what core asks of a language, answered for Rust."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from serbench.codecs.traits import Traits, Typical
from serbench.languages.base import BuildOrder, Toolchain
from serbench.languages.language import Language, Tools
from serbench.languages.rust.build import CRITERION, RustBuild
from serbench.languages.rust.domain import ATTRIBUTES
from serbench.languages.rust.options import VARIANT_KEYS, CargoOptions
from serbench.languages.rust.profile import CargoSettings
from serbench.languages.rust.versions import CargoVersions

LINKED_BY = "g++"
"""The compiler of the measuring program, which is in C++ and linked with the code in Rust."""


class Rust(Language):
    """The language Rust, built with Cargo."""

    traits = Traits(
        "Rust",
        one_executable=True,
        updates=True,
        typical=Typical(ready_s=10, again_s=2, build_s=12, verify_s=1.5, pass_ns=4, weigh_s=6),
    )
    table = "cargo"
    options = CargoOptions
    variant_keys = VARIANT_KEYS
    glue_file = "glue.rs"
    codec_files = ("adapter.rs",)
    fetcher = "Cargo"
    settings = CargoSettings()
    versions = CargoVersions()
    other_sampler = CRITERION
    tools = Tools(useful={"cargo": "Rust", "rustc": "Rust"})

    def problems(self, declared: Any, folder: Path) -> Iterator[str]:
        tables = {"cargo": declared.cargo}
        tables |= {f"variants.{name}": variant for name, variant in declared.variants.items()}
        for name, table in tables.items():
            for key in table.attributes.keys() - ATTRIBUTES.keys():
                yield f"{name}.attributes.{key}: unknown; expected one of {', '.join(sorted(ATTRIBUTES))}"
        for name in set(declared.cargo.moves) - declared.cargo.dependencies.keys():
            yield f"cargo.moves: {name} is not among cargo.dependencies"
        yield from super().problems(declared, folder)

    def toolchains(self, order: BuildOrder) -> Sequence[Toolchain]:
        return [
            RustBuild(
                order.paths, LINKED_BY, codecs, order.workloads,
                edition=edition, asked=order.asked, selected=order.selected,
            )
            for edition, codecs in order.every_edition
        ]  # fmt: skip


LANGUAGE = Rust()
