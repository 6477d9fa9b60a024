"""Glue for CSV on the JVM: the cells of a record, written and read by functions for each type.

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
    """The file with a workload's ``CsvGlue``."""
    return _Cells(schema).text()


def _is_one_value(type: Type) -> bool:
    """Whether a value is one cell that never is empty."""
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
    """The method that writes and reads an enum's number, a Long whose bits may be those of a u64."""
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
        """Open enums of which a cell could not tell a name from a number that has none."""
        pairs = zip(self.declared.enums, self.schema.enums, strict=True)
        return [
            enum
            for declared, enum in pairs
            if declared.open
            and any(re.fullmatch("-?[0-9]+", declared.wire_name(name)) for name, _ in declared.members)
        ]

    def functions(self, type: Type) -> None:
        if isinstance(type, Ref):
            return  # its target's are enough
        name, scala = self.name(type), domain_type(type)
        put = f"private def put{name}(value: {scala}, {{}}: CellWriter): Unit ="
        get = f"private def get{name}({{}}: CellReader): {scala} ="
        match type:
            case Record():
                self.record(type, put.format("out"), get.format("in"))
            case Union():
                self.union(type, put.format("record"), get.format("record"))
            case Array():
                self.array(type, put.format("out"), get.format("in"))
            case List():
                self.list(type, put.format("record"), get.format("record"))
            case Map():
                self.map(type, put.format("record"), get.format("record"))
            case Optional():
                self.optional(type, put, get)

    def record(self, type: Record, put: str, get: str) -> None:
        out = self.out
        if not type.fields:
            out("", f'{put} out.string("")', "")
            with out.block(f"{get} {{"):
                out("in.nothing()", f"{domain_type(type)}()")
            return
        out("")
        with out.block(f"{put} {{"):
            self.put_fields(type)
        out("", get)
        with out.indented():
            self.get_fields(type)

    def union(self, type: Union, put: str, get: str) -> None:
        """A record inside of a cell, with the name of the alternative before its value."""
        out = self.out
        names = [literal(each.wire_name) for each in self.declared_unions[type].alternatives]
        out("")
        with out.block(f"{put} {{"):
            out("val out = record.open()")
            with out.block("value match {"):
                for each, name in zip(type.alternatives, names, strict=True):
                    out(f"case {pattern(type, each)} =>")
                    with out.indented():
                        out(
                            f"out.string({name})",
                            *([] if each.type is None else [self.put(each.type, "value")]),
                        )
            out("record.close()")
        out("")
        with out.block(f"{get} {{"):
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

    def array(self, type: Array, put: str, get: str) -> None:
        out = self.out
        out("")
        with out.block(f"{put} {{"):
            self.check_length(type)
            self.put_items(type.item)
        out("", f"{get} Vector.fill({type.length})({self.get(type.item)})")

    def list(self, type: List, put: str, get: str) -> None:
        out = self.out
        with self.writing_inside(put):
            self.put_items(type.item)
        with self.reading_inside(get, "Vector.empty"):
            out(f"val items = Vector.newBuilder[{domain_type(type.item)}]")
            out(f"while (in.hasNext) items += {self.get(type.item)}", "items.result()")

    def map(self, type: Map, put: str, get: str) -> None:
        out = self.out
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

    def optional(self, type: Optional, put: str, get: str) -> None:
        out = self.out
        if _is_one_value(type.item):
            out("")
            with out.block(f"{put.format('out')} value match {{"):
                out(f"case Some(item) => {self.put(type.item, 'item')}", "case None => out.empty()")
            out("", f"{get.format('in')} if (in.skipsEmpty()) None else Some({self.get(type.item)})")
            return
        with self.writing_inside(put.format("record")):
            out(self.put(type.item, "value.get"))
        with self.reading_inside(get.format("record"), "None"):
            out(f"val item = {self.get(type.item)}", "in.finish()", "Some(item)")

    @contextmanager
    def writing_inside(self, head: str) -> Iterator[None]:
        """A function that leaves the next cell of ``record`` empty for an empty value, or writes the record
        ``out`` inside."""
        with self.inside(head, "if (value.isEmpty) record.empty()", "out"):
            yield
            self.out("record.close()")

    @contextmanager
    def reading_inside(self, head: str, empty: str) -> Iterator[None]:
        """A function that gives ``empty`` for an empty cell of ``record``, or reads the record ``in``
        inside."""
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
