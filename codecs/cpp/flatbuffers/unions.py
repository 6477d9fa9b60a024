"""Generates code for FlatBuffers' unions: fields of tables whose type is in a field beside, with a table for
each alternative."""

from __future__ import annotations

from serbench.codegen.source import Source
from serbench.languages.cpp.composites import UNKNOWN_ALTERNATIVE, switch
from serbench.languages.cpp.glue import broken, describe_in_snake
from serbench.model import Ref, Union
from serbench.model.parts import resolved


def union_heads(domain: str, native: str, seen: str) -> tuple[str, str, str, str]:
    """The first lines of the four C++ functions of a union, which tell its alternative, build, extract and
    sum its value. ``domain`` and ``native`` are the union's names in the domain and in flatc's code; ``seen``
    is the namespace of the types that are extracted and summed."""
    return (
        f"inline fbs::{native} union_type(const domain::{domain}& value)",
        f"inline flatbuffers::Offset<void> build_union(const domain::{domain}& value, Builder& builder)",
        (
            f"inline void extract_union({seen}::{native} type, [[maybe_unused]] const void* found, "
            f"domain::{domain}& value)"
        ),
        f"inline Checksum traverse_union({seen}::{native} type, [[maybe_unused]] const void* found)",
    )


def write_union(out: Source, union: Union, native: Union, seen: str, made: set[str]) -> None:
    """Writes the functions of a union; ``seen`` is the namespace of the types that are extracted and summed,
    and ``made`` are the names of tables that are no records of the schema."""
    names = [f"{native.name}::{low.name}" for low in native.alternatives]
    labels = [f"{seen}::{name}" for name in names]
    build: list[str] = []
    extract: list[str] = []
    add: list[str] = []
    for n, (own, low) in enumerate(zip(union.alternatives, native.alternatives, strict=True)):
        table = resolved(low.type).name
        if own.type is None:
            build.append(f"return fbs::Create{table}(builder).Union();")
            extract.append(f"chosen<{n}>(value.value);")
            add.append(f"return {n};")
            continue
        is_pointer, found = isinstance(own.type, Ref), f"*static_cast<const {seen}::{table}*>(found)"
        held, to = f"std::get<{n}>(value.value).value", f"chosen<{n}>(value.value).value"
        build.append(f"return build({'*' if is_pointer else ''}{held}, builder).Union();")
        extract.append(f"extract({found}, {f'present({to})' if is_pointer else to});")
        traverse = f"traverse_{describe_in_snake(own.type)}" if table in made else "traverse"
        add.append(f"return {f'{n} + ' if n else ''}{traverse}({found});")
    type_head, build_head, extract_head, sum_head = union_heads(union.name, native.name, seen)
    out("")
    with out.block(f"{type_head} {{"):
        built = ", ".join(f"fbs::{name}" for name in names)
        out(*broken(f"static constexpr fbs::{native.name} types[] = {{{built}}};"))
        out("return types[value.value.index()];")
    out("")
    with out.block(f"{build_head} {{"):
        indices = [str(n) for n in range(len(labels))]
        switch(out, "value.value.index()", indices, lambda n: out(build[n]), ends=False)
        out("return 0;")
    out("")
    with out.block("\n".join(broken(f"{extract_head} {{"))):
        switch(out, "type", labels, lambda n: out(*broken(extract[n])), UNKNOWN_ALTERNATIVE)
    out("")
    with out.block(f"{sum_head} {{"):
        switch(out, "type", labels, lambda n: out(*broken(add[n])), UNKNOWN_ALTERNATIVE, ends=False)
