"""Writes schemas as Avro schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from serbench.codegen.naming import Naming, Scope, apart_by_case
from serbench.codegen.words import (
    CALLED_MACROS,
    CPP,
    JAVA,
    JAVA_LANG,
    MACROS,
    SCALA_MEMBERS,
    SCALA_PREDEF,
    package,
    words,
)
from serbench.idl.abilities import Abilities
from serbench.idl.lower import Lowered, lower, type_name
from serbench.model import (
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
    bytes_,
    string,
)
from serbench.model.names import bare, capitalised, pascal
from serbench.model.parts import describe, inner_types
from serbench.model.types import NOTHING

SCALARS = {
    "bool": "boolean",
    "i8": "int",
    "i16": "int",
    "i32": "int",
    "i64": "long",
    "u8": "int",
    "u16": "int",
    "u32": "long",
    "u64": "long",
    "f32": "float",
    "f64": "double",
    "string": "string",
    "bytes": "bytes",
}


def fixed_name(length: int) -> str:
    """The name of the type for bytes of this length; no other type has such a name."""
    return f"Bytes{length}"


_TYPES = (
    CPP
    | JAVA
    | JAVA_LANG
    | SCALA_PREDEF
    | words(
        """AvroGenerated BinaryMessageDecoder BinaryMessageEncoder Branch Builder Companion Decoder Encoder
        GenericArray Message ResolvingDecoder Schema SchemaStore SpecificData SpecificRecord
        SpecificRecordBase Utf8"""
    )
)
"""Names that no type can have: reserved words, and those that generated code uses without their package."""

_PATTERN = re.compile(rf"(?:{MACROS.pattern}) | Bytes[0-9]+", re.VERBOSE)

_PACKAGES = words("java org serbench")
"""Packages that generated code names in full; a field or symbol of the same name would hide them."""

_IN_RECORDS = _PACKAGES | words(
    """JsonSchemaParser SCHEMA$ get getClass getClassSchema getConversion getDecoder getEncoder getSchema
    getSpecificData put schema serialVersionUID"""
)

# In Java, the methods of a field with such a name end with a dollar sign, whether it begins with a capital or
# not.
_DOLLARS = {form for word in JAVA | words("builder classSchema schema") for form in (word, capitalised(word))}


def _of_field(name: str) -> list[str]:
    """The names that generated code derives from a field's name; Java's getters drop underscores."""
    end = pascal(name)
    return [name, f"get{end}", f"get{end}Builder", f"has{end}", f"has{end}Builder", f"~{bare(name)}"]


NULL_LAST = ("avsc", "null last")
"""The hint of an optional field whose union has null as its second branch and not as its first, so that the
branches have other indices."""

WITHOUT_DEFAULT = ("avsc", "without default")
"""The hint of an optional field that has no default. All others have null, as Avro's documentation advises,
so that a reader that has the field reads messages of a writer that has not."""

NAMING = Naming(
    types=Scope(capitalised, _TYPES, _PATTERN, apart_by_case, suffix="_value"),
    fields=Scope(
        reserved=CPP | CALLED_MACROS | JAVA | SCALA_MEMBERS | _IN_RECORDS | _DOLLARS,
        pattern=MACROS,
        claims=_of_field,
        suffix="_value",
    ),
    # In the C++ of avrogencpp 1.8, the members of all enums are in the scope of the types.
    members=Scope(
        reserved=_TYPES | _PACKAGES | SCALA_MEMBERS, pattern=MACROS, claims=apart_by_case, suffix="_value"
    ),
    members_beside_types=True,
)
"""Makes names that Avro and the code generated for C++, Java and Scala can have. No message has names."""


def branch_of(type: Type) -> str:
    """The mark by which Avro tells the branches of a union apart: the kind of the type, or its name if it has
    one. In the class that avrogencpp generates for a union, it follows ``get_`` and ``set_``."""
    match type:
        case Scalar(name):
            return {"boolean": "bool"}.get(SCALARS[name], SCALARS[name])
        case Enum(name) | Record(name) | Union(name) | Ref(name):
            return name
        case FixedBytes(length):
            return fixed_name(length)
        case Map() if type.key == string:
            return "map"
        case List() | Map():
            return "array"
        case _:
            raise TypeError(f"{describe(type)} has no name in a union")


ABILITIES = Abilities(
    maps=True,
    nested_lists=True,
    optional_lists=True,
    byte_lists=True,
    wide_enums=True,  # symbols are numbered by their order
    fixed_bytes="own",
    list_alternatives=True,
    empty_alternatives=1,
    told_by=branch_of,
)
"""Avro's abilities. A union of the schema becomes a record with the field ``value``, which is one of Avro's
unions: these have no names and cannot directly contain each other. The record adds no byte. The branches are
the alternatives in their order, with ``null`` for one that has no value."""


def lowered(schema: Schema) -> Lowered:
    """The schema in Avro's types. Lists of u8 become bytes, and an item of a list that may be absent is put
    into a record."""
    return lower(schema, ABILITIES, NAMING)


def java_package(schema: Schema) -> str:
    """The schema's namespace, which is the package of classes on the JVM; avrogencpp does not use it."""
    return f"serbench.avro_types.{package(schema)}"


