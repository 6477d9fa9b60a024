"""Writes the functions that make dataclasses of messages."""

from __future__ import annotations

from serbench.codegen.source import Source
from serbench.languages.python.code import suite, wrapped
from serbench.languages.python.fixed import function_of
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    FixedBytes,
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

from .messages import Messages


class Extracts:
    """``def extract_NAME(view)``, for each record and union."""

    def __init__(self, messages: Messages, out: Source):
        self.messages, self.out = messages, out
        self._names = messages.names()

    def function(self, composite: Composite, low: Composite) -> None:
        self._names = self.messages.names()
        view = "_view" if isinstance(composite, Record) and not composite.fields else "view"
        with suite(self.out, f"def extract_{function_of(composite)}({view}: Any) -> Any:"):
            if isinstance(composite, Union):
                assert isinstance(low, Union)
                self._union(composite, low)
                return
            assert isinstance(low, Record)
            pairs = zip(composite.fields, low.fields, strict=True)
            values = [self._field(own.type, lower, low, "view") for own, lower in pairs]
            head, items, tail = self.messages.access.make(composite, values)
            wrapped(self.out, f"return {head}", items, tail)

    def _union(self, union: Union, low: Union) -> None:
        self.out(f"chosen = {self.messages.chosen(low, 'view')}")
        for own, lower in zip(union.alternatives, low.alternatives, strict=True):
            with suite(self.out, f'if chosen == "{lower.name}":'):
                value = None
                if own.type is not None and lower.type is not None:
                    value = self._value(own.type, lower.type, self.messages.at("view", lower.name))
                self.out(f"return {self.messages.access.alternative(union, own.name, value)}")
        if self.messages.is_in_place(low):
            self.out("return None")
        else:
            self.out(f'raise ValueError("{union.name} has no alternative")')

    def _field(self, type: Type, low: Field | Alternative, holder: Composite, place: str) -> str:
        """An expression for the value of a field, which may be absent."""
        assert low.type is not None
        at = self.messages.at(place, low.name)
        match type, low.type:
            case Optional(item), Optional(low_item):
                if self.messages.is_in_place(low_item):
                    assert isinstance(item, Union)
                    return f"extract_{function_of(item)}({place})"
                value = self._value(item, low_item, at)
                return f"{value} if {self.messages.has(holder, place, low.name)} else None"
            case _:
                return self._value(type, low.type, at)

    def _value(self, type: Type, low: Type, place: str) -> str:
        low = resolved(low)
        if self.messages.is_made(low):
            assert isinstance(low, Record)
            return self._field(type, low.fields[0], low, place)
        match type, low:
            case Enum(), _:
                return place if type.open else f"{type.name}({place})"
            case FixedBytes(length), _:
                return f"_exact({place}, {length})"
            case Scalar("i8" | "i16" | "u8" | "u16"), _:
                least, most = type.bounds
                return f"_narrow({place}, {least}, {most})"
            case Scalar(), _:
                return place
            case List(item), _:
                return self._items(item, low, place)
            case Array(item, length), _:
                return f"_exact({self._items(item, low, place)}, {length})"
            case Map(key, value), Map():
                by, own = self._names.fresh("key"), self._names.fresh("each")
                of_key, of_value = self._value(key, low.key, by), self._value(value, low.value, own)
                if (of_key, of_value) == (by, own):
                    return f"dict({place})"
                return f"{{{of_key}: {of_value} for {by}, {own} in {place}.items()}}"
            case ((Record() | Union() | Ref()), _):
                return f"extract_{function_of(type)}({place})"
            case _:
                raise TypeError(f"{type} is not expected as {low}")

    def _items(self, item: Type, low: Type, place: str) -> str:
        if not isinstance(low, List):
            return f"list({place})"
        own = self._names.fresh("each")
        made = self._value(item, low.item, own)
        return f"list({place})" if made == own else f"[{made} for {own} in {place}]"
