"""Writes the text of ``docs/type-model.md``: each type of the type model, and what it becomes in each
language and IDL, as the generators themselves write it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from serbench.idl import emit
from serbench.languages.c.domain import domain_header as c_header
from serbench.languages.cpp.domain import domain_header as cpp_header
from serbench.languages.go.domain import domain_source as go_source
from serbench.languages.javascript.domain import declarations
from serbench.languages.jvm.domain import domain_source
from serbench.languages.rust.domain import domain_source as rust_source
from serbench.languages.rust.options import CargoOptions
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Type,
    Union,
    bool_,
    bytes_,
    date,
    decimal,
    duration,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    string,
    time_of_day,
    timestamp,
    u8,
    u16,
    u32,
    u64,
    uuid,
)

COLOR = Enum("Color", u8, ["red", "green"])
STATUS = Enum("Status", i32, ["unset", "ok"], open=True)
POINT = Record("Point", [Field("x", f64), Field("y", f64)])
NOTHING = Record("Nothing", [])
SHAPE = Union("Shape", [Alternative("empty"), Alternative("circle", f64), Alternative("corner", POINT)])

TYPES: list[tuple[str, Type, str]] = [
    *(
        (scalar.name, scalar, "its width, two's complement")
        for scalar in (i8, i16, i32, i64, u8, u16, u32, u64)
    ),
    ("bool", bool_, "a byte"),
    ("f32", f32, "IEEE 754"),
    ("f64", f64, "IEEE 754"),
    ("string", string, "u32 length, UTF-8"),
    ("bytes", bytes_, "u32 length, bytes"),
    ("bytes of a fixed length", FixedBytes(16), "bytes"),
    ("enum", COLOR, "its integer"),
    ("open enum", STATUS, "its integer"),
    ("record", POINT, "its fields"),
    ("empty record", NOTHING, "nothing"),
    ("union", SHAPE, "u32 index, value"),
    ("list", List(i32), "u32 count, items"),
    ("list of lists", List(List(i32)), "likewise"),
    ("array", Array(f32, 3), "its items"),
    ("map", Map(string, i64), "u32 count, pairs by key"),
    ("map by bool", Map(bool_, i64), "likewise"),
    ("map by enum", Map(COLOR, i64), "likewise"),
    ("optional", Optional(i32), "a byte, value"),
    ("optional record", Optional(POINT), "likewise"),
    ("optional list", Optional(List(i32)), "likewise"),
    ("recursion in a list", List(Ref("Sample")), "u32 count, items"),
    ("recursion in an optional", Optional(Ref("Sample")), "a byte, value"),
    ("timestamp", timestamp("ns"), "its base"),
    ("date", date(), "its base"),
    ("time of day", time_of_day("us"), "its base"),
    ("duration", duration("ns"), "its base"),
    ("decimal", decimal(18, 2), "its base"),
    ("UUID", uuid(), "its base"),
]

HEAD = """# The type model

Everything that serbench measures is described in these types. This page is written by the generators
(`tests/type_page.py`), so what stands here is what they write. The exact bytes are in
[canonical-encoding.md](canonical-encoding.md), how types are declared in
[add-a-workload.md](add-a-workload.md), which of them each library has in
[types-by-codec.md](types-by-codec.md), and what each codec makes of them in its `codec.toml` (`[mapping]`).

Types that an IDL has not are lowered, as its users do it by hand: a list in a list becomes a list of records
with a list, a map a list of pairs, an open enum its integer. What stands below is the field's own line;
records that are made for it are in the IDL file.
"""


@dataclass(frozen=True)
class Column:
    """A column of the page: a language or IDL with the generated file in which a field of a record ``Sample``
    is declared, and a pattern that finds the type in the declaration's line."""

    title: str
    emit: str
    pattern: str


LANGUAGES = (
    Column("C++", "cpp", r"^  (.+?) value(?:\{.*\})?;"),
    Column("Scala", "scala", r"value: (.+?)(?:,$|\)|,? *$)"),
    Column("C", "c", r"^  (.+?\W)value(\[.*\])?;"),
    Column("Rust", "rust", r"pub value: (.+),$"),
    Column("Go", "go", r"^\tValue +(.+)$"),
    Column("TypeScript", "typescript", r"^  value: (.+);$"),
)
IDLS = (
    Column("Protocol Buffers", "proto", r"^  (.+?) value = "),
    Column("Avro", "avsc", ""),
    Column("Thrift", "thrift", r"^  \d+: (.+?) value;"),
    Column("Cap'n Proto", "capnp", r"^  value @\d+ :(.+?);|^  value (:union)"),
    Column("FlatBuffers", "fbs", r"^  value:(.+?);"),
)


