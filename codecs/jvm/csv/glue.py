"""Generates functions for each type that write and read the cells of a record in CSV.

A record has a column for each of its fields, an array one for each of its items; a list or a map is a cell
with a record inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from serbench.languages.jvm.domain import domain_type, glue_file, literal
from serbench.languages.jvm.functions import TypeFunctions, pattern
from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
    u64,
)
from serbench.model.parts import resolved


def emit(schema: Schema) -> str:
    """Return the text of the file with a workload's ``CsvGlue``."""
    return _Cells(schema).text()


def _is_one_value(type: Type) -> bool:
    """Whether a value of a type is one cell that never is empty."""
    match resolved(type):
        case Scalar() | FixedBytes() | Enum() | Union():
            return True
        case Array(item, length):
            return length == 1 and _is_one_value(item)
        case Record(_, fields):
            return not fields or (len(fields) == 1 and _is_one_value(fields[0].type))
        case _:
            return False


def _number(type: Enum) -> str:
    """Return the name of the methods that write and read an enum's number; for a u64, there are others."""
    return "u64" if type.underlying == u64 else "i64"


class _Cells(TypeFunctions):
    def text(self) -> str:
        root = domain_type(self.schema.root)
        self.out = glue_file(
            self.schema,
            "its records as cells",
            *(["import serbench.DecodeException"] if self.schema.unions else []),
            "import serbench.codec.{CellReader, CellWriter, CsvGlue}",
        )
        with self.out.block(f"object Glue extends CsvGlue[{root}] {{"):
            self.out(
                f"override def put(root: {root}, out: CellWriter): Unit = "
                f"{self.put(self.schema.root, 'root')}",
                f"override def get(in: CellReader): {root} = {self.get(self.schema.root)}",
            )
            self.all_functions()
        return self.out.text()

    def put(self, type: Type, value: str) -> str:
        type = resolved(type)
        if not isinstance(type, Enum):
            return super().put(type, value)
        if type in self.numbered:
            return f"out.{_number(type)}({value}.number)"
        return f"out.string({value}.name)"

    def get(self, type: Type) -> str:
        type = resolved(type)
        if not isinstance(type, Enum):
            return super().get(type)
        if type in self.numbered:
            return f"{domain_type(type)}.of(in.{_number(type)}())"
        return f"{domain_type(type)}.{'ofKey' if type.open else 'of'}(in.string())"

    @cached_property
    def numbered(self) -> list[Enum]:
        """The open enums that cells have as numbers, since names that look like numbers are ambiguous."""
        pairs = zip(self.declared.enums, self.schema.enums, strict=True)
        return [
            enum
            for declared, enum in pairs
            if declared.open
            and any(re.fullmatch("-?[0-9]+", declared.wire_name(name)) for name, _ in declared.members)
        ]

    def functions(self, type: Type) -> None:
        if not isinstance(type, Ref | Enum):  # functions of the type that is referred to are enough
            super().functions(type)

    def heads(self, type: Type, inside: bool = False) -> tuple[str, str]:
        """Return the first lines of the Scala functions ``put`` and ``get`` of a type. With ``inside``, these
        write and read a value as one cell of ``record``; else as cells of ``out`` and ``in``."""
        name, scala = self.name(type), domain_type(type)
        to, of = ("record", "record") if inside else ("out", "in")
        put = f"private def put{name}(value: {scala}, {to}: CellWriter): Unit ="
        return put, f"private def get{name}({of}: CellReader): {scala} ="

    def record(self, type: Record) -> None:
        out, (put, get) = self.out, self.heads(type)
        if not type.fields:
            out("", f'{put} out.string("")')
            with self.function(f"{get} {{"):
                out("in.nothing()", f"{domain_type(type)}()")
            return
        with self.function(f"{put} {{"):
            self.put_fields(type)
        out("", get)
        with out.indented():
            self.get_fields(type)

    def union(self, type: Union) -> None:
        """Write the functions of a union, a record inside a cell with the alternative's name and value."""
        out, (put, get) = self.out, self.heads(type, inside=True)
        names = [literal(each.wire_name) for each in self.declared_unions[type].alternatives]
        with self.function(f"{put} {{"):
            out("val out = record.open()")
            with out.block("value match {"):
                for each, name in zip(type.alternatives, names, strict=True):
                    out(f"case {pattern(type, each)} =>")
                    with out.indented():
                        out(f"out.string({name})")
                        if each.type is not None:
                            out(self.put(each.type, "value"))
            out("record.close()")
        with self.function(f"{get} {{"):
            out("val in = record.open()")
            with out.block("val value = in.string() match {"):
                for each, name in zip(type.alternatives, names, strict=True):
                    value = "" if each.type is None else self.get(each.type)
                    out(f"case {name} => {pattern(type, each, value)}")
                out(
                    "case name => throw new DecodeException("
                    f'"a union {type.name} has the alternative \'" + name + "\'")'
                )
            out("in.finish()", "value")

    def array(self, type: Array) -> None:
        put, get = self.heads(type)
        with self.function(f"{put} {{"):
            self.check_length(type)
            self.put_items(type.item)
        self.out("", f"{get} Vector.fill({type.length})({self.get(type.item)})")

    def list(self, type: List) -> None:
        out, (put, get) = self.out, self.heads(type, inside=True)
        with self.writing_inside(put):
            self.put_items(type.item)
        with self.reading_inside(get, "Vector.empty"):
            out(f"val items = Vector.newBuilder[{domain_type(type.item)}]")
            out(f"while (in.hasNext) items += {self.get(type.item)}", "items.result()")

    def map(self, type: Map) -> None:
        out, (put, get) = self.out, self.heads(type, inside=True)
        with self.writing_inside(put):
            out("val pairs = value.iterator")
            with out.block("while (pairs.hasNext) {"):
                out("val pair = pairs.next()", self.put(type.key, "pair._1"), self.put(type.value, "pair._2"))
        with self.reading_inside(get, "Map.empty"):
            out(f"val pairs = Map.newBuilder[{domain_type(type.key)}, {domain_type(type.value)}]")
            # Arguments are evaluated from left to right.
            out(
                f"while (in.hasNext) pairs.addOne(({self.get(type.key)}, {self.get(type.value)}))",
                "pairs.result()",
            )

    def optional(self, type: Optional) -> None:
        is_inside = not _is_one_value(type.item)
        out, (put, get) = self.out, self.heads(type, is_inside)
        if not is_inside:
            with self.function(f"{put} value match {{"):
                out(f"case Some(item) => {self.put(type.item, 'item')}", "case None => out.empty()")
            out("", f"{get} if (in.skipsEmpty()) None else Some({self.get(type.item)})")
            return
        with self.writing_inside(put):
            out(self.put(type.item, "value.get"))
        with self.reading_inside(get, "None"):
            out(f"val item = {self.get(type.item)}", "in.finish()", "Some(item)")

    @contextmanager
    def writing_inside(self, head: str) -> Iterator[None]:
        """Write a function around the body's statements, which write a value into ``out``, a record inside
        the next cell of ``record``. The function leaves that cell empty for an empty value."""
        with self.inside(head, "if (value.isEmpty) record.empty()", "out"):
            yield
            self.out("record.close()")

    @contextmanager
    def reading_inside(self, head: str, empty: str) -> Iterator[None]:
        """Write a function around the body's statements, which read a value from ``in``, the record inside
        the next cell of ``record``. The function returns ``empty`` where that cell is empty."""
        with self.inside(head, f"if (record.skipsEmpty()) {empty}", "in"):
            yield

    @contextmanager
    def inside(self, head: str, empty: str, name: str) -> Iterator[None]:
        self.out("", head)
        with self.out.indented():
            self.out(empty)
            with self.out.block("else {"):
                self.out(f"val {name} = record.open()")
                yield
