"""Parses Avro schemas by fastavro, after which every name has its namespace and every reference a target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastavro
import orjson
from fastavro.schema import SchemaParseException, UnknownType, fullname

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.json.parsing import NoJson, no_json
from serbench.imports.roots import chosen
from serbench.imports.strangers import HEAD, stranger
from serbench.text import safe, shortened

PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
RECORDS = ("record", "error")
COMPLEX = (*RECORDS, "enum", "fixed", "array", "map")

DEFAULT, LOGICAL = "serbench.default", "serbench.logicalType"
"""The keys under which parsed schemas have their ``default`` and ``logicalType``, which are hidden from
fastavro: it refuses a default that does not fit the type of its field, though that changes no byte, and it
would turn values into those of logical types, some of them with loss."""

MOST_BYTES = 8 << 20
"""The most bytes of a schema's text; the largest published ones have some hundred KiB."""

MOST_TOPS = 1000
"""The most outermost schemas. There is a limit since a schema that refers to a later one is parsed again."""


@dataclass(frozen=True)
class SchemaSource:
    """A schema as JSON values, and the file that holds it."""

    file: Path
    schema: Any


@dataclass(frozen=True)
class Parsed:
    """Parsed schemas, with full names.

    Attributes:
        file: the first of their files.
        tops: the outermost schemas in their order. The branches of an outermost union are here one by one,
            since such a union may only serve to declare several types in a file.
        union: the outermost schema if it is a union; else None.
        named: full name → the declaration of a record, enum or fixed.
    """

    file: Path
    tops: Sequence[Any]
    union: Any
    named: Mapping[str, Any]

    def declaration(self, schema: Any) -> Any:
        """The declaration to which a reference refers; any other schema as it is."""
        return self.named.get(schema, schema) if isinstance(schema, str) else schema

    def message(self, root: str) -> Any:
        """The schema of a message: the record called ``root`` (the end of its full name is enough); if
        ``root`` is empty, the only possible one. Raises InputError if there is none, or more than one."""
        if not root and len(self.tops) == 1:
            return self.tops[0]
        records = sorted(name for name, each in self.named.items() if each["type"] in RECORDS)
        referred = {name for top in self.tops for name in self._names_in(top)}
        return self.named[chosen(records, referred, root, self.file, "record")]

    def _names_in(self, top: Any) -> Iterator[str]:
        """The full names to which an outermost schema refers, or which it declares, without its own name."""
        own = name_of(top)
        left = list(inner_schemas(self.declaration(top)))
        while left:
            schema = left.pop()
            if (name := name_of(schema)) and name != own:
                yield name
            left += inner_schemas(schema)


def load(file: Path) -> SchemaSource:
    """The JSON of an ``.avsc`` file; raises InputError."""
    try:
        with file.open("rb") as stream:
            text = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise refused(file, "", error.strerror or "a file that cannot be read", "an Avro schema") from error
    return SchemaSource(file, from_json(file, text))