def page() -> str:
    """The whole text of ``docs/type-model.md``."""
    parts = [
        HEAD,
        "## In languages\n",
        _table(("Canonical bytes",), LANGUAGES),
        "## In IDLs\n",
        _table((), IDLS),
        _examples(),
    ]
    return "\n".join(parts)


def _table(besides: Sequence[str], columns: Sequence[Column]) -> str:
    titles = ["Type", *besides, *(column.title for column in columns)]
    lines = [titles, ["---"] * len(titles)]
    for name, type, canonical in TYPES:
        plain = [canonical] if besides else []
        lines.append([name, *plain, *(f"`{_written(type, column)}`" for column in columns)])
    return "".join(f"| {' | '.join(each.replace('|', '&#124;') for each in line)} |\n" for line in lines)


def _written(type: Type, column: Column) -> str:
    # A field beside it, since a root that only wraps another type is written as that by some.
    schema = Schema("sample", Record("Sample", [Field("beside", u8), Field("value", type)])).plain()
    if column.emit == "avsc":
        fields = json.loads(emit("avsc", schema))["fields"]
        return _avro(next(f for f in fields if f["name"] == "value")["type"])
    text = _text(schema, column.emit)
    for line in text[text.lower().index("beside") :].splitlines():
        if found := re.search(column.pattern, line):
            flag = "bool has_value; " if "bool has_value;" in text else ""
            return flag + "".join(group or "" for group in found.groups()).strip()
    raise AssertionError(f"{column.title} has no field for {type}:\n{text}")


def _text(schema: Schema, language: str) -> str:
    match language:
        case "cpp":
            return cpp_header(schema)
        case "scala":
            return domain_source(schema)
        case "c":
            return c_header(schema)
        case "rust":
            return rust_source(schema, CargoOptions())
        case "go":
            return go_source(schema, {})
        case "typescript":
            return declarations(schema)
    return emit(language, schema)


def _avro(type: object) -> str:
    match type:
        case {"type": ("record" | "enum" | "fixed") as kind, "name": name, **rest}:
            return f"{kind} {name}" + (f"({rest['size']})" if kind == "fixed" else "")
        case {"type": "array", "items": items}:
            return f"array of {_avro(items)}"
        case {"type": "map", "values": values}:
            return f"map of {_avro(values)}"
        case list():
            return f"[{', '.join(map(_avro, type))}]"
        case {"type": inner}:
            return _avro(inner)
    return str(type)


def _examples() -> str:
    """The section on a recursive union, as each language and IDL declares it."""
    value = Union(
        "Value",
        [Alternative("nothing"), Alternative("text", string), Alternative("values", List(Ref("Value")))],
    )
    schema = Schema("sample", Record("Sample", [Field("value", value), Field("beside", u8)]))
    parts = ["## A union that leads back to itself\n"]
    cuts = {
        "C++": ("cpp", "cpp", r"struct Value \{.*?\n\};"),
        "Scala": ("scala", "scala", r"sealed trait Value.*?\n\}"),
        "C": ("c", "c", r"typedef enum \{.*?struct sample_value \{.*?\n\};"),
        "Rust": ("rust", "rust", r"pub enum Value \{.*?\n\}"),
        "Go": ("go", "go", r"// Value has.*?\n\}"),
        "TypeScript": ("typescript", "typescript", r"export type Value =.*?;\n(?!  \|)"),
        "Protocol Buffers": ("proto", "protobuf", r"message Value \{.*?\n\}"),
        "Thrift": ("thrift", "thrift", r"union Value \{.*?\n\}"),
        "Cap'n Proto": ("capnp", "capnp", r"struct Value \{.*?\n\}"),
        "FlatBuffers": ("fbs", "fbs", r"union Value \{.*?\n\}"),
    }
    for title, (language, fence, pattern) in cuts.items():
        found = re.search(pattern, _text(schema, language), re.DOTALL)
        assert found, f"{title}:\n{_text(schema, language)}"
        parts.append(f"{title}:\n\n```{fence}\n{found[0]}\n```\n")
    return "\n".join(parts)
