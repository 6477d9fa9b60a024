"""Compares the text that each generator writes for one schema with a golden file.

After a wanted change: ``SERBENCH_UPDATE_GOLDEN=1 ./serbench test tests/test_golden.py``, and read the
difference. A text that several files share is kept once; ``equal.txt`` names the other files.

Each generator gets the schema of ``cases.py``. A codec or a dialect of an IDL whose text differs little from
that of another gets the workload ``monsters``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from tests.cases import CASES

from serbench.changes.derived import parse_spec
from serbench.codecs.codec import Codec
from serbench.idl import emit as emit_idl
from serbench.idl import emitters
from serbench.languages import languages
from serbench.languages.c.sources import C_SOURCES
from serbench.languages.cpp.domain import (
    calls_source,
    domain_header,
    main_program,
    minimal_program,
    shared_source,
)
from serbench.languages.go import domain as go_domain
from serbench.languages.go.options import tags_of
from serbench.languages.go.sources import canonical_source as go_canonical
from serbench.languages.go.sources import main_source
from serbench.languages.javascript.canonical import canonical_source as javascript_canonical
from serbench.languages.javascript.domain import declarations
from serbench.languages.javascript.domain import domain_source as javascript_domain
from serbench.languages.javascript.sources import cell_source as javascript_cell
from serbench.languages.jvm.canonical import canonical_source
from serbench.languages.jvm.domain import cell_source, domain_source
from serbench.languages.python.domain import domain_source as python_domain
from serbench.languages.python.sources import pair_sources
from serbench.languages.rust import domain as rust_domain
from serbench.languages.rust.borrowed import borrowed_source
from serbench.languages.rust.options import types_of
from serbench.languages.rust.sources import canonical_source as rust_canonical
from serbench.model import Field, Record, Schema
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs, load_variants
from serbench.workload import load_workloads

GOLDEN = Path(__file__).parent / "golden"
EQUAL = GOLDEN / "equal.txt"
UPDATE = bool(os.environ.get("SERBENCH_UPDATE_GOLDEN"))
CODECS = load_codecs(Paths.default().codecs)
VARIANTS = load_variants(Paths.default().codecs)
KNOWN = load_workloads(Paths.default().workloads)
PUBLISHED = {name: KNOWN[name].schema for name in ("monsters", "graph")}

ALIKE = {
    *("cpp/protobuf_proto2", "go/handwritten", "jvm/avrohugger", "rust/serde_avro_fast"),
    *(f"javascript/{name}" for name in ("bson", "cbor_x", "msgpackr", "msgpackr_records", "node_cbor", "v8")),
    *(f"python/{name}" for name in ("avro", "bson", "cattrs", "cbor2", "handwritten", "marshal")),
    *(f"python/{name}" for name in ("msgpack", "ormsgpack", "pyfory", "thrift")),
}
"""Codecs whose glue shares nearly every line with that of another codec of their language."""

DIALECTS = {"capnp_rust", "fbs_go", "fbs_py", "fbs_ts", "proto2"}
"""IDLs that are nearly the same as another, but avoid names that the compiler for one language cannot
take."""

NOT_SHOWN = {"go/hamba_avro", "go/twmb_avro"}
"""Codecs without golden files, since their glue would be a tenth of all golden files; random schemas verify
them."""

Texts = Iterator[tuple[str, str]]
"""Pairs of a file's name and its text."""


def generated() -> Texts:
    """The name of every golden file with the text that is generated now."""
    yield from cpp()
    yield from c()
    yield from jvm()
    yield from rust()
    yield from go()
    yield from python()
    yield from javascript()
    for language in emitters():
        schema = PUBLISHED["monsters"] if language in DIALECTS else CASES
        yield f"idl/{language}", emit_idl(language, schema)
    for codec in CODECS.values():
        if codec.glue.emit and codec.id not in NOT_SHOWN:
            schema = PUBLISHED["monsters"] if codec.id in ALIKE else possible(codec)
            yield f"{codec.id}/{languages()[codec.language].glue_file}", codec.glue.emit(schema)
    graph = CODECS["cpp/cista"].glue.emit
    assert graph
    yield "cpp/cista/graph.hpp", graph(PUBLISHED["graph"])  # with pointers, which no other schema has


def possible(codec: Codec) -> Schema:
    """The schema with only those fields of its root that a variant of the codec declares itself able to
    do."""

    def can(schema: Schema) -> bool:
        return any(variant.why_not(schema) is None for variant in codec.variants.values())

    if can(CASES):
        return CASES
    schema = with_fields(field for field in CASES.root.fields if can(with_fields([field])))
    assert can(schema), codec.id
    return schema


