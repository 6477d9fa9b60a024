"""Generates code between domain objects and messages of @bufbuild/protobuf, where a oneof is an object with
the name of its field, and the value."""

from __future__ import annotations

import re

from serbench.languages.javascript.messages import MessageFunctions
from serbench.languages.javascript.names import member, property_name, text
from serbench.model import Record, Schema, Union

_RESERVED = {"constructor", "toString", "toJSON", "valueOf"}
"""Names that protoc-gen-es writes with a dollar sign behind."""


def emit(schema: Schema) -> str:
    """Return the text of ``glue.js`` for a workload."""
    return _Glue(schema).text()


class _Glue(MessageFunctions):
    """Generates functions for messages that have 64-bit integers as bigints, and as text in maps' keys."""

    absent = "undefined"

    def imports(self) -> list[str]:
        return ['import { create } from "@bufbuild/protobuf";', 'import * as pb from "./messages_pb.js";']

    def exports(self, root: Record) -> list[str]:
        return [f"export const schema = {_schema_of(root)};"]

    def empty(self, low: Record | Union) -> str:
        return f"create({_schema_of(low)})"

    def field(self, name: str) -> str:
        """Return the library's name of a field: in camel case, where a digit begins no word."""
        camel = re.sub(r"_+([^_\d]?)", lambda m: m[1].upper(), name)
        return f"{camel}$" if camel in _RESERVED else camel

    def build_alternative(self, low: Union, name: str, made: str) -> None:
        held = f"{{ case: {text(name)}, value: {made} }}"
        if self.is_placed(low):
            self.out(f"return {held};")
        else:
            self.returned([f"{property_name(self.oneof_of(low))}: {held}"])

    def placed_to(self, type: Union, low: Union, value: str) -> str:
        made = f"{value} === null ? undefined : {self.call('build', type, low)}({value})"
        return f"{property_name(self.oneof_of(low))}: {made}"

    def extract_union(self, type: Union, low: Union) -> None:
        self.out(f"const chosen = {member('message', self.oneof_of(low))};")
        self.extract_chosen(type, low, "chosen.case", lambda name: "chosen.value")


def _schema_of(low: Record | Union) -> str:
    return member("pb", f"{low.name}Schema")
