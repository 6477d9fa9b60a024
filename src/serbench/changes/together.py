"""Changes inside several fields of the root that are made at once, so that two programs of a codec show what
becomes of messages by each of them.

Each change is inside an optional field. A value with one of these fields, and nothing in the others, tells
of one change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from serbench.changes.catalogue import parse
from serbench.changes.change import Change, refused
from serbench.model import Optional, Record, Schema

Changes = Mapping[str, str]
"""A field of the root → the text of the change inside it."""


def apart(schema: Schema, changes: Changes) -> dict[str, Change]:
    """Each change by itself, by its field.

    Raises:
        SelectionError: the schema cannot have one of them; its field is not optional; or it alters another
            field too, so that what is read could come of either.
    """
    made = {name: parse(text, schema) for name, text in changes.items()}
    fields = {each.name: each.type for each in schema.root.fields}
    for name, change in made.items():
        if not isinstance(fields.get(name), Optional):
            raise refused(change.text, f"{name} is no optional field of the root")
        pairs = zip(schema.root.fields, change.new.root.fields, strict=True)
        if others := [old.name for old, new in pairs if old != new and old.name != name]:
            raise refused(change.text, f"it alters {', '.join(others)} beside {name}")
    return made


def keeping(schema: Schema, fields: Sequence[str]) -> list[str]:
    """The text of the change after which the root has these fields alone; none where it has no others."""
    all_fields = [each.name for each in schema.root.fields]
    return [] if all_fields == [*fields] else [f"keep={','.join(fields)}"]


def only(root: Record, field: str, value: Sequence[Any]) -> tuple[Any, ...] | None:
    """The value with one of its fields alone, and nothing in the others; None where it is absent.

    Args:
        root: the type of the value; its fields are optional.
    """
    names = [each.name for each in root.fields]
    if value[names.index(field)] is None:
        return None
    return tuple(held if name == field else None for name, held in zip(names, value, strict=True))
