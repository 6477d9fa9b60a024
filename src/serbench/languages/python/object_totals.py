"""Generates functions that add up every field of a library's objects, for ``traverse``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from serbench.codegen.source import Source
from serbench.languages.python.code import LocalNames, suite
from serbench.languages.python.fixed import branch, function_of
from serbench.languages.python.objects import LibraryObjects
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Scalar, Type, Union
from serbench.model.parts import resolved
from serbench.model.types import Composite


@dataclass
class Totals:
    """Generates ``def sum_NAME(view)`` for each record and union; a union without an object of its own is
    given that of the record around it."""

    objects: LibraryObjects
    out: Source
    names: LocalNames = field(default_factory=LocalNames)

    def function(self, composite: Composite, low: Any) -> None:
        self.names = LocalNames()
        self.out("", "")
        if isinstance(composite, Record) and not composite.fields:
            with suite(self.out, f"def sum_{function_of(composite)}(_view: Any) -> int:"):
                self.out("return 0")
            return
        with suite(self.out, f"def sum_{function_of(composite)}(view: Any) -> int:"):
            self.out("total = 0")
            if isinstance(composite, Union):
                self._union(composite, low)
            else:
                for own, lower in zip(composite.fields, low.fields, strict=True):
                    self._part(own.type, lower, low, "view")
            self.out("return total")

    def _union(self, union: Union, low: Union) -> None:
        chosen = self.objects.chosen(low, "view")
        self.out(*([f"chosen = {chosen}"] if chosen else []))
        there = 1 if self.objects.is_in_place(low) and not chosen else 0  # one in place is an optional
        for index, (own, lower) in enumerate(zip(union.alternatives, low.alternatives, strict=True)):
            place = self.objects.at("view", lower.name)
            with branch(self.out, index, f'chosen == "{lower.name}"' if chosen else f"{place} is not None"):
                self.out(f"total += {index + there}")
                if own.type is not None and lower.type is not None:
                    self._add(own.type, lower.type, place)

    def _part(self, type: Type, low: Field, holder: Record, place: str) -> None:
        """Write the statements that add a field of the object at ``place``."""
        match type, low.type:
            case Optional(Union() as union), Optional(Union() as inside) if self.objects.is_in_place(inside):
                own = f"total += sum_{function_of(union)}({place})"
                chosen = self.objects.chosen(inside, place)
                if not chosen:
                    self.out(own)
                    return
                with suite(self.out, f"if {chosen} is not None:"):
                    self.out("total += 1", own)
            case Optional(item), Optional(low_item):
                with suite(self.out, f"if {self.objects.is_there(holder, place, low.name)}:"):
                    self.out("total += 1")
                    self._add(item, low_item, self.objects.at(place, low.name))
            case _:
                self._add(type, low.type, self.objects.at(place, low.name))

    def _add(self, type: Type, low: Type, place: str) -> None:
        low = resolved(low)
        if made := self.objects.made(low):
            self._part(type, made.fields[0], made, place)
            return
        match type, low:
            case ((List(item) | Array(item, _)), _):
                self.out(*([f"total += len({place})"] if isinstance(type, List) else []))
                self.items(item, low.item if isinstance(low, List) else None, place)
            case Map(key, item), Map():
                by, own = self.names.fresh("key"), self.names.fresh("item")
                self.out(f"total += len({place})")
                with suite(self.out, f"for {by}, {own} in {place}.items():"):
                    self._add(key, low.key, by)
                    self._add(item, low.value, own)
            case _:
                self.out(f"total += {self.objects.summed(type, low, place)}")

    def items(self, item: Type, low: Type | None, place: str) -> None:
        """Write the statements that add a list's items; ``low`` is None for a list that is held as bytes."""
        own = self.names.fresh("item")
        is_number = isinstance(item, Scalar | Enum)
        if low is None or (is_number and self.objects.summed(item, resolved(low), own) == own):
            self.out(f"total += sum({place})")
        else:
            self.each(item, low, place, own)

    def each(self, item: Type, low: Type, place: str, own: str) -> None:
        """Write the loop that adds items one by one; ``own`` is the variable for an item."""
        with suite(self.out, f"for {own} in {place}:"):
            self._add(item, low, own)
