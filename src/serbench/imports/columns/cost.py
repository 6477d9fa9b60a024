"""Estimates how much memory the values of an array will take in Python, before they are made."""

from __future__ import annotations

from typing import Any

_SLOT, _NUMBER, _OBJECT = 8, 32, 64
"""The bytes of a place in a list, of a number, and of another object without its contents."""


def cost_of(array: Any) -> int:
    """The most bytes that an array's values are expected to take."""
    from pyarrow import types

    type, count = array.type, len(array)
    if hasattr(type, "extension_name"):
        return cost_of(array.storage)
    if types.is_run_end_encoded(type):
        return count * (_SLOT + _OBJECT + _longest(array.values))
    if types.is_dictionary(type):
        # A message has the value itself and not its index.
        return count * (_SLOT + _longest(array.dictionary)) + cost_of(array.dictionary)
    if types.is_struct(type):
        return count * (_OBJECT + _SLOT) + sum(cost_of(array.field(n)) for n in range(type.num_fields))
    if types.is_union(type):
        return count * (2 * _OBJECT) + sum(cost_of(array.field(n)) for n in range(type.num_fields))
    if types.is_fixed_size_list(type):
        size = type.list_size
        return count * _OBJECT + cost_of(array.values.slice(array.offset * size, count * size))
    if types.is_map(type):
        first, items = _span(array)
        return (
            count * 4 * _OBJECT
            + 2 * items * _OBJECT
            + sum(cost_of(e.slice(first, items)) for e in (array.keys, array.items))
        )
    if types.is_list(type) or types.is_large_list(type):
        first, items = _span(array)
        return count * (_OBJECT + _SLOT) + cost_of(array.values.slice(first, items))
    if types.is_list_view(type) or types.is_large_list_view(type):
        return count * (_OBJECT + _SLOT) + cost_of(array.flatten())
    return count * (_SLOT + _NUMBER) if _is_number(type) else count * (_SLOT + _OBJECT) + _text_bytes(array)


def _is_number(type: Any) -> bool:
    try:
        return int(type.bit_width) <= 64
    except ValueError:  # a type without a width
        return False


def _span(array: Any) -> tuple[int, int]:
    """The index of an array's first item in the array of items, and how many items it has."""
    if not len(array):
        return 0, 0
    first, last = array.offsets[0].as_py(), array.offsets[-1].as_py()
    return first, last - first


def _text_bytes(array: Any) -> int:
    """The bytes of an array of texts, bytes or wide numbers."""
    from pyarrow import types

    if types.is_string_view(array.type) or types.is_binary_view(array.type):
        array = array.cast("large_string" if types.is_string_view(array.type) else "large_binary")
    return int(array.nbytes)


def _longest(array: Any) -> int:
    """The bytes of the longest value in an array of texts or bytes; those of a number in any other array."""
    from pyarrow.compute import binary_length, max

    try:
        return int(max(binary_length(array)).as_py() or 0)
    except Exception:  # values without a length
        return _NUMBER
