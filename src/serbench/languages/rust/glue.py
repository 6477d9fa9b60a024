"""The common part of generators of Rust that implement traits for each domain type."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from serbench.codegen.source import Source
from serbench.languages.rust.domain import NAMING
from serbench.model import Enum, Record, Schema, Type, Union, Walk


class RustGlue(ABC):
    """Generator of a file that implements a Rust trait, which a subclass chooses, for types of a schema."""

    def __init__(self, schema: Schema):
        self.schema = NAMING.spell(schema)
        self.out = Source("    ")

    def implement(self) -> None:
        """Writes the trait's implementations for all enums, records and unions of the schema."""
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
        """Writes the function ``head``, whose body is the expression ``match`` with its arms."""
        with self.out.block(head), self.out.block(match, "})" if match.startswith("Ok(") else "}"):
            self.out(*arms)

    def sum_fields(self, record: Record) -> None:
        """Writes the expression for the sum over the fields of ``self``."""
        sums = [f"self.{field.name}.sum()" for field in record.fields]
        self.out(f"[{', '.join(sums)}].into_iter().fold(0, u64::wrapping_add)" if sums else "0")

    def sum_alternatives(self, union: Union, name: str) -> None:
        """Writes the expression for the sum over ``self``, a union that Rust calls ``name``."""
        with self.out.block("match self {"):
            for index, each in enumerate(union.alternatives):
                if each.type is None:
                    self.out(f"{name}::{each.name} => {index},")
                else:
                    self.out(f"{name}::{each.name}(value) => value.sum().wrapping_add({index}),")

    def convert_fields(self, record: Record, name: str, method: str) -> None:
        """Writes the expression for the record ``name`` with what ``method`` makes of each field of
        ``self``."""
        with self.out.block(f"{name} {{"):
            self.out(*(f"{field.name}: self.{field.name}.{method}()," for field in record.fields))

    def convert_alternatives(self, union: Union, name: str, made: str, method: str) -> None:
        """Writes the expression for the union ``made`` with what ``method`` makes of the value of ``self``, a
        union that Rust calls ``name``."""
        with self.out.block("match self {"):
            for each in union.alternatives:
                held = "" if each.type is None else "(value)"
                value = held.replace("value", f"value.{method}()")
                self.out(f"{name}::{each.name}{held} => {made}::{each.name}{value},")

    def put_alternatives(self, union: Union, index: str, put: Callable[[Type, str], str]) -> None:
        """Writes the ``match`` by which the union ``self`` writes its alternative's index, then its value.

        Args:
            index: the name of the method that writes an index.
            put: gives the expression that writes a value, by its type and the variable that has it.
        """
        with self.out.block("match self {"):
            for n, each in enumerate(union.alternatives):
                name = f"{union.name}::{each.name}"
                if each.type is None:
                    self.out(f"{name} => to.{index}({n}),")
                else:
                    with self.out.block(f"{name}(value) => {{"):
                        self.out(f"to.{index}({n});", f"{put(each.type, 'value')};")

    def fill_alternatives(self, union: Union, fill: Callable[[Type, str], str], other: str) -> None:
        """Writes the ``match`` over an index that is read, which makes ``self`` that alternative; ``fill``
        gives the expression that reads a value into its memory, ``other`` is the arm for other indices."""
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
        self,
        walk: Walk | None,
        of: str,
        type: str,
        body: Callable[[Walk], None],
        *before: str,
        fails: bool = False,
    ) -> None:
        """Writes the Rust function that walks over a message; it does nothing where messages are no graphs.

        Args:
            of: the name of the parameter for the message, and ``type`` its type.
            body: writes the statements of the function.
            before: the lines before the function.
            fails: whether the function returns a ``Result``.
        """
        result, nothing = ("Result<u64>", "Ok(0)") if fails else ("u64", "0")
        self.out("", *before, f"pub const WALKS: bool = {'true' if walk else 'false'};", "")
        with self.out.block(f"pub fn walk({'' if walk else '_'}{of}: {type}) -> {result} {{"):
            if walk is None:
                self.out(nothing)
            else:
                body(walk)

    def by_fields(self, walk: Walk, edges: str = "&{}", target: str = "{}", root: str = "root") -> None:
        """Writes the statements of a walk over a graph in plain fields of ``root``; ``edges`` and ``target``
        are templates of Rust expressions, for the list of a node's edges and for an edge's target."""
        nodes, each = f"{root}.{walk.nodes}", edges.format(f"{root}.{walk.nodes}[node].{walk.edges}")
        with (
            self.out.block(f"serbench::depth_first({nodes}.len(), |node, reach| {{", "})"),
            self.out.block(f"for edge in {each} {{"),
        ):
            self.out(f"reach({target.format(f'edge.{walk.target}')} as usize);")
