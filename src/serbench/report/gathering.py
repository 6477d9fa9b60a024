"""Groups things by a key, for notes and tables that say a thing once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing")


def gathered(pairs: Iterable[tuple[Key, Thing]]) -> dict[Key, list[Thing]]:
    """Group the things of ``pairs`` by their keys, in the order in which they come."""
    found: dict[Key, list[Thing]] = {}
    for key, thing in pairs:
        found.setdefault(key, []).append(thing)
    return found
