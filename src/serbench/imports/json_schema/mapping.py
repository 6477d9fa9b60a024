"""Makes types from the shapes of values, and the mapping that tells the user why."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Any

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.json.making import JsonTypes
from serbench.imports.json.paths import ITEM, VALUE, WHOLE
from serbench.imports.json.places import Location
from serbench.imports.json.plain import BEYOND, simple_type
from serbench.imports.json.settings import MOST_MEMBERS, NOTHING_WANTED, PathSettings, WantedValues
from serbench.imports.json.shape import MOST_LEVELS, Node
from serbench.imports.json.texts import Text
from serbench.imports.json_schema import telling
from serbench.imports.json_schema.combining import ANYTHING, Case, Cases, Combining
from serbench.imports.json_schema.documents import Documents, SubSchema
from serbench.imports.json_schema.form import KINDS
from serbench.imports.json_schema.kinds import Strings
from serbench.imports.json_schema.objects import Member, ObjectShape
from serbench.imports.json_schema.shapes import Shapes, ValueShape
from serbench.imports.names import enum_of_texts, identifier
from serbench.model import types
from serbench.model.names import pascal
from serbench.text import safe

MOST_PARTS = 100_000
"""The most fields, alternatives and members of enums: more would take more memory than an import may."""

MOST_FIELDS = 10_000
"""The most fields of a record."""

LONGEST_PATH = 4000
"""The most characters of a path; people's have a hundred."""

ANY = "AnyValue"


def build(documents: Documents, part: SubSchema, name: str, settings: PathSettings) -> JsonTypes:
    """Makes the types of messages whose schema is ``part``.

    Args:
        name: the name of the root type.

    Raises:
        InputError: types cannot express the schema, it is too large, or a setting does not fit it.
    """
    made = _Building(documents, settings)
    made.build(part, name)
    return made


