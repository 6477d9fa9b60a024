"""An estimate of the memory that the values of an array of Arrow will take in Python."""

from __future__ import annotations

from typing import Any

_SLOT, _NUMBER, _OBJECT = 8, 32, 64
"""The bytes of a place in a list, of a number, and of another object without its contents."""


def cost_of(array: Any) -> int:
    """Returns the most bytes of memory that the values of an array are expected to take in Python."""
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
    if types.is_map(type):
        first, beyond = (array.offsets[end].as_py() for end in (0, -1)) if count else (0, 0)
        entries = [each.slice(first, beyond - first) for each in (array.keys, array.items)]
        return count * 4 * _OBJECT + 2 * (beyond - first) * _OBJECT + sum(map(cost_of, entries))
    if hasattr(type, "value_field"):  # a list of any kind
        return count * (_OBJECT + _SLOT) + cost_of(array.flatten())
    return count * (_SLOT + _NUMBER) if _is_number(type) else count * (_SLOT + _OBJECT) + _text_bytes(array)


def _is_number(type: Any) -> bool:
    try:
        return int(type.bit_width) <= 64
    except ValueError:  # a type without a width
        return False


def _text_bytes(array: Any) -> int:
    """Returns the bytes of all values of an array of texts, bytes or wide numbers."""
    from pyarrow import types

    if types.is_string_view(array.type) or types.is_binary_view(array.type):
        array = array.cast("large_string" if types.is_string_view(array.type) else "large_binary")
    return int(array.nbytes)


def _longest(array: Any) -> int:
    """Returns the bytes of the longest value of an array; those of a number if it holds no texts or bytes."""
    from pyarrow.compute import binary_length, max

    try:
        return int(max(binary_length(array)).as_py() or 0)
    except Exception:  # values without a length
        return _NUMBER
