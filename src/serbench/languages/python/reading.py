"""Generates the functions that read records and unions in the canonical encoding."""

from __future__ import annotations

import struct

from serbench.codegen.source import Source
from serbench.dataset.coders import MAX_EMPTY_ITEMS
from serbench.languages.python.access import Access
from serbench.languages.python.code import LocalNames, suite, wrapped
from serbench.languages.python.fixed import (
    RESERVED,
    FixedRun,
    FixedWidth,
    branch,
    compressed,
    function_of,
    is_fixed,
    letter,
    singular,
)
from serbench.model import Array, Enum, FixedBytes, List, Map, Optional, Record, Ref, Scalar, Type, Union


class ReadFunction:
    """Generates the function that reads a record or union; it returns the value and the index after it."""

    def __init__(self, access: Access, out: Source, run: FixedRun, count: str):
        self.access, self.out, self.run, self._count = access, out, run, count
        self._names = LocalNames(RESERVED)

    def function(self, composite: Record | Union) -> None:
        self._names = LocalNames(RESERVED)
        with suite(self.out, f"def read_{function_of(composite)}(data: bytes, at: int) -> tuple[Any, int]:"):
            if isinstance(composite, Union):
                self._union(composite)
                return
            values = [self.value(part.type, part.name) for part in composite.fields]
            self.flush()
            head, items, tail = self.access.make(composite, values)
            wrapped(self.out, f"return {head}", items, f"{tail}, at")

    def _union(self, union: Union) -> None:
        self.run.leaves.append(FixedWidth("I", index := self._names.fresh("index")))
        self.flush()
        for n, each in enumerate(union.alternatives):
            with branch(self.out, n, f"{index} == {n}"):
                value = None if each.type is None else self.value(each.type, "item")
                self.flush()
                self.out(f"return {self.access.alternative(union, each.name, value)}, at")
        self.out(f'raise ValueError(f"{union.name} has no alternative {{{index}}}")')

    def value(self, type: Type, name: str) -> str:
        """Write code that reads a value; return the expression for it, which may be used after ``flush``."""
        if is_fixed(type):
            return self._fixed(type, name, self.run.leaves)
        match type:
            case Scalar(kind):
                end = self._counted(name, 1)
                own = self._names.fresh(name)
                self.out(f"{own} = data[at:{end}]{'.decode()' if kind == 'string' else ''}", f"at = {end}")
                return own
            case List(item):
                return self._list(item, name, self._size(name))
            case Array(item, length):
                self.flush()
                return self._list(item, name, str(length))
            case Map(key, item):
                return self._map(key, item, name)
            case Optional(item):
                return self._optional(item, name)
            case Record() | Union() | Ref():
                self.flush()
                own = self._names.fresh(name)
                self.out(f"{own}, at = read_{function_of(type)}(data, at)")
                return own
            case _:
                raise TypeError(type)

    def flush(self) -> None:
        leaves = self.run.leaves
        if not leaves:
            return
        names = [f"*{leaf.value}" if leaf.many else leaf.value for leaf in leaves]
        call = f"{self.run.struct()}.unpack_from(data, at)"
        if len(names) == 1:
            self.out(f"({names[0]},) = {call}")
        elif self.out.margin + len(", ".join(names)) + len(call) + 3 <= 110:
            self.out(f"{', '.join(names)} = {call}")
        else:
            wrapped(self.out, "(", names, f") = {call}")
        self.out(f"at += {self.run.size}")
        self.run.leaves = []

    def _fixed(self, type: Type, name: str, leaves: list[FixedWidth]) -> str:
        match type:
            case Enum():
                leaves.append(FixedWidth(letter(type), own := self._names.fresh(name)))
                return self.access.from_number(type, own)
            case FixedBytes(length):
                leaves.append(FixedWidth(f"{length}s", own := self._names.fresh(name)))
                return own
            case Array(item, length):
                if leaves is self.run.leaves and any(leaf.many for leaf in leaves):
                    self.flush()
                    leaves = self.run.leaves
                leaves.append(
                    FixedWidth(f"{length}{letter(item)}", own := self._names.fresh(name), many=True)
                )
                if isinstance(item, Enum) and (self.access.is_dict or not item.open):
                    return f"[{self.access.from_number(item, 'each')} for each in {own}]"
                return own
            case Record():
                parts = [self._fixed(p.type, f"{name}_{p.name}", leaves) for p in type.fields]
                return self.access.made(type, parts)
            case _:
                leaves.append(FixedWidth(letter(type), own := self._names.fresh(name)))
                return own

    def _size(self, name: str) -> str:
        """Write code that reads a count; return its variable."""
        self.run.leaves.append(FixedWidth(self._count, own := self._names.fresh(f"{name}_count")))
        self.flush()
        return own

    def _counted(self, name: str, width: int, count: str | None = None) -> str:
        """Write code that reads a count, unless it is known; return the variable for where the items end."""
        size = self._size(name) if count is None else count
        end = self._names.fresh(f"{name}_end")
        self.out(f"{end} = at + {size}{f' * {width}' if width > 1 else ''}")
        return end

    def _list(self, item: Type, name: str, count: str) -> str:
        own = self._names.fresh(name)
        if letters := letter(item):
            end = self._counted(name, struct.calcsize(f"<{letters}"), count)
            self.out(f"{own} = {self._numbers(item, letters, f'data[at:{end}]')}", f"at = {end}")
            return own
        if isinstance(item, Record) and not item.fields:
            with suite(self.out, f"if {count} > {MAX_EMPTY_ITEMS}:"):
                self.out(f'raise ValueError(f"{{{count}}} empty items")')
            self.out(f"{own} = [{self.access.made(item, [])} for _ in range({count})]")
            return own
        if is_fixed(item):
            leaves: list[FixedWidth] = []
            made = self._fixed(item, singular(name), leaves)
            targets = ", ".join(f"*{leaf.value}" if leaf.many else leaf.value for leaf in leaves)
            width = struct.calcsize(f"<{compressed(leaf.letters for leaf in leaves)}")
            end = self._counted(name, width, count)
            unpacked = f"{self.run.name(leaf.letters for leaf in leaves)}.iter_unpack(data[at:{end}])"
            loop = f"for {targets if len(leaves) > 1 else f'({targets},)'} in {unpacked}"
            if self.out.margin + len(f"{own} = [{made} {loop}]") <= 110:
                self.out(f"{own} = [{made} {loop}]")
            else:
                self.out(f"{own} = [", f"    {made}", f"    {loop}", "]")
            self.out(f"at = {end}")
            return own
        self.out(f"{own} = []")
        with suite(self.out, f"for _ in range({count}):"):
            value = self.value(item, singular(name))
            self.flush()
            self.out(f"{own}.append({value})")
        return own

    def _numbers(self, item: Type, letters: str, chunk: str) -> str:
        """Return the expression that makes a list of numbers out of ``chunk``, their bytes."""
        numbers = chunk if letters == "B" else f'array("{letters}", {chunk})'
        if letters == "?":
            return f"list(map(bool, {chunk}))"
        if isinstance(item, Enum) and (self.access.is_dict or not item.open):
            return f"[{self.access.from_number(item, 'each')} for each in {numbers}]"
        return f"list({chunk})" if letters == "B" else f"{numbers}.tolist()"

    def _map(self, key: Type, item: Type, name: str) -> str:
        count = self._size(name)
        own = self._names.fresh(name)
        self.out(f"{own} = {{}}")
        with suite(self.out, f"for _ in range({count}):"):
            by = self.value(key, f"{singular(name)}_key")
            value = self.value(item, singular(name))
            self.flush()
            self.out(f"{own}[{by}] = {value}")
        return own

    def _optional(self, item: Type, name: str) -> str:
        self.run.leaves.append(FixedWidth("?", has := self._names.fresh(f"has_{name}")))
        self.flush()
        own = self._names.fresh(name)
        with suite(self.out, f"if {has}:"):
            value = self.value(item, name)
            self.flush()
            self.out(f"{own} = {value}")
        with suite(self.out, "else:"):
            self.out(f"{own} = None")
        return own
