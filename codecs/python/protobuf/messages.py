"""Expressions for the fields of the messages that protoc generates for Python."""

from __future__ import annotations

import json
import keyword

from serbench.idl.oneofs import message_parts
from serbench.idl.proto import oneof_of
from serbench.languages.python.objects import LibraryObjects
from serbench.model import List, Map, Optional, Record, Union
from serbench.model.types import Composite


class Messages(LibraryObjects):
    """Generates expressions for messages, whose getters return a default for an absent field."""

    def at(self, place: str, name: str) -> str:
        return f"getattr({place}, {json.dumps(name)})" if keyword.iskeyword(name) else f"{place}.{name}"

    def class_of(self, low: Composite) -> str:
        return self.at(self.module, low.name)

    def assign(self, place: str, name: str, value: str) -> str:
        """Return the statement that gives a field a value."""
        if keyword.iskeyword(name):
            return f"setattr({place}, {json.dumps(name)}, {value})"
        return f"{place}.{name} = {value}"

    def present(self, low: Composite, place: str) -> str:
        """Return the statement that makes a message present although no field of it is set."""
        return f"{self._method(low, place, 'SetInParent').removesuffix(', ')})"

    def is_there(self, holder: Record, place: str, name: str) -> str:
        return f"{self._method(holder, place, 'HasField')}{json.dumps(name)})"

    def optional(self, holder: Record, place: str, name: str, value: str) -> str:
        return f"{value} if {self.is_there(holder, place, name)} else None"

    def chosen(self, low: Union, place: str) -> str:
        holder = self.types.record(self.types.in_place[low.name]) if self.is_in_place(low) else low
        return f"{self._method(holder, place, 'WhichOneof')}{json.dumps(oneof_of(low, self.types))})"

    def _method(self, holder: Composite, place: str, method: str) -> str:
        """The call of a message's method up to its arguments; on the class, if a field has that name."""
        if method in (part.name for part in message_parts(holder, self.types)):
            return f"{self.class_of(holder)}.{method}({place}, "
        return f"{place}.{method}("

    def is_sure(self, low: Composite) -> bool:
        """Whether filling a message always sets one of its fields, which makes the message present."""
        if isinstance(low, Union):
            return True
        return any(not isinstance(field.type, Optional | List | Map) for field in low.fields)

    def copied(self, kind: str, place: str) -> str:
        return f"{kind}({place})"
