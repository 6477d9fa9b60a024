"""Finds the shapes of values from cases: what values may be, by the kinds that JSON distinguishes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from serbench.imports.json_schema.combining import ANYTHING, Case, Cases, Combining, size
from serbench.imports.json_schema.documents import SubSchema
from serbench.imports.json_schema.kinds import Numbers, Strings, kinds_of, numbers_of, strings_of
from serbench.imports.json_schema.objects import ObjectShape, objects_of, united


@dataclass
class ValueShape:
    """The kinds, numbers, strings, items and members that a value may have that fits any of several cases.

    Attributes:
        null, boolean: whether the value may be null, or a boolean.
        numbers, strings, objects: the numbers, strings or objects that it may be; None if it may be none.
        items: the cases of the items if it is a list; None if it may not be one.
        anything: whether the schema says nothing about the value; then all other attributes are empty.
        implied: whether the kinds follow from keywords, and not from a type.
        positions: whether the schema gives items of lists different types by their position.
        of_lists, of_objects: the cases in which the value may be a list, or an object.
    """

    null: bool = False
    boolean: bool = False
    numbers: Numbers | None = None
    strings: Strings | None = None
    items: Cases | None = None
    objects: ObjectShape | None = None
    anything: bool = False
    implied: bool = False
    positions: bool = False
    of_lists: list[Case] = field(default_factory=list)
    of_objects: list[Case] = field(default_factory=list)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the values that are not null, in the words of JSON Schema."""
        is_whole = self.numbers is not None and self.numbers.whole
        found = {
            "boolean": self.boolean,
            "integer": is_whole,
            "number": self.numbers and not is_whole,
            "string": self.strings,
            "array": self.items is not None,
            "object": self.objects,
        }
        return tuple(kind for kind, there in found.items() if there)

    def is_plain_like(self, other: ValueShape) -> bool:
        """Whether this is a shape of the same kinds as another one, and not of an enum."""
        is_enum = self.strings is not None and bool(self.strings.members)
        return self.kinds == other.kinds and self.null == other.null and not is_enum


@dataclass
class Shapes:
    """Finds the shapes of values from cases, and keeps them."""

    combining: Combining
    _known: dict[Cases, ValueShape] = field(default_factory=dict)

    def of(self, cases: Cases) -> ValueShape:
        """Returns the shape of values that fit any of these cases; raises InputError if a schema leads back
        to itself, or there are too many combinations."""
        if cases not in self._known:
            self._known[cases] = self._of(cases)
        return self._known[cases]

    def _of(self, cases: Cases) -> ValueShape:
        shape, objects, strings = ValueShape(), list[ObjectShape](), list[Strings]()
        self.combining.count(None, size(cases))
        for case in self._sure(cases):
            parts = self._parts(case.parts)
            kinds, is_implied = kinds_of(parts)
            if kinds is None:
                return ValueShape(anything=True)
            shape.implied |= is_implied
            shape.null |= "null" in kinds
            shape.boolean |= "boolean" in kinds
            if "number" in kinds and (numbers := numbers_of(parts)):
                shape.numbers = numbers.either(shape.numbers)
            if "string" in kinds and (found := strings_of(parts)):
                strings.append(found)
            if "array" in kinds:
                self._add_list(shape, case, parts)
            if "object" in kinds:
                shape.of_objects.append(case)
                objects.append(objects_of(self.combining, case))
        shape.strings = Strings.any_of(strings) if strings else None
        possible = [each for each in objects if not self._is_impossible(each)] or objects
        shape.objects = united(self.combining, possible) if objects else None
        return shape

    def _is_impossible(self, objects: ObjectShape) -> bool:
        """Whether there can be no such objects since a required member can have no value; looks only at the
        kinds, numbers and strings that the member may be."""
        return any(
            member.required and not any(map(self._may_be, member.cases)) for member in objects.fields.values()
        )

    def _may_be(self, case: Case) -> bool:
        parts = self._parts(case.parts)
        kinds, _ = kinds_of(parts)
        if kinds is None or kinds - {"number", "string"}:
            return True
        return ("number" in kinds and numbers_of(parts) is not None) or (
            "string" in kinds and strings_of(parts) is not None
        )

    def _sure(self, cases: Cases) -> Iterator[Case]:
        """Returns the cases; but one whose ``parts`` tell no kind of value is replaced by several, each with
        one of the schemas that may hold (``maybe``)."""
        for case in cases:
            if case.maybe and kinds_of(self._parts(case.parts))[0] is None:
                yield from (Case(case.parts | {number}) for number in sorted(case.maybe))
            else:
                yield case

    def _parts(self, numbers: frozenset[int]) -> list[SubSchema]:
        return [self.combining.documents.parts[number] for number in sorted(numbers)]

    def _add_list(self, shape: ValueShape, case: Case, parts: Sequence[SubSchema]) -> None:
        combining, found, is_said = self.combining, ANYTHING, False
        for part in parts:
            if (items := _items_of(part)) is not None:
                found = combining.both(part, found, self._either(items))
                shape.positions |= len(items) > 1
                is_said = True
        others = [self._either(items) for part in self._parts(case.maybe) if (items := _items_of(part))]
        if others:
            more = combining.any_of(others)
            found = combining.perhaps(found, more) if is_said else more
        shape.items = combining.any_of([shape.items or (), found])
        shape.of_lists.append(case)

    def _either(self, schemas: Sequence[Any]) -> Cases:
        return self.combining.any_of(
            self.combining.of(self.combining.documents.part(each)) for each in schemas
        )


def _items_of(part: SubSchema) -> list[Any] | None:
    """Returns the schemas that ``part`` has for the items of a list; None if it says nothing about items."""
    keywords = part.keywords
    items = keywords.get("items")
    first, rest = ("items", "additionalItems") if isinstance(items, list) else ("prefixItems", "items")
    found = [*keywords.get(first, ())]
    found += (keywords[word] for word in (rest, "unevaluatedItems") if keywords.get(word) not in (None, True))
    return found or None
