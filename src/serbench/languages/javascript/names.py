"""The names of domain types in JavaScript and TypeScript, and pieces of code in prettier's layout."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.notation import Notation
from serbench.codegen.source import Source
from serbench.codegen.words import words
from serbench.model import Enum, Type
from serbench.model.names import pascal

KEYWORDS = words(
    """arguments await break case catch class const continue debugger default delete do else enum eval export
    extends false finally for function if implements import in instanceof interface let new null package
    private protected public return static super switch this throw true try typeof undefined var void while
    with yield"""
)
"""Words of the language that no variable can be named."""

INHERITED = words(
    """__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor
    hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf"""
)
"""The properties that every object inherits, so that no alternative or member has such a name."""

MEMBERS = INHERITED | words("prototype then toBSON toJSON _bsontype")
"""The ``INHERITED`` properties, and those that change how the language or a library treats an object."""

GLOBALS = words(
    """AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean Buffer DataView
    Date Decoder Encoder Error EvalError FinalizationRegistry Float32Array Float64Array Function Infinity
    Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError
    Reader Readonly ReferenceError Reflect RegExp Set SharedArrayBuffer String Symbol SyntaxError TextDecoder
    TextEncoder TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef
    WeakSet WebAssembly Writer"""
)
"""Names that code uses without an import, and names of the runner's classes: no domain type has them."""

KNOWN = words("NoFilter URL")
"""Names by which a library knows classes that it writes in its own way, so that no domain type has them."""

NAMING = Naming(
    types=Scope(style=pascal, reserved=GLOBALS | KNOWN),
    # Functions that read have a variable for each field, beside the globals and other functions they use.
    fields=Scope(
        reserved=KEYWORDS | MEMBERS | GLOBALS, pattern=re.compile(r"(known|put|take)[A-Z]\w*|__\w+__")
    ),
    alternatives=Scope(reserved=MEMBERS),
    members=Scope(reserved=MEMBERS),
)
"""The names of domain types: fields have the declared names, which JSON has too."""

SCALARS = dict.fromkeys(("i8", "i16", "i32", "u8", "u16", "u32", "f32", "f64"), "number")
SCALARS |= {"bool": "boolean", "i64": "bigint", "u64": "bigint", "string": "string", "bytes": "Uint8Array"}

typescript_type = Notation(
    "TypeScript",
    SCALARS,
    list="Array<{}>",
    array="Array<{}>",
    map="Map<{}, {}>",
    optional="{} | null",
    fixed="Uint8Array",
    back="{}",
)
"""Writes a domain type in TypeScript, of a schema with the names of JavaScript."""

WIDTH = 110
"""The most columns of a generated line, which is laid out as prettier would."""


def wrapped(head: str, items: list[str], end: str, margin: int) -> list[str]:
    """Return ``head``, items with commas between and ``end`` in one line, or an item a line where one line
    does not fit behind a margin, in the layout of prettier."""
    line = f"{head}{', '.join(items)}{end}"
    if margin + len(line) <= WIDTH or not items:
        return [line]
    return [head.rstrip(), *(f"  {item}," for item in items), end.lstrip()]


_BRACKET_OR_TEXT = re.compile(r"""[()]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""")


def broken(head: str, value: str, end: str, margin: int) -> list[str]:
    """Return the lines of a value between ``head`` and ``end``: one where it fits behind a margin, else
    three, the second with the content of the value's last brackets."""
    line = f"{head}{value}{end}"
    if margin + len(line) <= WIDTH or not value.endswith(")"):
        return [line]
    opened: list[int] = []
    begin = 0
    for found in _BRACKET_OR_TEXT.finditer(value):
        if found[0] == "(":
            opened.append(found.end())
        elif found[0] == ")":
            begin = opened.pop()
    content = value[begin:-1]
    if not content:
        return [line]
    is_call = re.search(r"[\w$\])]\($", value[:begin]) is not None
    return [f"{head}{value[:begin]}", f"  {content}{',' if is_call else ''}", f"){end}"]


def section(out: Source, head: str, end: str = "}") -> AbstractContextManager[None]:
    """Write a block behind an empty line, around what the body writes."""
    out("")
    return out.block(head, end)


def listed(out: Source, head: str, items: Sequence[str], end: str) -> None:
    """Write ``head``, items with commas between and ``end`` in one line, or an item a line where one line
    does not fit; an item that is too wide has several lines."""
    space = " " if head.endswith("{") and items else ""
    line = f"{head}{space}{', '.join(items)}{space}{end}"
    if out.margin + len(line) <= WIDTH or not items:
        out(line)
        return
    with out.block(head, end):
        for item in items:
            out(*broken("", item, ",", out.margin))


def arrow(made: str) -> str:
    """Return the arrow function of ``item`` that gives ``made``; for ``f(item)``, the name ``f`` alone."""
    name, _, rest = made.partition("(")
    if rest == "item)" and name.isidentifier():
        return name
    return f"(item) => ({made})" if " ? " in made else f"(item) => {made}"


def entry(name: str, value: str) -> str:
    """Return the property ``name`` with the expression ``value``, as an object literal has it: ``x: y``."""
    return name if name == value else f"{name}: {value}"


def text(value: str) -> str:
    """Return the string literal of a text, as prettier writes it."""
    quoted = json.dumps(value, ensure_ascii=False)
    if '"' in value and value.count('"') > value.count("'"):
        return "'" + quoted[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"
    return quoted


def property_name(name: str) -> str:
    """Return a key of an object literal: quoted where it has to be, and between brackets where the language
    would set the object's prototype."""
    if name == "__proto__":
        return f"[{text(name)}]"
    return name if _is_identifier(name) else text(name)


def number_of(type: Type) -> Any:
    """Return the integer type of an enum's numbers, for code that treats enums as numbers; else the type."""
    return type.underlying if isinstance(type, Enum) else type


def member(value: str, name: str) -> str:
    """Return the expression for the property ``name`` of a value."""
    return f"{value}.{name}" if _is_identifier(name) else f"{value}[{text(name)}]"


def _is_identifier(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_$][\w$]*", name, re.ASCII) is not None
