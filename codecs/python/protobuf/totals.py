"""Writes the functions that add up every field of messages, as ``traverse`` of dataclasses does."""

from __future__ import annotations

from serbench.codegen.source import Source
from serbench.languages.python.code import suite
from serbench.languages.python.fixed import branch, function_of
from serbench.languages.python.sums import added
from serbench.model import Alternative, Array, Field, List, Map, Optional, Record, Scalar, Type, Union
from serbench.model.parts import resolved
from serbench.model.types import Composite

from .messages import Messages


class Totals:
    """``def sum_NAME(view)``, for each record and union."""

    def __init__(self, messages: Messages, out: Source):
        self.messages, self.out = messages, out
        self._names = messages.names()

    def function(self, composite: Composite, low: Composite) -> None:
        self._names = self.messages.names()
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
                for own, lower in zip(composite.fields, low.fields, strict=True):
                    self._field(own.type, lower, low, "view")
            self.out("return total")

    def _union(self, union: Union, low: Union) -> None:
        self.out(f"chosen = {self.messages.chosen(low, 'view')}")
        for index, (own, lower) in enumerate(zip(union.alternatives, low.alternatives, strict=True)):
            with branch(self.out, index, f'chosen == "{lower.name}"'):
                self.out(f"total += {index}")
                if own.type is not None and lower.type is not None:
                    self._add(own.type, lower.type, self.messages.at("view", lower.name))

    def _field(self, type: Type, low: Field | Alternative, holder: Composite, place: str) -> None:
        assert low.type is not None
        at = self.messages.at(place, low.name)
        match type, low.type:
            case Optional(item), Optional(low_item):
                in_place = self.messages.is_in_place(low_item)
                if in_place:
                    assert isinstance(low_item, Union) and isinstance(item, Union)
                    there = f"{self.messages.chosen(low_item, place)} is not None"
                else:
                    there = self.messages.has(holder, place, low.name)
                with suite(self.out, f"if {there}:"):
                    self.out("total += 1")
                    if in_place:
                        assert isinstance(item, Union)
                        self.out(f"total += sum_{function_of(item)}({place})")
                    else:
                        self._add(item, low_item, at)
            case _:
                self._add(type, low.type, at)

    def _add(self, type: Type, low: Type, place: str) -> None:
        low = resolved(low)
        if self.messages.is_made(low):
            assert isinstance(low, Record)
            self._field(type, low.fields[0], low, place)
            return
        match type:
            case List(item) | Array(item, _):
                self._items(type, item, low, place)
            case Map(key, value):
                assert isinstance(low, Map)
                by, own = self._names.fresh("key"), self._names.fresh("item")
                self.out(f"total += len({place})")
                with suite(self.out, f"for {by}, {own} in {place}.items():"):
                    self._add(key, low.key, by)
                    self._add(value, low.value, own)
            case _:
                self.out(f"total += {added(type, place)}")

    def _items(self, type: List | Array, item: Type, low: Type, place: str) -> None:
        if isinstance(type, List):
            self.out(f"total += len({place})")
        if isinstance(item, Scalar) and (item.is_integer or item.name == "bool"):
            self.out(f"total += sum({place})")
            return
        assert isinstance(low, List)
        own = self._names.fresh("item")
        with suite(self.out, f"for {own} in {place}:"):
            self._add(item, low.item, own)
