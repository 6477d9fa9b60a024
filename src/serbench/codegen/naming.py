"""How a generator names what it makes of a schema: every declared name gets an identifier of its own there.

Each generator says in its own ``Naming`` how it writes names and which it cannot use. A name that it can use stays as it is;
another gets a suffix. Only identifiers change: formats that carry names carry the declared ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Schema, Type, Walk


def _itself(written: str) -> Iterable[str]:
    return (written,)


def _member_alone(enum: str, member: str) -> str:
    return member


@dataclass(frozen=True)
class Scope:
    """How names are written that stand beside each other.

    Attributes:
        style: how a declared name is written.
        reserved: identifiers that are none to declare.
        pattern: whole names that are reserved too.
        claims: every identifier that generated code makes of a name; no two names may share one. What cannot be an identifier,
            such as ``~outedges``, can be claimed to keep names apart that are alike to a generator.
        suffix: what a name gets that cannot stay, after a number where it alone is not enough.
    """

    style: Callable[[str], str] = str
    reserved: frozenset[str] = frozenset()
    pattern: re.Pattern[str] | None = None
    claims: Callable[[str], Iterable[str]] = _itself
    suffix: str = "_"

    def spell(self, names: Sequence[str], taken: set[str]) -> list[str]:
        """An identifier for each of the distinct ``names``, of which none claims what is ``taken``; what they claim is then.

        A name that is not reserved goes before those that are, so that it never gives way to them.
        """
        written = [self.style(name) for name in names]
        spelled = list(written)
        for at in sorted(range(len(names)), key=lambda at: not self.can_stay(written[at], taken)):
            if not self.can_stay(written[at], taken):
                tries = (f"{written[at]}{'' if n < 2 else n}{self.suffix}" for n in count(1))
                spelled[at] = next(each for each in tries if self._is_free(each, taken))
            taken.update(self.claims(spelled[at]))
        return spelled

    def can_stay(self, written: str, taken: Iterable[str]) -> bool:
        """Whether a name can be used beside those that are taken."""
        return not (self.pattern and self.pattern.fullmatch(written)) and self._is_free(written, taken)

    def _is_free(self, written: str, taken: Iterable[str]) -> bool:
        claims = {written, *self.claims(written)}
        return claims.isdisjoint(self.reserved) and claims.isdisjoint(taken)


@dataclass(frozen=True)
class Naming:
    """The identifiers of one generator.

    Attributes:
        types: records and enums, which share a scope.
        fields: of each record; none has the name of a type.
        members: of each enum.
        member: the name of an enum's member before it is spelled, where the enum's is part of it.
        members_beside_types: whether the members of all enums share the scope of the types.
        fields_everywhere: whether one declared name is one identifier in all records.
    """

    types: Scope = field(default_factory=Scope)
    fields: Scope = field(default_factory=Scope)
    members: Scope = field(default_factory=Scope)
    member: Callable[[str, str], str] = _member_alone
    members_beside_types: bool = False
    fields_everywhere: bool = False

    def spell(self, schema: Schema) -> Schema:
        """The schema with the generator's identifiers in place of the declared names, and else the same."""
        if self is AS_DECLARED:
            return schema
        declared = schema.named
        taken: set[str] = set()
        types = dict(zip((t.name for t in declared), self.types.spell([t.name for t in declared], taken), strict=True))
        named: dict[str, Record | Enum] = {enum.name: self._enum(enum, types, taken) for enum in schema.enums}
        everywhere = self._fields(dict.fromkeys(f.name for r in schema.records for f in r.fields), types)
        walk = schema.walk
        fields: dict[str, Mapping[str, str]] = {}
        for record in schema.records:
            names = everywhere if self.fields_everywhere else self._fields([f.name for f in record.fields], types)
            fields[record.name] = names
            spelled = [Field(names[f.name], _renamed(f.type, named), f.number) for f in record.fields]
            named[record.name] = Record(types[record.name], spelled)
        return Schema.made(
            schema.name,
            named[schema.root.name],
            [named[record.name] for record in schema.records],
            [named[enum.name] for enum in schema.enums],
            walk and _walk(schema, walk, fields),
        )

    def told(self, schema: Schema, comment: str = "//") -> list[str]:
        """The notes as comments at the head of a generated file."""
        return [f"{comment} {note}." for note in self.notes(schema)]

    def notes(self, schema: Schema) -> list[str]:
        """What is named otherwise than by the style alone; empty where nothing is."""
        spelled, notes = self.spell(schema), []
        for old, new in zip(schema.named, spelled.named, strict=True):
            if new.name != self.types.style(old.name):
                notes.append(f"{old.name} is {new.name}")
            if isinstance(old, Enum) and isinstance(new, Enum):
                pairs = [(m, n, self.members.style(self.member(old.name, m))) for (m, _), (n, _) in _pairs(old, new)]
            elif isinstance(old, Record) and isinstance(new, Record):
                pairs = [(f.name, g.name, self.fields.style(f.name)) for f, g in zip(old.fields, new.fields, strict=True)]
            notes += [f"{old.name}.{name} is {identifier}" for name, identifier, plain in pairs if identifier != plain]
        return notes

    def _enum(self, enum: Enum, types: Mapping[str, str], taken: set[str]) -> Enum:
        names = [self.member(enum.name, name) for name, _ in enum.members]
        spelled = self.members.spell(names, taken if self.members_beside_types else set())
        members = zip(spelled, (value for _, value in enum.members), strict=True)
        return Enum(types[enum.name], enum.underlying, list(members))

    def _fields(self, names: Iterable[str], types: Mapping[str, str]) -> dict[str, str]:
        declared = list(names)
        return dict(zip(declared, self.fields.spell(declared, set(types.values())), strict=True))


AS_DECLARED = Naming()
"""Every name as it is."""


def counterparts(one: Schema, other: Schema) -> dict[str, Record | Enum]:
    """Of two spellings of a schema: the name of each record and enum in ``one`` → what it is in ``other``."""
    return {mine.name: others for mine, others in zip(one.named, other.named, strict=True)}


def _pairs(old: Enum, new: Enum) -> Iterable[tuple[tuple[str, int], tuple[str, int]]]:
    return zip(old.members, new.members, strict=True)


def _walk(schema: Schema, walk: Walk, fields: Mapping[str, Mapping[str, str]]) -> Walk:
    names, record = [], schema.root
    for name in (walk.nodes, walk.edges, walk.target, *filter(None, [walk.source])):
        names.append(fields[record.name][name])
        type = next(f.type for f in record.fields if f.name == name)
        if isinstance(type, List) and isinstance(type.item, Record):
            record = type.item
    return Walk(*names)


def _renamed(type: Type, named: Mapping[str, Record | Enum]) -> Type:
    match type:
        case Record(name) | Enum(name):
            return named[name]
        case List(item):
            return List(_renamed(item, named))
        case Array(item, length):
            return Array(_renamed(item, named), length)
        case Optional(item):
            return Optional(_renamed(item, named))
        case Map(key, value):
            return Map(_renamed(key, named), _renamed(value, named))
        case _:
            return type
