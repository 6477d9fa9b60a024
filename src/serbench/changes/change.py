"""The notion of a change, and the edits of declarations that changes are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from serbench.errors import SchemaError, SelectionError
from serbench.model import Enum, Gone, Record, Ref, Schema, Type, Union
from serbench.model.gone import gone_part
from serbench.model.parts import types_in, with_parts

Convert = Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Change:
    """A change of one schema.

    Attributes:
        text: the change as a user types it, such as ``drop=lines.note``.
        old: the schema that is changed.
        new: the schema that it becomes.
        forward: makes of a value of the old schema a value of the new one. It raises ValueMismatch, with the
            path, where the value has nothing that the new schema could hold.
        backward: makes of a value of the new schema what a reader of the old one has of it; FREE stands where
            such a reader may have any value.
        messages: makes of the messages of a dataset those that stay, each as often as it stays, before they
            are converted.
    """

    text: str
    old: Schema
    new: Schema
    forward: Convert = field(default=_same, compare=False)
    backward: Convert = field(default=_same, compare=False)
    messages: Callable[[Sequence[Any]], list[Any]] = field(default=list, compare=False)


def refused(text: str, reason: str) -> SelectionError:
    """Return the error of a change that a schema cannot have."""
    return SelectionError(f"{text}: {reason}")


def declared(schema: Schema) -> dict[str, Any]:
    """The name → declaration of each type of a schema, with references in place of the named types inside."""

    def by_name(type: Type) -> Type:
        return Ref(type.name) if isinstance(type, Record | Union | Enum) else with_parts(type, by_name)

    def parts(composite: Any) -> list[Any]:
        held = composite.parts
        return [each if each.type is None else replace(each, type=by_name(each.type)) for each in held]

    found: dict[str, Any] = {enum.name: enum for enum in schema.enums}
    return found | {each.name: with_parts_of(each, parts(each)) for each in schema.composites}


def with_parts_of(type: Any, parts: Iterable[Any]) -> Any:
    """The record, union or enum with these fields, alternatives or members in place of its own."""
    return _with(type, list(parts), type.gone)


def _with(type: Any, parts: Sequence[Any], gone: Sequence[Gone]) -> Any:
    if isinstance(type, Enum):
        return _with_members(type, parts, gone)
    return type.__class__(type.name, parts, type.wire, gone)


def _with_members(enum: Enum, members: Sequence[tuple[str, int]], gone: Sequence[Gone]) -> Enum:
    """The enum with other members, and without the aliases and written names of members that it lost."""
    numbers = {number for _, number in members}
    aliases = [alias for alias in enum.aliases if alias[1] in numbers]
    known = {enum.name, *(name for name, _ in (*members, *aliases))}
    wire = [each for each in enum.wire if each[0] in known]
    return Enum(enum.name, enum.underlying, members, aliases, enum.open, wire, gone)


def without(schema: Schema, type: Any, part: str) -> Any:
    """The record, union or enum without one part, which is among its gone ones then: the one place where a
    change removes a part.

    Args:
        schema: has the type of the part, to which ``type`` may only refer by name.
    """
    if isinstance(type, Enum):
        return _with(type, [m for m in type.members if m[0] != part], [*type.gone, gone_part(type, part)])
    own = next(each for each in schema.composites if each.name == type.name)
    held = next(each.type for each in own.parts if each.name == part)
    left = [each for each in type.parts if each.name != part]
    return _with(type, left, [*type.gone, gone_part(type, part, held)])


def edited(text: str, schema: Schema, types: Mapping[str, Any], *, keeps_walk: bool = True) -> Schema:
    """The schema with other declarations; its walk is lost where its fields are no longer those of a graph.

    Raises:
        SelectionError: the result is no valid schema, with the reason.
    """
    known = {**declared(schema), **types}
    root = known.pop(schema.root.name)
    needed, left = {}, [root]
    while left:
        for name in _names(left.pop()):
            if name in known and name not in needed:
                needed[name] = known[name]
                left.append(known[name])
    if schema.walk and keeps_walk:
        try:
            return Schema(schema.name, root, needed.values(), schema.walk)
        except SchemaError:
            keeps_walk = False
    try:
        return Schema(schema.name, root, needed.values())
    except SchemaError as error:
        raise refused(text, "; ".join(error.problems)) from error


def _names(declaration: Any) -> Iterable[str]:
    if isinstance(declaration, Enum):
        return []
    return [each.name for each in types_in(declaration) if isinstance(each, Ref)]
