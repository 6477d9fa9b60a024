"""Generates specialisations of the templates in ``serbench/reflect.hpp``: compile-time reflection over the
domain types."""

from __future__ import annotations

from collections.abc import Mapping

from serbench.codegen.source import Source
from serbench.model import Enum, List, Map, Optional, Record, Ref, Schema, Type, Union
from serbench.model.parts import parts


def reflection(out: Source, schema: Schema, types: Schema, scalars: Mapping[str, str]) -> None:
    """Writes the specialisations for every enum, record and union.

    Args:
        schema: the schema as it was declared; formats have its names.
        types: the same schema with the names of C++.
        scalars: name of a scalar in the type model → C++ type.
    """
    for declared, spelled in zip(schema.named, types.named, strict=True):
        out("")
        match declared, spelled:
            case Enum(), Enum():
                _enum(out, declared, spelled.name, scalars[declared.underlying.name])
            case Record(), Record():
                _record(out, declared, spelled)
            case Union(), Union():
                _union(out, declared, spelled)


def literal(value: int) -> str:
    """The C++ expression for an integer: the least has no literal, and the greatest only an unsigned one."""
    if value == -(1 << 63):
        return f"{value + 1} - 1"
    return f"{value}U" if value >= 1 << 63 else str(value)


def back(type: Type | None) -> str:
    """The enumerator of ``serbench::Back`` that says whether values of ``type`` lead back to a value that
    they are part of, and whether by pointers that are never null."""
    match type:
        case None | Record() | Union():
            return "no"
        case Ref():
            return "never_null"
        case List(Ref()) | Map(_, Ref()) | Optional(Ref()):
            return "yes"
        case _:
            return next((found for found in map(back, parts(type)) if found != "no"), "no")


def _enum(out: Source, declared: Enum, name: str, underlying: str) -> None:
    count = len(declared.members)
    names = ", ".join(quoted(declared.wire_name(name)) for name, _ in declared.members)
    values = ", ".join(literal(value) for _, value in declared.members)
    out("template <>")
    with out.block(f"struct ReflectEnum<domain::{name}> {{", "};"):
        out(f"static constexpr std::array<std::string_view, {count}> names{{{names}}};")
        out(f"static constexpr std::array<{underlying}, {count}> values{{{values}}};")
        if declared.open:
            out("static constexpr bool is_open = true;")
            out(f"static constexpr bool contains({underlying}) {{ return true; }}")
            return
        with out.block(f"static constexpr bool contains({underlying} number) {{"):
            with out.block("for (const auto value : values) {"):
                out("if (value == number) return true;")
            out("return false;")


def _record(out: Source, declared: Record, record: Record) -> None:
    count = len(record.fields)
    names = ", ".join(quoted(f.wire_name) for f in declared.fields)
    members = ", ".join(f"self.{f.name}" for f in record.fields)
    out("template <>")
    with out.block(f"struct Reflect<domain::{record.name}> {{", "};"):
        out(f"static constexpr std::string_view name = {quoted(declared.name)};")
        out(f"static constexpr std::array<std::string_view, {count}> fields{{{names}}};")
        backs = [back(f.type) for f in record.fields]
        if any(each != "no" for each in backs):
            out(
                f"static constexpr std::array<Back, {count}> "
                f"back{{{', '.join(f'Back::{each}' for each in backs)}}};"
            )
        out("template <class Self, class Use>")
        self = "Self& self" if members else "Self&"
        with out.block(f"[[gnu::always_inline]] static constexpr decltype(auto) apply({self}, Use&& use) {{"):
            out(f"return use({members});")


def _union(out: Source, declared: Union, union: Union) -> None:
    out("template <>")
    with out.block(f"struct ReflectUnion<domain::{union.name}> {{", "};"):
        out(f"static constexpr std::string_view name = {quoted(declared.name)};")
    for before, alternative in zip(declared.alternatives, union.alternatives, strict=True):
        out("template <>")
        with out.block(f"struct ReflectAlternative<domain::{union.name}::{alternative.name}> {{", "};"):
            out(f"static constexpr std::string_view name = {quoted(before.wire_name)};")
            if (found := back(alternative.type)) != "no":
                out(f"static constexpr Back back = Back::{found};")


def quoted(text: str) -> str:
    """The C++ string literal of a text."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return f"\\{ord(character):03o}" if ord(character) < 0x20 or ord(character) == 0x7F else character
