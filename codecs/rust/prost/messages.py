"""Generates the messages of a schema as prost-build does, and tells how their fields are declared."""

from __future__ import annotations

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.source import Source
from serbench.codegen.words import RUST, words
from serbench.idl.lower import Lowered, lower
from serbench.idl.oneofs import holder_of, is_in_place, placed_in
from serbench.idl.proto import SCALARS, abilities, oneof_of, packed, written_types, zero_first
from serbench.languages.rust.domain import PRELUDE
from serbench.model import (
    Alternative,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
)
from serbench.model.names import pascal, snake
from serbench.model.parts import parts, resolved
from serbench.model.types import Composite

NAMING = Naming(
    # Each message can have a module beside it, for its oneofs.
    types=Scope(
        style=pascal, reserved=PRELUDE | words("Message"), claims=lambda name: (name, f"~{snake(name)}")
    ),
    fields=Scope(style=snake, reserved=RUST, claims=lambda name: (name, f"~{pascal(name)}")),
    alternatives=Scope(style=pascal, reserved=words("Self")),
    members=Scope(style=pascal, reserved=words("Self Unspecified")),
)

_RUST = {
    "bool": "bool", "int32": "i32", "int64": "i64", "uint32": "u32", "uint64": "u64", "float": "f32",
    "double": "f64", "string": "String", "bytes": "Vec<u8>",
}  # fmt: skip

HELD = {name: _RUST[proto] for name, proto in SCALARS.items()}
"""Scalar → the Rust type that messages have for it."""


def lowered(schema: Schema) -> Lowered:
    """The schema lowered to messages, with Rust's names; messages carry numbers and no names."""
    return lower(schema, abilities("proto3"), NAMING)


def is_message(type: Type) -> bool:
    return isinstance(resolved(type), Record | Union)


def module_of(name: str) -> str:
    """The name of the module with a message's oneofs."""
    return f"{snake(name)}_" if snake(name) in RUST else snake(name)


class Messages:
    """Writes the messages of a schema, and tells how their fields are declared."""

    def __init__(self, types: Lowered):
        self.types = types

    # --- what there is ---

    def oneof_of(self, union: Union) -> str:
        """The path of the Rust enum that has a union's alternatives."""
        name = pascal(oneof_of(union, self.types)) if is_in_place(union, self.types) else "Value"
        return f"{module_of(holder_of(union, self.types).name)}::{name}"

    def is_boxed(self, holder: str, type: Type) -> bool:
        """Whether a field of a message, or an alternative of its oneof, is in a ``Box``, since it leads back
        to the message by way of no list and no map."""
        if not is_message(type):
            return False
        left, seen = [resolved(type)], set[str]()
        while left:
            each = left.pop()
            assert isinstance(each, Record | Union)
            if holder_of(each, self.types).name == holder:
                return True
            if each.name in seen:
                continue
            seen.add(each.name)
            # An empty message takes the place of what has no type.
            held = (resolved(part.item if isinstance(part, Optional) else part) for part in parts(each))
            left += (part for part in held if isinstance(part, Record | Union))
        return False

    # --- what is written ---

    def write(self, out: Source) -> None:
        for enum in self.types.enums:
            out("")
            self._enum(out, enum)
        for composite in self.types.composites:
            if not is_in_place(composite, self.types):
                out("")
                self._message(out, composite)

    def _enum(self, out: Source, enum: Enum) -> None:
        derived = "Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration"
        out(f"#[derive({derived})]", "#[repr(i32)]")
        with out.block(f"pub enum {enum.name} {{"):
            for name, number in zero_first(enum, "Unspecified"):
                out(f"{name} = {number},")

    def _message(self, out: Source, low: Composite) -> None:
        out("#[derive(Clone, PartialEq, ::prost::Message)]")
        if isinstance(low, Record) and not low.fields:
            out(f"pub struct {low.name} {{}}")
            return
        parts: list[tuple[str, Field | Union]] = (
            [("value", low)]
            if isinstance(low, Union)
            else [(field.name, placed_in(field, self.types) or field) for field in low.fields]
        )
        with out.block(f"pub struct {low.name} {{"):
            for name, part in parts:
                if isinstance(part, Union):
                    path = self.oneof_of(part)
                    tags = ", ".join(str(each.number) for each in part.alternatives)
                    out(f'#[prost(oneof = "{path}", tags = "{tags}")]', f"pub {name}: Option<{path}>,")
                else:
                    self._field(out, low.name, part)
        if unions := [part for _, part in parts if isinstance(part, Union)]:
            self._module(out, low.name, unions)

    def _field(self, out: Source, holder: str, field: Field) -> None:
        type = field.type
        item = type.item if isinstance(type, Optional) else type
        boxed = self.is_boxed(holder, item)
        words = [self._kind(field)]
        match type:
            case List(_):
                words += ["repeated", *(['packed = "false"'] if packed(field, "proto3") else [])]
            case Optional() | Record() | Union() | Ref():
                words.append("optional")
        words += ["boxed"] if boxed else []
        out(f'#[prost({", ".join(words)}, tag = "{field.number}")]')
        out(f"pub {field.name}: {self._type(type, boxed)},")

    def _module(self, out: Source, holder: str, unions: list[Union]) -> None:
        out("", f"/// The oneof{'s' if len(unions) > 1 else ''} of `{holder}`.")
        with out.block(f"pub mod {module_of(holder)} {{"):
            for number, union in enumerate(unions):
                if number:
                    out("")
                out("#[derive(Clone, PartialEq, ::prost::Oneof)]")
                with out.block(f"pub enum {self.oneof_of(union).rpartition('::')[2]} {{"):
                    for each in union.alternatives:
                        self._alternative(out, holder, each)

    def _alternative(self, out: Source, holder: str, each: Alternative) -> None:
        assert each.type is not None  # lowering puts an empty record in its place
        held = self._item(each.type, "super::")
        boxed = f"Box<{held}>" if self.is_boxed(holder, each.type) else held
        kind = self._kind(each, "super::")
        out(f'#[prost({kind}, tag = "{each.number}")]', f"{each.name}({boxed}),")

    def _kind(self, part: Field | Alternative, beside: str = "") -> str:
        """The words in a field's attribute that say what the field holds, numbers written as a hint says."""
        words = [number or self._word(type) for type, number in written_types(part)]
        if isinstance(part.type, Map):
            return f'btree_map = "{", ".join(words)}"'
        ((type, _),) = written_types(part)
        if isinstance(type, Enum):
            return f'enumeration = "{beside}{type.name}"'
        return 'bytes = "vec"' if words == ["bytes"] else words[0]

    def _word(self, type: Type) -> str:
        match type:
            case Scalar(name):
                return SCALARS[name]
            case Enum(name):
                return f"enumeration({name})"
            case _:
                return "message"

    def _type(self, type: Type, boxed: bool = False) -> str:
        match type:
            case Optional(item) if is_message(item):
                return self._type(item, boxed)
            case Optional(item):
                return f"Option<{self._item(item)}>"
            case List(item):
                return f"Vec<{self._item(item)}>"
            case Map(key, value):
                return f"BTreeMap<{self._item(key)}, {self._item(value)}>"
            case _ if is_message(type):
                return f"Option<Box<{self._item(type)}>>" if boxed else f"Option<{self._item(type)}>"
            case _:
                return self._item(type)

    def _item(self, type: Type, beside: str = "") -> str:
        match resolved(type):
            case Scalar(name):
                return HELD[name]
            case Enum():
                return "i32"
            case Record(name) | Union(name):
                return f"{beside}{name}"
            case other:
                raise TypeError(f"{other} is no item of a message")
