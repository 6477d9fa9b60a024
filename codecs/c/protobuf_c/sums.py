"""Sums of messages, and walks over those that are a graph: what is done with a view."""

from __future__ import annotations

from serbench.languages.c.functions import FunctionPairs
from serbench.languages.c.protobuf import lowered
from serbench.model import Array, Enum, List, Map, Optional, Record, Ref, Scalar, Schema, Type, Union, Walk

from .messages import Message, Messages, Pair, is_message, struct


class Sums(FunctionPairs):
    """``traverse`` of each message, and ``walk_root``."""

    def __init__(self, schema: Schema):
        super().__init__(schema)
        self.lowered = lowered(schema)
        self.messages = Messages(self.types, self.lowered)

    def traverse_head(self, message: Message) -> str:
        return f"uint64_t traverse_{message.end}(const {message.c}* from)"

    def alternatives(self, type: Union, low: Union, parts: list[Pair]) -> list[tuple[Pair, str, str]]:
        """Each with its tag in the domain and its case in the message."""
        return list(zip(parts, self.types.tags(type), self.messages.cases(low), strict=True))

    def item_name(self, type: Type) -> str:
        """The end of the names of the functions for an item."""
        if isinstance(type, Map):
            return f"{self.types.short(type)}_entry"
        assert isinstance(type, List | Array)
        return self.types.short(type.item)

    def traverse(self, message: Message) -> None:
        with self.function(self.traverse_head(message)):
            if not message.parts:
                self.out("(void)from;", "return 0;")
                return
            self.out("uint64_t sum = 0;")
            for part in message.parts:
                held, low = part.type, part.field.type
                assert held is not None and low is not None
                if isinstance(held, Optional) and (union := self.messages.placed(low)):
                    self.out(
                        f"if ({self.messages.is_chosen(union)}) "
                        f"sum += 1 + traverse_{self.types.short(held.item)}(from);"
                    )
                elif isinstance(held, Optional) and isinstance(low, Optional):
                    there = f"from->{part.name} != NULL" if is_message(low.item) else f"from->has_{part.name}"
                    self.out(
                        f"if ({there}) sum += 1 + {self.sum(f'from->{part.name}', held.item, low.item)};"
                    )
                elif isinstance(low, List):
                    self.traverse_list(held, low, part.name)
                elif is_message(low):
                    self.out(
                        f"if (from->{part.name} != NULL) sum += {self.sum(f'from->{part.name}', held, low)};"
                    )
                else:
                    self.out(f"sum += {self.sum(f'from->{part.name}', held, low)};")
            self.out("return sum;")

    def traverse_union(self, message: Message, low: Union) -> None:
        """The index of the alternative, and the sum of its value."""
        assert isinstance(message.type, Union)
        with (
            self.function(self.traverse_head(message)),
            self.out.block(f"switch (from->{self.messages.case(low)}) {{"),
        ):
            for n, (part, _, case) in enumerate(self.alternatives(message.type, low, message.parts)):
                self.out(f"case {case}:")
                held, field = part.type, part.field.type
                value = (
                    ""
                    if held is None or field is None
                    else f" + {self.sum(f'from->{part.name}', held, field)}"
                )
                with self.out.indented():
                    self.out(f"return {n}{value};")
            self.out("default:")
            with self.out.indented():
                self.out("return 0;")

    def traverse_list(self, type: Type, low: List, name: str) -> None:
        if not isinstance(type, Array):
            self.out(f"sum += from->n_{name};")
        if is_message(low.item):
            added = f"traverse_{self.item_name(type)}(from->{name}[n])"
        else:
            assert isinstance(type, List | Array)
            added = self.sum(f"from->{name}[n]", type.item, low.item)
        self.short_loop(f"from->n_{name}", f"sum += {added};")

    def sum(self, native: str, type: Type, low: Type) -> str:
        match type, low:
            case _, Record() | Union() | Ref():
                return f"traverse_{self.types.short(type)}({native})"
            case Array(_, length), _:
                return f"sum_of_octets(&{native}) - {length}"
            case _, Scalar("bytes"):
                return f"sum_of_octets(&{native})"
            case Scalar("f32" | "f64" as name), _:
                return f"sum_of_{name}({native})"
        return f"(uint64_t)(int64_t){native}" if isinstance(type, Enum) else f"(uint64_t){native}"

    def walk(self, walk: Walk, root: Record) -> None:
        """Reachability through messages."""
        nodes = next(f.type for f in root.fields if f.name == walk.nodes)
        assert isinstance(nodes, List) and isinstance(nodes.item, Record)
        with self.function("void reach_from(const void* graph, size_t node, serbench_walk* to)"):
            self.out("const native_root* root = graph;")
            self.out(f"const {struct(nodes.item)}* from = root->{walk.nodes}[node];")
            edges = f"from->{walk.edges}"
            self.out(
                f"for (size_t n = 0; n < from->n_{walk.edges}; ++n) "
                f"serbench_reach(to, {edges}[n]->{walk.target});"
            )
        with self.function("uint64_t walk_root(const native_root* from)"):
            self.out(f"return serbench_depth_first(from->n_{walk.nodes}, from, reach_from);")
