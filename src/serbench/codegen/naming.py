"""How a generator names what it makes of a schema: every declared name gets an identifier of its own there.

Each generator says in its own ``Naming`` how it writes names and which it cannot use. A name that it can use
stays as it is; another gets a suffix. Only identifiers change: formats that carry names carry the declared
ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from serbench.model import Alternative, Enum, Field, List, Record, Ref, Schema, Type, Union, Walk
from serbench.model.names import capitalised
from serbench.model.parts import with_parts
from serbench.model.types import Composite


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
        claims: every identifier that generated code makes of a name; no two names may share one. What cannot
            be an identifier, such as ``~outedges``, can be claimed to keep names apart that are alike to a
            generator.
        suffix: what a name gets that cannot stay, after a number where it alone is not enough.
        prefix: what it gets besides where it is its beginning that is reserved, so that no suffix helps.
    """

    style: Callable[[str], str] = str
    reserved: frozenset[str] = frozenset()
    pattern: re.Pattern[str] | None = None
    claims: Callable[[str], Iterable[str]] = _itself
    suffix: str = "_"
    prefix: str = ""

    def spell(self, names: Sequence[str], taken: set[str]) -> list[str]:
        """An identifier for each of the distinct ``names``, of which none claims what is ``taken``; what they
        claim is then.

        A name that is not reserved goes before those that are, so that it never gives way to them.
        """
        written = [self.style(name) for name in names]
        spelled = list(written)
        for at in sorted(range(len(names)), key=lambda at: not self.can_stay(written[at], taken)):
            if not self.can_stay(written[at], taken):
                spelled[at] = next(each for each in self._tries(written[at]) if self._is_free(each, taken))
            taken.update({spelled[at], *self.claims(spelled[at])})
        return spelled

    def can_stay(self, written: str, taken: Iterable[str]) -> bool:
        """Whether a name can be used beside those that are taken."""
        return not (self.pattern and self.pattern.fullmatch(written)) and self._is_free(written, taken)

    def _tries(self, written: str) -> Iterator[str]:
        """What may stand in place of a name, without end."""
        if not any(self._is_free(f"{written}{n}{self.suffix}", ()) for n in ("", 2)):
            written = f"{self.prefix}{capitalised(written)}"
        return (f"{written}{'' if n < 2 else n}{self.suffix}" for n in count(1))

    def _is_free(self, written: str, taken: Iterable[str]) -> bool:
        claims = {written, *self.claims(written)}
        return claims.isdisjoint(self.reserved) and claims.isdisjoint(taken)


