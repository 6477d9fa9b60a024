"""Drawn schemas and names: every codec's code is generated, and with ``--schemas N`` built and verified."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.drawn import combined, drawn_schemas
from tests.support import TEST_WORKLOADS

from serbench.catalogue import load_codecs, load_variants
from serbench.idl import emit as emit_idl
from serbench.languages import languages
from serbench.languages.base import Order, Toolchain
from serbench.languages.c.sources import C_SOURCES
from serbench.languages.cpp.domain import domain_header
from serbench.languages.jvm.canonical import canonical_source
from serbench.languages.jvm.domain import domain_source
from serbench.measure.verify import verify
from serbench.model import Schema
from serbench.paths import PROJECT, Paths
from serbench.prepare import Permission, prepare_builds
from serbench.workload import Workload, WorkloadSpec, load_workloads

CODECS = load_codecs(Paths.default().codecs)


def test_drawn_schemas_are_the_same_each_time_and_one_schema_together() -> None:
    parts = drawn_schemas(12)
    assert [p.to_json() for p in parts] == [p.to_json() for p in drawn_schemas(12)]
    schema = combined("drawn", parts).schema
    assert len(schema.root.fields) == 12
    assert len(schema.named) == 1 + sum(len(part.named) for part in parts)


def test_every_generator_writes_drawn_schemas() -> None:
    schema = combined("drawn", drawn_schemas(40)).schema
    for text in (domain_header(schema), domain_source(schema), canonical_source(schema), *C_SOURCES.domain(schema).values()):
        assert "workload drawn" in text
    for codec in CODECS.values():
        assert not codec.glue.emit or "workload drawn" in codec.glue.emit(schema)
        assert not codec.idl or "workload drawn" in emit_idl(codec.idl.language, schema)


def failures(paths: Paths, workload: Workload, variants: Sequence[str]) -> dict[str, str]:
    """Why variants do not build or verify on a workload; those whose library is not there are left out."""
    known = load_variants(paths.codecs)
    chosen, spec = [known[id] for id in variants], WorkloadSpec(workload, {})
    builds: list[Toolchain] = []
    for name in dict.fromkeys(variant.codec.language for variant in chosen):
        codecs = list({v.codec.id: v.codec for v in chosen if v.codec.language == name}.values())
        builds += languages()[name].toolchains(Order(paths, codecs, [workload]))
    units = prepare_builds(builds, paths, chosen, [spec], Permission(install=False), lambda _: None, lambda *_: None)
    failed: dict[str, str] = {}
    for unit in units:
        if unit.status not in ("ok", "not_installed", "unsupported"):
            failed[unit.variant.id] = unit.reason
        if unit.status == "ok":
            found = verify(unit)
            if not found.ok:
                failed[unit.variant.id] = found.reason
    return failed


def smallest(paths: Paths, parts: Sequence[Schema], variant: str, reason: str) -> tuple[Sequence[Schema], str]:
    """Of schemas with which a variant fails, the half of a half … that still does, and why."""
    for half in (parts[: len(parts) // 2], parts[len(parts) // 2 :]):
        if half and len(parts) > 1:
            failed = failures(paths, combined(f"drawn_{len(half)}", half), [variant])
            if failed:
                return smallest(paths, half, variant, failed[variant])
    return parts, reason


@pytest.mark.native
def test_every_codec_verifies_drawn_schemas_and_unkind_names(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    count = request.config.getoption("--schemas")
    if not count:
        pytest.skip("asked for by --schemas N: builds every codec with N drawn schemas and the workload of unkind names")
    paths = Paths(PROJECT, Paths.default().home / "drawn")
    variants = list(load_variants(paths.codecs))
    unkind = failures(paths, load_workloads(TEST_WORKLOADS / "unkind")["my-data"], variants)
    parts = drawn_schemas(count)
    told = [f"{id} on my-data: {reason}" for id, reason in unkind.items()]
    for id, reason in failures(paths, combined("drawn", parts), variants).items():
        fewest, why = smallest(paths, parts, id, reason)
        told.append(f"{id}: {why}\n{[part.to_json() for part in fewest]}")
    assert not told, "\n".join(told)
