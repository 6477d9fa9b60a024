"""Generates code between domain objects and messages of pbf. A field that was left out has its default there,
and a oneof is a property with the name of the field that is set."""

from __future__ import annotations

from serbench.languages.javascript.messages import MessageFunctions
from serbench.languages.javascript.names import member
from serbench.model import Enum, Field, Optional, Record, Scalar, Schema, Type, Union
from serbench.model.parts import resolved

_NO_BYTES = "new Uint8Array(0)"


def emit(schema: Schema) -> str:
    """Return the text of ``glue.js`` for a workload."""
    return _Glue(schema).text()


class _Glue(MessageFunctions):
    """Generates functions for messages that have 64-bit integers as Number, and as text in maps' keys."""

    absent = "undefined"

    def imports(self) -> list[str]:
        return ['import * as pbf from "pbf";', 'import * as pb from "./messages.js";']

    def exports(self, root: Record) -> list[str]:
        return [f"export const {way} = {member('pb', way + root.name)};" for way in ("read", "write")]

    def ends(self, root: Record, low: Record) -> list[str]:
        return super().ends(root, low)[-1:]  # it counts no messages inside each other

    def empty(self, low: Record | Union) -> str:
        return f"{member('pb', f'read{low.name}')}(new pbf.PbfReader(new Uint8Array(0)))"

    def wide_to(self, scalar: Scalar, value: str) -> str:
        return f"Number({value})"

    def wide_from(self, scalar: Scalar, held: str) -> str:
        return f"BigInt({held})"

    def from_field(self, type: Type, lower: Field, held: str) -> str:
        """Return the expression for the domain's value of a field. pbf's objects have a default for an absent
        number or text, so a oneof tells whether an optional one was there."""
        low = resolved(lower.type)
        if isinstance(type, Optional) and isinstance(low, Optional) and _has_default(low.item):
            made = self.from_(type.item, low.item, held)
            return f"{member('message', f'_{self.field(lower.name)}')} === undefined ? null : {made}"
        if _has_default(low):
            return self.from_(type, low, held)
        if low == Scalar("bytes"):
            return self.from_(type, low, f"{held} ?? {_NO_BYTES}")
        return super().from_field(type, lower, held)

    def entry(self, low: Type) -> str:
        """The expression for a map entry's value, ``item``: undefined stands for empty bytes in pbf."""
        return f"item ?? {_NO_BYTES}" if low == Scalar("bytes") else "item"

    def extract_union(self, type: Union, low: Union) -> None:
        chosen = member("message", self.oneof_of(low))
        self.extract_chosen(type, low, chosen, lambda name: member("message", name))


def _has_default(low: Type) -> bool:
    low = resolved(low)
    return isinstance(low, Enum) or (isinstance(low, Scalar) and low.name != "bytes")
