"""Makes fastavro refuse wrong indexes of unions in data.

fastavro looks up a branch by ``union[index]``. In damaged data the index may be negative, and then a Python
list gives a branch from its end. So the lists of parsed schemas are replaced by dicts, which have no negative
indexes. More branches at the end of a list would catch negative indexes too, but make unions twice as slow,
since fastavro looks through all branches for each value.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

WRONG_INDEX = KeyError
"""The error that fastavro raises for an index that no branch has, where the branches are a dict."""


def refuse_wrong_indexes(parsed: Iterable[Any]) -> None:
    """Replaces the lists of branches in parsed schemas by dicts; then the schemas serve for reading alone."""
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
    """The places (dict, key) where a schema holds the schemas inside it."""
    if not isinstance(schema, dict):
        return []
    return [
        *((field, "type") for field in schema.get("fields", [])),
        *((schema, key) for key in ("items", "values") if key in schema),
    ]
