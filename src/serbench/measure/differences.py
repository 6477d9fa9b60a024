"""Compares messages that went through a codec with the original ones."""

from __future__ import annotations

from collections.abc import Callable

from serbench.codecs.tolerance import Tolerance
from serbench.dataset.canonical import decode
from serbench.dataset.file import Dataset, split_messages
from serbench.dataset.values import first_difference, kind_of, short

Compare = Callable[[bytes | memoryview, bytes | memoryview], str | None]
"""A function that returns where the second canonical message differs from the first; None where they are
equal."""


def comparing(dataset: Dataset, tolerance: Tolerance) -> Compare:
    """Return a function that compares two canonical messages of a dataset's schema, which may differ by
    ``tolerance``. The function raises EncodingError for bytes that are not canonical."""
    root = dataset.schema().root
    # A tolerance as small as this changes nothing but that 0.0 equals -0.0.
    absolute = tolerance.float_absolute or (5e-324 if tolerance.negative_zero else 0.0)
    tell = kind_of if dataset.is_private else short

    def compare(expected: bytes | memoryview, found: bytes | memoryview) -> str | None:
        if expected == found:
            return None
        return first_difference(root, decode(root, expected), decode(root, found), absolute, tell)

    return compare


def find_difference(dataset: Dataset, body: bytes, tolerance: Tolerance) -> str | None:
    """Return where canonical messages that a codec decoded differ from the dataset's by more than
    ``tolerance``; None where they do not."""
    if body == dataset.body():
        return None
    compare = comparing(dataset, tolerance)
    expected, found = list(dataset.read_messages()), list(split_messages(body))
    if len(expected) != len(found):
        return f"{len(found)} messages, expected {len(expected)}"
    for n, (before, after) in enumerate(zip(expected, found, strict=True)):
        if difference := compare(before, after):
            return f"message {n}, {difference}"
    return None
