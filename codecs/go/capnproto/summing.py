"""What adds up every field of what lies in a message, as ``Sum`` of the domain: a function for each
struct."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

from serbench.languages.go.wanted import is_number, resolved
from serbench.model import Array, Enum, List, Map, Optional, Record, Scalar, Type, Union, bytes_, string

from .parts import Conversion, Part


@dataclass
class Sums(Conversion):
    """``func sumNAME(from messages.NAME) uint64``. What was extracted without a fault gives none here."""

    def function(self, name: str, type: Type, low: Type) -> None:
        self._taken.clear()
        self.out("")
        assert isinstance(low, Record | Union)
        if isinstance(low, Record) and not low.fields:
            self.out(f"func {name}(_ messages.{low.name}) uint64 {{ return 0 }}")
            return
        with self.out.block(f"func {name}(from messages.{low.name}) (sum uint64) {{"):
            if isinstance(low, Union):
                assert isinstance(type, Union)
                self.union(type, low)
            else:
                for part in self.parts(type, low):
                    self.part(part)
            self.out("return sum")

    def union(self, type: Union, low: Union) -> None:
        is_alone = len(low.alternatives) == 1
        if not is_alone:
            self.out("switch from.Which() {")
        pairs = zip(type.alternatives, low.alternatives, self.chosen(low), strict=True)
        for index, (own, lower, label) in enumerate(pairs):
            if not is_alone:
                self.out(f"case {label}:", f"\tsum += {index}")
            with nullcontext() if is_alone else self.out.indented():
                if own.type is not None:
                    self.part(self.glue.alternative(own, lower))
        if not is_alone:
            self.out("}")

    def part(self, part: Part) -> None:
        """Adds a field of a struct."""
        low = resolved(part.low)
        if isinstance(low, Optional):
            item, inner = self.item_of(part)
            head = f"if from.Has{part.name}() {{"
            if part.group:
                group = self.variable("group")
                head = f"if {group} := from.{part.name}(); {group}.Which() == {part.group}_Which_some {{"
            with self.out.block(head):
                self.out("sum++")
                if part.group:
                    self.number(item, inner, f"{group}.Some()")
                else:
                    self.referred(item, inner, f"from.{part.name}()")
        elif is_number(low):
            self.number(part.type, low, f"from.{part.name}()")
        else:
            self.referred(part.type, low, f"from.{part.name}()")

    def number(self, type: Type, low: Type, native: str) -> None:
        match low:
            case Scalar("bool"):
                self.out(f"sum += serbench.SumBool({native})")
            case Scalar("f32" | "f64" as name):
                self.out(f"sum += uint64(math.Float{name[1:]}bits({native}))")
            case Enum():
                self.out(f"sum += uint64({self.glue.number(type, low)}({native}, new(faults)))")
            case _:
                self.out(f"sum += uint64({native})")

    def taken(self, call: str, word: str) -> str:
        name = self.variable(word)
        self.out(f"{name}, _ := {call}")
        return name

    def referred(self, type: Type, low: Type, call: str) -> None:
        """Adds what a call gives."""
        type = resolved(type)
        if low == string:
            if call.startswith("from."):
                self.out(f"sum += serbench.SumBytes({self.taken(call.replace('()', 'Bytes()'), 'text')})")
            else:
                self.out(f"sum += serbench.SumBytes({self.taken(call.replace('.At(', '.BytesAt('), 'text')})")
        elif low == bytes_:
            self.out(f"sum += serbench.SumBytes({self.taken(call, 'octets')})")
            if not (isinstance(type, List) or type == bytes_):
                assert hasattr(type, "length")
                self.out(f"sum -= {type.length}")
        elif isinstance(low, Record | Union):
            inner = self.taken(call, "inner")
            self.out(f"sum += {self.glue.call('sum', type, low)}({inner})")
        else:
            assert isinstance(low, List)
            self.add_items(type, low, self.taken(call, "items"))

    def add_items(self, type: Type, low: List, items: str) -> None:
        """Adds the items of a list, and their number where it may differ."""
        item = resolved(low.item)
        if not isinstance(type, Array):
            self.out(f"sum += uint64({items}.Len())")
        with self.inner() as at, self.out.block(f"for {at} := range {items}.Len() {{"):
            found = f"{items}.At({at})"
            if isinstance(type, Map):
                self.out(f"sum += {self.glue.call('sum', type, item)}({found})")
                return
            assert isinstance(type, List | Array)
            if is_number(item):
                self.number(type.item, item, found)
            elif isinstance(item, Record | Union):
                self.out(f"sum += {self.glue.call('sum', resolved(type.item), item)}({found})")
            elif isinstance(item, List):
                pointer, inner = self.taken(found, "pointer"), self.variable("items")
                self.out(f"{inner} := {self.list_type(item.item)}({pointer}.List())")
                self.add_items(resolved(type.item), item, inner)
            else:
                self.referred(type.item, item, found)
