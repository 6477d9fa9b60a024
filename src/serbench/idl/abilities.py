"""What an IDL has of the type model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from serbench.model import (
    Schema,
    Type,
)


@dataclass(frozen=True)
class Abilities:
    """What an IDL has beyond scalars, enums, records, unions of these, and fields that are lists of these.

    Attributes:
        maps: maps as fields, with scalar, enum, record or union values.
        entries_of_maps: without maps, whether entries are those that the format has for its maps: their
            values are as those of maps.
        nested_lists: lists (and maps, where it has them) as items of lists and values of maps.
        optional_lists: a list, map or array field that can be absent.
        optional_items: absent items of lists and values of maps.
        byte_lists: lists and arrays of u8 become ``bytes``, as users of an IDL without 8-bit lists write
            them.
        bytes_items: bytes as items of lists, which an IDL lacks whose bytes are themselves a list.
        enum_keys: enums as keys of maps.
        open_enums: enums whose values may be numbers without a name.
        wide_enums: enums whose numbers do not fit 32 bits with a sign.
        fixed_bytes: bytes of a fixed number: ``"bytes"`` where they are bytes as others, ``"own"`` where the
            IDL has them, ``"record"`` where they are an array in a record of its own.
        list_alternatives: lists and maps as alternatives of a union.
        plain_alternatives: scalars, enums and other unions as alternatives; without, only records are.
        empty_alternatives: how many alternatives of one union can be without a value.
        told_by: by what the IDL tells the alternatives of a union apart, where it is not by their names.
        unions_as_items: unions as items of lists, values of maps and alternatives, where they are no type of
            their own.
        max_number: the greatest number of a field or alternative.
        reserved_numbers: those which none may have.
        in_place: union → record, of a schema: the unions that are no type of their own but parts of that
            record.
    """

    maps: bool = False
    entries_of_maps: bool = False
    nested_lists: bool = False
    optional_lists: bool = False
    optional_items: bool = False
    byte_lists: bool = False
    bytes_items: bool = True
    enum_keys: bool = True
    open_enums: bool = False
    wide_enums: bool = False
    fixed_bytes: str = "bytes"
    list_alternatives: bool = False
    plain_alternatives: bool = True
    empty_alternatives: int = 0
    told_by: Callable[[Type], str] | None = None
    unions_as_items: bool = True
    max_number: int = (1 << 29) - 1
    reserved_numbers: range = range(0)
    in_place: Callable[[Schema], Mapping[str, str]] | None = None
