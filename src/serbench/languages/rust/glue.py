"""Files with an implementation of a trait for each domain type, as the glue of libraries that have objects or
bytes of their own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from serbench.codegen.source import Source
from serbench.languages.rust.domain import NAMING
from serbench.model import Enum, Record, Schema, Type, Union, Walk


class RustGlue(ABC):
    """A file with the implementations."""

    def __init__(self, schema: Schema):
        self.schema = NAMING.spell(schema)
        self.out = Source("    ")

    def implement(self) -> None:
        """Writes what every enum, record and union of the schema has."""
        for enum in self.schema.enums:
            self.enum(enum)
        for composite in self.schema.composites:
            if isinstance(composite, Record):
                self.record(composite)
            else:
                self.union(composite)

    @abstractmethod
    def enum(self, enum: Enum) -> None: ...

    @abstractmethod
    def record(self, record: Record) -> None: ...

    @abstractmethod
    def union(self, union: Union) -> None: ...

    def match(self, head: str, match: str, arms: Sequence[str]) -> None:
        """Writes a function that gives one ``match``, or its ``Ok``."""
        with self.out.block(head), self.out.block(match, "})" if match.startswith("Ok(") else "}"):
            self.out(*arms)

    def put_alternatives(self, union: Union, index: str, put: Callable[[Type, str], str]) -> None:
        """Writes the ``match`` that puts the ``index`` of an alternative, then the ``value`` that it has."""
        with self.out.block("match self {"):
            for n, each in enumerate(union.alternatives):
                name = f"{union.name}::{each.name}"
                if each.type is None:
                    self.out(f"{name} => to.{index}({n}),")
                else:
                    with self.out.block(f"{name}(value) => {{"):
                        self.out(f"to.{index}({n});", f"{put(each.type, 'value')};")

    def fill_alternatives(self, union: Union, fill: Callable[[Type, str], str], other: str) -> None:
        """Writes the ``match`` that fills ``self`` with the alternative of an index, over what it has of it
        before."""
        with self.out.block("match from.number::<u32>()? {"):
            for n, each in enumerate(union.alternatives):
                name = f"{union.name}::{each.name}"
                if each.type is None:
                    self.out(f"{n} => *self = {name},")
                    continue
                with self.out.block(f"{n} => {{"):
                    with self.out.block(f"if !matches!(self, {name}(_)) {{"):
                        self.out(f"*self = {name}(serbench::Value::empty());")
                    with self.out.block(f"if let {name}(value) = self {{"):
                        self.out(f"{fill(each.type, 'value')}?;")
            self.out(other)

    def walk(
        self, walk: Walk | None, of: str, type: str, body: Callable[[Walk], None], fails: bool = False
    ) -> None:
        """Writes the function that walks through a message, which does nothing where that is no graph.

        Args:
            of: the name of the message, and ``type`` its type.
            fails: whether the function gives a result.
        """
        result, nothing = ("Result<u64>", "Ok(0)") if fails else ("u64", "0")
        self.out("", f"pub const WALKS: bool = {'true' if walk else 'false'};", "")
        with self.out.block(f"pub fn walk({'' if walk else '_'}{of}: {type}) -> {result} {{"):
            if walk is None:
                self.out(nothing)
            else:
                body(walk)

    def by_fields(self, walk: Walk, edges: str = "&{}", target: str = "{}", root: str = "root") -> None:
        """Writes the statements of a walk through plain fields of ``root``; ``edges`` says how edges are gone
        through, and ``target`` how its number is read."""
        nodes, each = f"{root}.{walk.nodes}", edges.format(f"{root}.{walk.nodes}[node].{walk.edges}")
        with (
            self.out.block(f"serbench::depth_first({nodes}.len(), |node, reach| {{", "})"),
            self.out.block(f"for edge in {each} {{"),
        ):
            self.out(f"reach({target.format(f'edge.{walk.target}')} as usize);")
