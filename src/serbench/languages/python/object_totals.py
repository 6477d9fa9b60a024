"""Writes the functions that add up every field of a library's objects, as ``traverse`` does."""

from __future__ import annotations

from dataclasses import dataclass, field

from serbench.codegen.source import Source
from serbench.codegen.words import words
from serbench.languages.python.code import LocalNames, suite
from serbench.languages.python.domain import KEYWORDS
from serbench.languages.python.fixed import branch, function_of
from serbench.languages.python.objects import LibraryObjects
from serbench.model import Array, Enum, List, Map, Optional, Record, Scalar, Type, Union
from serbench.model.parts import resolved
from serbench.model.types import Composite

_LOCALS = KEYWORDS | words("view total nodes left number edge visited sum len")


@dataclass
class Totals:
    """``def sum_NAME(view)``, for each record and union; one in place is given the record that holds it."""

    objects: LibraryObjects
    out: Source
    _names: LocalNames = field(default_factory=lambda: LocalNames(_LOCALS))

    def function(self, composite: Composite, low: Composite) -> None:
        self._names = LocalNames(_LOCALS)
        self.out("", "")
        if isinstance(composite, Record) and not composite.fields:
            with suite(self.out, f"def sum_{function_of(composite)}(_view: Any) -> int:"):
                self.out("return 0")
            return
        with suite(self.out, f"def sum_{function_of(composite)}(view: Any) -> int:"):
            self.out("total = 0")
            if isinstance(composite, Union):
                assert isinstance(low, Union)
                self._union(composite, low)
            else:
                assert isinstance(low, Record)
                for part, lowered in zip(composite.fields, low.fields, strict=True):
                    if isinstance(lowered.type, Optional) and self.objects.is_in_place(lowered.type.item):
                        assert isinstance(part.type, Optional)
                        self.out(f"total += sum_{function_of(part.type.item)}(view)")  # type: ignore[arg-type]
                    else:
                        self._add(part.type, lowered.type, f"view.{self.objects.attribute(lowered.name)}")
            self.out("return total")

    def _union(self, union: Union, low: Union) -> None:
        there = 1 if self.objects.is_in_place(low) else 0  # one in place is an optional
        for index, (own, lower) in enumerate(zip(union.alternatives, low.alternatives, strict=True)):
            place = f"view.{self.objects.attribute(lower.name)}"
            with branch(self.out, index, f"{place} is not None"):
                self.out(f"total += {index + there}")
                if own.type is not None and lower.type is not None:
                    self._add(own.type, lower.type, place)

    def _add(self, type: Type, low: Type, place: str) -> None:
        low = resolved(low)
        if made := self.objects.made(low):
            held = made.fields[0]
            self._add(type, held.type, f"{place}.{self.objects.attribute(held.name)}")
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
                self.out(f"total += {self.objects.summed(type, low, place)}")

    def _items(self, type: Type, item: Type, low: Type, place: str) -> None:
        if isinstance(type, List):
            self.out(f"total += len({place})")
        own = self._names.fresh("item")
        if not isinstance(low, List):
            self.out(f"total += sum({place})")
            return
        if isinstance(item, Scalar | Enum) and self.objects.summed(item, resolved(low.item), own) == own:
            self.out(f"total += sum({place})")
            return
        with suite(self.out, f"for {own} in {place}:"):
            self._add(item, low.item, own)
