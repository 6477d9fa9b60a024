"""Generates code for FlatBuffers' structs, whose members have a fixed size and are always there."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.codegen.source import Source
from serbench.codegen.words import CPP, words
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.glue import broken
from serbench.languages.cpp.views import FieldSlot
from serbench.model import Array, Enum, FixedBytes, Record, Scalar, Type, bool_

# flatc escapes these words too, although C++ does not reserve them.
_ESCAPED = CPP | words("atomic_cancel atomic_commit atomic_noexcept import module synchronized")


def accessor(name: str) -> str:
    """The name of the member function that flatc makes for a field."""
    return f"{name}_" if name in _ESCAPED else name


def create_struct(out: Source, name: str, slots: Sequence[FieldSlot]) -> None:
    """Writes the statement that returns the struct by value."""
    values = [_member_value(slot) for slot in slots]
    out(*broken(f"return fbs::{name}({', '.join(values)});"))


def _member_value(slot: FieldSlot) -> str:
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
    """The expression for a record or fixed bytes that are present; a table's accessor gives a pointer."""
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


def traverse_array(out: Source, slot: FieldSlot) -> None:
    """Writes the loop that adds the array of a struct to the sum."""
    found = f"{slot.view}->Get(i)"
    line = f"traverse(*{found})" if isinstance(slot.type.item, Record) else f"checksum_of({found})"
    out(f"for (flatbuffers::uoffset_t i = 0; i < {slot.type.length}; ++i) sum += {line};")


def is_packed(record: Record) -> bool:
    """Whether the domain struct satisfies the C++ concept ``Packed``: it has numbers alone, at least one, and
    no padding."""
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
    """Writes the functions of a struct that holds bytes of a fixed length."""
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
