"""Finds the members that objects may have: those with names, the required ones, and others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from serbench.imports.json_schema.combining import ANYTHING, NOTHING, Case, Cases, Combining
from serbench.imports.json_schema.documents import SubSchema

_REST = ("additionalProperties", "unevaluatedProperties")


class Member(NamedTuple):
    """A named member of objects: the cases of its values, and whether it is required."""

    cases: Cases
    required: bool


@dataclass
class ObjectShape:
    """The objects that schemas allow.

    Attributes:
        fields: the members that have names.
        rest: the cases of members under other names that the schema describes; NOTHING if it describes none.
        open: whether members under other names may be anything.
        alternatives: how many alternatives of objects were united.
        mixed: whether some of these alternatives were maps, and others were not.
    """

    fields: dict[str, Member] = field(default_factory=dict)
    rest: Cases = NOTHING
    open: bool = True
    alternatives: int = 1
    mixed: bool = False

    @property
    def is_map(self) -> bool:
        return not self.fields and (self.open or bool(self.rest))

    @property
    def values(self) -> Cases:
        """The cases of the members' values, for objects that are a map."""
        return self.rest or (ANYTHING if self.open else NOTHING)


def objects_of(combining: Combining, case: Case) -> ObjectShape:
    """Returns the shape of the objects that fit one case."""
    parts, maybe = (
        [combining.documents.parts[n] for n in sorted(numbers)] for numbers in (case.parts, case.maybe)
    )
    open = not any(
        isinstance(part.keywords.get(word), dict) or part.keywords.get(word) is False
        for part in parts
        for word in _REST
    )
    made = ObjectShape(open=open)
    found: dict[str, Cases] = {}
    for part in parts:
        for name, cases in _properties(combining, part):
            found[name] = combining.both(part, found[name], cases) if name in found else cases
    for part in maybe:
        for name, cases in _properties(combining, part):
            found[name] = combining.perhaps(found[name], cases) if name in found else cases
    made.rest = _rest(combining, parts) or (_rest(combining, maybe) if made.open else NOTHING)
    combining.count(None, len(found))
    required = {name: None for part in parts for name in _required(part)}
    if found:
        found |= {name: made.values for name in required if name not in found and made.values}
    made.fields = {name: Member(cases, name in required) for name, cases in found.items()}
    return made


def _properties(combining: Combining, part: SubSchema) -> Iterator[tuple[str, Cases]]:
    for name, schema in part.keywords.get("properties", {}).items():
        yield name, combining.of(combining.documents.part(schema))


def _required(part: SubSchema) -> Sequence[str]:
    required = part.keywords.get("required", ())
    return required if isinstance(required, list) else ()


def _rest(combining: Combining, parts: Sequence[SubSchema]) -> Cases:
    """Returns the cases of the members that schemas describe without naming them."""
    inner: list[Any] = []
    for part in parts:
        inner += part.keywords.get("patternProperties", {}).values()
        inner += (each for word in _REST if isinstance(each := part.keywords.get(word), dict))
    return combining.any_of(combining.of(combining.documents.part(each)) for each in inner)


def united(combining: Combining, all_objects: Sequence[ObjectShape]) -> ObjectShape:
    """Unites alternatives of objects: to a record with the members of all, or to a map if one is a map."""
    if len(all_objects) == 1:
        return all_objects[0]
    maps = [each for each in all_objects if each.is_map]
    made = ObjectShape(open=any(each.open for each in all_objects), alternatives=len(all_objects))
    if maps:
        made.mixed = len(maps) < len(all_objects)
        members = (member.cases for each in all_objects for member in each.fields.values())
        made.rest = combining.any_of(
            [*(each.values for each in maps), *(each.rest for each in all_objects), *members]
        )
        return made
    made.rest = combining.any_of(each.rest for each in all_objects)
    found: dict[str, list[Member]] = {}
    for each in all_objects:
        for name, member in each.fields.items():
            found.setdefault(name, []).append(member)
    for name, same in found.items():
        required = len(same) == len(all_objects) and all(member.required for member in same)
        made.fields[name] = Member(combining.any_of(member.cases for member in same), required)
    return made
