"""Generates C functions that sum protobuf-c messages, and that walk over a graph in one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from serbench.codegen.steps import of_graph
from serbench.languages.c.functions import FunctionPairs
from serbench.languages.c.protobuf import lowered
from serbench.model import Array, Enum, List, Map, Optional, Record, Ref, Scalar, Schema, Type, Union, Walk

from .messages import Message, Messages, Pair, is_message, struct


class Sums(FunctionPairs):
    """Generates the C functions that sum the values of messages, and ``walk_root`` for a graph."""

    def __init__(self, schema: Schema):
        super().__init__(schema)
        self.lowered = lowered(schema)
        self.messages = Messages(self.types, self.lowered)

    def each_case(
        self, chosen: str, labels: Sequence[str], parts: Sequence[Pair], default: str = ""
    ) -> Iterator[Pair]:
        """Writes a C switch over ``chosen`` with a case, by its label in C, for each alternative of a union;
        yields the part of each, for which the caller writes the statements. ``default`` is the statement for
        other labels, if any."""
        with self.out.block(f"switch ({chosen}) {{"):
            for label, part in zip(labels, parts, strict=True):
                self.out(f"case {label}:")
                with self.out.indented():
                    yield part
            self.out(*(["default:", f"  {default}"] if default else []))

    def item_name(self, type: Any) -> str:
        """The end of the names of the functions for an item of a list, array or map."""
        if isinstance(type, Map):
            return f"{self.types.short(type)}_entry"
        return self.types.short(type.item)

    def traverse(self, message: Message) -> None:
        if isinstance(message.low, Union):
            self._traverse_union(message, message.low)
        elif not message.parts:
            self.out("(void)from;", "return 0;")
        else:
            self.out("uint64_t sum = 0;")
            for part in message.parts:
                self._traverse_part(part)
            self.out("return sum;")

    def _traverse_part(self, part: Pair) -> None:
        held, low, at = part.type, part.low, f"from->{part.name}"
        if union := self.messages.placed(part):
            sum = f"traverse_{self.types.short(held.item)}(from)"
            self.out(f"if ({self.messages.is_chosen(union)}) sum += 1 + {sum};")
        elif isinstance(low, Optional):
            self.out(f"if ({part.is_there}) sum += 1 + {self.sum(at, held.item, low.item)};")
        elif isinstance(low, List):
            self.traverse_list(held, low, part.name)
        elif is_message(low):
            self.out(f"if ({at} != NULL) sum += {self.sum(at, held, low)};")
        else:
            self.out(f"sum += {self.sum(at, held, low)};")

    def _traverse_union(self, message: Message, low: Union) -> None:
        """Writes a switch that returns the index of the alternative plus the sum of its value."""
        cases = self.messages.cases(low)
        parts = self.each_case(f"from->{self.messages.case(low)}", cases, message.parts, "return 0;")
        for n, part in enumerate(parts):
            value = "" if part.type is None else f" + {self.sum(f'from->{part.name}', part.type, part.low)}"
            self.out(f"return {n}{value};")

    def traverse_list(self, type: Any, low: List, name: str) -> None:
        if not isinstance(type, Array):
            self.out(f"sum += from->n_{name};")
        if is_message(low.item):
            added = f"traverse_{self.item_name(type)}(from->{name}[n])"
        else:
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
        """Writes the functions that search a graph of messages depth first."""
        node, _ = of_graph(root, walk)
        self.reach(
            "const native_root* root = graph;",
            f"const {struct(node)}* from = root->{walk.nodes}[node];",
            f"from->n_{walk.edges}",
            f"from->{walk.edges}[n]->{walk.target}",
        )
        with self.function("uint64_t walk_root(const native_root* from)"):
            self.out(f"return serbench_depth_first(from->n_{walk.nodes}, from, reach_from);")