def from_json(file: Path, text: bytes) -> Any:
    """The JSON values of a schema's text; raises InputError."""
    if len(text) > MOST_BYTES:
        raise refused(file, "", f"a schema of more than {MOST_BYTES >> 20} MiB", "a smaller one")
    if fault := stranger(file, text[:HEAD], "an Avro schema in JSON"):
        raise fault
    try:
        return orjson.loads(text.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        if not text.strip():
            raise refused(file, "", "no schema: the file is empty", "an Avro schema in JSON") from error
        raise no_json(file, NoJson(text, error.msg), expected="an Avro schema in JSON") from error


def parse(sources: Sequence[SchemaSource]) -> Parsed:
    """The schemas of files, which may refer to each other's types in any order; raises InputError."""
    plain = [SchemaSource(each.file, _plain_of(each)) for each in sources]
    is_union = len(plain) == 1 and isinstance(plain[0].schema, list)
    waiting = [SchemaSource(each.file, top) for each in plain for top in _tops(each.schema)]
    if not 0 < len(waiting) <= MOST_TOPS:
        raise refused(sources[0].file, "", f"{len(waiting)} schemas", f"one to {MOST_TOPS}")
    tops: dict[int, Any] = {}
    named: dict[str, Any] = {}
    left = list(enumerate(waiting))
    while left:
        postponed, unknown = [], []
        for number, source in left:
            try:
                tops[number], named = _parsed(source, named)
            except UnknownType as error:
                postponed.append((number, source))
                unknown.append((source.file, error.name))
        if len(postponed) == len(left):
            raise _unknown(unknown, [source.schema for _, source in postponed])
        left = postponed
    made = [tops[number] for number in range(len(waiting))]
    return Parsed(sources[0].file, made, [name_of(top) or top for top in made] if is_union else None, named)


def _tops(schema: Any) -> list[Any]:
    return schema if isinstance(schema, list) else [schema]


def _unknown(found: Sequence[tuple[Path, Any]], waiting: Sequence[Any]) -> InputError:
    """The error for a type that is declared nowhere, or in schemas that each need another first."""
    names = [
        fullname(each) for each in waiting if isinstance(each, dict) and isinstance(each.get("name"), str)
    ]
    file, name = next((each for each in found if each[1] not in names), found[0])
    remedy = "also give the file that declares it, or declare it earlier"
    return refused(file, "", f"a type {_told(name)}", "one that is declared", remedy)


def _plain_of(source: SchemaSource) -> Any:
    try:
        return _plain(source.schema)
    except (TypeError, AttributeError, RecursionError) as error:
        raise refused(source.file, "", "JSON that is not an Avro schema", "an Avro schema") from error


def _plain(schema: Any) -> Any:
    """The same schema, with defaults and logical types hidden, and where Avro allows several ways to write a
    type, in the one that fastavro reads."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    if isinstance(kind, dict | list):
        return _plain(kind)
    if isinstance(kind, str) and kind not in PRIMITIVES and kind not in COMPLEX:
        return kind
    plain = {LOGICAL if key == "logicalType" else key: value for key, value in schema.items()}
    for part in ("items", "values"):
        if part in schema:
            plain[part] = _plain(schema[part])
    if kind in RECORDS:
        plain["fields"] = [_plain_field(field) for field in schema.get("fields", ())]
    return plain


def _plain_field(field: dict[str, Any]) -> dict[str, Any]:
    plain = {DEFAULT if key == "default" else key: value for key, value in field.items()}
    return plain | {"type": _plain(field["type"])} if "type" in field else plain


def _parsed(source: SchemaSource, named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A schema, parsed, and all names that are known after it. Raises UnknownType if the schema refers to a
    type that is not known yet."""
    known = dict(named)
    try:
        top = fastavro.parse_schema(source.schema, known)
    except UnknownType:
        raise
    except SchemaParseException as error:
        raise _no_schema(source.file, shortened(safe(error, lines=False), 300)) from error
    except Exception as error:  # any kind, since fastavro checks parts only when it comes to them
        is_missing = isinstance(error, KeyError)
        found = f"a schema without {_told(error.args[0])}" if is_missing else "parts of other kinds"
        raise _no_schema(source.file, found) from error
    for name, before in named.items():
        if known[name] is not before and known[name] != before:
            remedy = "give only the files that belong together"
            raise refused(source.file, _told(name), "another declaration of it", "one", remedy)
    return top, known


def _no_schema(file: Path, found: str) -> InputError:
    return refused(file, "", found, "an Avro schema")


def _told(name: Any) -> str:
    if not isinstance(name, str):
        return "that is written as none can be"
    return shortened(safe(name, lines=False), 200)


def name_of(schema: Any) -> str:
    """The full name that a parsed schema declares or refers to; empty if it has none."""
    if isinstance(schema, str):
        return "" if schema in PRIMITIVES else schema
    is_named = isinstance(schema, dict) and "name" in schema and schema["type"] not in PRIMITIVES
    return str(schema["name"]) if is_named else ""


def inner_schemas(schema: Any) -> Iterator[Any]:
    """The schemas that a schema directly holds; a reference holds none."""
    if isinstance(schema, list):
        yield from schema
    elif isinstance(schema, dict):
        yield from (field["type"] for field in schema.get("fields", ()) if schema["type"] in RECORDS)
        yield from (
            schema[part] for kind, part in (("array", "items"), ("map", "values")) if schema["type"] == kind
        )


def nullable(branches: Sequence[Any]) -> tuple[Any, int] | None:
    """The other branch and its index, for a union of null and one other branch; None for any other union."""
    kinds = [kind_of(branch) for branch in branches]
    if len(kinds) != 2 or kinds.count("null") != 1 or "union" in kinds:
        return None
    index = 1 - kinds.index("null")
    return branches[index], index


def kind_of(schema: Any) -> str:
    """The kind of a schema: ``long``, ``record``, ``union`` …; for a reference, its name."""
    if isinstance(schema, list):
        return "union"
    return str(schema["type"] if isinstance(schema, dict) else schema)
