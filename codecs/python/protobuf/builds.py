"""Writes the functions that fill messages from dataclasses."""

from __future__ import annotations

from serbench.codegen.source import Source
from serbench.languages.python.code import suite
from serbench.languages.python.fixed import branch, function_of, otherwise, singular
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
)
from serbench.model.parts import resolved
from serbench.model.types import Composite

from .messages import Messages, is_plain


class Builds:
    """``def build_NAME(to, value)``, for each record and union."""

    def __init__(self, messages: Messages, out: Source):
        self.messages, self.out = messages, out
        self._names = messages.names()

    def function(self, composite: Composite, low: Composite) -> None:
        self._names = self.messages.names()
        empty = isinstance(composite, Record) and not composite.fields
        to, value = ("_to", "_value") if empty else ("to", "value")
        with suite(self.out, f"def build_{function_of(composite)}({to}: Any, {value}: Any) -> None:"):
            if isinstance(composite, Union):
                assert isinstance(low, Union)
                self._union(composite, low)
                return
            assert isinstance(low, Record)
            for own, lower in zip(composite.fields, low.fields, strict=True):
                self._field(own.type, lower, f"value.{own.name}", "to")
            if empty:
                self.out("pass")

    def _union(self, union: Union, low: Union) -> None:
        classes = self.messages.access.classes
        for index, (own, lower) in enumerate(zip(union.alternatives, low.alternatives, strict=True)):
            with branch(self.out, index, f"type(value) is {classes[union.name, own.name]}"):
                assert lower.type is not None  # lowering puts an empty record in its place
                if own.type is None:
                    empty = resolved(lower.type)
                    assert isinstance(empty, Record)
                    self.out(self.messages.present(empty, self.messages.at("to", lower.name)))
                else:
                    self._set(own.type, lower.type, "value.value", "to", lower.name)
        with otherwise(self.out):
            self.out(f'raise ValueError(f"{{value!r}} is no {union.name}")')

    def _field(self, type: Type, low: Field | Alternative, value: str, to: str) -> None:
        """Sets a field of the message ``to``, whose value may be absent."""
        assert low.type is not None
        match type, low.type:
            case Optional(item), Optional(low_item):
                with suite(self.out, f"if {value} is not None:"):
                    if self.messages.is_in_place(low_item):
                        assert isinstance(item, Union)
                        self.out(f"build_{function_of(item)}({to}, {value})")
                    else:
                        self._set(item, low_item, value, to, low.name)
            case _:
                self._set(type, low.type, value, to, low.name)

    def _set(self, type: Type, low: Type, value: str, to: str, name: str) -> None:
        low, place = resolved(low), self.messages.at(to, name)
        match low:
            case Scalar() | Enum():
                self.out(self.messages.assign(to, name, _plain(type, low, value)))
            case List(low_item):
                assert isinstance(type, List | Array)
                self._items(type.item, low_item, value, place)
            case Map():
                assert isinstance(type, Map)
                self._map(type, low, value, place)
            case Record() | Union():
                self._message(type, low, value, place)
                if not self.messages.is_sure(low):
                    self.out(self.messages.present(low, place))
            case _:
                raise TypeError(f"{low} is no type of Protocol Buffers")

    def _message(self, type: Type, low: Composite, value: str, place: str) -> None:
        """Fills the message at a place, an expression that is evaluated once."""
        if self.messages.is_made(low):
            assert isinstance(low, Record)
            own = self._names.fresh("made")
            self.out(f"{own} = {place}")
            self._field(type, low.fields[0], value, own)
            return
        assert isinstance(type, Record | Union | Ref)
        self.out(f"build_{function_of(type)}({place}, {value})")

    def _items(self, type: Type, low: Type, value: str, place: str) -> None:
        low = resolved(low)
        own = self._names.fresh(singular(value.rpartition(".")[2]))
        if isinstance(low, Scalar | Enum):
            items = value if is_plain(type, low) else f"{_plain(type, low, own)} for {own} in {value}"
            self.out(f"{place}.extend({items})")
            return
        assert isinstance(low, Record | Union)
        with suite(self.out, f"for {own} in {value}:"):
            self._message(type, low, own, f"{place}.add()")

    def _map(self, type: Map, low: Map, value: str, place: str) -> None:
        low_value = resolved(low.value)
        if is_plain(type.value, low_value):
            self.out(f"{place}.update({value})")
            return
        key, own = self._names.fresh("key"), self._names.fresh("item")
        with suite(self.out, f"for {key}, {own} in {value}.items():"):
            if isinstance(low_value, Record | Union):
                self._message(type.value, low_value, own, f"{place}[{key}]")
            else:
                self.out(f"{place}[{key}] = {_plain(type.value, low_value, own)}")


def _plain(type: Type, low: Type, value: str) -> str:
    """What a field without a message is given."""
    return value if is_plain(type, low) else f"bytes({value})"
