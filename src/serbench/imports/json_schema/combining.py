"""Resolves ``allOf``, ``anyOf``, ``oneOf`` and references into cases; a value fits one of them.

A case is a set of schemas that hold at once. If there would be too many cases, they become a single case: the
schemas that are in each of them hold in it, and the other schemas may hold. The type that follows has room
for every value, and may have room for more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from serbench.imports.base import refused
from serbench.imports.json_schema.documents import REFERENCES, Documents, SubSchema

MOST_PRODUCTS = 64
"""The most cases from combining those of two schemas; if there would be more, those of one become a single
case."""

MOST_CASES = 1000
"""The most cases of one schema; if there are more, they become one."""

MOST_LEVELS = 500
"""The most references and alternatives that lead to each other before anything is known of a value; Python's
stack takes more."""

MOST_STEPS = 3_000_000
"""The most schemas in all sets that are made: they take some seconds, and are six times what the largest
published schemas need."""

ANNOTATIONS = frozenset((
    "$anchor", "$comment", "$defs", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor",
    "$recursiveRef", "$ref", "$schema", "$vocabulary", "allOf", "anyOf", "contains", "default",
    "defaultSnippets", "definitions", "dependencies", "dependentRequired", "dependentSchemas", "deprecated",
    "deprecationMessage", "description", "doNotSuggest", "else", "enumDescriptions", "errorMessage",
    "examples", "id", "if", "markdownDescription", "maxContains", "maxProperties", "minContains",
    "minProperties", "not", "oneOf", "propertyNames", "readOnly", "then", "title", "writeOnly",
))  # fmt: skip
"""Keywords that say nothing by themselves about what a value is, or are handled elsewhere."""


class Case(NamedTuple):
    """A set of schemas, given as their numbers.

    Attributes:
        parts: the schemas that all hold at once.
        maybe: the schemas that may hold too, so that members which only they describe can occur.
    """

    parts: frozenset[int]
    maybe: frozenset[int] = frozenset()


Cases = tuple[Case, ...]
"""The cases of a schema: a value fits one of them. If there is none, no value fits."""

ANYTHING: Cases = (Case(frozenset()),)
NOTHING: Cases = ()


@dataclass
class Combining:
    """Finds the cases of schemas, and keeps them.

    Attributes:
        names: the cases of a definition → its name.
        taken_together: the schemas that had too many cases, which became a single case.
        steps: how many schemas were put into sets so far, which is limited.
    """

    documents: Documents
    names: dict[frozenset[Case], str] = field(default_factory=dict)
    taken_together: dict[SubSchema, None] = field(default_factory=dict)
    steps: int = 0
    _known: dict[int, Cases] = field(default_factory=dict)
    _begun: set[int] = field(default_factory=set)
    _levels: int = 0

    def of(self, part: SubSchema) -> Cases:
        """Returns the cases of a schema; raises InputError if its references lead back to it for the same
        value, of which nothing would ever be known."""
        if part.number in self._known:
            return self._known[part.number]
        if part.number in self._begun:
            remedy = "a value would have to be of it before anything is known of it"
            raise part.refused(
                "a schema that leads back to itself",
                "one that constrains the value before the reference back",
                remedy,
            )
        if self._levels == MOST_LEVELS:
            raise part.refused(f"more than {MOST_LEVELS} references and alternatives in a row", "fewer")
        self._begun.add(part.number)
        self._levels += 1
        found = self._cases(part)
        self._levels -= 1
        if len(found) > MOST_CASES:
            self.taken_together[part] = None
            found = (as_one(found),)
        self._known[part.number] = found
        if part.definition and found not in (ANYTHING, NOTHING):
            self.names.setdefault(frozenset(found), part.definition)
        return found

    def _cases(self, part: SubSchema) -> Cases:
        if part.schema is False:
            return NOTHING
        keywords = part.keywords
        own = frozenset((part.number,)) if keywords.keys() - ANNOTATIONS else frozenset()
        found: Cases = (Case(own, self._conditional(keywords)),)
        for keyword in REFERENCES:
            if keyword in keywords:
                found = self.both(part, found, self.of(self.documents.target(part, keyword)))
        for each in keywords.get("allOf", ()):
            found = self.both(part, found, self.of(self.documents.part(each)))
        for keyword in ("anyOf", "oneOf"):
            if keyword in keywords:
                found = self.both(part, found, self._alternatives(part, keywords[keyword]))
        return found

    def _conditional(self, keywords: dict[str, Any]) -> frozenset[int]:
        """Returns the numbers of schemas that hold only under conditions, which types cannot express."""
        schemas = [
            keywords[keyword] for keyword in ("then", "else") if keyword in keywords and "if" in keywords
        ]
        for keyword in ("dependentSchemas", "dependencies"):
            if isinstance(inside := keywords.get(keyword), dict):
                schemas += (each for each in inside.values() if isinstance(each, dict))
        return frozenset().union(*(met(self.of(self.documents.part(each))) for each in schemas))

    def _alternatives(self, part: SubSchema, schemas: Sequence[Any]) -> Cases:
        found = self.any_of(self.of(self.documents.part(each)) for each in schemas)
        self.count(part, size(found))
        if len(found) > 1 and all(map(self._only_requires, met(found))):
            return ANYTHING
        return found

    def _only_requires(self, number: int) -> bool:
        """Whether the schema with this number only says which members are required, so that alternatives of
        such schemas make no difference to the type."""
        return self.documents.parts[number].keywords.keys() - ANNOTATIONS <= {"required"}

    def both(self, part: SubSchema, one: Cases, other: Cases) -> Cases:
        """Returns the cases of values that fit both ``one`` and ``other``, as the schema ``part`` demands."""
        if one == ANYTHING or other == ANYTHING:
            return other if one == ANYTHING else one
        if min(len(one), len(other)) > 1 and len(one) * len(other) > MOST_PRODUCTS:
            self.taken_together[part] = None
            one, other = (one, (as_one(other),)) if len(one) <= len(other) else ((as_one(one),), other)
        self.count(part, len(one) * size(other) + len(other) * size(one))
        made = (Case(a.parts | b.parts, (a.maybe | b.maybe) - a.parts - b.parts) for a in one for b in other)
        return tuple(dict.fromkeys(made))

    def any_of(self, all_cases: Iterable[Cases]) -> Cases:
        """Returns the cases of values that fit any of ``all_cases``."""
        return tuple(dict.fromkeys(case for cases in all_cases for case in cases))

    def perhaps(self, cases: Cases, others: Cases) -> Cases:
        """Returns ``cases`` in which the schemas of ``others`` may hold too."""
        maybe = met(others)
        self.count(None, size(cases) + len(cases) * len(maybe) + size(others))
        return tuple(dict.fromkeys(Case(case.parts, (case.maybe | maybe) - case.parts) for case in cases))

    def count(self, part: SubSchema | None, steps: int) -> None:
        """Adds to the steps counted so far; if they are too many, raises InputError, which names the schema
        ``part`` if it is given."""
        self.steps += steps
        if self.steps > MOST_STEPS:
            found, expected = "too many combinations of schemas", "fewer nested alternatives"
            if part:
                raise part.refused(found, expected)
            raise refused(self.documents.documents[0].file, "", found, expected)


def size(cases: Cases) -> int:
    """Returns how many schemas are in all cases together, plus one for each case."""
    return sum(1 + len(case.parts) + len(case.maybe) for case in cases)


def met(cases: Cases) -> frozenset[int]:
    """Returns the numbers of all schemas in any of the cases."""
    return frozenset().union(*(case.parts | case.maybe for case in cases))


def as_one(cases: Cases) -> Case:
    """Returns a single case for all cases: schemas that are in each hold, and the others may hold."""
    parts = frozenset.intersection(*(case.parts for case in cases)) if cases else frozenset()
    return Case(parts, met(cases) - parts)
