"""Generates C functions that pack and read domain objects as MessagePack, as users write them by hand."""

from __future__ import annotations

from collections.abc import Iterator

from serbench.languages.c.items import Items
from serbench.model import Array, Enum, List, Map, Record, Scalar, Schema, Type, Union, u8
from serbench.model.nesting import nested as nested_of

PACK = {
    "bool": "pack_bool",
    "f32": "msgpack_pack_float",
    "f64": "msgpack_pack_double",
    "string": "pack_text",
    "bytes": "pack_bytes",
}
"""Scalar that is no integer → the C function that packs it; those of integers are named after their types."""


def nested(schema: Schema) -> Iterator[int]:
    """How many arrays and maps are at most inside each other in messages with 0, 1, 2 and so on steps back.
    Bytes do not count; nor does the root if it has one field, which is written without an array around."""
    lone = schema.root.is_lone

    def own(type: Type) -> int:
        is_bytes = isinstance(type, List | Array) and type.item == u8
        return isinstance(type, Record | Union | List | Array | Map) and not is_bytes

    return (values - lone for values in nested_of(schema.composites, schema.root, own))


def emit(schema: Schema) -> str:
    """The text of the file ``glue.h`` of a workload."""
    head = "#pragma once", "", '#include "convert.h"', '#include "domain.h"'
    return _Glue(schema, "domain objects to and from MessagePack", *head).text()


class _Glue(Items):
    verb, sink, given_sink = "pack", "msgpack_packer* to", "to"
    source = "reader* in, const msgpack_object* from"
    result, succeeded, both = "int", "0", "||"
    null = "msgpack_pack_nil(to)"
    counts_steps = False  # objects that were unpacked are no deeper than the library's stack
    list_item = "&from->via.array.ptr[n]"
    pair_items = ("&pair->key", "&pair->val")
    begin_pair = "const msgpack_object_kv* pair = &from->via.map.ptr[n];"

    def write_scalar(self, type: Scalar, value: str) -> str:
        if type.name in PACK:
            return f"{PACK[type.name]}(to, {value if type.width else f'&{value}'})"
        return f"msgpack_pack_{self.types.c(type).removesuffix('_t')}(to, {value})"

    def write_enum(self, type: Enum, value: str) -> str:
        return self.write_scalar(type.underlying, f"({self.types.c(type.underlying)}){value}")

    def must(self, *calls: str) -> list[str]:
        return list(self.fitted(f"if ({' || '.join(calls)})", "return -1;"))

    def start(self, type: Type, count: str) -> list[str]:
        return [f"msgpack_pack_{'map' if isinstance(type, Map) else 'array'}(to, {count})"]

    def given_source(self, item: str) -> str:
        return f"in, {item}"

    def absent(self, item: str, has: str) -> str:
        return f"is_nil({item}, {has})"

    def begin(self, type: Type, count: int) -> list[str]:
        if isinstance(type, Array) or count == 0:
            return [f"is_array(in, from, {count})"]
        self.begin_items(count)
        return []

    def begin_items(self, count: int) -> None:
        """Writes the statements that declare the ``items`` of an array of a known length."""
        self.out(f"if (!is_array(in, from, {count})) return false;")
        self.out("const msgpack_object* items = from->via.array.ptr;")

    def field_item(self, n: int) -> str:
        return f"&items[{n}]"

    def read_count(self, type: List | Map) -> None:
        kind = "map" if isinstance(type, Map) else "array"
        self.out(f"if (from->type != MSGPACK_OBJECT_{kind.upper()}) return refuse_type(in);")
        self.out(f"to->count = from->via.{kind}.size;")

    def writing_union(self, type: Union) -> None:
        """Writes the body that packs a union as an array of the alternative's index and its value, or nil."""
        self.out("if (msgpack_pack_array(to, 2) || msgpack_pack_uint32(to, (uint32_t)from->tag)) return -1;")
        empty = f"return {self.null};"
        self.cases("from->tag", type, lambda held, at: f"return {self.write(held, f'from->{at}')};", empty)
        self.out("return -1;")

    def reading_union(self, type: Union) -> None:
        self.begin_items(2)
        self.out("uint32_t tag;", "if (!read_u32(in, &items[0], &tag)) return false;")
        self.out(f"to->tag = ({self.types.tag(type)})tag;")

        def read(held: Type, at: str) -> str:
            return f"return {self.read(held, f'to->{at}', '&items[1]')};"

        self.cases("tag", type, read, "return is_nothing(in, &items[1]);")
        self.out('return refuse(in, "a union has no such alternative");')
