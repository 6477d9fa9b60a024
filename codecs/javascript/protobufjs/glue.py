"""Generates code between domain objects and messages of protobuf.js, whose oneofs are fields like others."""

from __future__ import annotations

from serbench.languages.javascript.messages import MessageFunctions
from serbench.languages.javascript.names import member, text
from serbench.model import Record, Scalar, Schema, Type, Union


def emit(schema: Schema) -> str:
    """Return the text of ``glue.js`` for a workload."""
    return _Glue(schema).text()


class _Glue(MessageFunctions):
    """Generates functions for messages that have 64-bit numbers as objects of the package long, and in maps'
    keys as eight characters that hold their bits."""

    absent = "null"

    def imports(self) -> list[str]:
        return ['import protobuf from "protobufjs/minimal.js";', 'import { serbench } from "./messages.js";']

    def exports(self, root: Record) -> list[str]:
        return [
            "const { pb } = serbench;",
            "const { Long: long, longFromHash } = protobuf.util;",
            "",
            f"export const root = {member('pb', root.name)};",
            f"export const rootName = {text(f'serbench.pb.{root.name}')};",
        ]

    def empty(self, low: Record | Union) -> str:
        return f"new {member('pb', low.name)}()"

    def wide_to(self, scalar: Scalar, value: str) -> str:
        return f"long.fromBigInt({value}{', true' if scalar.name == 'u64' else ''})"

    def wide_from(self, scalar: Scalar, held: str) -> str:
        return f"({held}).toBigInt()" if " ?? " in held else f"{held}.toBigInt()"

    def wide_zero(self, scalar: Scalar) -> str:
        return "long.UZERO" if scalar.name == "u64" else "long.ZERO"

    def wide_key(self, scalar: Scalar, key: str) -> str:
        # An entry without a key, which is zero, has the number's one digit and no hash.
        hashed = f"longFromHash({key}, {'true' if scalar.name == 'u64' else 'false'}).toBigInt()"
        return f'{key} === "0" ? 0n : {hashed}'

    def entry(self, low: Type) -> str:
        """Return the expression for a map entry's value, ``item``: empty bytes may be a plain array."""
        return "item.length > 0 ? item : new Uint8Array(0)" if low == Scalar("bytes") else "item"