class _Building(JsonTypes):
    """Makes types breadth first, so that the fields of a record stand together in the mapping, and the paths
    of types are short."""

    def __init__(self, documents: Documents, settings: PathSettings) -> None:
        super().__init__()
        self._documents, self._settings = documents, settings
        self._file = documents.documents[0].file
        self._combining = Combining(documents)
        self._shapes = Shapes(self._combining)
        self._known: dict[Any, str] = {}
        self._waiting: deque[tuple[str, ObjectShape, Location]] = deque()
        self._paths: dict[str, None] = {}
        self._parts = self._missing = self._unnamed = 0

    def build(self, part: SubSchema, name: str) -> None:
        """Makes all types of messages whose schema is ``part``; ``name`` is that of the root type."""
        cases = self._combining.of(part)
        shape = self._shapes.of(cases)
        self._check_root(part, shape)
        called = self.type_names.of(pascal(identifier(name)))
        place = Location(WHOLE, (called,))
        objects = shape.objects
        wanted = self._settings.at(WHOLE)
        self.wrapped = (
            shape.kinds != ("object",)
            or shape.null
            or bool(wanted)
            or objects is None
            or self._is_map(objects)
        )
        if self.wrapped or objects is None:
            self.root = self.around(called, partial(self._typed, cases))
        else:
            self._known["record", frozenset(shape.of_objects)] = called
            self._tell_objects(shape, objects, place)
            self.root = self._fields(called, objects, place)
        while self._waiting:
            self._fields(*self._waiting.popleft())
        if not self.root.fields:
            raise part.refused("only empty objects", "a message with a member")
        self._settings.check(self._paths)
        self.losses += telling.of_fields(self._missing, self._unnamed)
        self.losses += telling.of_whole(self._combining)

    def _check_root(self, part: SubSchema, shape: ValueShape) -> None:
        if shape.anything and any(True for _ in self._documents.definitions()):
            expected = f"a schema that describes the message, or --root: {self._documents.expected_root()}"
            raise part.refused("a schema that does not describe a message", expected)
        if not shape.anything and not shape.kinds:
            raise part.refused("a schema that only null matches", "a schema of messages")

    def _fields(self, name: str, objects: ObjectShape, place: Location) -> types.Record:
        if len(objects.fields) > MOST_FIELDS:
            found = f"an object of {len(objects.fields)} members"
            raise refused(self._file, place.shown, found, f"at most {MOST_FIELDS}")
        fields = objects.fields
        return self.record(name, place, fields, lambda key: self._member(place.member(key), fields[key]))

    def _member(self, place: Location, member: Member) -> types.Type | None:
        """Returns the type of a field and tells the user of it; None if no value can be the member."""
        self._count(place)
        at = self.reserve()
        shape = self._shapes.of(member.cases)
        if not shape.anything and not shape.kinds and not shape.null:
            if member.required:
                found = "a schema that no value matches, for a required value"
                raise self._refusal(member.cases, place, found, "schemas that can be satisfied together")
            if member.cases:
                what = "schemas exclude each other, so no value matches: data that have it are refused"
                self.lose(place.shown, what)
            return None
        type, theirs, why = self._typed(member.cases, place)
        if not member.required:
            theirs, type = self.missing(place, theirs, type, telling.NULL_TOO if shape.null else "")
            self._missing += 1
        self.tell(place.shown, theirs, type, why, at)
        return type

    def _typed(self, cases: Cases, place: Location) -> tuple[types.Type, str, str]:
        """Returns the type of the values at a place, the schema's words for it, and why it was chosen."""
        if place.levels > MOST_LEVELS or len(place.path) > LONGEST_PATH:
            found = f"more than {MOST_LEVELS} levels of nested types, or their names"
            raise self._refusal(cases, place, found, f"at most {MOST_LEVELS}, in {LONGEST_PATH} characters")
        shape = self._shapes.of(cases)
        wanted = self._settings.at(place.path)
        self._paths[place.path] = None
        made = simple_type(_as_found(shape, wanted), place.shown) if wanted.type else None
        if not _suits(wanted, shape) or (wanted.type and not made):
            raise wanted.unsuitable(place.path, telling.theirs(shape))
        if made:
            self.lose(place.shown, *made.losses)
            type: types.Type = made.type
        elif shape.anything:
            type = self._free(wanted, place)
        elif len(shape.kinds) > 1:
            type = self._union(shape, cases, place)
        else:
            type = self._kind("".join(shape.kinds), shape, place, wanted)
        if (shape.null or wanted.optional) and not isinstance(type, types.Optional):
            type = types.Optional(type)
        why = "set by --set" if wanted.kind == "map" else telling.why(shape, place.shown)
        return type, telling.theirs(shape), why

    def _free(self, wanted: WantedValues, place: Location) -> types.Type:
        """Returns the type of values that the schema does not describe."""
        if wanted.kind == "list":
            return types.List(self._inner(ANYTHING, place.inside(ITEM)))
        if wanted.kind == "map":
            return types.Map(wanted.key, self._inner(ANYTHING, place.inside(VALUE)))
        self.lose(place.shown, telling.ANY)
        if ANY not in self._known:
            self._known[ANY] = name = self.type_names.of(ANY)
            again = types.Optional(types.Ref(name))
            by_kind: dict[str, types.Type] = {
                "boolean": types.bool_,
                "integer": types.i64,
                "number": types.f64,
                "string": types.string,
            }
            by_kind |= {"array": types.List(again), "object": types.Map(types.string, again)}
            self.declared[name] = types.Union(
                name, [types.Alternative(kind, type) for kind, type in by_kind.items()]
            )
            self.kinds[name] = [*by_kind]
        return types.Optional(types.Ref(self._known[ANY]))

    def _kind(self, kind: str, shape: ValueShape, place: Location, wanted: WantedValues) -> types.Type:
        """Returns the type of values of one kind; string if ``kind`` is empty."""
        if kind == "boolean":
            return types.bool_
        if kind == "number":
            return types.f64
        if kind == "integer" and shape.numbers:
            if not (type := shape.numbers.narrowest):
                self.lose(place.shown, BEYOND)
            return type or types.f64
        if kind == "array" and shape.items is not None:
            return self._list(shape, shape.items, place)
        if kind == "object" and shape.objects:
            return self._object(shape, shape.objects, place, wanted)
        return self._string(shape.strings, place) if shape.strings else types.string

    def _string(self, strings: Strings, place: Location) -> types.Type:
        members = strings.members
        if members is None:
            return types.string
        if len(members) > MOST_MEMBERS or "" in members:
            found = "one is empty" if "" in members else f"there are more than {MOST_MEMBERS}"
            self.lose(
                place.shown, f"that only {len(members)} strings are valid, since {found}: it stays a string"
            )
            return types.string
        if members not in self._known:
            self._count(place, len(members))
            self._known[members] = called = self.type_names.of_qualified(place.qualified)
            self.declared[called] = enum_of_texts(called, members)
        return types.Ref(self._known[members])

    def _list(self, shape: ValueShape, items: Cases, place: Location) -> types.Type:
        if len(shape.of_lists) > 1:
            self.lose(place.shown, telling.of_lists(len(shape.of_lists)))
        if shape.positions:
            self.lose(place.shown, "that items have types by position: each item may have any of these types")
        return types.List(self._inner(items, self._within(ITEM, shape.of_lists, place)))

    def _within(self, step: str, cases: list[Case], place: Location) -> Location:
        """Returns the place of a list's items or a map's values; raises InputError if lists or maps of these
        cases are inside each other without end."""
        kind = frozenset(cases)
        if (step, kind) in place.around:
            expected = "an object with members, or values of several kinds, in between"
            raise self._refusal(tuple(cases), place, "endlessly nested lists or maps", expected)
        return place.inside(step, kind)

    def _inner(self, cases: Cases, place: Location) -> types.Type:
        """Returns the type of a list's items or a map's values, which gets a row of the mapping if it was
        guessed or is not plain."""
        at = self.reserve()
        type, theirs, why = self._typed(cases, place)
        if why or theirs not in KINDS:
            self.tell(place.shown, theirs, type, why, at)
        return type

    def _object(
        self, shape: ValueShape, objects: ObjectShape, place: Location, wanted: WantedValues
    ) -> types.Type:
        self._tell_objects(shape, objects, place, wanted)
        if wanted.kind == "map" or (wanted.kind != "record" and self._is_map(objects)):
            inner = [objects.values] if objects.is_map else [each.cases for each in objects.fields.values()]
            cases = self._combining.any_of([*inner, objects.rest])
            within = self._within(VALUE, shape.of_objects, place)
            return self.map(place, wanted.key, lambda: self._inner(cases, within))
        kind = "record", frozenset(shape.of_objects)
        if kind not in self._known:
            self._known[kind] = name = self._called(tuple(shape.of_objects), place)
            words = (name,) if self._combining.names.get(frozenset(shape.of_objects)) else place.words
            self._waiting.append((name, objects, Location(place.path, words, place.levels)))
        return types.Ref(self._known[kind])

    def _called(self, cases: Cases, place: Location) -> str:
        """Returns a name for the type of these cases: that of their definition, or else one made of their
        place."""
        if defined := self._combining.names.get(frozenset(cases)):
            return self.type_names.of(pascal(identifier(defined)))
        return self.type_names.of_qualified(place.qualified)

    def _is_map(self, objects: ObjectShape) -> bool:
        """Whether objects are a map: the schema names no member, or all members that it names have the same
        plain type as the others."""
        if objects.is_map or not objects.rest:
            return objects.is_map
        rest = self._shapes.of(objects.rest)
        plain = (
            len(rest.kinds) == 1
            and rest.kinds[0] not in ("array", "object")
            and not (rest.strings and rest.strings.members)
        )
        named = [self._shapes.of(each.cases) for each in objects.fields.values()]
        return plain and all(each.is_plain_like(rest) for each in named)

    def _tell_objects(
        self, shape: ValueShape, objects: ObjectShape, place: Location, wanted: WantedValues | None = None
    ) -> None:
        """Tells the user of the losses of objects, once for all objects of one type."""
        kind = "told", frozenset(shape.of_objects)
        if kind in self._known:
            return
        self._known[kind] = ""
        if objects.alternatives > 1:
            self.lose(place.shown, telling.of_objects(objects.alternatives, objects.mixed))
        if (wanted and wanted.kind == "map") or self._is_map(objects):
            return
        if objects.rest:
            self.lose(place.shown, telling.of_rest(len(objects.fields), place.shown))
        else:
            self._unnamed += objects.open

    def _union(self, shape: ValueShape, cases: Cases, place: Location) -> types.Ref:
        if called := self._known.get(kind := ("union", frozenset(cases))):
            return types.Ref(called)
        self._known[kind] = called = self._called(cases, place)

        def type_of(kind: str, inside: Location) -> types.Type:
            self._count(place)
            return self._kind(kind, shape, inside, NOTHING_WANTED)

        return self.union(called, place, shape.kinds, telling.theirs(shape), type_of)

    def _count(self, place: Location, parts: int = 1) -> None:
        self._parts += parts
        if self._parts > MOST_PARTS:
            found = f"more than {MOST_PARTS} members, alternatives and strings of enums"
            raise refused(self._file, place.shown, found, "fewer")

    def _refusal(self, cases: Cases, place: Location, found: str, expected: str) -> InputError:
        """Returns the error for values that fit these cases; it names their place in the schema if they have
        one, and else in the data."""
        numbers = sorted(number for case in cases for number in case.parts)
        where = self._documents.parts[numbers[0]].place if numbers else place.shown
        return refused(self._file, safe(where, lines=False), found, expected)


def _as_found(shape: ValueShape, wanted: WantedValues) -> Node:
    """Returns the node that an import of JSON would make of data of this shape, so that a setting does the
    same for a JSON Schema."""
    node = Node()
    node.wanted, node.flag, node.null = wanted, shape.boolean, shape.null
    if shape.numbers:
        low, high = shape.numbers.low, shape.numbers.high
        node.low, node.high = low or 0, high or 0
        node.number = not shape.numbers.whole
    if shape.strings or (shape.anything and wanted.type not in types.SCALARS.values()):
        node.text = Text()
    if shape.items is not None:
        node.items = Node()
    if shape.objects:
        node.values = Node()
    return node


def _suits(wanted: WantedValues, shape: ValueShape) -> bool:
    """Whether values of this shape can be the wanted list, map, record or enum; True if none is wanted."""
    if shape.anything and wanted.kind in ("list", "map"):
        return True
    is_enum = shape.strings is not None and shape.strings.members is not None
    is_record = shape.objects is not None and not shape.objects.is_map
    return wanted.suits(shape.kinds) and {"enum": is_enum, "record": is_record}.get(wanted.kind, True)
