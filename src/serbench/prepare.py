"""Brings a selection to where it can be measured: libraries, builds, datasets and verification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from serbench.build.cmake import CppBuild
from serbench.build.install import how_to_get, install, install_with_conan, may_install
from serbench.codec import Codec, Variant, load_codecs, load_variants
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.errors import SetupError
from serbench.measure.verify import Subject, Verification, verify, verify_cached
from serbench.paths import Paths
from serbench.workload import WorkloadSpec, load_workloads

Announce = Callable[[str], None]
Step = Callable[[int, int, str], None]

DEFAULT_COMPILER = "g++"


@dataclass(frozen=True)
class Prepared:
    """One codec variant × workload, as far as it got.

    Attributes:
        status: ``ok``, ``failed``, ``not_installed`` or ``unsupported``; ``reason`` says why it is not ``ok``.
        command: starts its runner; empty where there is none.
    """

    variant: Variant
    spec: WorkloadSpec
    status: str
    reason: str
    command: tuple[str, ...] = ()
    verification: Verification | None = None


def cpp_build(paths: Paths, compiler: str = DEFAULT_COMPILER) -> CppBuild:
    """The build of every C++ codec with every workload, not yet configured."""
    codecs = [c for c in load_codecs(paths.codecs).values() if c.language == "cpp"]
    return CppBuild(paths, compiler, codecs, list(load_workloads(paths.workloads).values()))


def prepare_build(
    build: CppBuild,
    variants: Sequence[Variant],
    specs: Sequence[WorkloadSpec],
    may: bool,
    announce: Announce,
    step: Step,
    with_conan: bool = False,
) -> list[Prepared]:
    """Installs what is missing where ``may`` and the machine allow it, and builds; every failure becomes a row.

    Conan is asked only ``with_conan``: it downloads and may build, which is for ``setup`` to do.
    """
    build.configure()
    missing = _missing(build, variants)
    installable = [c for c in missing if c.install.get("apt")]
    if installable and may and may_install():
        try:
            install(installable, announce)
        except SetupError as error:
            announce(str(error))
        build.configure()
    wanted = [(v, s.workload.name) for v in variants for s in specs if v.supports(s.workload.name)]
    from_conan = [c for c in missing if "conan" in c.install]
    if from_conan and may and with_conan:
        try:
            install_with_conan(from_conan, build.paths.project, build.paths.conan, announce)
        except SetupError as error:
            announce(str(error))
        build.configure()
    errors = build.build(wanted, step)
    return [_built(build, variant, spec, errors) for spec in specs for variant in variants]


def verified(paths: Paths, cells: Sequence[Prepared], step: Step, silence_limit_s: float, anew: bool = False) -> list[Prepared]:
    """The same cells, each that was built now verified; ``anew`` even where it passed before."""
    results = []
    for n, cell in enumerate(cells):
        if cell.status != "ok":
            results.append(cell)
            continue
        step(n, len(cells), f"{cell.variant.id} × {cell.spec.id}")
        data, edge = dataset_for(cell.spec, paths), edge_dataset_for(cell.spec, paths, cell.variant.tolerance.float_range)
        subject = Subject(cell.command, cell.variant, data, edge, silence_limit_s)
        found = verify(subject) if anew else verify_cached(paths.home / "verified", subject)
        status, reason = ("ok", "") if found.ok else ("failed", f"not verified: {found.reason}")
        results.append(Prepared(cell.variant, cell.spec, status, reason, cell.command, found))
    step(len(cells), len(cells), "done")
    return results


def known_variants(paths: Paths) -> dict[str, Variant]:
    """Every codec variant of the project by id."""
    return load_variants(paths.codecs)


def _missing(build: CppBuild, variants: Sequence[Variant]) -> list[Codec]:
    codecs = {v.codec.id: v.codec for v in variants}
    return [c for c in codecs.values() if not build.found[c.name].installed]


def _built(build: CppBuild, variant: Variant, spec: WorkloadSpec, errors: dict[tuple[str, str], str]) -> Prepared:
    if not variant.supports(spec.workload.name):
        return Prepared(variant, spec, "unsupported", variant.reason)
    found = build.found[variant.codec.name]
    if not found.installed:
        return Prepared(variant, spec, "not_installed", f"{found.missing}; get it: {how_to_get(variant.codec)}")
    error = errors.get((variant.id, spec.workload.name))
    if error:
        return Prepared(variant, spec, "failed", f"did not build: {error}")
    return Prepared(variant, spec, "ok", "", (str(build.executable(variant, spec.workload.name)),))
