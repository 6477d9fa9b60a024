"""Reads the reflection of FlatBuffers schemas, by flatc, which compiles a schema and writes it as JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from serbench.imports.base import refused
from serbench.imports.compilers import NAME_FOLDER, Compiler
from serbench.imports.sources import Syntax

FLATC = Compiler(
    program="flatc",
    title="A FlatBuffers schema",
    packages={"apt": "flatbuffers-compiler", "homebrew": "flatbuffers"},
    syntax=Syntax(
        tokens=re.compile(
            r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|"""
            r"""(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<word>\w+)|[^\s\w]""",
            re.DOTALL,
        ),
        words=frozenset({"include", "native_include"}),
    ),
    fault=re.compile(
        r"""^(?:\s*(?P<file>\S[^\n]*?):(?P<line>\d+):[ ]?\d+:[ ]error:[ ]
          | error:\n[ ]*(?=\S)(?!\S[^\n]*:\d+:[ ]?\d+:[ ]error))
        (?P<what>[^\n]+?)(?:,[ ]originally[ ]at:[ ](?P<first_file>[^\n]+):(?P<first_line>\d+))?$""",
        re.MULTILINE | re.VERBOSE,
    ),
    remedies=((re.compile(r"include file"), NAME_FOLDER),),
)

_UNQUOTED = re.compile(r'"(?:\\.|[^"\\])*"|(?P<number>-?\b(?:nan|inf)\b)')


class _Word(str):
    """The name of a kind of types, or the number that flatc writes for a kind of which it lacks the name."""


class ReflectedType(msgspec.Struct, rename={"base": "base_type", "length": "fixed_length"}):
    """A type in the reflection.

    Attributes:
        base: its kind: ``Int``, ``Vector``, ``Obj`` …
        element: the kind of the items of a vector or array.
        index: the position of its table, struct, union or enum in ``Reflected``; negative if it has none.
        length: the number of items of an array.
    """

    base: _Word
    element: _Word
    index: int
    length: int


class _Attribute(msgspec.Struct):
    key: str


class _Declaration(msgspec.Struct, kw_only=True):
    name: str
    attributes: list[_Attribute] = []

    def has(self, attribute: str) -> bool:
        """Whether the declaration has an attribute of this name."""
        return any(each.key == attribute for each in self.attributes)


class FbsField(
    _Declaration, rename={f"is_{word}": word for word in ("deprecated", "required", "key", "optional")}
):
    """A field of a table or struct.

    Attributes:
        offset: for a field of a struct, its offset in the struct; for one of a table, the offset of its entry
            in the vtable.
        is_optional: of a number, whether it has no default (``= null``), so that it can be absent.
    """

    type: ReflectedType
    id: int
    offset: int
    default_integer: int
    default_real: float
    is_deprecated: bool
    is_required: bool
    is_key: bool
    is_optional: bool

    @property
    def default(self) -> int | float:
        """The default of a field that is a number."""
        is_real = self.default_real or math.isnan(self.default_real)
        return self.default_real if is_real else self.default_integer


class Object(_Declaration, rename={"size": "bytesize"}):
    """A table or struct.

    Attributes:
        size: the size of a struct in bytes.
        fields: in the order of their ids.
    """

    is_struct: bool
    size: int
    fields: list[FbsField]

    def __post_init__(self) -> None:
        self.fields.sort(key=lambda field: field.id)


class FbsMember(msgspec.Struct, rename={"number": "value", "type": "union_type"}):
    """A member of an enum, or an alternative of a union; only the latter has a type."""

    name: str
    number: int = 0
    type: ReflectedType | None = None


class FbsEnum(_Declaration, rename={"underlying": "underlying_type", "members": "values"}):
    """An enum or union that a FlatBuffers schema declares."""

    is_union: bool
    underlying: ReflectedType
    members: list[FbsMember]


class Reflected(msgspec.Struct, rename={"root": "root_table", "identifier": "file_ident"}):
    """The declarations of a schema and of all that it includes.

    Attributes:
        root: the table of ``root_type``, if one is declared.
        services: the RPC services.
        identifier: the four characters that messages have; empty if none are declared.
    """

    objects: list[Object]
    enums: list[FbsEnum]
    root: _Declaration | None = None
    services: list[_Declaration] = []
    identifier: str = ""


def compiled(file: Path, folders: Sequence[Path]) -> Reflected:
    """The declarations of a schema and of all that it includes from its own folder and from ``folders``;
    raises InputError with file and line, and SetupError if flatc is not installed."""
    with FLATC.copied(file, folders) as sources:
        work, made = sources.work, sources.made()
        options = ["--schema", "-b", "--bfbs-builtins", *sources.searched, "-o", made.name]
        said = FLATC.run([*options, sources.main], sources)
        schemas = list(made.glob("*.bfbs"))
        if len(schemas) != 1:
            raise FLATC.refusal(said, sources)
        schema = schemas[0].replace(work / "schema.bfbs")
        (work / "reflection.fbs").write_bytes(Path(__file__).with_name("reflection.fbs").read_bytes())
        options = ["--json", "--strict-json", "--defaults-json", "-o", made.name]
        said = FLATC.run([*options, "reflection.fbs", "--", schema.name], sources)
        told = made / "schema.json"
        if not told.is_file():
            raise FLATC.refusal(said, sources)
        try:
            return reflected(json.loads(finite(told.read_text(encoding="utf-8"))))
        except (ValueError, RecursionError):
            raise refused(
                file, "", "a reflection of another form", "that of flatc 2 to 25", "try another version"
            ) from None


def finite(text: str) -> str:
    """JSON of flatc in the form that Python reads: flatc writes numbers that are not finite as C does."""
    words = {"nan": "NaN", "-nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    return _UNQUOTED.sub(lambda found: words[found["number"]] if found["number"] else found[0], text)


def reflected(told: Mapping[str, Any]) -> Reflected:
    """The reflection from its JSON; raises ValidationError if the JSON has another form."""
    return msgspec.convert(told, Reflected, dec_hook=lambda kind, value: kind(value))
