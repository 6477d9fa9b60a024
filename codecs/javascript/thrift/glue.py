"""Generates code between domain objects and objects of the classes that Thrift's compiler makes for Node."""

from __future__ import annotations

import re

from serbench.idl.thrift import lowered
from serbench.languages.javascript.messages import MessageFunctions
from serbench.languages.javascript.names import member, wrapped
from serbench.model import Field, List, Map, Record, Scalar, Schema, Type, Union, bool_, i64, u32, u64
from serbench.model.parts import resolved, types_in

_TEXT = "generated code has maps as objects, whose keys are text"


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None if it can."""
    types = lowered(schema.plain())
    held = types_in(types.record(types.schema.root.name))
    keys = {type.key for type in held if isinstance(type, Map)}
    if bool_ in keys:
        return f"{_TEXT}, and writes that of each bool as true"
    if keys & {u32, i64, u64}:
        return f"{_TEXT}, and takes that of integers of 64 bits, which u32 have too, for other numbers"
    if variant == "compact" and any(map(_holds_bools, held)):
        return "its TCompactProtocol reads each bool of a list or a map as false"
    return None


def _holds_bools(type: Type) -> bool:
    return (isinstance(type, List) and type.item == bool_) or (isinstance(type, Map) and type.value == bool_)


def emit(schema: Schema) -> str:
    """Return the text of ``glue.js`` for a workload."""
    return _Glue(schema, lowered(schema)).text()


class _Glue(MessageFunctions):
    """Generates functions for objects that have 64-bit integers, and u32, as eight bytes each."""

    absent = "null"
    octets = "Buffer"

    def imports(self) -> list[str]:
        body = self.out.text()
        lines = []
        for module, names in (("thrift", ("fromBigInt", "toBigInt")), ("serbench", ("bufferOf",))):
            if used := [name for name in names if re.search(rf"\b{name}\b", body)]:
                lines += wrapped("import { ", used, f' }} from "{module}";', 0)
        return [*lines, 'import ttypes from "./messages_types.cjs";']

    def exports(self, root: Record) -> list[str]:
        # No type of the domain has a name with an underscore inside, and one may be called Root.
        return [f"const ROOT_MESSAGE = {member('ttypes', root.name)};"]

    def ends(self, root: Record, low: Record) -> list[str]:
        build, extract = self.call("build", root, low), self.call("extract", root, low)
        return [f"export {{ {build} as build, {extract} as extract, ROOT_MESSAGE as Root }};"]

    def empty(self, low: Record | Union) -> str:
        return f"new {member('ttypes', low.name)}()"

    # --- values ---

    def wide_to(self, scalar: Scalar, value: str) -> str:
        return f"fromBigInt({value})"

    def wide_from(self, scalar: Scalar, held: str) -> str:
        number = f"toBigInt({held})"
        return f"BigInt.asUintN(64, {number})" if scalar.name == "u64" else number

    def scalar_from(self, scalar: Scalar, held: str) -> str:
        match scalar.name:
            case "i8" | "i16":
                return held
            case "u8":
                return f"{held} & 0xff"
            case "u32":
                return f"u32({held}.toNumber())"
            case _:
                return super().scalar_from(scalar, held)

    def from_field(self, type: Type, lower: Field, held: str) -> str:
        return self.from_(type, lower.type, held)

    # --- records and unions ---

    def build_record(self, type: Type, low: Record) -> None:
        if not low.fields:
            self.out(f"return {self.empty(low)};")
            return
        self.out(f"const message = {self.empty(low)};")
        for own, lower, value in self.fields(type, low):
            self.broken(f"{member('message', lower.name)} = ", self.to(own, lower.type, value), ";")
        self.out("return message;")

    def nothing(self, low: Type) -> str:
        return self.empty(resolved(low))

    def build_union(self, type: Union, low: Union) -> None:
        self.out(f"const message = {self.empty(low)};")
        super().build_union(type, low)

    def build_alternative(self, low: Union, name: str, made: str) -> None:
        self.broken(f"{member('message', name)} = ", made, ";")
        self.out("return message;")