@dataclass(frozen=True)
class Naming:
    """The identifiers of one generator.

    Attributes:
        types: records, unions and enums, which share a scope.
        fields: of each record; none has the name of a type.
        alternatives: of each union, where they are not spelled as fields; none has the name of a type.
        members: of each enum.
        member: the name of an enum's member before it is spelled, where the enum's is part of it.
        members_beside_types: whether the members of all enums share the scope of the types.
        fields_everywhere: whether one identifier of a field stands for one written name, whatever record it
            is in.
        in_place: union → record, of a schema: the unions whose alternatives are named among the fields of
            that record.
    """

    types: Scope = field(default_factory=Scope)
    fields: Scope = field(default_factory=Scope)
    alternatives: Scope | None = None
    members: Scope = field(default_factory=Scope)
    member: Callable[[str, str], str] = _member_alone
    members_beside_types: bool = False
    fields_everywhere: bool = False
    in_place: Callable[[Schema], Mapping[str, str]] | None = None

    def spell(self, schema: Schema) -> Schema:
        """The schema with the generator's identifiers in place of the declared names, and else the same."""
        if self is AS_DECLARED:
            return schema
        declared = schema.named
        taken: set[str] = set()
        types = dict(
            zip((t.name for t in declared), self.types.spell([t.name for t in declared], taken), strict=True)
        )
        named: dict[str, Composite | Enum] = {
            enum.name: self._enum(enum, types, taken) for enum in schema.enums
        }
        records = [r.fields for r in schema.records]
        everywhere = _by_written_name(
            self.fields, [f for fields in records for f in fields], set(types.values())
        )
        together = self._together(schema, set(types.values()))
        walk = schema.walk
        fields: dict[str, Mapping[str, str]] = {}
        for composite in schema.composites:
            parts, scope = _parts(composite), self._scope(composite)
            if isinstance(composite, Record) and self.fields_everywhere:
                names = {part.name: everywhere[part.name, part.wire_name] for part in parts}
            elif composite.name in together:
                names = together[composite.name]
            else:
                spelled = scope.spell([part.name for part in parts], set(types.values()))
                names = dict(zip((part.name for part in parts), spelled, strict=True))
            fields[composite.name] = names
            named[composite.name] = _spelled(composite, types, names, named)
        return Schema.made(
            schema.name,
            named[schema.root.name],
            [named[composite.name] for composite in schema.composites],
            [named[enum.name] for enum in schema.enums],
            walk and _walk(schema, walk, fields),
            schema.digest(),
        )

    def _together(self, schema: Schema, taken: set[str]) -> dict[str, dict[str, str]]:
        """The names in each record with unions in place, and in these: declared → its identifier."""
        placed = self.in_place(schema) if self.in_place else {}
        found: dict[str, dict[str, str]] = {}
        for record in schema.records:
            unions = [union for union in schema.unions if placed.get(union.name) == record.name]
            if unions:
                together: list[Composite] = [record, *unions]
                declared = [part.name for composite in together for part in _parts(composite)]
                names = dict(zip(declared, self.fields.spell(declared, set(taken)), strict=True))
                found.update({composite.name: names for composite in together})
        return found

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
                pairs = [
                    (m, n, self.members.style(self.member(old.name, m)))
                    for (m, _), (n, _) in _pairs(old, new)
                ]
            elif not isinstance(old, Enum) and not isinstance(new, Enum):
                style = self._scope(old).style
                pairs = [
                    (f.name, g.name, style(f.name)) for f, g in zip(_parts(old), _parts(new), strict=True)
                ]
            notes += [
                f"{old.name}.{name} is {identifier}"
                for name, identifier, plain in pairs
                if identifier != plain
            ]
        return notes

    def _enum(self, enum: Enum, types: Mapping[str, str], taken: set[str]) -> Enum:
        declared = [*enum.members, *enum.aliases]
        names = [self.member(enum.name, name) for name, _ in declared]
        spelled = self.members.spell(names, taken if self.members_beside_types else set())
        made = list(zip(spelled, (value for _, value in declared), strict=True))
        of = dict(zip((name for name, _ in declared), spelled, strict=True))
        wire = [(of[name], written) for name, written in enum.wire]
        return Enum(
            types[enum.name],
            enum.underlying,
            made[: len(enum.members)],
            made[len(enum.members) :],
            enum.open,
            wire,
        )

    def _scope(self, composite: Composite) -> Scope:
        """How the parts of a record or union are written."""
        return self.alternatives or self.fields if isinstance(composite, Union) else self.fields


AS_DECLARED = Naming()
"""Every name as it is."""


def counterparts(one: Schema, other: Schema) -> dict[str, Any]:
    """Of two spellings of a schema: the name of each record, union and enum in ``one`` → what it is in
    ``other``."""
    return {mine.name: others for mine, others in zip(one.named, other.named, strict=True)}


def _by_written_name(scope: Scope, parts: Iterable[Field], taken: set[str]) -> dict[tuple[str, str], str]:
    """The identifier of each pair of a declared and a written name."""
    pairs = list(dict.fromkeys((part.name, part.wire_name) for part in parts))
    return dict(zip(pairs, scope.spell([name for name, _ in pairs], taken), strict=True))


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


def _parts(composite: Composite) -> Sequence[Field | Alternative]:
    return composite.fields if isinstance(composite, Record) else composite.alternatives


def _spelled(
    composite: Composite,
    types: Mapping[str, str],
    names: Mapping[str, str],
    named: Mapping[str, Composite | Enum],
) -> Composite:
    """A record or union under another name, as are its parts and what they hold."""

    def renamed(type: Type) -> Type:
        match type:
            case Ref(name):
                return Ref(types[name])
            case Record(name) | Union(name) | Enum(name):
                return named[name]
            case _:
                return with_parts(type, renamed)

    name = types[composite.name]
    if isinstance(composite, Record):
        return Record(
            name,
            [replace(f, name=names[f.name], type=renamed(f.type)) for f in composite.fields],
            composite.wire,
        )
    made = [
        replace(a, name=names[a.name], type=None if a.type is None else renamed(a.type))
        for a in composite.alternatives
    ]
    return Union(name, made, composite.wire)
