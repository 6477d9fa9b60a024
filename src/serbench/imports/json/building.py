"""Makes types from the shape of all messages, and the mapping that says how they came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote

from serbench.imports.base import Loss, Mapped, Open, refused
from serbench.imports.json.paths import ITEM, VALUE, WHOLE, inside, member, shown, shown_briefly
from serbench.imports.json.plain import simple_type
from serbench.imports.json.settings import EXPECTED, WantedValues
from serbench.imports.json.shape import MOST_LEVELS, Fields, Node, Text
from serbench.imports.names import ScopeNames, TypeNames, identifier, singular, wire
from serbench.model.names import pascal
from serbench.model.parts import describe
from serbench.model.types import (
    Alternative,
    Composite,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Type,
    Union,
    i32,
    string,
)

MOST_MEMBERS = 1000
"""The most members of an enum."""


@dataclass(frozen=True)
class BuiltTypes:
    """The types of all messages.

    Attributes:
        root: the record of a message.
        wrapped: whether ``root`` is a record made around messages that are not objects.
        declared: records, unions and enums, by name.
        keys: name of a record → the keys of its fields; a record around messages is not among them.
        kinds: name of a union → the kinds of its alternatives.
    """

    root: Record
    wrapped: bool
    declared: Mapping[str, Composite | Enum]
    keys: Mapping[str, Sequence[str]]
    kinds: Mapping[str, Sequence[str]]
    mapping: Sequence[Mapped]
    losses: Sequence[Loss]
    open: Sequence[Open] = ()


def build(root: Node, name: str, file: str) -> BuiltTypes:
    """The types of the values at ``root``, for which maps and shared records have been decided.

    Args:
        name: the name of the root type.
        file: the file that errors name.

    Raises:
        InputError: too many types are inside each other, there is no field at all, or a setting does not fit
            the data.
    """
    return _Builder(file).built(root, name)


class _Builder:
    def __init__(self, file: str) -> None:
        self._file = file
        self._root = Node()
        self._names = TypeNames()
        self._refs: dict[int, str] = {}
        self._declared: dict[str, Composite | Enum] = {}
        self._keys: dict[str, Sequence[str]] = {}
        self._kinds: dict[str, Sequence[str]] = {}
        self._mapping: list[Mapped | None] = []
        self._losses: list[Loss] = []
        self._open: list[Open] = []
        self._told: set[int] = set()
        self._missing = 0

    def built(self, root: Node, name: str) -> BuiltTypes:
        self._root = root
        wrapped = root.kinds != ("object",) or root.null or bool(root.values)
        called = self._names.of(pascal(identifier(name)))
        if wrapped:
            record = self._around(root, called)
        else:
            at = self._reserve()
            if why := self._leave_open(root, WHOLE):
                self._mapping[at] = Mapped(WHOLE, _theirs(root), called, why)
            record = self._record(root.object or Fields(), WHOLE, (called,), 0, called)
            if not record.fields:
                raise refused(self._file, "", "only empty objects", "a message with a member")
        if self._missing:
            fields = "1 field is" if self._missing == 1 else f"{self._missing} fields are"
            what = f"{fields} missing in some objects: JSON codecs write null there, so their JSON is longer"
            self._losses.append(Loss(WHOLE, what))
        mapping = [each for each in self._mapping if each]
        return BuiltTypes(
            record, wrapped, self._declared, self._keys, self._kinds, mapping, self._losses, self._open
        )

    def _around(self, root: Node, called: str) -> Record:
        what = (
            "messages are not records: each is wrapped in a record with a single field, value; in "
            "JSON, an object with one key"
        )
        self._losses.append(Loss(WHOLE, what))
        at = self._reserve()
        type = self._type(root, WHOLE, (called, "Value"), 1)
        self._mapping[at] = Mapped.to(WHOLE, _theirs(root), type, root.why or self._why(root, WHOLE))
        record = Record(called, [Field("value", type)])
        self._declared[called] = record
        return record

    def _reserve(self) -> int:
        """Reserves a row of the mapping, and returns its index: a type comes before its parts there, but is
        known only after them."""
        self._mapping.append(None)
        return len(self._mapping) - 1

    def _type(self, node: Node, path: str, words: tuple[str, ...], levels: int) -> Type:
        type = self._present(node, path, words, levels)
        return Optional(type) if node.null or (node.wanted and node.wanted.optional) else type

    def _present(self, node: Node, path: str, words: tuple[str, ...], levels: int) -> Type:
        """The type of the values that are present."""
        if levels > MOST_LEVELS:
            raise refused(
                self._file,
                shown_briefly(path),
                f"{levels_of(self._root):,} levels of nested types",
                f"at most {MOST_LEVELS}",
                "take apart or leave out what is inside there; objects that are like the one around them "
                "need no level",
            )
        kinds = node.kinds
        self._check(node, path)
        if node.wanted and node.wanted.kind == "enum":
            return self._enum(node, path, words)
        if not kinds or (node.wanted and node.wanted.type):
            return self._simple(node, path)
        return (
            self._kind(node, kinds[0], path, words, levels)
            if len(kinds) == 1
            else self._union(node, path, words, levels)
        )

    def _check(self, node: Node, path: str) -> None:
        """Raises InputError if a setting does not fit the data."""
        wanted = node.wanted or WantedValues()
        suitable = {"list": ("array",), "map": ("object",), "record": ("object",), "enum": ("string",)}.get(
            wanted.kind
        )
        if suitable and (
            not set(suitable) <= set(node.kinds) or (wanted.kind == "enum" and node.kinds != ("string",))
        ):
            raise refused("settings", shown(path), f"'{wanted.word}' for {_theirs(node)}", EXPECTED)

    def _kind(self, node: Node, kind: str, path: str, words: tuple[str, ...], levels: int) -> Type:
        """The type of values of one kind."""
        if kind == "array" and node.items:
            return List(self._inner(node.items, inside(path, ITEM), single(words), levels))
        if node.values:
            key = node.wanted.key if node.wanted else string
            if key != string:
                what = (
                    "keys are numbers: some JSON codecs write such a map as a list of pairs, "
                    "others as an object"
                )
                self._losses.append(Loss(shown(path), what))
            return Map(key, self._inner(node.values, inside(path, VALUE), single(words), levels))
        if fields := node.object:
            return self._reference(fields, path, words, levels)
        return self._simple(node, path)

    def _simple(self, node: Node, path: str) -> Type:
        simple = simple_type(node, path)
        if simple is None:
            wanted = node.wanted or WantedValues()
            raise refused("settings", shown(path), f"'{wanted.word}' for {_theirs(node)}", EXPECTED)
        self._losses += [Loss(shown(path), what) for what in simple.losses]
        return simple.type

    def _inner(self, node: Node, path: str, words: tuple[str, ...], levels: int) -> Type:
        """The type of a list's items or a map's values; it gets a row of the mapping if it was guessed."""
        at = self._reserve()
        open = self._leave_open(node, path)
        type = self._type(node, path, words, levels + 1)
        if why := open or self._why(node, path):
            self._mapping[at] = Mapped.to(shown(path), _theirs(node), type, why)
        return type

    def _leave_open(self, node: Node, path: str) -> str:
        """Tells of objects that may be maps, and returns why; empty if there is nothing to tell. It is told
        before their types are made, as of each only once."""
        fields = node.object
        if not fields or not node.perhaps or id(fields) in self._refs:
            return ""
        setting = quote(f"{path}=map<string, {_of_values(fields)}>")
        what = f"{node.perhaps}: --set {setting} makes a map of them"
        self._open.append(Open(shown(path), what))
        self._told.add(id(fields))
        return what

    def _why(self, node: Node, path: str) -> str:
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
        simple = simple_type(node, path)
        return simple.why if simple else ""

    def _reference(self, fields: Fields, path: str, words: tuple[str, ...], levels: int) -> Ref:
        if id(fields) not in self._refs:
            self._record(fields, path, words, levels)
        return Ref(self._refs[id(fields)])

    def _record(
        self, fields: Fields, path: str, words: tuple[str, ...], levels: int, called: str = ""
    ) -> Record:
        called = called or self._names.of_qualified(".".join(words))
        self._refs[id(fields)] = called
        names = ScopeNames(["unnamed", *fields.members] if "" in fields.members else [])
        empty = names.of("") if "" in fields.members else ""
        names = ScopeNames([empty] if empty else [])
        made = []
        for key, node in fields.members.items():
            name = names.of(key) if key else empty
            if not key:
                self._losses.append(
                    Loss(shown(member(path, key)), f"an empty key: JSON codecs write {empty}")
                )
            made.append(
                Field(
                    name,
                    self._field(fields, key, node, path, (*words, pascal(identifier(key))), levels),
                    wire=wire(key, name),
                )
            )
        record = Record(called, made)
        self._declared[called] = record
        self._keys[called] = list(fields.members)
        return record

    def _field(
        self, fields: Fields, key: str, node: Node, path: str, words: tuple[str, ...], levels: int
    ) -> Type:
        at, path = self._reserve(), member(path, key)
        why = self._leave_open(node, path)
        type = self._type(node, path, words, levels + 1)
        theirs = _theirs(node)
        if key in fields.optional:
            theirs = f"{theirs}, or missing"
            self._missing += 1
            if node.null:
                self._losses.append(
                    Loss(shown(path), "missing in some objects and null in others: both become absent")
                )
            type = type if isinstance(type, Optional) else Optional(type)
        if not why and id(fields) not in self._told:  # else one setting goes for all members
            why = self._why(node, path)
        self._mapping[at] = Mapped.to(shown(path), theirs, type, why)
        return type

    def _union(self, node: Node, path: str, words: tuple[str, ...], levels: int) -> Ref:
        called = self._names.of_qualified(".".join(words))
        alternatives = []
        for kind in node.kinds:
            at = self._reserve()
            type = self._kind(
                _only(node, kind), kind, path, (*words[:-1], f"{words[-1]}{kind.capitalize()}"), levels + 1
            )
            self._mapping[at] = Mapped.to(f"{shown(path)} as {kind}", kind, type)
            alternatives.append(Alternative(kind, type))
        self._declared[called] = Union(called, alternatives)
        self._kinds[called] = node.kinds
        what = (
            f"{_theirs(node)} become a union: JSON codecs wrap each value in an object with the "
            "alternative's name, so their JSON differs and is longer"
        )
        self._losses.append(Loss(shown(path), what))
        return Ref(called)

    def _enum(self, node: Node, path: str, words: tuple[str, ...]) -> Ref:
        members = list(node.members or ())
        if not members or "" in members or len(members) > MOST_MEMBERS:
            found = "an empty string" if "" in members else f"{len(members)} different strings"
            raise refused(
                "settings",
                shown(path),
                f"'enum' for {found}",
                f"1 to {MOST_MEMBERS} strings, which are names",
            )
        called, names = self._names.of_qualified(".".join(words)), ScopeNames()
        pairs = [(names.of(text), text) for text in members]
        written = [(name, text) for name, text in pairs if name != text]
        self._declared[called] = Enum(called, i32, [name for name, _ in pairs], wire=written)
        self._mapping.append(
            Mapped(f"{shown(path)} as enum", f"{len(pairs)} strings", describe(self._declared[called]))
        )
        return Ref(called)


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


def single(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words for the name of an item's type, from the words for the list's or map's."""
    return (*words[:-1], singular(words[-1]))
