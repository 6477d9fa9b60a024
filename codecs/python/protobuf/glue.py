"""Generates code between dataclasses and the messages that protoc generates. Messages are filled in place,
since to assign one to a field would copy it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from serbench.codegen.words import words
from serbench.idl.nesting import deepest
from serbench.idl.proto import lowered
from serbench.languages.python.code import LocalNames, suite
from serbench.languages.python.domain import KEYWORDS
from serbench.languages.python.fixed import branch, function_of, singular
from serbench.languages.python.object_glue import ObjectGlue
from serbench.languages.python.object_totals import Totals
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Scalar, Schema, Type, Union
from serbench.model.parts import resolved
from serbench.model.types import Composite

from .messages import Messages

_LOCALS = KEYWORDS | words(
    "to view value native root chosen nodes total messages_pb2 bytes dict getattr len list setattr struct sum"
)
"""Names that generated code uses or Python reserves; variables that are named after fields avoid them."""


def emit(schema: Schema) -> str:
    """Return the text of the Python module ``cell.glue`` for a workload."""
    types = lowered(schema)
    after = ["", f"DEEPEST = {deepest(types)}", '"""Messages inside each other, where they recur."""']
    before = ["from cell import messages_pb2"]
    return _Glue(schema, Messages(types, "messages_pb2", before=before, after=after)).text()


class _Totals(Totals):
    def items(self, item: Type, low: Type | None, place: str) -> None:
        if low is None or (isinstance(item, Scalar) and (item.is_integer or item.name == "bool")):
            self.out(f"total += sum({place})")
        else:
            self.each(item, low, place, self.names.fresh("item"))


class _Glue(ObjectGlue):
    """Generates functions that convert dataclasses to messages, by filling them in place, and back."""

    one, several = "a message", "messages"
    native = "view"
    anew = False
    totals = _Totals
    objects: Messages
    names: LocalNames

    def function(self, head: str, gives: str = "Any") -> AbstractContextManager[None]:
        self.names = LocalNames(_LOCALS)
        return super().function(head, gives)

    def exports(self, root: str) -> Sequence[str]:
        with self.function("build(root: Any)"):
            self.out('"""The message of a dataclass."""', "native = Root()", f"build_{root}(native, root)")
            self.out("return native")
        return [f"extract = extract_{root}"]

    def build_record(self, record: Record, low: Record) -> None:
        to, value = ("to", "value") if record.fields else ("_to", "_value")
        with self.function(f"build_{function_of(record)}({to}: Any, {value}: Any)", "None"):
            for own, lower in zip(record.fields, low.fields, strict=True):
                self._field(own.type, lower, f"value.{own.name}", "to")
            self.out(*([] if record.fields else ["pass"]))

    def build_union(self, union: Union, low: Union) -> None:
        with self.function(f"build_{function_of(union)}(to: Any, value: Any)", "None"):
            for index, (own, lower) in enumerate(zip(union.alternatives, low.alternatives, strict=True)):
                told = f"type(value) is {self.access.classes[union.name, own.name]}"
                with branch(self.out, index, told):
                    held = resolved(lower.type)  # an empty record for an alternative without a value
                    if own.type is None:
                        self.out(self.objects.present(held, self.objects.at("to", lower.name)))
                    else:
                        self._set(own.type, held, "value.value", "to", lower.name)
            with suite(self.out, "else:"):
                self.out(f'raise ValueError(f"{{value!r}} is no {union.name}")')

    def _field(self, type: Type, low: Field, value: str, to: str) -> None:
        """Write the statements that set a field of the message ``to`` to ``value``, which may be absent."""
        match type, low.type:
            case Optional(item), Optional(low_item):
                with suite(self.out, f"if {value} is not None:"):
                    if self.objects.is_in_place(low_item):
                        self.out(f"build_{function_of(resolved(item))}({to}, {value})")
                    else:
                        self._set(item, low_item, value, to, low.name)
            case _:
                self._set(type, low.type, value, to, low.name)

    def _set(self, type: Type, low: Type, value: str, to: str, name: str) -> None:
        low, place = resolved(low), self.objects.at(to, name)
        match type, low:
            case _, Scalar() | Enum():
                self.out(self.objects.assign(to, name, self.objects.held(type, low, value)))
            case ((List(item) | Array(item, _)), List(low_item)):
                self._items(item, resolved(low_item), value, place)
            case Map(), Map():
                self._map(type.value, resolved(low.value), value, place)
            case _, Record() | Union():
                self._message(type, low, value, place)
                if not self.objects.is_sure(low):
                    self.out(self.objects.present(low, place))
            case _:
                raise TypeError(f"{low} is no type of Protocol Buffers")

    def _message(self, type: Type, low: Composite, value: str, place: str) -> None:
        """Write the statements that fill the message at ``place``, an expression that is evaluated once."""
        if made := self.objects.made(low):
            own = self.names.fresh("made")
            self.out(f"{own} = {place}")
            self._field(type, made.fields[0], value, own)
            return
        self.out(f"build_{function_of(resolved(type))}({place}, {value})")

    def _items(self, type: Type, low: Type, value: str, place: str) -> None:
        own = self.names.fresh(singular(value.rpartition(".")[2]))
        if isinstance(low, Record | Union):
            with suite(self.out, f"for {own} in {value}:"):
                self._message(type, low, own, f"{place}.add()")
            return
        held = self.objects.held(type, low, own)
        self.out(f"{place}.extend({value if held == own else f'{held} for {own} in {value}'})")

    def _map(self, type: Type, low: Type, value: str, place: str) -> None:
        if isinstance(low, Scalar | Enum) and self.objects.held(type, low, "") == "":
            self.out(f"{place}.update({value})")
            return
        key, own = self.names.fresh("key"), self.names.fresh("item")
        with suite(self.out, f"for {key}, {own} in {value}.items():"):
            if isinstance(low, Record | Union):
                self._message(type, low, own, f"{place}[{key}]")
            else:
                self.out(f"{place}[{key}] = {self.objects.held(type, low, own)}")
