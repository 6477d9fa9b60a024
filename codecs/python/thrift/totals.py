"""Writes the functions that add up every field of Thrift's objects, as ``traverse`` of dataclasses does."""

from __future__ import annotations

from dataclasses import dataclass, field

from serbench.codegen.source import Source
from serbench.codegen.words import words
from serbench.idl.lower import Lowered
from serbench.languages.python.code import Names, suite
from serbench.languages.python.domain import KEYWORDS
from serbench.languages.python.fixed import branch, function_of
from serbench.languages.python.sums import added
from serbench.model import Array, Enum, List, Map, Optional, Record, Scalar, Type, Union
from serbench.model.types import Composite

from .conversions import target

_LOCALS = KEYWORDS | words("view total nodes left number edge visited sum len")


@dataclass
class Totals:
    """``def sum_NAME(view)``, for each record and union."""

    types: Lowered
    out: Source
    _names: Names = field(default_factory=lambda: Names(_LOCALS))

    def function(self, composite: Composite, low: Composite) -> None:
        self._names = Names(_LOCALS)
        self.out("", "")
        if isinstance(composite, Record) and not composite.fields:
            with suite(self.out, f"def sum_{function_of(composite)}(_view: Any) -> int:"):
                self.out("return 0")
            return
        with suite(self.out, f"def sum_{function_of(composite)}(view: Any) -> int:"):
            self.out("total = 0")
            if isinstance(composite, Union):
                assert isinstance(low, Union)
                for index, (own, lower) in enumerate(
                    zip(composite.alternatives, low.alternatives, strict=True)
                ):
                    with branch(self.out, index, f"view.{lower.name} is not None"):
                        self.out(f"total += {index}")
                        if own.type is not None and lower.type is not None:
                            self._add(own.type, lower.type, f"view.{lower.name}")
            else:
                assert isinstance(low, Record)
                for part, lowered in zip(composite.fields, low.fields, strict=True):
                    self._add(part.type, lowered.type, f"view.{lowered.name}")
            self.out("return total")

    def _add(self, type: Type, low: Type, place: str) -> None:
        low = target(low)
        if isinstance(low, Record) and low.name in self.types.made:
            self._add(type, low.fields[0].type, f"{place}.{low.fields[0].name}")
            return
        match type, low:
            case Optional(item), Optional(low_item):
                with suite(self.out, f"if {place} is not None:"):
                    self.out("total += 1")
                    self._add(item, low_item, place)
            case ((List(item) | Array(item, _)), _):
                self._items(type, item, low, place)
            case Map(key, item), Map():
                by, own = self._names.fresh("key"), self._names.fresh("item")
                self.out(f"total += len({place})")
                with suite(self.out, f"for {by}, {own} in {place}.items():"):
                    self._add(key, low.key, by)
                    self._add(item, low.value, own)
            case _:
                self.out(f"total += {_one(type, place)}")

    def _items(self, type: Type, item: Type, low: Type, place: str) -> None:
        if isinstance(type, List):
            self.out(f"total += len({place})")
        own = self._names.fresh("item")
        if not isinstance(low, List) or (isinstance(item, Scalar | Enum) and _one(item, own) == own):
            self.out(f"total += sum({place})")
            return
        with suite(self.out, f"for {own} in {place}:"):
            self._add(item, low.item, own)


def _one(type: Type, place: str) -> str:
    match type:
        case Enum():
            return _one(type.underlying, place)
        case Scalar("u8"):
            return f"{place} & 0xFF"
        case _:
            return added(type, place)
