"""Tests of schemas whose types, fields, members and alternatives have the names that runners, adapters and
generated code use themselves.

These names are read from the sources (``source_names.py``). In every language, generated code must declare
nothing twice. Programs in Python and JavaScript are run too, since they need no compiler. ``./serbench test
tests/test_source_names.py --schemas 1`` builds and verifies every codec, with ``-k rust`` those of one
language.
"""

from __future__ import annotations

import ast
import re
from abc import ABCMeta
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path

import pytest
from tests.source_names import (
    ENDINGS,
    generated,
    generated_words,
    in_scope,
    root_named,
    sources,
    types_within_reach,
    words_in,
    workload_named,
)
from tests.test_drawn import OWN, held, variants_of

from serbench.codecs.codec import Variant
from serbench.idl.avsc import lowered as in_avro
from serbench.languages.javascript import names as javascript
from serbench.languages.python.domain import NAMING as PYTHON
from serbench.model import Enum, Field, Record, Schema, i32, string, u8
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs, load_variants

CODECS = load_codecs(Paths.default().codecs)
VARIANTS = load_variants(Paths.default().codecs)

DECLARED = {
    "c": r"^\} (\w+);|^typedef [^{;]*?(\w+);",
    "cpp": r"^(?:struct|class|enum class|enum) (\w+)\b(?! *[;<])(?=[^;]*\{)",
    "go": r"^(?:type|var|const|func) (\w+)",
    "javascript": r"^(?:export )?(?:const|let|class|function) (\w+)",
    "jvm": r"^(?:final |sealed |abstract |case )*(?:class|trait) (\w+)",
    "rust": r"^(?:pub )?(?:struct|enum|trait|type|mod|union) (\w+)",
}
"""Language → a pattern of those declarations, at the outermost level of a file, whose names must be unique;
its group matches the name."""


def declared(text: str, language: str) -> Iterator[str]:
    """The names that a generated file declares, each as many times as it is declared; in Python and
    JavaScript, imported names too."""
    if language == "python":
        for each in ast.parse(text).body:
            match each:
                case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                    yield name
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                    yield name
                case ast.ImportFrom(module=module, names=names) if module != "__future__":
                    yield from (name.asname or name.name for name in names)
                case ast.Import(names=names):
                    yield from (name.asname or name.name for name in names)
        return
    for found in re.finditer(DECLARED[language], text, re.MULTILINE):
        yield next(filter(None, found.groups()))
    if language == "javascript":
        for names in re.findall(r"^import \{(.*?)\}", text, re.MULTILINE | re.DOTALL):
            yield from re.findall(r"(\w+)\s*(?:,|$)", names)


def test_names_are_read_from_sources() -> None:
    text = 'class Planted { /* Not_this */ make() { return "nor_this" + other.member; } } // nor this'
    assert words_in(text, "javascript") == {"class", "Planted", "make", "return", "other", "member"}
    assert "member" not in in_scope(text, "javascript") and "Planted" in in_scope(text, "javascript")
    assert words_in('FILE = "text"  # comment\n"""More."""', "python") == {"FILE"}


@pytest.mark.parametrize("language", ENDINGS)
def test_each_codec_of_a_language_is_read(language: str) -> None:
    texts = set(sources(language))
    for path in (Path(__file__).parents[1] / "codecs" / language).glob(f"*/*{ENDINGS[language][0]}"):
        if language != "python" or path.stem == "adapter":
            assert path.read_text() in texts
    assert len(generated_words(language)) > 200


@pytest.mark.parametrize("language", ENDINGS)
def test_nothing_generated_is_declared_twice(language: str) -> None:
    """A generated file must declare no name twice, even if records, enums and unions have the names that
    generated code itself uses."""
    root = root_named(types_within_reach(language), generated_words(language), unions=False)
    for text in generated(language, Schema("names", root)):
        twice = [name for name, count in Counter(declared(text, language)).items() if count > 1]
        assert not twice, text.split("\n")[0]


def test_a_type_is_no_constant_and_no_exception_of_a_module_of_python() -> None:
    names = ("COLOR_NAMES", "DEEPEST", "ValueError", "Path", "Error", "A")
    schema = Schema(
        "s", Record("R", [Field(f"f{n}", Record(each, [Field("x", i32)])) for n, each in enumerate(names)])
    )
    spelled = [record.name for record in PYTHON.spell(schema).records]
    assert spelled == ["COLOR_NAMES_", "DEEPEST_", "ValueError_", "Path", "Error", "A", "R"]


def public(*classes: type) -> list[str]:
    """Return the attributes that classes have, but for those of the language itself."""
    return sorted({name for each in classes for name in dir(each) if not name.startswith("_")})


