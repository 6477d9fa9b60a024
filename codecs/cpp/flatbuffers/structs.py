"""Generates code for FlatBuffers' structs, whose members have a fixed size and are always there."""

from __future__ import annotations

from typing import Any

from serbench.codegen.source import Source
from serbench.codegen.words import CPP, words
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.views import FieldSlot
from serbench.model import Array, Enum, FixedBytes, Record, Scalar, bool_
from serbench.model.parts import fixed_width, parts

# flatc escapes these words too, although C++ does not reserve them.
_ESCAPED = CPP | words("atomic_cancel atomic_commit atomic_noexcept import module synchronized")


def accessor(name: str) -> str:
    """The name of the member function that flatc makes for a field."""
    return f"{name}_" if name in _ESCAPED else name


def member_value(slot: FieldSlot) -> str:
    """The argument of a struct's constructor for a member."""
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


def there(slot: FieldSlot) -> str:
    """The C++ expression for a record or fixed bytes to read; tables give a pointer, which it follows."""
    return slot.view if slot.is_member else f"*{slot.view}"


def extract_array(out: Source, slot: FieldSlot) -> None:
    """Writes the loop that overwrites the domain's array with that of a struct."""
    to, found = f"{slot.domain}[i]", f"{slot.view}->Get(i)"
    match slot.type.item:
        case Enum(name):
            line = f"{to} = enum_cast<domain::{name}>({found});"
        case Record():
            line = f"extract(*{found}, {to});"
        case item:
            line = f"{to} = {found}{' != 0' if item == bool_ else ''};"
    out(f"for (flatbuffers::uoffset_t i = 0; i < {slot.type.length}; ++i) {line}")


def is_packed(record: Record) -> bool:
    """Whether the domain struct satisfies the C++ concept ``Packed``: it has numbers alone, at least one, and
    no padding."""
    size = 0
    for field in record.fields:
        is_number = isinstance(field.type, Scalar) and field.type != bool_ and field.type.width
        is_struct = isinstance(field.type, Record) and is_packed(field.type)
        if not (is_number or is_struct) or size % _alignment(field.type):
            return False
        size += fixed_width(field.type) or 0
    return size > 0 and size % _alignment(record) == 0


def lacks_some(record: Record) -> bool:
    """Whether the domain struct lacks some of the members that a struct has in whole messages."""
    inner = (field.type for field in record.fields)
    return bool(record.gone) or any(isinstance(type, Record) and lacks_some(type) for type in inner)


def _alignment(type: Any) -> int:
    """The alignment of a struct or a number in C++."""
    return max(map(_alignment, parts(type))) if isinstance(type, Record) else int(type.width)


def write_fixed(out: Source, name: str, length: int, seen: str) -> None:
    """Writes the functions that build, extract and sum a struct of bytes of a fixed length; ``seen`` is the
    namespace of the struct that is extracted and summed."""
    domain = cpp_type(FixedBytes(length))
    out("")
    with out.block(f"inline fbs::{name} build(const {domain}& value) {{"):
        out(f"return make_fixed<fbs::{name}>(value);")
    out("")
    with out.block(f"inline void extract(const {seen}::{name}& view, {domain}& value) {{"):
        out(f"std::memcpy(value.data(), view.octets()->Data(), {length});")
    out("")
    with out.block(f"inline Checksum traverse_bytes_{length}(const {seen}::{name}& view) {{"):
        out(f"return checksum_of(as_bytes(std::span(view.octets()->Data(), {length})));")
