"""Conversions between domain objects and the structs that twmb/avro reads and writes.

In a union, the library writes a struct whose branch is told by the key of a map around it; but what it reads
of a record there is a map of the fields by their names, with maps and slices of type ``any`` inside.
"""

from __future__ import annotations

from dataclasses import dataclass

from serbench.languages.go.avro import AvroBuilds, AvroExtracts, AvroMessages, AvroSums
from serbench.languages.go.functions import bare
from serbench.languages.go.messages import resolved
from serbench.model import Enum, FixedBytes, List, Map, Optional, Record, Schema, Type, Union, string


def emit(schema: Schema) -> str:
    """The file ``glue.go`` of a workload."""
    return _Glue(schema, {"build": _Builds, "extract": _Extracts, "sum": _Sums}).text()


class _Glue(AvroMessages):
    def __init__(self, *given: object):
        super().__init__(*given)  # type: ignore[arg-type]
        self.read: dict[str, tuple[Record | Union | None, Map | None]] = {}
        self.indices = 0

    def reads(self, low: Record | Union) -> str:
        """The function that makes a struct of what the library read."""
        name = f"read{low.name}"
        self.read[name] = (low, None)
        return name

    def more(self) -> None:
        written = 0
        while written < len(self.read):
            name, (low, map) = list(self.read.items())[written]
            self._function(name, low, map)
            written += 1
        super().more()

    def _function(self, name: str, low: Record | Union | None, map: Map | None) -> None:
        if low is None:
            assert map is not None
            type, parts = self.map(map)[2:], [("Key", "key", map.key), ("Value", "value", map.value)]
        else:
            type, parts = self.message(low), []
            if isinstance(low, Record):
                parts = [(self.part(low, each.name), each.name, each.type) for each in low.fields]
        self.out("")
        if isinstance(low, Union):
            with self.out.block(f"func {name}(from map[string]any, to *{type}) {{"):
                self.out('to.Value = from["value"]')
            return
        if not parts:
            self.out(f"func {name}(_ map[string]any, _ *{type}) {{}}")
            return
        with self.out.block(f"func {name}(from map[string]any, to *{type}) {{"):
            for own, told, part in parts:
                self.assign(part, f'from["{told}"]', f"to.{own}")

    def assign(self, low: Type, given: str, target: str) -> None:
        """Assigns what the library read, a value of type ``any``."""
        low = resolved(low)
        at = self.indices
        self.indices += 1
        out = self.out
        match low:
            case Record() | Union():
                where = target[2:-1] if target.startswith("(*") and target.endswith(")") else f"&{target}"
                out(f"{self.reads(low)}({given}.(map[string]any), {where})")
            case FixedBytes(length):
                out(f"{bare(target)} = [{length}]byte({given}.([]byte))")
            case Optional(item):
                with out.block(f"if held{at} := {given}; held{at} != nil {{"):
                    key = self._tag(item)
                    out(f"{bare(target)} = new({self.native(item)})")
                    self.assign(item, f'held{at}.(map[string]any)["{key}"]', f"(*{bare(target)})")
            case List(item):
                out(f"items{at} := {given}.([]any)")
                out(f"{bare(target)} = make({self.native(low)}, len(items{at}))")
                with out.block(f"for i{at} := range items{at} {{"):
                    self.assign(item, f"items{at}[i{at}]", f"{target}[i{at}]")
            case Map(key, value) if key == string:
                out(f"pairs{at} := {given}.(map[string]any)")
                out(f"{bare(target)} = make({self.native(low)}, len(pairs{at}))")
                with out.block(f"for key{at}, item{at} := range pairs{at} {{"):
                    out(f"var made{at} {self.native(value)}")
                    self.assign(value, f"item{at}", f"made{at}")
                    out(f"{target}[key{at}] = made{at}")
            case Map():
                name = f"read{self.map(low)[2:]}"
                self.read[name] = (None, low)
                out(f"items{at} := {given}.([]any)")
                out(f"{bare(target)} = make({self.native(low)}, len(items{at}))")
                with out.block(f"for i{at} := range items{at} {{"):
                    out(f"{name}(items{at}[i{at}].(map[string]any), &{target}[i{at}])")
            case _:
                out(f"{bare(target)} = {given}.({self.native(low)})")

    def _tag(self, low: Type) -> str:
        """The key of the map around a value that is in a union."""
        return self.branch(low)


def _chosen(type: Union, low: Union) -> str:
    """The variable of the value in a union; none if no alternative has one, since Go wants each used."""
    pairs = zip(type.alternatives, low.alternatives, strict=True)
    return "chosen" if any(own.type and lower.type for own, lower in pairs) else "_"


@dataclass
class _Builds(AvroBuilds):
    def alternative(self, union: Union, type: Type | None, name: str, low: Type | None, place: str) -> None:
        if low is None:
            self.out("to.Value = nil")
            return
        low, chosen = resolved(low), self.variable("chosen")
        if isinstance(low, Record | Union):
            self.out(f"{chosen} := new({self.glue.message(low)})")
            call = self.glue.call("build", resolved(type or low), low)
            self.out(f"{call}({chosen}, {place[2:-1]})")
        else:
            assert type is not None
            self.out(f"var {chosen} {self.glue.native(low)}")
            self.value_to(type, low, place, chosen)
        tagged = isinstance(low, Record | Union | Enum | FixedBytes | List | Map)
        tag = f'map[string]any{{"{self.glue.branch(low)}": {chosen}}}'
        self.out(f"to.Value = {tag if tagged else chosen}")


@dataclass
class _Extracts(AvroExtracts):
    def union(self, type: Union, low: Union) -> None:
        self.out(f"tag, {_chosen(type, low)} := branchOf(from.Value)", "switch tag {")
        for own, lower in zip(type.alternatives, low.alternatives, strict=True):
            self.out(f'case "{"" if lower.type is None else self.glue.branch(lower.type)}":')
            with self.out.indented():
                place = self.chosen(type, own.name, own.type)
                if own.type is not None and lower.type is not None:
                    held = self.variable("held")
                    self.out(f"var {held} {self.glue.native(lower.type)}")
                    self.glue.assign(lower.type, "chosen", held)
                    self.value_of(own.type, lower.type, held, place)
        self.out("default:", '\tfaults.Add("a union has no alternative")', "}")


@dataclass
class _Sums(AvroSums):
    def union(self, type: Union, low: Union) -> None:
        self.out(f"tag, {_chosen(type, low)} := branchOf(from.Value)", "switch tag {")
        for index, (own, lower) in enumerate(zip(type.alternatives, low.alternatives, strict=True)):
            self.out(f'case "{"" if lower.type is None else self.glue.branch(lower.type)}":')
            with self.out.indented():
                self.out(f"sum += {index}")
                if own.type is not None and lower.type is not None:
                    held = self.variable("held")
                    self.out(f"var {held} {self.glue.native(lower.type)}")
                    self.glue.assign(lower.type, "chosen", held)
                    self.value_of(own.type, lower.type, held)
        self.out("}")
