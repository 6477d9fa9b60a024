"""Generated code is a product: what is generated for a few workloads, file by file.

After a wanted change: ``SERBENCH_UPDATE_GOLDEN=1 ./serbench test tests/test_golden.py``, and read the
difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import TEST_WORKLOADS

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
from serbench.languages.rust.options import types_of
from serbench.languages.rust.sources import canonical_source as rust_canonical
from serbench.model import Schema
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs
from serbench.workloads.workload import load_workloads

IDL = {"cpp": emit_idl, "c": C_SOURCES.idl}
GOLDEN = Path(__file__).parent / "golden"
WORKLOADS = ("graph", "monsters", "nobid")
GROWN = ("kinds", "recursion", "unions")
UPDATE = bool(os.environ.get("SERBENCH_UPDATE_GOLDEN"))


def generated() -> Iterator[tuple[str, str]]:
    """Every golden file's name with the text that is generated now."""
    paths = Paths.default()
    for name in WORKLOADS:
        schema = load_workloads(paths.workloads)[name].schema
        yield f"{name}/domain.hpp", domain_header(schema)
        yield f"{name}/main.cpp", main_program("cpp/cereal", "CerealAdapter", schema)
        yield f"{name}/calls.cpp", calls_source("cpp/cereal", "CerealAdapter", schema)
        yield f"{name}/shared.cpp", shared_source(schema)
        yield f"{name}/minimal.cpp", minimal_program("cpp/cereal", "CerealAdapter", schema)
        msgpack = load_codecs(paths.codecs)["c/msgpack"]
        for file, text in {
            **C_SOURCES.domain(schema),
            **C_SOURCES.pair(msgpack.variants["zone"], schema).files,
        }.items():
            yield f"{name}/{file}", text
        yield f"{name}/types.scala", domain_source(schema)
        yield f"{name}/canonical.scala", canonical_source(schema)
        jsoniter = load_codecs(paths.codecs)["jvm/jsoniter"]
        yield f"{name}/Default.scala", cell_source(jsoniter.variants["default"], schema)
        yield from rust_pair(name, schema)
        yield from go_pair(name, schema)
        yield from python_pairs(name, schema)
        yield from javascript_pair(name, schema)
        for codec in load_codecs(paths.codecs).values():
            if codec.language == "go":
                continue
            if codec.glue.emit and (text := codec.glue.emit(schema)):
                yield f"{name}/{_folder(codec)}/{languages()[codec.language].glue_file}", text
            if codec.idl and codec.language in IDL:
                yield (
                    f"{name}/{codec.name}/{codec.idl.file.format(workload=name)}",
                    IDL[codec.language](codec.idl.language, schema),
                )
    grown = load_workloads(TEST_WORKLOADS / "grown")
    for name in GROWN:
        schema = grown[name].schema.plain()
        yield f"{name}/domain.hpp", domain_header(schema)
        yield f"{name}/domain.h", C_SOURCES.domain(schema)["domain.h"]
        yield f"{name}/types.scala", domain_source(schema)
        yield f"{name}/canonical.scala", canonical_source(schema)
        yield from rust_pair(name, schema)
        yield from go_pair(name, schema)
        yield from python_pairs(name, schema)
        yield from javascript_pair(name, schema)
        if name == "unions":
            yield from scala_glue(name, schema)
        for language in emitters():
            yield f"{name}/idl/{language}", emit_idl(language, schema)
        for codec in load_codecs(paths.codecs).values():
            able = not all(variant.why_not(schema) for variant in codec.variants.values())
            if codec.language in ("cpp", "c", "rust", "javascript") and codec.glue.emit and able:
                yield (
                    f"{name}/{_folder(codec)}/{languages()[codec.language].glue_file}",
                    codec.glue.emit(schema),
                )


def _folder(codec: Codec) -> str:
    return f"javascript/{codec.name}" if codec.language == "javascript" else codec.name


def javascript_pair(name: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """The domain types with those for TypeScript, what the harness needs of them, and a program."""
    handwritten = load_codecs(Paths.default().codecs)["javascript/handwritten"].variants["default"]
    yield f"{name}/domain.js", javascript_domain(schema)
    yield f"{name}/domain.d.ts", declarations(schema)
    yield f"{name}/canonical.js", javascript_canonical(schema)
    yield f"{name}/cell.js", javascript_cell(handwritten, schema)


def rust_pair(name: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """The domain types as a library that derives wants them, and what the harness needs of them."""
    serde = load_codecs(Paths.default().codecs)["rust/rmp_serde"].variants["arrays"]
    yield f"{name}/domain.rs", rust_domain.domain_source(schema, types_of(serde))
    yield f"{name}/canonical.rs", rust_canonical(schema)


def go_pair(name: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """The domain types in Go and what the harness needs of them, with the glue of a codec that has a
    statement for each field."""
    codecs = load_codecs(Paths.default().codecs)
    msgpack = codecs["go/vmihailenco_msgpack"].variants["arrays"]
    yield f"{name}/domain.go", go_domain.domain_source(schema, tags_of(msgpack))
    yield f"{name}/canonical.go", go_canonical(schema)
    yield f"{name}/main.go", main_source(msgpack, schema)
    handwritten = codecs["go/handwritten"].glue.emit
    assert handwritten
    yield f"{name}/go/handwritten/glue.go", handwritten(schema)
    # mus has a serializer of each type for each variant, of which two schemas show all there is.
    of_two = ["mus"] if name in ("kinds", "monsters") else []
    for codec in ("capnproto", "flatbuffers", *of_two, "protobuf", "thrift"):
        emit = codecs[f"go/{codec}"].glue.emit
        assert emit
        yield f"{name}/go/{codec}/glue.go", emit(schema)


def python_pairs(name: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """The modules of a cell, for dataclasses, plain dicts and structs."""
    codecs = load_codecs(Paths.default().codecs)
    for codec, variant in (("json", "dataclass"), ("json", "dict"), ("msgspec", "msgpack_struct")):
        for file, text in pair_sources(codecs[f"python/{codec}"].variants[variant], schema).items():
            yield f"{name}/python_{variant}/{file}", text
    yield f"{name}/python_model/domain.py", python_domain(schema, "model")
    with_glue = ("avro", "betterproto2", "fastavro", "protobuf", "pycapnp", "thrift", "thriftpy2")
    for codec in with_glue if name in GROWN else ():
        emit = codecs[f"python/{codec}"].glue.emit
        assert emit
        if all(variant.why_not(schema) for variant in codecs[f"python/{codec}"].variants.values()):
            continue
        yield f"{name}/python_{codec}/glue.py", emit(schema)


def scala_glue(name: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """The glue that codecs of the JVM generate for unions."""
    for codec in load_codecs(Paths.default().codecs).values():
        can = any(not variant.why_not(schema) for variant in codec.variants.values())
        if codec.language == "jvm" and codec.glue.emit and can:
            yield f"{name}/{codec.name}/Glue.scala", codec.glue.emit(schema)


FILES = dict(generated())


@pytest.mark.parametrize("name", FILES)
def test_generated_text_is_the_golden_one(name: str) -> None:
    path = GOLDEN / name
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FILES[name])
    assert FILES[name] == path.read_text()


def test_every_golden_file_is_still_generated() -> None:
    kept = {str(path.relative_to(GOLDEN)) for path in GOLDEN.rglob("*") if path.is_file()}
    assert kept == set(FILES)
