"""The abilities of an IDL: the types of the type model that it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from serbench.model import (
    Schema,
    Type,
)


@dataclass(frozen=True)
class Abilities:
    """The types that an IDL has beyond scalars, enums, records, unions of these, and fields that are lists.

    Attributes:
        maps: whether fields can be maps, with scalar, enum, record or union values.
        entries_of_maps: for an IDL without maps, whether the records that stand for entries of maps are
            written like those of the format's own maps, so that their values may have the same types.
        nested_lists: whether items of lists and values of maps can be lists (and maps, if it has maps).
        optional_lists: whether a list, map or array field can be absent.
        optional_items: whether items of lists and values of maps can be absent.
        byte_lists: whether lists and arrays of u8 become ``bytes``, as users of an IDL without lists of 8-bit
            numbers write them.
        bytes_items: whether items of lists can be bytes; they cannot if the IDL's bytes are themselves a
            list.
        enum_keys: whether keys of maps can be enums.
        open_enums: whether enums can have values without a name.
        wide_enums: whether enums can have numbers that do not fit signed 32 bits.
        fixed_bytes: the type that stands for bytes of a fixed length: ``"bytes"`` for bytes like any others,
            ``"own"`` for a type of the IDL, ``"record"`` for an array in a record of its own.
        list_alternatives: whether alternatives of a union can be lists and maps.
        plain_alternatives: whether alternatives can be scalars, enums and other unions; if not, only records.
        empty_alternatives: how many alternatives of one union can be without a value.
        told_by: gives the mark by which the IDL tells the alternatives of a union apart; None if it does so
            by names.
        unions_as_items: whether unions can be items of lists, values of maps and alternatives; they cannot if
            they are no type of their own.
        max_number: the greatest number that a field or alternative can have.
        reserved_numbers: the numbers that no field or alternative can have.
        in_place: gives a schema's unions that are no type of their own but part of a record: name of the
            union → name of the record.
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
