"""The file ``canonical.c`` of a workload: code by which the runner reads, writes and sums domain objects;
only sums are timed."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.codegen.steps import of_graph
from serbench.languages.c.functions import joined
from serbench.languages.c.items import Items, optional_parts, parts_of
from serbench.languages.c.types import fields_of, is_pointer, ref
from serbench.model import Array, Enum, FixedBytes, List, Map, Optional, Record, Scalar, Schema, Type, Union
from serbench.model.parts import fixed_width, resolved


def canonical_source(schema: Schema) -> str:
    """The text of ``canonical.c``: functions that read and write the canonical encoding, ``traverse``, and
    ``walk`` where the schema is a graph."""
    headers = ["domain.h", "serbench/checksum.h", "serbench/codec.h"]
    includes = [f'#include "{name}"' for name in (*headers, *(["serbench/walk.h"] if schema.walk else []))]
    what = "the canonical encoding and sums of domain objects"
    return _Canonical(schema, what, '#include "serbench/canonical.h"', "", *includes).text()


class _Canonical(Items):
    """Generator of functions that read, write and sum each type."""

    verb, sink, given_sink, source = "write", "serbench_buffer* out", "out", "canonical_reader* in"
    octets = ("put_raw", "take_raw")
    octet_lists = False
    exact_enums = True
    wraps = False

    def write_scalar(self, type: Scalar, value: str) -> str:
        return f"write_{self.types.short(type)}(out, {value if type.width else f'&{value}'})"

    def write_enum(self, type: Enum, value: str) -> str:
        return f"write_{self.types.short(type)}(out, {value})"

    def write_optional(self, has: str, written: str) -> list[str]:
        absent = has.replace("!=", "==") if "!=" in has else f"!{has}"
        return [f"write_bool(out, {has})", f"({absent} || {written})"]

    def read_optional(self, item: str, has: str, reads: Sequence[str]) -> list[str]:
        return [f"read_bool(in, &{has})", f"(!{has} || {joined(reads)})"]

    def start(self, type: Type, count: str) -> list[str]:
        if isinstance(type, Record) and not type.fields:
            self.out("(void)out;")
            return ["true"]
        return [f"put_count(out, {count})"] if isinstance(type, List | Map) else []

    def begin(self, type: Type, count: int) -> list[str]:
        if isinstance(type, Record) and not type.fields:
            self.out("(void)in;")
            return ["true"]
        return []

    def read_count(self, type: List | Map) -> None:
        is_empty = isinstance(type, List) and fixed_width(resolved(type.item)) == 0
        self.out(f"if (!{'take_empty_count' if is_empty else 'take_count'}(in, &to->count)) return false;")

    def parameter(self, type: Type) -> str:
        return f"{self.types.c(type)} value" if isinstance(type, Enum) else super().parameter(type)

    def heads(self, type: Type) -> dict[str, str]:
        name, of = self.types.short(type), self.parameter(type)
        compare = {"comparing": f"int compare_{name}(const void* one, const void* other)"}
        return {
            "reading": f"bool read_{name}({self.source}, {self.to(type)})",
            **(compare if isinstance(type, Map) else {}),
            "writing": f"bool write_{name}({self.sink}, {of})",
            "summing": f"uint64_t sum_of_{name}({of})",
        }

    def sum(self, type: Type, value: str) -> str:
        """The expression for the sum of a value."""
        if isinstance(type, FixedBytes):
            return f"octet_sum({value}, {type.length})"
        is_number = isinstance(type, Enum) or (isinstance(type, Scalar) and type.width)
        given = value if is_number or is_pointer(type) else ref(type, value)
        return f"sum_of_{self.types.short(type)}({given})"

    def writing_enum(self, enum: Enum) -> None:
        value = f"({self.types.c(enum.underlying)})value"
        self.out(f"return write_{self.types.short(enum.underlying)}(out, {value});")

    def summing_enum(self, enum: Enum) -> None:
        self.out("return (uint64_t)(int64_t)value;")

    def summing_record(self, type: Record) -> None:
        if not type.fields:
            self.out("(void)from;", "return 0;")
            return
        self.out("uint64_t sum = 0;")
        for field, held, optional in fields_of(type):
            added = self.sum(held, f"from->{field.name}")
            self.out(f"if (from->has_{field.name}) sum += 1 + {added};" if optional else f"sum += {added};")
        self.out("return sum;")

    def reading_union(self, type: Union) -> None:
        self.check_steps(type)
        self.out("uint32_t tag;", "if (!read_u32(in, &tag)) return false;")
        self.out(f"to->tag = ({self.types.tag(type)})tag;")

        def read(held: Type, at: str) -> str:
            return f"return {' && '.join(self.read_part(held, f'to->{at}'))};"

        self.cases("tag", type, read, "return true;")
        self.out('return refuse(in, "a union has no such alternative");')

    def writing_union(self, type: Union) -> None:
        self.out("if (!write_u32(out, (uint32_t)from->tag)) return false;")
        self.cases("from->tag", type, lambda held, at: f"return {self.write(held, f'from->{at}')};", "break;")
        self.out("return true;")

    def summing_union(self, type: Union) -> None:
        self.out("const uint64_t tag = (uint64_t)from->tag;")
        added = "return tag + {};"
        self.cases("from->tag", type, lambda held, at: added.format(self.sum(held, f"from->{at}")), "break;")
        self.out("return tag;")

    def summing_list(self, type: List) -> None:
        self.sum_items("from->count", "from->count", self.sum(resolved(type.item), "from->items[n]"))

    def summing_array(self, type: Array) -> None:
        self.sum_items("0", str(type.length), self.sum(type.item, "from[n]"))

    def summing_map(self, type: Map) -> None:
        added = " + ".join(self.sum(held, f"from->items[n].{part}") for part, held in parts_of(type))
        self.sum_items("from->count", "from->count", added)

    def sum_items(self, first: str, count: str, added: str) -> None:
        """Writes the body of a function that adds the term ``added`` to ``first``, once for each item."""
        self.out(f"uint64_t sum = {first};")
        self.short_loop(count, f"sum += {added};")
        self.out("return sum;")

    def comparing_map(self, type: Map) -> None:
        entry = self.types.entry(type)
        self.out(f"const {entry}* a = one;", f"const {entry}* b = other;")
        is_text = isinstance(type.key, Scalar) and not type.key.width
        order = "compare_text(&a->key, &b->key)" if is_text else "(a->key > b->key) - (a->key < b->key)"
        self.out(f"return {order};")

    def writing_map(self, type: Map) -> None:
        """Writes the body of the function that writes a map's entries in the order of their keys."""
        self.out("if (!put_count(out, from->count)) return false;", f"{self.types.entry(type)}* sorted;")
        arguments = f"from->items, from->count, sizeof *sorted, compare_{self.types.short(type)}"
        self.out(f"sorted = sorted_copy({arguments});", "bool written = sorted != NULL;")
        with self.out.block("for (size_t n = 0; written && n < from->count; ++n) {"):
            terms = [self.write(held, f"sorted[n].{part}") for part, held in parts_of(type)]
            self.all_of(terms, before="written = ")
        self.out("free(sorted);", "return written;")

    def summing_optional(self, type: Optional) -> None:
        has, value = optional_parts(type)
        self.out(f"return {has} ? 1 + {self.sum(type.item, value)} : 0;")

    def root(self, root: Record) -> None:
        """Writes the functions that the runner calls, and the struct of pointers by which it finds them."""
        name, walk = self.types.short(root), self.types.schema.walk
        with self.function("void end_message(void* message)"):
            self.out("serbench_message* const ended = message;", "serbench_arena_free(&ended->arena);")
        with self.function("const char* read_message(serbench_view canonical, void* message)"):
            self.out("serbench_message* const to = message;")
            self.out("canonical_reader in = canonical_reader_of(canonical, &to->arena);")
            self.out(f"return read_{name}(&in, &to->root) ? canonical_end(&in) : in.refused;")
        with self.function("const char* write_message(const void* message, serbench_view* canonical)"):
            written = f"write_{name}(&out, &((const serbench_message*)message)->root)"
            self.out("static serbench_buffer out;", "out.size = 0;")
            self.out(f"if (!{written}) return canonical_out_of_memory;")
            self.out("*canonical = (serbench_view){out.data, out.size};", "return NULL;")
        with self.function("uint64_t traverse(const void* message)"):
            self.out(f"return sum_of_{name}(&((const serbench_message*)message)->root);")
        if walk:
            node, _ = of_graph(root, walk)
            edges = f"from->{walk.edges}"
            self.reach(
                f"const {self.types.c(root)}* root = graph;",
                f"const {self.types.c(node)}* from = &root->{walk.nodes}.items[node];",
                f"{edges}.count",
                f"{edges}.items[n].{walk.target}",
            )
            with self.function("uint64_t walk(const void* message)"):
                self.out(f"const {self.types.c(root)}* root = &((const serbench_message*)message)->root;")
                self.out(f"return serbench_depth_first(root->{walk.nodes}.count, root, reach_from);")
        self.out("")
        members = [
            ".message = {.size = sizeof(serbench_message), .end = end_message}",
            *(".read = read_message", ".write = write_message", ".traverse = traverse"),
            *([".walk = walk"] if walk else []),
        ]
        head = "const serbench_domain serbench_domain_of_workload = {"
        with self.out.block(head, "};"), self.out.indented():
            self.out(*(f"{member}," for member in members))
