"""Glue for FlatBuffers' unions: fields of tables that tell their type beside them, with tables as
alternatives."""

from __future__ import annotations

from serbench.codegen.source import Source
from serbench.languages.cpp.composites import UNKNOWN_ALTERNATIVE, switch
from serbench.languages.cpp.glue import broken, describe_in_snake
from serbench.model import Alternative, Record, Ref, Union
from serbench.model.parts import resolved


def union_heads(domain: str, native: str) -> tuple[str, str, str, str]:
    """Of the functions for a union."""
    return (
        f"inline fbs::{native} union_type(const domain::{domain}& value)",
        f"inline flatbuffers::Offset<void> build_union(const domain::{domain}& value, Builder& builder)",
        (
            f"inline void extract_union(fbs::{native} type, [[maybe_unused]] const void* found, "
            f"domain::{domain}& value)"
        ),
        f"inline Checksum traverse_union(fbs::{native} type, [[maybe_unused]] const void* found)",
    )


def write_union(out: Source, union: Union, native: Union, made: set[str]) -> None:
    """The functions of a union; ``made`` are the names of tables that are no records of the schema."""
    pairs = list(zip(union.alternatives, native.alternatives, strict=True))
    labels = [f"fbs::{native.name}::{low.name}" for low in native.alternatives]
    union_type, build, extract, traverse = union_heads(union.name, native.name)

    def building(n: int) -> None:
        alternative, _ = pairs[n]
        if alternative.type is None:
            out(f"return fbs::Create{_table(pairs[n][1])}(builder).Union();")
        else:
            held = f"std::get<{n}>(value.value).value"
            out(f"return build({'*' if isinstance(alternative.type, Ref) else ''}{held}, builder).Union();")

    def extracting(n: int) -> None:
        alternative, low = pairs[n]
        if alternative.type is None:
            out(f"chosen<{n}>(value.value);")
        else:
            held = f"chosen<{n}>(value.value).value"
            to = f"present({held})" if isinstance(alternative.type, Ref) else held
            out(*broken(f"extract(*static_cast<const fbs::{_table(low)}*>(found), {to});"))

    def summing(n: int) -> None:
        alternative, low = pairs[n]
        if alternative.type is None:
            out(f"return {n};")
            return
        name = f"traverse_{describe_in_snake(alternative.type)}" if _table(low) in made else "traverse"
        out(
            *broken(f"return {f'{n} + ' if n else ''}{name}(*static_cast<const fbs::{_table(low)}*>(found));")
        )

    out("")
    with out.block(f"{union_type} {{"):
        out(*broken(f"static constexpr fbs::{native.name} types[] = {{{', '.join(labels)}}};"))
        out("return types[value.value.index()];")
    out("")
    with out.block(f"{build} {{"):
        switch(out, "value.value.index()", [str(n) for n in range(len(pairs))], building, ends=False)
        out("return 0;")
    out("")
    with out.block("\n".join(broken(f"{extract} {{"))):
        switch(out, "type", labels, extracting, UNKNOWN_ALTERNATIVE)
    out("")
    with out.block(f"{traverse} {{"):
        switch(out, "type", labels, summing, UNKNOWN_ALTERNATIVE, ends=False)


def _table(low: Alternative) -> str:
    """The name of the table that an alternative is."""
    assert isinstance(low.type, Record | Ref)
    table = resolved(low.type)
    assert isinstance(table, Record)
    return table.name
