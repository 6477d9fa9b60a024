"""Makes types from the shape of all messages, and the mapping that says how they came about."""

from __future__ import annotations

from shlex import quote

from serbench.imports.base import Mapped, Open, refused
from serbench.imports.json.making import BuiltTypes, JsonTypes
from serbench.imports.json.paths import ITEM, VALUE, WHOLE, shown_briefly
from serbench.imports.json.places import Location
from serbench.imports.json.plain import simple_type
from serbench.imports.json.settings import MOST_MEMBERS
from serbench.imports.json.shape import MOST_LEVELS, Fields, Node, Text
from serbench.imports.names import enum_of_texts, identifier
from serbench.model.names import pascal
from serbench.model.types import List, Map, Optional, Record, Ref, Type, string


def build(root: Node, name: str, file: str) -> BuiltTypes:
    """The types of the values at ``root``, for which maps and shared records have been decided.

    Args:
        name: the name of the root type.
        file: the file that errors name.

    Raises:
        InputError: too many types are inside each other, there is no field at all, or a setting does not fit
            the data.
    """
    return _Builder(root, file).built(name)


class _Builder(JsonTypes):
    def __init__(self, root: Node, file: str) -> None:
        super().__init__()
        self._root, self._file = root, file
        self._refs: dict[int, str] = {}
        self._told: set[int] = set()
        self._missing = 0

    def built(self, name: str) -> BuiltTypes:
        root = self._root
        wrapped = root.kinds != ("object",) or root.null or bool(root.values)
        called = self.type_names.of(pascal(identifier(name)))
        if wrapped:
            record = self.around(called, self._messages)
        else:
            place, at = Location(WHOLE, (called,)), self.reserve()
            if why := self._leave_open(root, place):
                self.rows[at] = Mapped(WHOLE, _theirs(root), called, why)
            record = self._fields(root.object or Fields(), place, called)
            if not record.fields:
                raise refused(self._file, "", "only empty objects", "a message with a member")
        if self._missing:
            fields = "1 field is" if self._missing == 1 else f"{self._missing} fields are"
            what = f"{fields} missing in some objects: JSON codecs write null there, so their JSON is longer"
            self.lose(WHOLE, what)
        return self.all_of(record, wrapped)

    def _messages(self, place: Location) -> tuple[Type, str, str]:
        type = self._type(self._root, place)
        return type, _theirs(self._root), self._root.why or self._why(self._root, place)

    def _type(self, node: Node, place: Location) -> Type:
        type = self._present(node, place)
        return Optional(type) if node.null or node.wanted.optional else type

    def _present(self, node: Node, place: Location) -> Type:
        """The type of the values that are present."""
        if place.levels > MOST_LEVELS:
            raise refused(
                self._file,
                shown_briefly(place.path),
                f"{levels_of(self._root):,} levels of nested types",
                f"at most {MOST_LEVELS}",
                "take apart or leave out what is inside there; objects that are like the one around them "
                "need no level",
            )
        kinds, wanted = node.kinds, node.wanted
        suitable = {"list": "array", "map": "object", "record": "object", "enum": "string"}.get(wanted.kind)
        if suitable and (suitable not in kinds or (wanted.kind == "enum" and len(kinds) > 1)):
            raise wanted.unsuitable(place.path, _theirs(node))
        if wanted.kind == "enum":
            return self._enum(node, place)
        if not kinds or wanted.type:
            return self._simple(node, place)
        if len(kinds) == 1:
            return self._kind(node, kinds[0], place)
        return self.union(
            self.type_names.of_qualified(place.qualified),
            place,
            kinds,
            _theirs(node),
            lambda kind, inner: self._kind(_only(node, kind), kind, inner),
        )

    def _kind(self, node: Node, kind: str, place: Location) -> Type:
        """The type of values of one kind."""
        if kind == "array" and node.items:
            return List(self._inner(node.items, place.inside(ITEM)))
        if node.values:
            if node.wanted.key != string:
                what = (
                    "keys are numbers: some JSON codecs write such a map as a list of pairs, "
                    "others as an object"
                )
                self.lose(place.shown, what)
            return Map(node.wanted.key, self._inner(node.values, place.inside(VALUE)))
        if fields := node.object:
            if id(fields) not in self._refs:
                self._fields(fields, place)
            return Ref(self._refs[id(fields)])
        return self._simple(node, place)

    def _simple(self, node: Node, place: Location) -> Type:
        simple = simple_type(node, place.path)
        if simple is None:
            raise node.wanted.unsuitable(place.path, _theirs(node))
        self.lose(place.shown, *simple.losses)
        return simple.type

    def _inner(self, node: Node, place: Location) -> Type:
        """The type of a list's items or a map's values; it gets a row of the mapping if it was guessed."""
        at = self.reserve()
        open = self._leave_open(node, place)
        type = self._type(node, place)
        if why := open or self._why(node, place):
            self.tell(place.shown, _theirs(node), type, why, at)
        return type

    def _leave_open(self, node: Node, place: Location) -> str:
        """Tells of objects that may be maps, and returns why; empty if there is nothing to tell. It is told
        before their types are made, as of each only once."""
        fields = node.object
        if not fields or not node.perhaps or id(fields) in self._refs:
            return ""
        setting = quote(f"{place.path}=map<string, {_of_values(fields)}>")
        what = f"{node.perhaps}: --set {setting} makes a map of them"
        self.open.append(Open(place.shown, what))
        self._told.add(id(fields))
        return what

    def _why(self, node: Node, place: Location) -> str:
        if node.values:
            return node.why
        if not node.kinds:
            return "all values are null" if node.null else "there are no values: lists are always empty"
        if len(node.kinds) > 1:
            return "values are of several kinds"
        if (fields := node.object) and not fields.members:
            return "its objects are always empty"
        if node.wanted or node.kinds[0] in ("array", "object"):
            return ""
        simple = simple_type(node, place.path)
        return simple.why if simple else ""

    def _fields(self, fields: Fields, place: Location, called: str = "") -> Record:
        """The record of objects; ``called`` is its name if it already has one."""
        called = self._refs[id(fields)] = called or self.type_names.of_qualified(place.qualified)
        return self.record(
            called, place, fields.members, lambda key: self._field(fields, key, place.member(key))
        )

    def _field(self, fields: Fields, key: str, place: Location) -> Type:
        node, at = fields.members[key], self.reserve()
        why = self._leave_open(node, place)
        type = self._type(node, place)
        theirs = _theirs(node)
        if key in fields.optional:
            theirs = f"{theirs}, or missing"
            self._missing += 1
            if node.null:
                self.lose(place.shown, "missing in some objects and null in others: both become absent")
            type = type if isinstance(type, Optional) else Optional(type)
        if not why and id(fields) not in self._told:  # else one setting goes for all members
            why = self._why(node, place)
        self.tell(place.shown, theirs, type, why, at)
        return type

    def _enum(self, node: Node, place: Location) -> Ref:
        members = list(node.members or ())
        if not members or "" in members or len(members) > MOST_MEMBERS:
            found = "an empty string" if "" in members else f"{len(members)} different strings"
            expected = f"1 to {MOST_MEMBERS} strings, which are names"
            raise refused("settings", place.shown, f"'enum' for {found}", expected)
        made = enum_of_texts(self.type_names.of_qualified(place.qualified), members)
        self.declared[made.name] = made
        self.tell(f"{place.shown} as enum", f"{len(members)} strings", made)
        return Ref(made.name)


