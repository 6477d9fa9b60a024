"""Writes and reads domain objects as CBOR, function by function as an author would write them."""

from __future__ import annotations

from serbench.languages.c.functions import literal
from serbench.languages.c.items import Items
from serbench.model import Field, Scalar, Schema, Union


def emit(schema: Schema) -> str:
    """The file ``glue.h`` of a workload."""
    return _Glue(schema, "CBOR", "domain.h", "stream.h").text()


class _Glue(Items):
    verb = "put"
    sink, given_sink = "serbench_buffer* out", "out"
    source = "reader* in"
    result, succeeded, failed, both = "bool", "true", "false", "&&"
    null = "add_null(out)"
    counts_steps = True

    def write_scalar(self, type: Scalar, value: str) -> str:
        if type.is_integer:
            return f"add_{'int' if type.is_signed else 'uint'}(out, {value})"
        return f"add_{self.types.short(type)}(out, {value if type.width else f'&{value}'})"

    def must(self, *calls: str) -> list[str]:
        return [f"if (!{call}) return false;" for call in calls]

    def head(self, kind: str, count: str) -> str:
        """A record is a map from the names of the fields, as they were declared, in their order."""
        return f"add_{'array' if kind == 'array' else 'map'}(out, {count})"

    def write_name(self, field: Field) -> list[str]:
        return [f"add_characters(out, {literal(field.wire_name)})"]

    def read_name(self, field: Field) -> list[str]:
        return [f"take_name(in, {literal(field.wire_name)})"]

    def given_source(self, item: str) -> str:
        return "in"

    def absent(self, item: str, has: str) -> str:
        return f"take_null(in, {has})"

    def begin_record(self, count: int) -> list[str]:
        return [f"take_exactly(in, map, {count})"]

    def check_length(self, length: int) -> str:
        return f"take_exactly(in, array, {length})"

    def read_count(self, kind: str) -> None:
        self.out(f"if (!take_count(in, {kind}, &to->count)) return false;")

    def union(self, type: Union) -> None:
        """A map from the name of the alternative to its value."""
        cases = [
            (literal(own.wire_name), tag, each.type, each.name)
            for own, each, tag in zip(
                self.declared[type.name].alternatives, type.alternatives, self.types.tags(type), strict=True
            )
        ]
        with self.writing(type):
            self.out("if (!add_map(out, 1)) return false;")
            with self.out.block("switch (from->tag) {"):
                for name, tag, held, at in cases:
                    value = self.write(held, f"from->as.{at}") if held else self.null
                    self.case([tag], f"return add_characters(out, {name}) && {value};")
            self.out("return false;")
        with self.reading(type):
            self.check_steps(type)
            self.out(
                "item name;", "if (!take_exactly(in, map, 1) || !take_one(in, text, &name)) return false;"
            )
            for name, tag, held, at in cases:
                with self.out.block(f"if (is_name(&name, {name})) {{"):
                    reads = self.read_part(held, f"to->as.{at}") if held else ["take_nothing(in)"]
                    self.out(f"to->tag = {tag};", f"return {' && '.join(reads)};")
            self.out('return refuse(in, "a union has no alternative of this name");')
