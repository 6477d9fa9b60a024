"""Makes types from the shape of all messages, and the mapping that tells the user why."""

from __future__ import annotations

from collections import Counter

from serbench.imports.base import Mapped, Open, refused, setting
from serbench.imports.json.making import JsonTypes
from serbench.imports.json.paths import ITEM, VALUE, WHOLE, shown_briefly
from serbench.imports.json.places import Location
from serbench.imports.json.plain import simple_type
from serbench.imports.json.settings import checked_members
from serbench.imports.json.shape import MOST_LEVELS, Fields, Node
from serbench.imports.names import enum_of_texts, identifier
from serbench.model.names import pascal
from serbench.model.types import List, Optional, Record, Ref, Type


def build(root: Node, name: str, file: str) -> JsonTypes:
    """Makes the types of the values at ``root``, where it has been decided which objects are maps, and which
    are of the same record.

    Args:
        name: the name of the root type.
        file: the file that errors name.

    Raises:
        InputError: too many types are inside each other, there is no field at all, or a setting does not fit
            the data.
    """
    made = _Builder(root, file)
    made.build(name)
    return made


class _Builder(JsonTypes):
    def __init__(self, root: Node, file: str) -> None:
        super().__init__()
        self._root, self._file = root, file
        self._refs: dict[int, str] = {}
        self._quiet: set[int] = set()  # members for all of which one setting goes, of their objects
        self._missing = 0

    def build(self, name: str) -> None:
        """Makes all types; ``name`` is that of the root type."""
        root = self._root
        self.wrapped = root.kinds != ("object",) or root.null or bool(root.values)
        called = self.type_names.of(pascal(identifier(name)))
        if self.wrapped:
            self.root = self.around(called, self._messages)
        else:
            place, at = Location(WHOLE, (called,)), self.reserve()
            if why := self._leave_open(root, place):
                self.rows[at] = Mapped(WHOLE, _theirs(root), called, why)
            self.root = self._fields(root.object or Fields(), place, called)
            if not self.root.fields:
                raise refused(self._file, "", "only empty objects", "a message with a member")
        if self._missing:
            fields = "1 field is" if self._missing == 1 else f"{self._missing} fields are"
            what = f"{fields} missing in some objects: JSON codecs write null there, so their JSON is longer"
            self.lose(WHOLE, what)

    def _messages(self, place: Location) -> tuple[Type, str, str]:
        type = self._type(self._root, place)
        return type, _theirs(self._root), self._root.why or self._why(self._root, place)

    def _type(self, node: Node, place: Location) -> Type:
        type = self._present(node, place)
        return Optional(type) if node.null or node.wanted.optional else type

    def _present(self, node: Node, place: Location) -> Type:
        """Returns the type of the values that are neither missing nor null."""
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
        if not wanted.suits(kinds):
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
            lambda kind, inner: self._kind(node, kind, inner, is_alone=False),
        )

    def _kind(self, node: Node, kind: str, place: Location, is_alone: bool = True) -> Type:
        """Returns the type of the values of one kind; ``is_alone`` says that a node has no other kinds."""
        if kind == "array" and node.items:
            return List(self._inner(node.items, place.inside(ITEM)))
        if kind == "object" and (values := node.values):
            return self.map(place, node.wanted.key, lambda: self._inner(values, place.inside(VALUE)))
        if kind == "object" and (fields := node.object):
            if id(fields) not in self._refs:
                self._fields(fields, place)
            return Ref(self._refs[id(fields)])
        return self._simple(node, place, "" if is_alone else kind)

    def _simple(self, node: Node, place: Location, kind: str = "") -> Type:
        simple = simple_type(node, place.path, kind)
        if simple is None:
            raise node.wanted.unsuitable(place.path, _theirs(node))
        self.lose(place.shown, *simple.losses)
        return simple.type

    def _inner(self, node: Node, place: Location) -> Type:
        """Returns the type of a list's items or a map's values, which gets a row of the mapping if it was
        guessed."""
        at = self.reserve()
        open = self._leave_open(node, place)
        type = self._type(node, place)
        if why := open or self._why(node, place):
            self.tell(place.shown, _theirs(node), type, why, at)
        return type

    def _leave_open(self, node: Node, place: Location) -> str:
        """Tells the user that the objects at a node, taken for records, may be maps; returns why, or an empty
        text if they hardly are. Call it before their type is made, once for all objects of a record."""
        fields = node.object
        if not fields or not node.perhaps or id(fields) in self._refs:
            return ""
        map = f"map<string, {_of_values(fields)}>"
        what = f"{node.perhaps}: {setting(place.path, map)} makes a map of them"
        self.open.append(Open(place.shown, what))
        whys = {id(each): self._why(each, place) for each in fields.members.values()}
        usual = Counter(whys.values()).most_common(1)[0][0]
        self._quiet |= {each for each, why in whys.items() if why == usual}
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
        """Declares the record of objects; ``called`` is its name if it already has one."""
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
            null_too = "missing in some objects and null in others: both become absent"
            theirs, type = self.missing(place, theirs, type, null_too if node.null else "")
            self._missing += 1
        if not why and (node.values or id(node) not in self._quiet):
            why = self._why(node, place)
        self.tell(place.shown, theirs, type, why, at)
        return type

    def _enum(self, node: Node, place: Location) -> Ref:
        members = checked_members(place.shown, node.members, "string")
        made = enum_of_texts(self.type_names.of_qualified(place.qualified), members)
        self.declared[made.name] = made
        self.tell(f"{place.shown} as enum", f"{len(members)} strings", made)
        return Ref(made.name)


def _of_values(fields: Fields) -> str:
    """Returns the word by which a setting names the type of all members of an object; ``*`` for the type that
    is inferred."""
    kinds = {kind for node in fields.members.values() for kind in node.kinds}
    if "number" in kinds:
        return "f64"
    return {"string": "string", "boolean": "bool", "integer": "i64"}.get(min(kinds, default=""), "*")


def levels_of(root: Node) -> int:
    """Returns how many types are inside each other at the deepest place, not counting steps back."""
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


def _theirs(node: Node) -> str:
    kinds = [*node.kinds, *(["null"] if node.null else [])]
    return " or ".join(kinds) if kinds else "nothing"