def _of_values(fields: Fields) -> str:
    """The type of all members of an object, as a setting; ``*`` if it says for itself."""
    kinds = {kind for node in fields.members.values() for kind in node.kinds}
    if "number" in kinds:
        return "f64"
    return {"string": "string", "boolean": "bool", "integer": "i64"}.get(min(kinds, default=""), "*")


def levels_of(root: Node) -> int:
    """How many types are inside each other, not counting steps back."""
    most, met = 0, set()
    left = [(root, 0)]
    while left:
        node, levels = left.pop()
        most = max(most, levels)
        inner = [*node.inner] if id(node.object) not in met else [*filter(None, (node.items, node.values))]
        if node.object:
            met.add(id(node.object))
        left += [(each, levels + 1 + (len(node.kinds) > 1)) for each in reversed(inner)]
    return most


def _only(node: Node, kind: str) -> Node:
    """A node with only the values of one kind from ``node``."""
    made = Node()
    made.wanted, made.why = node.wanted, node.why
    match kind:
        case "boolean":
            made.flag = True
        case "integer" | "number":
            made.low, made.high, made.number = node.low, node.high, node.number
        case "string":
            made.text = Text()
            made.text.uuid = False  # skimming does not look whether strings among other kinds are UUIDs
        case "array":
            made.items = node.items
        case _:
            made.fields, made.values = node.object, node.values
    return made


def _theirs(node: Node) -> str:
    kinds = [*node.kinds, *(["null"] if node.null else [])]
    return " or ".join(kinds) if kinds else "nothing"
