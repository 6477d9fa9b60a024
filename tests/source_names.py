"""The identifiers in runners, adapters and generated code of a language, and schemas that declare types and
fields of these names.

Identifiers are found by reading the sources, so that adapters that are added later are tested too. All
identifiers are collected, not only declared ones, since a name that is only used must not be hidden either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

from tests.verified_kinds import LEAST, possible

from serbench.dataset.edges import edge_values
from serbench.imports.names import ScopeNames, TypeNames, wire
from serbench.languages.c import types as c_types
from serbench.languages.c.sources import C_SOURCES
from serbench.languages.cpp import domain as cpp
from serbench.languages.go import domain as go
from serbench.languages.go.options import tags_of
from serbench.languages.go.sources import canonical_source as go_canonical
from serbench.languages.go.sources import main_source
from serbench.languages.javascript import names as javascript
from serbench.languages.javascript.canonical import canonical_source as javascript_canonical
from serbench.languages.javascript.domain import declarations
from serbench.languages.javascript.domain import domain_source as javascript_domain
from serbench.languages.javascript.sources import cell_source as javascript_cell
from serbench.languages.jvm import domain as jvm
from serbench.languages.jvm.canonical import canonical_source as jvm_canonical
from serbench.languages.python import domain as python
from serbench.languages.python.options import Domain
from serbench.languages.python.sources import pair_sources
from serbench.languages.rust import domain as rust
from serbench.languages.rust.options import types_of
from serbench.languages.rust.sources import canonical_source as rust_canonical
from serbench.model import (
    Alternative,
    Enum,
    Field,
    List,
    Optional,
    Record,
    Schema,
    Type,
    Union,
    bool_,
    f64,
    i32,
    i64,
    string,
    u8,
)
from serbench.model.kinds import KINDS, schema_of
from serbench.model.names import IDENTIFIER
from serbench.model.types import SCALARS
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs
from serbench.workload import Workload

ENDINGS = {
    "c": (".c", ".h"),
    "cpp": (".cpp", ".hpp"),
    "go": (".go",),
    "javascript": (".js",),
    "jvm": (".java", ".scala"),
    "python": (".py",),
    "rust": (".rs",),
}
"""Language → the suffixes of its source files."""

NAMINGS = {
    "c": c_types.NAMING,
    "cpp": cpp.NAMING,
    "go": go.NAMING,
    "javascript": javascript.NAMING,
    "jvm": jvm.NAMING,
    "python": python.NAMING,
    "rust": rust.NAMING,
}
"""Language → the naming of its domain types."""

DOMAINS: tuple[Domain, ...] = ("dataclass", "keywords", "dict", "struct", "model")
"""Python's kinds of domain types for a record; each has a module of its own."""

BASE = schema_of(KINDS, "kinds")
"""The schema of every kind. Code generated from this schema shows the names that generated code declares and
uses besides those of a schema."""