def entry_name(types: Lowered, type: Map) -> str:
    """The name of the record for the entries of a map, which no other declaration in the schema has."""
    taken = {type.name for type in types.named} | {name for enum in types.enums for name, _ in enum.members}
    names: dict[Type, str] = {}
    for each in (type for composite in types.composites for type in inner_types(composite)):
        if isinstance(each, Map) and each not in names:
            names[each] = f"{type_name(each.key)}To{type_name(each.value)}Entry"
            while names[each] in taken:
                names[each] += "Made"
            taken.add(names[each])
    return names[type]


def emit(schema: Schema) -> str:
    """The text of the ``.avsc`` file."""
    return text(lowered(schema), java_package(schema))


def text(types: Lowered, namespace: str = "", scalars: Mapping[str, str] = SCALARS) -> str:
    """The text of the ``.avsc`` file for a lowered schema. A codec whose library tells fewer types apart may
    lower the schema itself: records around values change no byte of a message. ``scalars`` gives the words
    for scalars, for a library that takes other words than Avro's own."""
    written = _Writer(types, scalars).type(types.schema.root)
    assert isinstance(written, dict)
    told = NAMING.told(types.declared, comment="")
    head = {"doc": "".join([f"Generated by serbench from workload {types.declared.name}.", *told])}
    head |= {"namespace": namespace} if namespace else {}
    return json.dumps(head | written, indent=2) + "\n"


class _Writer:
    """Writes types as Avro's JSON: declares a type with a name where it first occurs, as Avro requires."""

    def __init__(self, types: Lowered, scalars: Mapping[str, str]):
        self.types, self.scalars = types, scalars
        self.written: set[str] = set()

    def type(self, type: Type) -> Any:
        match type:
            case Scalar(name):
                return self.scalars[name]
            case Enum(name, _, members):
                symbols = [member for member, _ in members]
                return self.known(name) or {"type": "enum", "name": name, "symbols": symbols}
            case Record(name):
                return self.record(self.types.record(name))
            case Union(name):
                return self.union(self.types.union(name))
            case Ref():
                return self.type(type.target)
            case FixedBytes(length):
                name = fixed_name(length)
                return self.known(name) or {"type": "fixed", "name": name, "size": length}
            case List(item):
                return {"type": "array", "items": self.type(item)}
            case Map(key, value) if key == string:
                return {"type": "map", "values": self.type(value)}
            case Map(key, value):  # only strings can be keys
                fields = [Field("key", key), Field("value", value)]
                return {"type": "array", "items": self.record(Record(entry_name(self.types, type), fields))}
            case Optional(item):
                return ["null", self.type(item)]
            case _:
                raise TypeError(f"{describe(type)} has no Avro type")

    def record(self, record: Record) -> Any:
        return self.known(record.name) or {
            "type": "record",
            "name": record.name,
            "fields": [
                {"name": field.name, "type": self.field(field)} | default_of(field) for field in record.fields
            ],
        }

    def field(self, field: Field) -> Any:
        written = self.type(field.type)
        return written[::-1] if _has_null_last(field) else written

    def union(self, union: Union) -> Any:
        """The record that stands for a union, since Avro's unions have no names."""
        return self.known(union.name) or {
            "type": "record",
            "name": union.name,
            "fields": [{"name": "value", "type": [self.branch(each.type) for each in union.alternatives]}],
        }

    def branch(self, type: Type | None) -> Any:
        return "null" if type is None else self.type(type)

    def known(self, name: str) -> str:
        """The name in the schema if the type ``name`` was declared before; empty the first time."""
        if name in self.written:
            return name
        self.written.add(name)
        return ""


def _has_null_last(field: Field) -> bool:
    return isinstance(field.type, Optional) and NULL_LAST in field.hints


def default_of(field: Field) -> dict[str, Any]:
    """The default of a field as Avro writes it; empty if there is none that JSON and Avro can express."""
    type, default = field.type, field.default
    if default is NOTHING:
        has_null = isinstance(type, Optional) and not {NULL_LAST, WITHOUT_DEFAULT} & {*field.hints}
        return {"default": None} if has_null else {}
    match type:  # in Avro, a union's default is a value of its first branch
        case Optional(item) if _has_null_last(field):
            return {} if default is None else default_of(Field(field.name, item, default=default))
        case Optional():
            return {"default": None} if default is None else {}
        case Scalar("u64"):
            return {"default": default - (1 << 64) if default >> 63 else default}  # the same bits, but signed
        case Scalar("f32" | "f64") if not isfinite(default):
            return {}
        case Scalar() if type != bytes_:
            return {"default": default}
        case Enum():
            name = type.named(default)
            return {"default": name} if name else {}
        case _:
            return {}
