"""The branches of unions, as fastavro is to find them by their index in data.

fastavro looks up a branch by ``union[index]``, and the index of damaged data may be below 0, which is a
place of Python's lists. Parsed schemas are given unions that have no such places. (Branches behind the others
for these indexes to hit made unions twice as slow, since fastavro looks through all of them for each value.)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

WRONG_INDEX = KeyError
"""What fastavro raises for an index that no branch has."""


def refuse_wrong_indexes(parsed: Iterable[Any]) -> None:
    """Changes the unions inside schemas which ``fastavro.parse_schema`` gave, for reading alone."""
    left = [*parsed]
    seen: set[int] = set()
    while left:
        schema = left.pop()
        if id(schema) in seen:  # declared inside another one, and known by its name too
            continue
        seen.add(id(schema))
        for holder, key in _places(schema):
            inner = holder[key]
            if isinstance(inner, list):
                left += inner
                holder[key] = {"type": "union", **dict(enumerate(inner))}
            else:
                left.append(inner)


def _places(schema: Any) -> Iterable[tuple[dict[str, Any], str]]:
    """Where a schema holds the schemas inside it."""
    if not isinstance(schema, dict):
        return []
    return [
        *((field, "type") for field in schema.get("fields", [])),
        *((schema, key) for key in ("items", "values") if key in schema),
    ]