_C_LIKE = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'""", re.DOTALL)
_PYTHON = re.compile(r'''""".*?"""|#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*\'''', re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def words_in(text: str, language: str) -> set[str]:
    """The identifiers of a source text, without those in comments and string literals."""
    return set(_WORD.findall((_PYTHON if language == "python" else _C_LIKE).sub(" ", text)))


def sources(language: str) -> Iterator[str]:
    """The text of each source of a language: the runner, the adapters of codecs, and the files that
    generators write."""
    generators = {path.parent for path in (PROJECT / "codecs" / language).glob("*/glue.py")}
    for folder in ("runners", "codecs"):
        for path in sorted((PROJECT / folder / language).rglob("*")):
            is_generator = path.parent in generators and path.suffix == ".py" and path.stem != "adapter"
            if path.suffix in ENDINGS[language] and not is_generator:
                yield path.read_text()
    yield from generated_of_base(language)


def generated(language: str, schema: Schema) -> Iterator[str]:
    """The files that are generated from a schema for a language and for those of its codecs that can do the
    schema."""
    plain = schema.plain()
    codecs = [codec for codec in load_codecs(Paths.default().codecs).values() if codec.language == language]
    variants = [next(iter(codec.variants.values())) for codec in codecs]
    match language:
        case "c":
            yield from C_SOURCES.domain(plain).values()
        case "cpp":
            yield from (cpp.domain_header(plain), cpp.shared_source(plain))
            yield from (cpp.main_program(v.codec.id, "Adapter", plain) for v in variants[:1])
        case "go":
            yield from (go.domain_source(plain, tags_of(variant)) for variant in variants)
            yield from (go_canonical(plain), main_source(variants[0], plain))
        case "javascript":
            yield from (javascript_domain(plain), declarations(plain), javascript_canonical(plain))
            yield javascript_cell(variants[0], plain)
        case "jvm":
            yield from (jvm.domain_source(plain), jvm_canonical(plain))
            yield from (jvm.cell_source(variant, plain) for variant in variants)
        case "python":
            yield from (python.domain_source(plain, each) for each in DOMAINS)
            dataclass = load_codecs(Paths.default().codecs)["python/json"].variants["dataclass"]
            yield from pair_sources(dataclass, plain).values()
        case "rust":
            yield from (rust.domain_source(plain, types_of(variant)) for variant in variants)
            yield rust_canonical(plain)
    for codec, variant in zip(codecs, variants, strict=True):
        if codec.glue.emit is None:
            continue
        if schema is BASE:
            yield codec.glue.emit(codec.glue.seen(schema_of(possible(variant), "kinds")))
        elif variant.why_not(schema) is None:
            yield codec.glue.emit(codec.glue.seen(schema))


@cache
def generated_of_base(language: str) -> tuple[str, ...]:
    """The files that are generated from ``BASE``, the schema that has every kind of type."""
    return tuple(generated(language, BASE))


def in_scope(text: str, language: str) -> set[str]:
    """The identifiers of a source that stand alone, not as a member behind ``.``, ``::`` or ``->``."""
    bare = (_PYTHON if language == "python" else _C_LIKE).sub(" ", text)
    return set(re.findall(r"(?<![\w.:>$])(?<!->)[A-Za-z_]\w*", bare, re.ASCII))


@cache
def generated_words(language: str) -> tuple[str, ...]:
    """The identifiers that stand alone, as ``in_scope`` means it, in the files that are generated from
    ``BASE``, the schema that has every kind of type."""
    texts = generated_of_base(language)
    return tuple(sorted(set().union(*(in_scope(text, language) for text in texts))))


@cache
def types_within_reach(language: str) -> tuple[str, ...]:
    """The identifiers in a language's sources that a user's type may be named by, without being respelled:
    tests give types these names, to see whether generated code clashes with the sources. Identifiers that
    are only members of something do not count (``in_scope``)."""
    words = set().union(*(in_scope(text, language) for text in sources(language)))
    own = {type.name for type in BASE.named}
    words = {each for each in words if IDENTIFIER.fullmatch(each)} - own - {*SCALARS}
    beside = [Field(f"type_{n}", Record(each, [Field("value", i32)])) for n, each in enumerate(sorted(words))]
    schema = Schema("names", Record("Kinds", [*BASE.plain().root.fields, *beside]))
    spelled = NAMINGS[language].spell(schema)
    taken = {type.name for type in NAMINGS[language].spell(BASE.plain()).named}
    made = {n.name for d, n in zip(schema.named, spelled.named, strict=True) if d.name in words}
    return tuple(sorted(made & words - taken))


# --- schemas ---

FIELDS: tuple[Type, ...] = (i32, string, bool_, List(i32), i64, Optional(i32), Optional(string), f64)
"""Types that fields get in turn, since the code generated for a field depends on its type."""

_TOGETHER = 40
"""The most names in one record, enum or union."""


def root_named(types: Sequence[str], parts: Sequence[str], *, unions: bool = False, shift: int = 0) -> Record:
    """A root that contains types of the kinds in ``PLAIN``, and types and fields with the given names.

    Each of ``types`` becomes the name of a record or an enum that has a field or a member of the same name.
    Each of ``parts`` becomes the name of a field of a record and of a member of an enum. With ``unions``,
    some types are unions and some fields alternatives. A type's name that the type model does not allow
    becomes a written name; a part's is left out.

    Args:
        shift: a number that changes which types become records, enums or unions, and which types fields have.
    """
    names = TypeNames()
    root, beside = names.of("Root"), [*dict.fromkeys(t.name for t in BASE.named), "Root"]
    for each in beside:
        names.of(each)
    makers = [_record, _enum, _union][: 3 if unions else 2]
    made = [
        makers[(n + shift) % len(makers)](names.of(each), each, [each, "value"], shift + n)
        for n, each in enumerate(each for each in types if each not in beside)
    ]
    parts = [each for each in parts if IDENTIFIER.fullmatch(each)]
    for n, some in enumerate(_chunks(parts, _TOGETHER)):
        for word, maker in zip(("Fields", "Members", "Alternatives"), makers, strict=False):
            made.append(maker(names.of(f"{word}{n}"), "", some, shift))
    groups = [
        Record(names.of(f"Group{n}"), [Field(f"of_{m}", each) for m, each in enumerate(some)])
        for n, some in enumerate(_chunks(made, _TOGETHER))
    ]
    kinds = [*PLAIN, *(UNIONS if unions else [])]
    base = list(schema_of(kinds).root.fields)
    return Record(root, [*base, *(Field(f"of_group_{n}", group) for n, group in enumerate(groups))])


PLAIN = ("enum", "record", "list", "optional record")
"""Kinds of types that every root of ``root_named`` has: nearly all codecs can do them, and generated code
derives further names from the names of such types."""

UNIONS = ("union of scalars", "union with an empty alternative")


def workload_named(name: str, root: Record) -> Workload:
    return Workload(name, "names of sources", root, lambda: islice(edge_values(root, LEAST), 4))


def _chunks(each: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (each[begin : begin + size] for begin in range(0, len(each), size))


def _named(words: Sequence[str]) -> list[tuple[str, str]]:
    """Each word as a name that is valid in the type model and unique in one record, enum or union, with its
    written name."""
    names = ScopeNames()
    made = [(names.of(each), each) for each in dict.fromkeys(words)]
    return [(name, wire(written, name)) for name, written in made]


def _record(name: str, written: str, fields: Sequence[str], shift: int) -> Record:
    held = [
        Field(own, FIELDS[(n + shift) % len(FIELDS)], wire=spelt)
        for n, (own, spelt) in enumerate(_named(fields))
    ]
    return Record(name, held, wire(written, name) if written else "")


def _enum(name: str, written: str, members: Sequence[str], shift: int) -> Enum:
    spelt = _named(members)
    return Enum(name, u8, [own for own, _ in spelt], wire=[(own, each) for own, each in spelt if each])


def _union(name: str, written: str, alternatives: Sequence[str], shift: int) -> Union:
    held: tuple[Type | None, ...] = (i32, string, None)
    made = [
        Alternative(own, held[(n + shift) % 3], wire=each)
        for n, (own, each) in enumerate(_named(alternatives))
    ]
    return Union(name, made, wire(written, name) if written else "")
