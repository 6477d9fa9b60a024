"""Generates C functions that write and read domain objects as CBOR, as users write them by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from serbench.languages.c.functions import literal
from serbench.languages.c.items import Items
from serbench.model import Array, Field, List, Map, Scalar, Schema, Type, Union


def emit(schema: Schema) -> str:
    """The text of the file ``glue.h`` of a workload."""
    head = "#pragma once", "", '#include "domain.h"', '#include "stream.h"'
    return _Glue(schema, "domain objects to and from CBOR", *head).text()


class _Glue(Items):
    verb, sink, given_sink, source = "put", "serbench_buffer* out", "out", "reader* in"
    null = "add_null(out)"

    def write_scalar(self, type: Scalar, value: str) -> str:
        if type.is_integer:
            return f"add_{'int' if type.is_signed else 'uint'}(out, {value})"
        return f"add_{self.types.short(type)}(out, {value if type.width else f'&{value}'})"

    def start(self, type: Type, count: str) -> list[str]:
        """The C code that begins an array or map of ``count`` items; a record is a map by names of fields."""
        return [f"add_{_kind(type)}(out, {count})"]

    def write_name(self, field: Field) -> list[str]:
        return [f"add_characters(out, {literal(field.wire_name)})"]

    def read_name(self, field: Field) -> list[str]:
        return [f"take_name(in, {literal(field.wire_name)})"]

    def absent(self, item: str, has: str) -> str:
        return f"take_null(in, {has})"

    def begin(self, type: Type, count: int) -> list[str]:
        self.out("bool open;")
        return [f"take_exactly(in, {_kind(type)}, {count}, &open)"]

    def end(self, type: Type) -> list[str]:
        return ["take_end(in, open)"]

    def read_count(self, type: List | Map) -> None:
        self.out("bool open;", f"if (!take_count(in, {_kind(type)}, &to->count, &open)) return false;")

    def read_listed(self, calls: Sequence[str], first: str = "") -> None:
        """Writes the loop over items of which there are ``to->count``, or more up to a break."""
        with self.out.block("for (size_t n = 0; n < to->count || (open && !take_break(in)); ++n) {"):
            with self.out.block("if (n == to->count) {"):
                self.out("if (is_full(n)) to->items = larger(in->arena, to->items, n, sizeof *to->items);")
                self.out("if (to->items == NULL) return out_of_memory(in);", "++to->count;")
            self.read_each(calls, first)
        self.out("return true;")

    def writing_union(self, type: Union) -> None:
        """Writes the body that writes a union as a map from the name of the alternative to its value."""
        self.out("if (!add_map(out, 1)) return false;")
        with self.out.block("switch (from->tag) {"):
            for name, tag, held, at in self.alternatives(type):
                value = self.write(held, f"from->as.{at}") if held else self.null
                self.case([tag], f"return add_characters(out, {name}) && {value};")
        self.out("return false;")

    def reading_union(self, type: Union) -> None:
        self.check_steps(type)
        begin = "!take_exactly(in, map, 1, &open) || !take_string(in, text, &name)"
        self.out("bool open;", "item name;", f"if ({begin}) return false;")
        for name, tag, held, at in self.alternatives(type):
            with self.out.block(f"if (is_name(&name, {name})) {{"):
                reads = self.read_part(held, f"to->as.{at}") if held else ["take_nothing(in)"]
                self.out(f"to->tag = {tag};", f"return {' && '.join([*reads, *self.end(type)])};")
        self.out('return refuse(in, "a union has no alternative of this name");')

    def alternatives(self, type: Union) -> Iterator[tuple[str, str, Type | None, str]]:
        """The written name of each alternative, its tag, its type and the name of the struct's member."""
        declared = self.declared[type.name].alternatives
        for own, each, tag in zip(declared, type.alternatives, self.types.tags(type), strict=True):
            yield literal(own.wire_name), tag, each.type, each.name


def _kind(type: Type) -> str:
    """The kind of CBOR item that a value of a type is written as: ``array`` or ``map``."""
    return "array" if isinstance(type, List | Array) else "map"
