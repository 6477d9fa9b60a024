"""What writes dataclasses: a function for each table, struct and union."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.idl.fbs import OFFSET
from serbench.idl.fbs_parts import is_bytes, is_number
from serbench.languages.python.code import suite
from serbench.model import Array, FixedBytes, List, Map, Record, Scalar, Type, Union, string
from serbench.model.parts import resolved

from .parts import Conversion, Part, number_of

_SIZES = (8, 4, 2, 1)
"""Of fields, in the order in which they are added: without padding between them, as flatc's code for C++ has
it."""


@dataclass
class Builds(Conversion):
    """Functions whose result is where in the buffer something lies."""

    def function(self, name: str, type: Type, low: Type) -> None:
        self.anew()
        if isinstance(low, Union):
            assert isinstance(type, Union)
            self.union(name, type, low)
            return
        assert isinstance(low, Record)
        is_entry, value = self.made(low) == "entry", "value" if low.fields else "_value"
        with suite(self.out, f"def {name}(to: Any, {'entry' if is_entry else value}: Any) -> int:"):
            if is_entry:
                self.out("key, value = entry")
            if self.is_struct(low):
                self.line(f"return {self.glue.of(low)}.Create{low.name}(", ["to", *self.flat(type, low)], ")")
            else:
                self.table(type, low)

    def union(self, name: str, type: Union, low: Union) -> None:
        """A function for which alternative it is, and where that lies."""
        with suite(self.out, f"def {name}(to: Any, value: Any) -> tuple[int, int]:"):
            for own, lower in zip(type.alternatives, low.alternatives, strict=True):
                table = resolved(lower.type)
                call = self.glue.call("build", resolved(own.type or table), table)
                given = "value.value" if own.type is not None else "value"
                with suite(self.out, f"if type(value) is {self.glue.access.classes[type.name, own.name]}:"):
                    kind = f"{self.glue.of(low)}.{low.name}.{lower.name}"
                    self.line("return (", [kind, f"{call}(to, {given})"], ")")
            self.out(f'raise ValueError(f"{{value!r}} is no {type.name}")')

    def flat(self, type: Type, low: Record, inside: str = "") -> list[str]:
        """The numbers of a struct, with those of structs in it, in their order."""
        found = []
        for each, lower, place, accessors in self.members(type, low):
            if inside:
                place = f"{inside}{place.removeprefix('value')}"
            if isinstance(each, FixedBytes) and self.made(low) == "fixed":
                found.append(f"*{place}")
            elif isinstance(each, Array):
                assert isinstance(lower, List)
                if is_number(lower.item):
                    found.append(f"*{place}")
                    continue
                for n in range(len(accessors)):
                    found += self.flat(each.item, lower.item, f"{place}[{n}]")  # type: ignore[arg-type]
            elif is_number(lower):
                found.append(place)
            else:
                assert isinstance(lower, Record)
                found += self.flat(each, lower, place)
        return found

    def table(self, type: Type, low: Record) -> None:
        parts = self.parts(type, low)
        offsets = {part.slot: self.referred(low, part) for part in parts}
        head = f"{self.glue.of(low)}.{low.name}"
        self.out(f"{head}Start(to)")
        for size in _SIZES:
            for part in reversed(parts):
                self.add(f"{head}Add{part.name}", part, offsets[part.slot], size)
        self.out(f"return {head}End(to)")

    # What lies elsewhere is written first.

    def referred(self, table: Record, part: Part) -> tuple[str, ...]:
        """Writes what a field refers to; the variables that say where it lies. None for what lies in the
        table."""
        type, low = part.held
        if is_number(low) or self.is_struct(low):
            return ()
        begin = f"{self.glue.of(table)}.{table.name}Start{part.name}Vector"
        head, items, end = self.offset(type, low, part.place, begin)
        base = part.variable
        if isinstance(low, Union):
            names: tuple[str, ...] = (self.local(f"{base}_kind"), self.local(f"{base}_offset"))
        else:
            names = (self.local(f"{base}_offset"),)
        if part.is_optional:
            condition = f"{part.place} is not None"
        elif part.is_key or isinstance(type, Array) or isinstance(low, Record | Union):
            condition = ""
        else:
            condition = part.place
        if not condition:
            self.line(f"{', '.join(names)} = {head}", items, end)
            return names
        self.out(f"{' = '.join(names)} = 0")
        with suite(self.out, f"if {condition}:"):
            self.line(f"{', '.join(names)} = {head}", items, end)
        return names

    def offset(self, type: Type, low: Type, place: str, begin: str) -> tuple[str, list[str], str]:
        """The call that makes a value and gives where it lies."""
        match type, low:
            case _, Scalar("string"):
                return "to.CreateString(", [place], ")"
            case _ if is_bytes(low):
                is_list = isinstance(type, List | Array)
                return "to.CreateByteVector(", [f"bytes({place})" if is_list else place], ")"
            case _, (Record() | Union()):
                return f"{self.glue.call('build', type, low)}(", ["to", place], ")"
            case Map(), List(item):
                return self.vector(type, resolved(item), f"sorted({place}.items())", begin)
            case ((List() | Array()), List(item)):
                return self.vector(type.item, resolved(item), place, begin)
            case _:
                raise TypeError(f"{type} is not expected as {low}")

    def vector(self, type: Type, low: Type, items: str, begin: str) -> tuple[str, list[str], str]:
        """The call for that of a list, an array or the entries of a map."""
        if is_number(low):
            number = number_of(low)
            prepend = f"to.Prepend{method_of(number)}"
            return "_numbers(", ["to", begin, prepend, f'"{dtype_of(number)}"', items], ")"
        if self.is_struct(low):
            return "_structs(", ["to", begin, self.glue.call("build", resolved(type), low), items], ")"
        each = self.local("each")
        if low == string:
            made = f"to.CreateString({each})"
        else:
            made = f"{self.glue.call('build', resolved(type), low)}(to, {each})"
        return "_offsets(", ["to", begin, f"[{made} for {each} in {items}]"], ")"

    # What lies in the table.

    def add(self, head: str, part: Part, offsets: tuple[str, ...], size: int) -> None:
        """Adds the parts of a field that have this size."""
        type, low = part.held
        if len(offsets) == 2 and size == 1:
            self.out(f"{head}Type(to, {offsets[0]})")
        if (self.glue.tables.size(low) if is_number(low) else OFFSET) != size:
            return
        if offsets:
            self.out(f"{head}(to, {offsets[-1]})")
            return
        value = part.place if is_number(low) else f"{self.glue.call('build', type, low)}(to, {part.place})"
        if part.is_optional:
            with suite(self.out, f"if {part.place} is not None:"):
                self.line(f"{head}(", ["to", value], ")")
        elif is_number(low) and number_of(low).is_float:
            with suite(self.out, f"if {value} or copysign(1.0, {value}) > 0.0:"):
                self.line(f"{head}(", ["to", value], ")")
            with suite(self.out, "else:"):  # it equals the default, which is left out
                self.out(f"to.Prepend{method_of(number_of(low))}Slot({part.slot}, -0.0, None)")
        else:
            self.line(f"{head}(", ["to", value], ")")


def method_of(number: Scalar) -> str:
    """What the library calls a number: ``Int32``."""
    if number.name == "bool":
        return "Bool"
    kind = "Float" if number.is_float else "Uint" if number.name.startswith("u") else "Int"
    return f"{kind}{8 * number.width}"


def dtype_of(number: Scalar) -> str:
    """What numpy calls it: ``<i4``."""
    if number.name == "bool":
        return "?"
    return f"<{number.name[0]}{number.width}"
