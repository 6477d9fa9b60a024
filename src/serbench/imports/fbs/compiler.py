"""Reads the reflection of FlatBuffers schemas, by flatc, which compiles a schema and writes the result as
JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


@dataclass(frozen=True)
class ReflectedType:
    """A type in the reflection.

    Attributes:
        base: ``Int``, ``Vector``, ``Obj`` …; a number if flatc has a newer one that we do not know.
        element: the type of the items of a vector or array.
        index: the place of its table, struct, union or enum in the list of these; negative if it has none.
        length: the number of items of an array.
    """

    base: str
    element: str
    index: int
    length: int


@dataclass(frozen=True)
class FbsField:
    """A field of a table or struct.

    Attributes:
        offset: for a field of a struct, its offset in the struct; for one of a table, the offset of its entry
            in the vtable.
        default: the default of a number.
        is_optional: whether it can be absent, as something else than its default.
        attributes: the names of its attributes.
    """

    name: str
    type: ReflectedType
    id: int
    offset: int
    default: int | float
    is_deprecated: bool
    is_required: bool
    is_key: bool
    is_optional: bool
    attributes: Sequence[str]


@dataclass(frozen=True)
class Object:
    """A table or struct.

    Attributes:
        size: the bytes of a struct.
        fields: in the order of their ids.
    """

    name: str
    is_struct: bool
    size: int
    fields: Sequence[FbsField]
    attributes: Sequence[str]


@dataclass(frozen=True)
class FbsEnum:
    """An enum or union; ``members`` has the name and number of each, and its type if this is a union."""

    name: str
    is_union: bool
    underlying: ReflectedType
    members: Sequence[tuple[str, int, ReflectedType | None]]
    attributes: Sequence[str]


@dataclass(frozen=True)
class Reflected:
    """The declarations of a schema and of all that it includes. Types refer to objects and enums by their
    place here.

    Attributes:
        root: the table of ``root_type``; empty if none is declared.
        services: the names of services.
        identifier: the four characters that messages have; empty if none are declared.
    """

    objects: Sequence[Object]
    enums: Sequence[FbsEnum]
    root: str
    services: Sequence[str]
    identifier: str = ""


def compiled(file: Path, folders: Sequence[Path]) -> Reflected:
    """The declarations of a schema and of all that it includes from its own folder and from ``folders``.

    Raises:
        InputError: flatc refuses it; names file and line.
        SetupError: flatc is not installed.
    """
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
        except (ValueError, KeyError, TypeError, RecursionError):
            raise refused(
                file, "", "a reflection of another form", "that of flatc 2 to 25", "try another version"
            ) from None


def finite(text: str) -> str:
    """The same JSON as Python reads it: flatc writes numbers that are not finite as C does."""
    words = {"nan": "NaN", "-nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    return _UNQUOTED.sub(lambda found: words[found["number"]] if found["number"] else found[0], text)


def reflected(told: Mapping[str, Any]) -> Reflected:
    """The reflection from its JSON; raises KeyError, TypeError or ValueError if it has another form."""
    return Reflected(
        [_object(each) for each in told["objects"]],
        [_enum(each) for each in told["enums"]],
        (told.get("root_table") or {}).get("name", ""),
        [each["name"] for each in told.get("services", ())],
        told.get("file_ident", ""),
    )


def _object(told: Mapping[str, Any]) -> Object:
    fields = sorted((_field(each) for each in told["fields"]), key=lambda field: field.id)
    return Object(told["name"], told["is_struct"], told["bytesize"], fields, _attributes(told))


def _field(told: Mapping[str, Any]) -> FbsField:
    real: float = told["default_real"]
    whole: int = told["default_integer"]
    return FbsField(
        name=told["name"],
        type=_part(told["type"]),
        id=told["id"],
        offset=told["offset"],
        default=real if real or math.isnan(real) else whole,
        is_deprecated=told["deprecated"],
        is_required=told["required"],
        is_key=told["key"],
        is_optional=told["optional"],
        attributes=_attributes(told),
    )


def _enum(told: Mapping[str, Any]) -> FbsEnum:
    members = [_member(each) for each in told["values"]]
    return FbsEnum(told["name"], told["is_union"], _part(told["underlying_type"]), members, _attributes(told))


def _member(told: Mapping[str, Any]) -> tuple[str, int, ReflectedType | None]:
    return told["name"], told.get("value", 0), _part(told["union_type"]) if "union_type" in told else None


def _part(told: Mapping[str, Any]) -> ReflectedType:
    return ReflectedType(str(told["base_type"]), str(told["element"]), told["index"], told["fixed_length"])


def _attributes(told: Mapping[str, Any]) -> list[str]:
    return [each["key"] for each in told.get("attributes", ())]
