"""What adds up every field of messages, as ``Sum`` of the domain: a function for each record and union."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.languages.go.functions import bare
from serbench.languages.go.messages import Conversion, resolved
from serbench.model import Array, Enum, FixedBytes, List, Map, Optional, Record, Scalar, Type, Union


@dataclass
class Sums(Conversion):
    """``func sumNAME(from *NAME) uint64``."""

    def function(self, name: str, type: Type, low: Type) -> None:
        self._taken.clear()
        self.out("")
        if isinstance(low, Record) and not low.fields:
            self.out(f"func {name}(_ *{self.glue.message(low)}) uint64 {{ return 0 }}")
            return
        with self.out.block(f"func {name}(from *{self.glue.message(low)}) (sum uint64) {{"):
            if isinstance(low, Union):
                assert isinstance(type, Union)
                self.union(type, low)
            else:
                assert isinstance(low, Record)
                for each, lower, _ in self.parts(type, low):
                    self.value_of(each, lower.type, f"from.{self.glue.part(low, lower.name)}")
            self.out("return sum")

    def union(self, type: Union, low: Union) -> None:
        """The alternative that a message has."""
        raise NotImplementedError

    def enum(self, type: Enum, low: Enum, native: str) -> str:
        """The number of an enum."""
        return native

    def value_of(self, type: Type, low: Type, native: str) -> None:
        """Adds what a message has at a place."""
        low = resolved(low)
        match type, low:
            case ((FixedBytes() | Array()), Scalar("bytes")):
                self.out(f"sum += serbench.SumBytes({bare(native)}) - uint64(len({bare(native)}))")
            case FixedBytes(length), FixedBytes():
                self.out(f"sum += serbench.SumBytes({native}[:]) - {length}")
            case _, Scalar("bytes" | "bool" | "string" as name):
                self.out(f"sum += serbench.Sum{name.capitalize()}({bare(native)})")
            case _, Scalar("f32" | "f64" as name):
                held = bare(native)
                if self.glue.numbers[name] != f"float{name[1:]}":
                    held = f"float{name[1:]}({held})"
                self.out(f"sum += uint64(math.Float{name[1:]}bits({held}))")
            case Enum(), Enum():
                self.out(f"sum += uint64({self.enum(type, low, bare(native))})")
            case _, Scalar(name):
                self.out(f"sum += {self.number(name, bare(native))}")
            case Optional(item), Optional(lower):
                with self.out.block(f"if {bare(native)} != nil {{"):
                    self.out("sum++")
                    self.value_of(item, lower, self.held_by(lower, native))
            case _, (Record() | Union()):
                name = self.glue.call("sum", resolved(type), low)
                self.out(f"sum += {name}({self.pointer(low, native)})")
            case ((List(item) | Array(item, _)), List(lower)):
                if isinstance(type, List):
                    self.out(f"sum += uint64(len({bare(native)}))")
                with self.inner() as at, self.out.block(f"for {at} := range {bare(native)} {{"):
                    self.value_of(item, lower, f"{native}[{at}]")
            case Map(key, item), Map():
                self.map(key, item, low, native)
            case _:
                raise TypeError(f"{type} is not expected as {low}")

    def number(self, name: str, native: str) -> str:
        """A number, which the domain may have as one without a sign in as many bits."""
        if name[0] == "u" and self.is_cast(name) and self.glue.numbers[name][0] == "i":
            return f"uint64(uint{name[1:]}({native}))"
        return f"uint64({native})"

    def map(self, key: Type, item: Type, low: Map, native: str) -> None:
        """The pairs of a map."""
        self.out(f"sum += uint64(len({bare(native)}))")
        with self.inner():
            first, each = self.variable("key"), self.variable("item")
            with self.out.block(f"for {first}, {each} := range {bare(native)} {{"):
                self.value_of(key, low.key, first)
                self.value_of(item, low.value, each)
