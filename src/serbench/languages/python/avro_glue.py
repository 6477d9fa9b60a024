"""Generates the module ``cell.glue`` for Avro: conversions between dataclasses and the dicts that a library
writes and reads, by a schema whose unions Python can tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from serbench.idl import avsc
from serbench.idl.lower import Lowered, lower
from serbench.languages.python.avro_values import Mades, Plains, branch, is_named
from serbench.languages.python.code import suite
from serbench.languages.python.fixed import function_of
from serbench.languages.python.glue_module import LoweredModule, Table, both_ways
from serbench.model import Alternative, Enum, List, Map, Record, Scalar, Schema, Type, Union
from serbench.model.parts import resolved


def _told_by(type: Type) -> str:
    """A name for a union's branch, equal for branches whose values Python does not tell apart."""
    name = avsc.branch_of(type)
    return {"long": "int", "double": "float"}.get(name, name)


def lowered(schema: Schema) -> Lowered:
    """Return the schema in Avro's types. An alternative that could not be told from another is in a record of
    its own, which adds no byte."""
    return lower(schema, replace(avsc.ABILITIES, told_by=_told_by), avsc.NAMING)


def schema_text(schema: Schema) -> str:
    """Return the text of the schema by which programs of a workload write."""
    return avsc.text(lowered(schema))


@dataclass(frozen=True)
class AvroLibrary:
    """The way in which code uses a library of Avro.

    Attributes:
        name: the name of its module.
        imports: the lines that import it, below those of the standard library.
        parsed: the expression that parses the schema, whose text is in ``_AVSC``.
        tells_branches: whether the value of a union is a tuple of the branch's name and the value.
    """

    name: str
    imports: Sequence[str]
    parsed: str
    tells_branches: bool

    def source(self, schema: Schema) -> str:
        """Return the text of ``cell.glue`` for a workload."""
        return _Glue(schema, self).text()


class _Glue(LoweredModule):
    def __init__(self, schema: Schema, library: AvroLibrary):
        super().__init__(schema, lowered(schema))
        self.library, self.libraries = library, library.imports
        self.sides = f"messages as {library.name} has them"
        self.plains = Plains("plain", self.types, library.tells_branches)
        self.mades = Mades("made", self.types, library.tells_branches)

    def standard(self, body: str) -> list[str]:
        return ["import json"] if "json." in self.library.parsed else []

    def constants(self, body: str) -> list[str]:
        written = avsc.text(self.types).strip().replace("\\", "\\\\")
        parsed = f"SCHEMA = {self.library.parsed}"
        return ["", '_AVSC = """', *written.splitlines(), '"""', "", parsed]

    def enum_tables(self, enum: Enum) -> list[Table]:
        """Return the dicts of an enum's symbols by its members, and of its members by the symbols."""
        members = zip(enum.members, self.natives[enum.name].members, strict=True)
        pairs = [(f"{enum.name}.{own}", f'"{symbol}"') for (own, _), (symbol, _) in members]
        return both_ways(enum, pairs)

    def record(self, record: Record, low: Record) -> None:
        pairs = list(zip(record.fields, low.fields, strict=True))
        value, plain = ("value", "plain") if pairs else ("_value", "_plain")
        with self.function(f"plain_{function_of(record)}({value}: Any)"):
            plains = [(to.name, self.plains.value(of.type, to.type, f"value.{of.name}")) for of, to in pairs]
            self.dict("return ", plains)
        with self.function(f"made_{function_of(record)}({plain}: Any)"):
            values = [self.mades.value(of.type, to.type, f'plain["{to.name}"]') for of, to in pairs]
            self.access.give(self.out, record, values)

    def union(self, union: Union, low: Union) -> None:
        with self.function(f"plain_{function_of(union)}(value: Any)"):
            for own, to in zip(self.access.told_apart(self.out, union), low.alternatives, strict=True):
                self.dict("return ", [("value", self._written(own, to))])
        with self.function(f"made_{function_of(union)}(plain: Any)"):
            self.out('item = plain["value"]')
            pairs = list(zip(union.alternatives, low.alternatives, strict=True))
            named = [pair for pair in pairs if pair[1].type is not None and is_named(pair[1].type)]
            for own, to in sorted(pairs, key=lambda pair: pair[1].type is not None):  # None is told first
                if (own, to) not in named:
                    self._read(union, own, to, _told(to.type))
            if named:
                self.out("name, item = item")
            for own, to in named:
                self._read(union, own, to, f'name == "{branch(resolved(to.type))}"')
            self.out(f'raise ValueError(f"{{item!r}} is no {union.name}")')

    def _written(self, own: Alternative, low: Alternative) -> str:
        """Return the expression for a branch of Avro's union: its name and the value."""
        if low.type is None:
            return '("null", None)'
        plain = "{}" if own.type is None else self.plains.value(own.type, low.type, "value.value")
        return f'("{branch(low.type)}", {plain})'

    def _read(self, union: Union, own: Alternative, low: Alternative, condition: str) -> None:
        with suite(self.out, f"if {condition}:"):
            value = self.mades.value(own.type, low.type, "item") if own.type and low.type else None
            self.give_alternative(union, own, value)


def _told(low: Type | None) -> str:
    """Return the condition that ``item`` is of the branch ``low``, whose type has no name."""
    match low:
        case None:
            return "item is None"
        case Scalar(name):
            kinds = {"string": "str", "bytes": "bytes", "bool": "bool", "f32": "float", "f64": "float"}
            return f"type(item) is {kinds.get(name, 'int')}"
        case Map() if low.key == Scalar("string"):
            return "type(item) is dict"
        case List() | Map():
            return "type(item) is list"
        case _:
            raise TypeError(f"{low} has a name")
