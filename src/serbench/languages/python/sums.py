"""Generates the functions behind ``traverse``, which adds up every number and byte, and ``walk``."""

from __future__ import annotations

from serbench.codegen.source import Source
from serbench.languages.python.access import Access
from serbench.languages.python.code import LocalNames, suite
from serbench.languages.python.fixed import RESERVED, alternatives, function_of
from serbench.model import Array, Enum, FixedBytes, List, Map, Optional, Record, Ref, Scalar, Type, Union

MASK = "0xFFFFFFFFFFFFFFFF"
"""The literal of the mask that cuts a sum to 64 bits, since Python's integers have no limit."""


def write_walk(out: Source, name: str, nodes: str, count: str, *node: str, edges: str, target: str) -> None:
    """Write the body of a function that adds up the numbers of all nodes that node 0 leads to, each plus 1.

    Args:
        name: the variable for ``nodes``, an expression that is false where a graph has no nodes.
        count: the expression for the number of nodes; ``target``, for the number of an edge's target.
        node: the lines that declare the variables which ``edges`` uses.
        edges: the head of the loop over the edges of the node ``number``.
    """
    out(
        '"""The sum of the numbers of all nodes that node 0 leads to, each plus 1."""',
        f"{name} = {nodes}",
        f"total, left, visited = 0, [0] if {name} else [], {{0}}",
    )
    with suite(out, "while left:"):
        out("number = left.pop()", "total += number + 1", *node)
        with suite(out, edges):
            out(f"target = {target}")
            with suite(out, f"if target < {count} and target not in visited:"):
                out("visited.add(target)", "left.append(target)")
    out("return total")


def added(type: Type, place: str) -> str:
    """Return the expression for what a value adds to a sum, unless it is a list, map, optional or enum."""
    match type:
        case Scalar("f32"):
            return f"_bits32({place})"
        case Scalar("f64"):
            return f"_bits64({place})"
        case Scalar("string"):
            return f"_sum({place}.encode())"
        case Scalar("bytes") | FixedBytes():
            return f"_sum({place})"
        case Record() | Union() | Ref():
            return f"sum_{function_of(type)}({place})"
        case _:
            return place


class SumFunctions:
    """Generates the functions that sum, one for each record and union."""

    def __init__(self, access: Access, out: Source):
        self.access, self.out = access, out
        self._names = LocalNames(RESERVED)
        for composite in access.schema.composites:
            out("", "")
            self.function(composite)

    def function(self, composite: Record | Union) -> None:
        self._names = LocalNames(RESERVED | {"total"})
        with suite(self.out, f"def sum_{function_of(composite)}(value: Any) -> int:"):
            if isinstance(composite, Union):
                self._union(composite)
            else:
                self.out("total = 0")
                for part in composite.fields:
                    self.add(part.type, self.access.get("value", composite, part), part.name)
            self.out("return total")

    def _union(self, union: Union) -> None:
        for index, type, place in alternatives(self.out, self.access, union):
            self.out(f"total = {index}")
            if type is not None:
                self.add(type, place, "item")

    def add(self, type: Type, place: str, name: str) -> None:
        """Write the statements that add a value to the total."""
        out = self.out
        match type:
            case Optional(item):
                own = self._names.fresh(name)
                out(f"{own} = {place}")
                with suite(out, f"if {own} is not None:"):
                    out("total += 1")
                    self.add(item, own, own)
            case List(item) | Array(item, _):
                if isinstance(type, List):
                    out(f"total += len({place})")
                if isinstance(item, Scalar) and (item.is_integer or item.name == "bool"):
                    out(f"total += sum({place})")
                    return
                own = self._names.fresh(f"{name}_item")
                with suite(out, f"for {own} in {place}:"):
                    self.add(item, own, own)
            case Map(key, item):
                by, own = self._names.fresh("key"), self._names.fresh("item")
                out(f"total += len({place})")
                with suite(out, f"for {by}, {own} in {place}.items():"):
                    self.add(key, by, by)
                    self.add(item, own, own)
            case Enum():
                out(f"total += {self.access.number_of(type, place)}")
            case _:
                out(f"total += {added(type, place)}")