@pytest.mark.parametrize("metaclass", [type, ABCMeta])
def test_a_field_has_no_name_of_what_its_class_has_of_its_own_class(metaclass: type) -> None:
    names = [*public(metaclass), "last"]
    (record,) = PYTHON.spell(Schema("s", Record("R", [Field(name, i32) for name in names]))).records
    assert [each.name for each in record.fields] == [*(f"{name}_" for name in names[:-1]), "last"]


def test_a_member_has_no_name_of_what_members_have() -> None:
    schema = Schema("s", Record("R", [Field("e", Enum("E", u8, [*public(IntEnum), "last"]))]))
    members = [name for name, _ in PYTHON.spell(schema).enums[0].members]
    assert not set(public(IntEnum)) & set(members)


def of_fields(*names: str) -> Schema:
    """A schema with a field for each of these written names."""
    return Schema("s", Record("R", [Field(f"f{n}", string, wire=name) for n, name in enumerate(names)]))


def test_the_key_that_sets_a_prototype_is_a_property_of_its_own() -> None:
    glue = CODECS["javascript/builtin_json"].glue.emit
    assert glue and '["__proto__"]: value.f0' in glue(of_fields("__proto__", "n"))
    assert javascript.property_name("constructor") == "constructor"


REFUSED = {
    "__proto__": ("cbor_x", "msgpack", "msgpackr", "msgpackr_records", "node_cbor", "notepack"),
    "_bsontype": ("bson",),
}
"""Keys that some libraries cannot have in objects → the codecs of these libraries."""


@pytest.mark.parametrize("key", REFUSED)
def test_a_key_that_a_library_takes_for_itself_is_a_reason(key: str) -> None:
    schema = of_fields(key, "n")
    for variant in VARIANTS.values():
        if variant.codec.language == "javascript":
            reason = variant.why_not(schema)
            assert (reason is not None and key in reason) == (variant.codec.name in REFUSED[key]), variant.id


def test_a_reference_of_mongo_is_a_reason_only_where_one_document_is_one() -> None:
    inner = Record("Inner", [Field("ref", string, wire="$ref")])
    apart = Schema("s", Record("R", [Field("id", string, wire="$id"), Field("inner", inner)]))
    for id in ("javascript/bson", "python/bson"):
        (variant,) = CODECS[id].variants.values()
        assert variant.why_not(apart) is None
        assert "DBRef" in (variant.why_not(of_fields("$ref", "$id")) or "")


def test_a_symbol_that_every_object_has_is_a_reason_in_avsc() -> None:
    schema = Schema("s", Record("R", [Field("e", Enum("E", u8, ["constructor", "other"]))]))
    assert [name for name, _ in in_avro(schema).enums[0].members] == ["constructor", "other"]
    for variant in CODECS["javascript/avsc"].variants.values():
        assert "constructor" in (variant.why_not(schema) or "")


# --- programs ---


def needs_no_package(variant: Variant) -> bool:
    """Whether a codec of Python or JavaScript runs without any fetched package."""
    folder = variant.codec.directory
    return not any((folder / each).exists() for each in ("package-lock.json", "requirements.lock"))


def names_of(language: str, *, unions: bool, shift: int) -> Record:
    return root_named(types_within_reach(language), generated_words(language), unions=unions, shift=shift)


def held_to(language: str, variants: Sequence[Variant], *, unions: bool, shift: int) -> dict[str, str]:
    """Builds and verifies variants with a schema whose names are those in the sources of a language; returns
    the failures: id of a variant → reason. ``unions`` and ``shift`` choose which types have the names, as in
    ``root_named``."""
    root = names_of(language, unions=unions, shift=shift)
    workload = workload_named(f"names_{language}_{'with' if unions else 'no'}_unions_{shift}", root)
    return held(workload, [each for each in variants if each.why_not(workload.schema) is None], OWN)


@pytest.mark.slow("build and verify some ten programs")
@pytest.mark.parametrize("language", ["javascript", "python"])
def test_programs_without_a_compiler_have_names_of_sources(language: str) -> None:
    variants = [each for each in variants_of(language, first=True) if needs_no_package(each)]
    assert len(variants) > 2
    assert held_to(language, variants, unions=True, shift=0) == {}


@pytest.mark.native
@pytest.mark.parametrize("language", ENDINGS)
def test_every_codec_has_names_of_sources(language: str, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--schemas"):
        pytest.skip("asked for by --schemas N: builds every codec with the names of its language's sources")
    variants = variants_of(language, request.config.getoption("--first-variants"))
    failed = held_to(language, variants, unions=False, shift=0)
    failed |= held_to(language, variants, unions=True, shift=1)
    assert not failed, "\n".join(f"{id}: {reason}" for id, reason in failed.items())
