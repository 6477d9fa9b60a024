"""Glue for FlatBuffers' structs, whose members have a fixed size and are always there."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.codegen.source import Source
from serbench.codegen.words import CPP, words
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.glue import broken, describe_in_snake
from serbench.model import Array, Enum, FixedBytes, Optional, Record, Scalar, Type, bool_
from serbench.model.parts import resolved

# flatc escapes these words too, although C++ does not reserve them.
_ESCAPED = CPP | words("atomic_cancel atomic_commit atomic_noexcept import module synchronized")


@dataclass(frozen=True)
class Slot:
    """One field on both sides.

    Attributes:
        name: of the field, for local names.
        type: in the type model.
        native: the lowered type.
        domain: the C++ expression of the domain value.
        view: the C++ expression of flatc's accessor.
        required: an empty value is written too.
        is_pointer: whether the domain value is a pointer, since it leads back to what it is in; it is never
            null.
    """

    name: str
    type: Type
    native: Type
    domain: str
    view: str
    required: bool = False
    is_pointer: bool = False

    @property
    def item_native(self) -> Type:
        """The lowered type of an optional's value; a record that was made to hold it is that type."""
        native: Type = resolved(self.native.item if isinstance(self.native, Optional) else self.native)
        return native


def accessor(name: str) -> str:
    """The name of the member function that flatc makes for a field."""
    return f"{name}_" if name in _ESCAPED else name


def create_struct(out: Source, name: str, slots: list[Slot]) -> None:
    """Returns the struct by value."""
    values = [_member_value(slot) for slot in slots]
    out(*broken(f"return fbs::{name}({', '.join(values)});"))


def _member_value(slot: Slot) -> str:
    match slot.native:
        case Enum(name):
            return f"static_cast<fbs::{name}>({slot.domain})"
        case Record() | FixedBytes():
            return f"build({slot.domain})"
        case Array(Enum(name), _):
            made = f"[](auto item) {{ return static_cast<fbs::{name}>(item); }}"
            return f"flatbuffers::make_span(each<fbs::{name}>({slot.domain}, {made}))"
        case Array(Record(name), _):
            made = "[](const auto& item) { return build(item); }"
            return f"flatbuffers::make_span(each<fbs::{name}>({slot.domain}, {made}))"
        case Array(item, _) if item == bool_:
            made = "[](bool item) { return std::uint8_t{item}; }"
            return f"flatbuffers::make_span(each<std::uint8_t>({slot.domain}, {made}))"
        case Array():
            return f"flatbuffers::make_span({slot.domain})"
        case _:
            return slot.domain


def extract_member(out: Source, slot: Slot) -> None:
    """Overwrites the domain value of a struct's member."""
    match slot.type:
        case Enum(name):
            out(f"{slot.domain} = enum_cast<domain::{name}>({slot.view});")
        case Record() | FixedBytes():
            out(f"extract({slot.view}, {slot.domain});")
        case Array(item, length):
            to, found = f"{slot.domain}[i]", f"{slot.view}->Get(i)"
            match item:
                case Enum(name):
                    line = f"{to} = enum_cast<domain::{name}>({found});"
                case Record():
                    line = f"extract(*{found}, {to});"
                case _:
                    line = f"{to} = {found}{' != 0' if item == bool_ else ''};"
            out(f"for (flatbuffers::uoffset_t i = 0; i < {length}; ++i) {line}")
        case _:
            out(f"{slot.domain} = {slot.view};")


def traverse_member(out: Source, slot: Slot) -> None:
    """Adds a struct's member to the sum."""
    match slot.type:
        case Record():
            out(f"sum += traverse({slot.view});")
        case FixedBytes():
            out(f"sum += traverse_{describe_in_snake(slot.type)}({slot.view});")
        case Array(item, length):
            found = f"{slot.view}->Get(i)"
            line = f"traverse(*{found})" if isinstance(item, Record) else f"checksum_of({found})"
            out(f"for (flatbuffers::uoffset_t i = 0; i < {length}; ++i) sum += {line};")
        case _:
            out(f"sum += checksum_of({slot.view});")


def is_packed(record: Record) -> bool:
    """Whether the domain struct satisfies the concept Packed: numbers only, at least one, and no padding
    between them."""
    numbers = all(
        (isinstance(f.type, Scalar) and f.type.width and f.type != bool_)
        or (isinstance(f.type, Record) and is_packed(f.type))
        for f in record.fields
    )
    return bool(record.fields) and numbers and not _padding(record)


def _padding(record: Record) -> int:
    at = 0
    for field in record.fields:
        at += -at % _alignment(field.type)
        at += _size(field.type)
    return at + -at % _alignment(record) - sum(_size(f.type) for f in record.fields)


def _alignment(type: Type) -> int:
    return max(_alignment(f.type) for f in type.fields) if isinstance(type, Record) else _size(type)


def _size(type: Type) -> int:
    if isinstance(type, Record):
        return sum(_size(f.type) for f in type.fields) + _padding(type)
    assert isinstance(type, Scalar)
    return type.width


def write_fixed(out: Source, name: str, length: int) -> None:
    """The functions of a struct that holds bytes of a fixed length."""
    domain = cpp_type(FixedBytes(length))
    out("")
    with out.block(f"inline fbs::{name} build(const {domain}& value) {{"):
        out(f"return make_fixed<fbs::{name}>(value);")
    out("")
    with out.block(f"inline void extract(const fbs::{name}& view, {domain}& value) {{"):
        out(f"std::memcpy(value.data(), view.octets()->Data(), {length});")
    out("")
    with out.block(f"inline Checksum traverse_bytes_{length}(const fbs::{name}& view) {{"):
        out(f"return checksum_of(as_bytes(std::span(view.octets()->Data(), {length})));")


def table_heads(name: str, domain: str, traverse: str) -> tuple[str, str, str]:
    """Of the functions for a table."""
    return (
        f"inline flatbuffers::Offset<fbs::{name}> build(const {domain}& value, Builder& builder)",
        f"inline void extract(const fbs::{name}& view, {domain}& value)",
        f"inline Checksum {traverse}(const fbs::{name}& view)",
    )
