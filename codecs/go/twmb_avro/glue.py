"""Generates code between domain objects and the structs that twmb/avro reads and writes.

For a record in a union, the library takes a struct when it writes, inside a map whose only key is the branch;
when it reads, it gives a map from the names of fields to values, with maps and slices of type ``any`` inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.languages.go.avro import AvroBuilds, AvroReads, AvroStructs
from serbench.languages.go.functions import bare, pointer_to
from serbench.model import (
    Alternative,
    Enum,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Schema,
    Type,
    Union,
    string,
)
from serbench.model.parts import resolved


def emit(schema: Schema) -> str:
    """Return the text of ``glue.go`` for a workload."""
    return _Glue(schema).text()


@dataclass
class _Builds(AvroBuilds):
    def branch(self, type: Type | None, lower: Any, chosen: str, place: str) -> str:
        if isinstance(lower, Record | Union):
            self.out(f"{chosen} := new({self.glue.message(lower)})")
            call = self.glue.call("build", resolved(type or lower), lower)
            self.out(f"{call}({chosen}, {pointer_to(place)})")
        else:
            self.out(f"var {chosen} {self.glue.native(lower)}")
            self.value(resolved(type), lower, place, chosen)
        tagged = isinstance(lower, Record | Union | Enum | FixedBytes | List | Map)
        tag = f'map[string]any{{"{self.glue.branch(lower)}": {chosen}}}'
        return tag if tagged else chosen


@dataclass
class _Reads(AvroReads):
    def switch(self, type: Union, low: Union) -> None:
        # Go refuses a variable that is not used.
        chosen = "chosen" if any(each.type for each in type.alternatives) else "_"
        self.out(f"tag, {chosen} := branchOf(from.Value)", "switch tag {")

    def case(self, union: Union, low: Alternative) -> str:
        return f'"{"" if low.type is None else self.glue.branch(low.type)}"'

    def alternative(self, type: Type, union: Union, low: Alternative, place: str) -> None:
        lower, held = resolved(low.type), self.variable("held")
        self.out(f"var {held} {self.glue.native(lower)}")
        self.glue.assign(lower, "chosen", held)
        self.value(type, lower, held, place)


class _Glue(AvroStructs):
    builds = _Builds
    reads = _Reads

    def __init__(self, schema: Schema):
        super().__init__(schema)
        self.read: dict[str, Record | Union | Map] = {}
        self.indices = 0

    def reader(self, low: Record | Union | Map) -> str:
        """The name of the Go function that makes a record's, union's or map entry's struct from a map."""
        name = f"read{self.map(low)[2:] if isinstance(low, Map) else low.name}"
        self.read[name] = low
        return name

    def more(self) -> None:
        written = 0
        while written < len(self.read):
            self._function(*list(self.read.items())[written])
            written += 1
        super().more()

    def _function(self, name: str, low: Record | Union | Map) -> None:
        type = self.map(low)[2:] if isinstance(low, Map) else self.message(low)
        parts: list[tuple[str, str, Type]] = []
        if isinstance(low, Map):
            parts = [("Key", "key", low.key), ("Value", "value", low.value)]
        elif isinstance(low, Record):
            parts = [(self.part(low, each.name), each.name, each.type) for each in low.fields]
        self.out("")
        if not parts and not isinstance(low, Union):
            self.out(f"func {name}(_ map[string]any, _ *{type}) {{}}")
            return
        with self.out.block(f"func {name}(from map[string]any, to *{type}) {{"):
            if isinstance(low, Union):
                self.out('to.Value = from["value"]')
            for own, told, part in parts:
                self.assign(part, f'from["{told}"]', f"to.{own}")

    def assign(self, low: Type, given: str, target: str) -> None:
        """Write statements that assign to ``target`` what the library read: ``given``, of type ``any``."""
        low = resolved(low)
        at = self.indices
        self.indices += 1
        out = self.out
        match low:
            case Record() | Union():
                out(f"{self.reader(low)}({given}.(map[string]any), {pointer_to(target)})")
            case FixedBytes(length):
                out(f"{bare(target)} = [{length}]byte({given}.([]byte))")
            case Optional(item):
                with out.block(f"if held{at} := {given}; held{at} != nil {{"):
                    out(f"{bare(target)} = new({self.native(item)})")
                    self.assign(
                        item, f'held{at}.(map[string]any)["{self.branch(item)}"]', f"(*{bare(target)})"
                    )
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
                name = self.reader(low)
                out(f"items{at} := {given}.([]any)")
                out(f"{bare(target)} = make({self.native(low)}, len(items{at}))")
                with out.block(f"for i{at} := range items{at} {{"):
                    out(f"{name}(items{at}[i{at}].(map[string]any), &{target}[i{at}])")
            case _:
                out(f"{bare(target)} = {given}.({self.native(low)})")
