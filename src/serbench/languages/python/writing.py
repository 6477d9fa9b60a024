"""Generates the functions that write records and unions in the canonical encoding."""

from __future__ import annotations

from serbench.codegen.source import Source
from serbench.languages.python.access import Access
from serbench.languages.python.code import COLUMNS, LocalNames, suite, wrapped
from serbench.languages.python.fixed import (
    RESERVED,
    FixedRun,
    FixedWidth,
    alternatives,
    fixed_parts,
    function_of,
    is_fixed,
    letter,
    singular,
)
from serbench.model import Array, Enum, FixedBytes, List, Map, Optional, Record, Ref, Scalar, Type, Union


class Writing:
    """Generates the function that writes a record or union.

    Args:
        count: the letter of ``struct`` for counts.
        ordered: whether maps are written in the order of their keys, and else in their own.
    """

    def __init__(self, access: Access, out: Source, run: FixedRun, count: str, ordered: bool):
        self.access, self.out, self.run = access, out, run
        self._count, self._ordered = count, ordered
        self._names = LocalNames(RESERVED)

    def function(self, composite: Record | Union) -> None:
        """Write the function ``write_NAME`` of a record or union."""
        self._names = LocalNames(RESERVED)
        with suite(self.out, f"def write_{function_of(composite)}(value: Any, out: bytearray) -> None:"):
            if isinstance(composite, Record):
                for part in composite.fields:
                    self.value(part.type, self.access.get("value", composite, part), part.name)
                self.flush()
                if fixed_parts(composite) == []:  # neither has it bytes, nor have records in it
                    self.out("return")
            else:
                self._union(composite)

    def _union(self, union: Union) -> None:
        for index, type, place in alternatives(self.out, self.access, union):
            self.run.leaves.append(FixedWidth("I", str(index)))
            if type is not None:
                self.value(type, place, "item")
            self.flush()

    def value(self, type: Type, place: str, name: str) -> None:
        """Write code that writes the value at a place; the names of its variables begin with ``name``."""
        if is_fixed(type):
            for leaf in self._leaves(type, place):
                if leaf.many and any(each.many for each in self.run.leaves):
                    self.flush()
                self.run.leaves.append(leaf)
            return
        match type:
            case Scalar("string"):
                text = self._names.fresh(name if name.isidentifier() else "text")
                self.out(f"{text} = {place}.encode()")
                self._counted(f"len({text})")
                self.out(f"out += {text}")
            case Scalar():
                self._counted(f"len({place})")
                self.out(f"out += {place}")
            case List(item):
                self._counted(f"len({place})")
                self._items(item, place, name)
            case Array(item, _):
                self.flush()
                self._items(item, place, name)
            case Map(key, item):
                self._map(key, item, place, name)
            case Optional(item):
                self._optional(item, place, name)
            case Record() | Union() | Ref():
                self.flush()
                self.out(f"write_{function_of(type)}({place}, out)")

    def flush(self) -> None:
        """Write the statement that packs the values of fixed width since the last such statement."""
        if self.run.leaves:
            values = [f"*{leaf.value}" if leaf.many else leaf.value for leaf in self.run.leaves]
            wrapped(self.out, f"out += {self.run.struct()}.pack(", values, ")")
            self.run.leaves = []

    def _counted(self, count: str) -> None:
        self.run.leaves.append(FixedWidth(self._count, count))
        self.flush()

    def _leaves(self, type: Type, place: str) -> list[FixedWidth]:
        match type:
            case Enum():
                return [FixedWidth(letter(type), self.access.number_of(type, place))]
            case FixedBytes(length):
                return [FixedWidth(f"{length}s", place)]
            case Array(item, length):
                return [FixedWidth(f"{length}{letter(item)}", self._numbers(item, place), many=True)]
            case Record():
                access = self.access
                parts = (self._leaves(p.type, access.get(place, type, p)) for p in type.fields)
                return [leaf for leaves in parts for leaf in leaves]
            case _:
                return [FixedWidth(letter(type), place)]

    def _numbers(self, item: Type, place: str) -> str:
        """Return the expression for the numbers of a list of numbers or enums."""
        if isinstance(item, Enum) and self.access.is_dict:
            return f"[{self.access.number_of(item, 'each')} for each in {place}]"
        return place

    def _items(self, item: Type, place: str, name: str) -> None:
        if letters := letter(item):
            numbers = self._numbers(item, place)
            self.out(
                f"out += bytes({numbers})" if letters in "B?" else f'out += array("{letters}", {numbers})'
            )
            return
        if isinstance(item, Record) and not item.fields:
            return
        each = self._names.fresh(singular(name))
        with suite(self.out, f"for {each} in {place}:"):
            self.value(item, each, each)
            self.flush()

    def _map(self, key: Type, item: Type, place: str, name: str) -> None:
        self._counted(f"len({place})")
        own, value = self._names.fresh("key"), self._names.fresh("item")
        pairs = f"{place}.items()"
        if self._ordered:
            by_number = isinstance(key, Enum) and self.access.is_dict
            numbered = self.access.number_of(key, "pair[0]") if isinstance(key, Enum) else ""
            pairs = f"sorted({pairs}, key=lambda pair: {numbered if by_number else 'pair[0]'})"
        line = f"for {own}, {value} in {pairs}:"
        if self.out.margin + len(line) > COLUMNS:
            self.out(f"for {own}, {value} in sorted(", f"    {pairs[len('sorted(') : -1]}")
            line = "):"
        with suite(self.out, line):
            self.value(key, own, f"{own}_text")
            self.value(item, value, value)
            self.flush()

    def _optional(self, item: Type, place: str, name: str) -> None:
        self.flush()
        own = self._names.fresh(name)
        self.out(f"{own} = {place}")
        with suite(self.out, f"if {own} is None:"):
            self.out('out += b"\\0"')
        with suite(self.out, "else:"):
            self.run.leaves.append(FixedWidth("?", "True"))
            self.value(item, own, own)
            self.flush()