def with_fields(fields: Iterable[Field]) -> Schema:
    """The schema with only these fields of its root."""
    root = Record(CASES.root.name, fields)
    walk = CASES.walk if CASES.walk and any(f.name == CASES.walk.nodes for f in root.fields) else None
    return Schema(CASES.name, root, [type for type in CASES.named if type.name != root.name], walk)


# --- each language's own files ---


def cpp() -> Texts:
    yield "cpp/domain.hpp", domain_header(CASES)
    yield "cpp/main.cpp", main_program("cpp/cereal", "CerealAdapter", CASES)
    yield "cpp/calls.cpp", calls_source("cpp/cereal", "CerealAdapter", CASES)
    yield "cpp/shared.cpp", shared_source(CASES)
    yield "cpp/minimal.cpp", minimal_program("cpp/cereal", "CerealAdapter", CASES)


def c() -> Texts:
    files = {**C_SOURCES.domain(CASES), **C_SOURCES.pair(VARIANTS["c/msgpack:zone"], CASES).files}
    yield from within("c", files)
    yield "c/proto2", C_SOURCES.idl("proto2", CASES)


def jvm() -> Texts:
    yield "jvm/types.scala", domain_source(CASES)
    yield "jvm/canonical.scala", canonical_source(CASES)
    yield "jvm/Default.scala", cell_source(VARIANTS["jvm/jsoniter"], CASES)


def rust() -> Texts:
    """The domain types in Rust for a library with derive macros, and the generated part of the harness."""
    yield "rust/domain.rs", rust_domain.domain_source(CASES, types_of(VARIANTS["rust/rmp_serde:arrays"]))
    yield "rust/canonical.rs", rust_canonical(CASES)
    yield "rust/borrowed.rs", borrowed_source(KNOWN["web_log"].schema, VARIANTS["rust/rmp_serde:borrowed"])
    part = parse_spec("monsters/read=monsters[].hp", KNOWN).workload.schema
    rkyv = CODECS["rust/rkyv"].glue.emit
    assert rkyv
    yield "rust/rkyv/part.rs", rkyv(part)  # by the types of the whole message


def go() -> Texts:
    msgpack = VARIANTS["go/vmihailenco_msgpack:arrays"]
    yield "go/domain.go", go_domain.domain_source(CASES, tags_of(msgpack))
    yield "go/canonical.go", go_canonical(CASES)
    yield "go/main.go", main_source(msgpack, CASES)


def python() -> Texts:
    """The modules that are generated for codecs of Python with dataclasses and plain dicts as domain types,
    and the domain types as models of pydantic and structs of msgspec."""
    for folder, variant in (("dataclass", "python/json:dataclass"), ("dict", "python/json:dict")):
        yield from within(f"python/{folder}", pair_sources(VARIANTS[variant], CASES))
    for domain in ("model", "struct"):  # whose other modules are as those of dataclasses, but for keywords
        yield f"python/{domain}/domain.py", python_domain(CASES, domain)


def javascript() -> Texts:
    """The domain types in JavaScript with their TypeScript declarations, the generated part of the harness,
    and a program."""
    yield "javascript/domain.js", javascript_domain(CASES)
    yield "javascript/domain.d.ts", declarations(CASES)
    yield "javascript/canonical.js", javascript_canonical(CASES)
    yield "javascript/cell.js", javascript_cell(VARIANTS["javascript/handwritten"], CASES)


def within(folder: str, files: Mapping[str, str]) -> Texts:
    """The files, each named with ``folder`` in front of its own name."""
    yield from ((f"{folder}/{name}", text) for name, text in files.items())


FILES = dict(generated())
FIRST = {text: name for name, text in reversed(FILES.items())}
"""Text → the first golden file that has it."""

KEPT = {name: text for text, name in FIRST.items()}


@pytest.mark.parametrize("name", sorted(KEPT))
def test_generated_text_is_the_golden_one(name: str) -> None:
    path = GOLDEN / name
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(KEPT[name])
    assert KEPT[name] == path.read_text()


def test_files_with_one_text_are_listed() -> None:
    found = "".join(f"{name} = {FIRST[FILES[name]]}\n" for name in sorted(FILES) if name not in KEPT)
    if UPDATE:
        EQUAL.write_text(found)
    assert found == EQUAL.read_text()


def test_every_golden_file_is_still_generated() -> None:
    kept = {str(path.relative_to(GOLDEN)) for path in GOLDEN.rglob("*") if path.is_file()}
    assert kept == {*KEPT, EQUAL.name}
