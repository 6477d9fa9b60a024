"""Tests with random schemas of both editions of the type model, with names that languages reserve: the code
of every codec is generated, and with ``--schemas N`` built and verified.

A program costs a codec 5 to 10 s, nearly all of it for the headers of its library, so schemas are packed:
fifty are one workload, whose root has a field for each. In a pack, a codec is tested only with schemas that
it declares itself able to do, so that one schema that it cannot do hides no other: codecs that can do the
same schemas, which are nearly all codecs, share a workload, and the others have their own. For a codec whose
root can hold no record, a flat pack has the fields of the random roots themselves. Data are edge values and
random ones.

If a pack fails, schemas are left out for as long as the rest still fails with the codec, and then parts of
the remaining schemas, so that the reported schema has only a few types. Each fault is reported once, with all
codecs of the pack that have it.

``./serbench test tests/test_drawn.py --schemas 200`` takes hours; ``-k cpp`` selects one language,
``--edition 2`` one edition, ``--first-variants`` one variant of each codec. Builds are kept in
``.serbench/drawn``, so a second run builds only what has changed.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from unittest.mock import patch

import pytest
from tests.described import described
from tests.drawn import EDITIONS, PACK, Pack, drawn_schemas, drawn_values, forms, packed, packs
from tests.fewest import fewest, simplest
from tests.support import TEST_WORKLOADS, verify_cached

from serbench.building.prepare import prepare_builds
from serbench.codecs.codec import Variant
from serbench.dataset.values import Limits, find_mismatch
from serbench.errors import BuildError
from serbench.idl import emit as emit_idl
from serbench.languages import languages
from serbench.languages.base import BuildOrder, Toolchain
from serbench.languages.c.sources import C_SOURCES
from serbench.languages.cpp.domain import domain_header
from serbench.languages.jvm.canonical import canonical_source
from serbench.languages.jvm.domain import domain_source
from serbench.measure.job import Job
from serbench.model import (
    Enum,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Union,
    f64,
)
from serbench.model.check import MAX_NUMBER
from serbench.model.grown import beyond_first_edition
from serbench.model.parts import back_references, types_in
from serbench.model.parts import parts as type_parts
from serbench.model.patterns import parse_pattern
from serbench.model.types import NOTHING
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs, load_variants
from serbench.selecting.selection import Chosen
from serbench.text import shortened
from serbench.workload import Workload, WorkloadSpec, load_workloads

CODECS = load_codecs(Paths.default().codecs)
VARIANTS = load_variants(Paths.default().codecs)
NAMES_OF_PATTERNS = (
    *("record", "empty record", "union", "enum", "open enum", "wide enum", "recursion", "fixed bytes"),
    *("timestamp", "date", "time", "duration", "decimal", "uuid"),
)
OWN = Paths(PROJECT, Paths.default().home / "drawn")

Failures = dict[str, str]
"""Id of a variant → the reason why it does not build or verify."""


of_each_edition = pytest.mark.parametrize("edition", EDITIONS)


@of_each_edition
def test_drawn_schemas_are_the_same_each_time_and_one_schema_together(edition: int) -> None:
    parts = drawn_schemas(12, edition)
    assert [p.to_json() for p in parts] == [p.to_json() for p in drawn_schemas(12, edition)]
    schema = packed("drawn", parts)
    assert len(schema.root.fields) == 12
    assert len(schema.named) == 1 + sum(len(part.named) for part in parts)


def test_drawn_schemas_have_what_schemas_have() -> None:
    parts = drawn_schemas(100)
    assert len({part.digest() for part in parts}) == 100
    assert sum(len(part.root.fields) for part in parts) > 250
    assert (
        sum(len(part.records) > 1 for part in parts) > 30 and sum(len(part.enums) > 0 for part in parts) > 25
    )
    kinds = {type(part).__name__ for each in parts for part in types_in(each.root)}
    assert kinds == {"Scalar", "List", "Array", "Map", "Optional", "Enum", "Record"}
    assert not any(beyond_first_edition(part) for part in parts)


def test_drawn_schemas_of_the_second_edition_have_all_that_it_has() -> None:
    parts = drawn_schemas(100, 2)
    types = [type for part in parts for type in types_in(part.root)]
    told = {name for name in NAMES_OF_PATTERNS if any(parse_pattern(name).fits(type) for type in types)}
    assert told == set(NAMES_OF_PATTERNS)
    assert {type(key.key) for key in types if isinstance(key, Map)} == {Scalar, Enum}
    unions = [type for type in types if isinstance(type, Union)]
    assert {type(a.type) for union in unions for a in union.alternatives} >= {
        type(None),
        Union,
        Record,
        List,
        Optional,
        Map,
        Ref,
    }
    held = {(type(around), type(part)) for around in types for part in type_parts(around)}
    assert held >= set(product((List, Map, Optional, Record, Union), (Union, Ref)))
    assert any(ref.target.name != holder.name for holder, ref in _back(parts)), "recursion by way of others"
    assert any(ref.target.name == holder.name for holder, ref in _back(parts))
    enums = [type for type in types if isinstance(type, Enum)]
    assert any(enum.aliases for enum in enums) and any(enum.wire for enum in enums)
    fields = [field for part in parts for record in part.records for field in record.fields]
    assert (
        any(f.wire for f in fields)
        and any(f.hints for f in fields)
        and any(f.default is not NOTHING for f in fields)
    )
    assert max(field.number for field in fields) > MAX_NUMBER // 2
    # Half of the features, or a codec that cannot do one of them would be held to nothing.
    assert 10 < sum(beyond_first_edition(part) is None for part in parts) < 50


def _back(schemas: Sequence[Schema]) -> Iterator[tuple[Record | Union, Ref]]:
    for schema in schemas:
        for holder in schema.composites:
            for part in type_parts(holder):
                yield from ((holder, ref) for ref in back_references(part))


@of_each_edition
def test_a_flat_pack_has_the_parts_fields_in_its_root(edition: int) -> None:
    parts = drawn_schemas(12, edition)
    fields = packed("drawn", parts, flat=True).root.fields
    assert [field.number for field in fields] == list(
        range(1, 1 + sum(len(part.root.fields) for part in parts))
    )
    # Records of one name that an earlier part has too are other types, so types are compared without names.
    kinds = [type(field.type) for part in parts for field in part.root.fields]
    assert [type(field.type) for field in fields] == kinds


@of_each_edition
def test_of_a_pack_each_codec_gets_what_it_can_do(edition: int) -> None:
    parts = drawn_schemas(30, edition)
    made = packs(parts, VARIANTS.values(), size=20)
    assert {len(pack.parts) for pack in made} >= {20, 10}
    for variant in VARIANTS.values():
        own = [pack for pack, variants in made.items() if variant in variants]
        assert all(variant.why_not(pack.schema) is None for pack in own)
        assert len({part for pack in own for part in pack.parts}) == sum(len(pack.parts) for pack in own)
        left = set(parts) - {part for pack in own for part in pack.parts}
        assert all(variant.why_not(form) for part in left for form in forms(part))
    flat = [variant.id for pack, variants in made.items() if pack.flat for variant in variants]
    assert set(flat) == {"cpp/zpp_bits:protobuf"}


@pytest.mark.slow("draw values of a dozen schemas")
@of_each_edition
@pytest.mark.parametrize("flat", [False, True])
def test_a_pack_has_drawn_values_of_all_its_parts(flat: bool, edition: int) -> None:
    parts = [
        *drawn_schemas(5, edition),
        next(part for part in drawn_schemas(60, edition) if f64 in types_in(part.root)),
    ]
    workload = Pack(tuple(parts), flat).workload
    messages = list(workload.generate())
    assert [find_mismatch(workload.root, message) for message in messages] == [None] * len(messages)
    own = drawn_values(parts[0])
    assert messages[3][: len(own[3])] == own[3] if flat else messages[3][0] == own[3]
    limited = Pack(tuple(parts), flat, Limits((-1e300, 1e300))).workload
    assert not all(message in messages for message in limited.generate())


def test_packs_that_differ_have_other_names() -> None:
    first, second = drawn_schemas(2)
    different = [
        Pack((first,)),
        Pack((second,)),
        Pack((first, second)),
        Pack((first,), True),
        Pack((first,), False, Limits((0.0, 1.0))),
    ]
    assert len({pack.workload.name for pack in different}) == len(different)
    assert Pack((first,)).workload.name == Pack((drawn_schemas(1)[0],)).workload.name


@pytest.mark.slow("generate everything of forty schemas")
@of_each_edition
def test_every_generator_writes_drawn_schemas(edition: int) -> None:
    parts = drawn_schemas(40, edition)
    schema = packed("drawn", parts).plain()
    for text in (
        domain_header(schema),
        domain_source(schema),
        canonical_source(schema),
        *C_SOURCES.domain(schema).values(),
    ):
        assert "workload drawn" in text
    for codec in CODECS.values():
        own = [
            part
            for part in parts
            if any(variant.why_not(part) is None for variant in codec.variants.values())
        ]
        if not own:
            continue
        seen = codec.glue.seen(packed("drawn", own))
        glue = codec.glue.emit(seen) if codec.glue.emit else ""
        assert not glue or "workload drawn" in glue
        assert not codec.idl or "workload drawn" in emit_idl(codec.idl.language, seen)


# --- built and verified ---


def held(workload: Workload, variants: Sequence[Variant], paths: Paths = OWN) -> Failures:
    """Builds variants with a workload and verifies them; returns the failures. Variants whose library is not
    installed are left out."""
    builds: list[Toolchain] = []
    for name in dict.fromkeys(variant.codec.language for variant in variants):
        codecs = list({v.codec.id: v.codec for v in variants if v.codec.language == name}.values())
        builds += languages()[name].toolchains(BuildOrder(paths, codecs, [workload]))
    try:
        units = prepare_builds(Job(paths, Chosen(variants, [WorkloadSpec(workload, {})]), builds))
    except BuildError as error:
        return {variant.id: str(error) for variant in variants}
    failed: Failures = {}
    for unit in units:
        if unit.status == "ok":
            # Whether a pass over many messages takes longer than one over few says nothing of a schema, and
            # finding that out takes nine tenths of the time.
            with patch("serbench.verification.contract.constant_time_views", return_value=()):
                found = verify_cached(paths.home / "verified", unit)
            if not found.ok:
                failed[unit.variant.id] = found.reason
        elif unit.status != "not_installed":
            failed[unit.variant.id] = unit.reason
    return failed


def faults(pack: Pack, failed: Failures, hold: Callable[[Pack, Sequence[Variant]], Failures]) -> list[str]:
    """The faults of a pack as texts: each with the variants that have it, and with the fewest and simplest
    schemas that show it.

    Args:
        failed: the variants that failed with the whole pack.
        hold: builds and verifies variants with a smaller pack; returns the failures.
    """
    told: list[str] = []
    left = dict(failed)
    while left:
        variant = VARIANTS[next(iter(left))]

        def fails(parts: Sequence[Schema], variant: Variant = variant) -> bool:
            smaller = pack.with_parts(parts)
            return variant.why_not(smaller.schema) is None and bool(hold(smaller, [variant]))

        if not fails(pack.parts):
            told.append(f"{variant.id}, but not by itself: {left.pop(variant.id)}")
            continue
        kept = fewest(pack.parts, fails)
        if len(kept) == 1:
            kept = [simplest(kept[0], lambda schema: fails([schema]))]
        found = hold(pack.with_parts(kept), [VARIANTS[id] for id in left]) or {variant.id: left[variant.id]}
        told.append(f"{', '.join(found)}: {next(iter(found.values()))}\n" + "\n".join(map(described, kept)))
        left = {id: reason for id, reason in left.items() if id not in found and id != variant.id}
    return told


def test_each_fault_is_told_once_with_its_smallest_schema() -> None:
    def hold(pack: Pack, variants: Sequence[Variant]) -> Failures:
        nested = any(
            isinstance(each, List) and isinstance(each.item, List) for each in types_in(pack.schema.root)
        )
        maps = any(isinstance(each, Map) for each in types_in(pack.schema.root))
        faulty = {
            "cpp/boost": nested and "no lists of lists",
            "cpp/yas:general": maps and "no maps",
            "cpp/cereal": nested and "neither",
        }
        return {v.id: reason for v in variants if (reason := faulty.get(v.id))}

    pack = Pack(tuple(drawn_schemas(20)))
    failed = hold(pack, list(VARIANTS.values()))
    assert len(failed) == 3
    assert faults(pack, failed, hold) == [
        "cpp/boost, cpp/cereal: no lists of lists\n  record Type0 {part0: list<list<bool>> = 1}",
        "cpp/yas:general: no maps\n  record Type0 {part0: map<i8, bool> = 1}",
    ]


Say = Callable[[str], None]


@pytest.fixture
def say(language: str, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Say:
    """A function that prints how far a test that takes hours has come; skips the test if ``--schemas`` did
    not ask for it."""
    if not request.config.getoption("--schemas"):
        pytest.skip(
            "asked for by --schemas N: builds every codec with N drawn schemas "
            "and the workload of unkind names"
        )
    begun = time.monotonic()

    def tell(text: str) -> None:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = f"{time.monotonic() - begun:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time"
        with capsys.disabled():
            print(f"\n{language} after {took}: {text}", end="", flush=True)

    return tell


def variants_of(language: str, first: bool = False) -> list[Variant]:
    """The variants of all codecs of a language; with ``first``, only the first variant of each codec."""
    own = [variant for variant in VARIANTS.values() if variant.codec.language == language]
    return list({variant.codec.id: variant for variant in reversed(own)}.values()) if first else own


@pytest.mark.native
@pytest.mark.parametrize("language", list(languages()))
def test_every_codec_verifies_drawn_schemas(language: str, say: Say, request: pytest.FixtureRequest) -> None:
    option = request.config.getoption
    count, variants = option("--schemas"), variants_of(language, option("--first-variants"))
    made: dict[Pack, list[Variant]] = {}
    for edition in [option("--edition")] if option("--edition") else EDITIONS:
        made |= packs(drawn_schemas(count, edition), variants, PACK)
    told: list[str] = []
    for n, (pack, own) in enumerate(made.items(), 1):
        failed = held(pack.workload, own)
        say(f"pack {n} of {len(made)}: {len(pack.parts)} schemas, {len(own)} variants, {len(failed)} failed")
        for id, reason in failed.items():
            say(f"{id}: {shortened(reason, 500)}")
        for fault in faults(pack, failed, lambda smaller, some: held(smaller.workload, some)):
            say(fault)
            told.append(fault)
    for variant in variants:
        if not any(variant in own for own in made.values()):
            say(f"{variant.id} can do none of the schemas")
    assert not told, f"{len(told)} faults, told above"


@pytest.mark.native
@pytest.mark.parametrize("language", list(languages()))
def test_every_codec_verifies_unkind_names(language: str, say: Say) -> None:
    failed = held(load_workloads(TEST_WORKLOADS / "unkind")["my-data"], variants_of(language))
    say(f"unkind names, failed: {', '.join(failed) or 'none'}")
    assert not failed, "\n".join(f"{id}: {reason}" for id, reason in failed.items())
