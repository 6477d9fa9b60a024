"""Makes the identifiers of generated code: each declared name of a schema gets an identifier of its own.

The ``Naming`` of a generator says how the generator writes names and which names it cannot use. A name that
can be used stays as it is; any other gets a suffix. Only identifiers change: formats that carry names carry
the declared ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from serbench.model import Enum, Gone, List, Record, Ref, Schema, Union, Walk
from serbench.model.gone import respelled, with_gone
from serbench.model.names import capitalised
from serbench.model.parts import with_parts
from serbench.model.types import Composite


def _itself(written: str) -> Iterable[str]:
    return (written,)


def apart_by_case(name: str) -> list[str]:
    """The claims (``Scope.claims``) of a name that has to differ from others by more than its case."""
    return [name, f"~{name.lower()}"]


def _member_alone(enum: str, member: str) -> str:
    return member


@dataclass(frozen=True)
class Scope:
    """Rules for the names of one scope, in which no two may be the same.

    Attributes:
        style: writes a declared name in the way of the language.
        reserved: identifiers that may not be declared.
        pattern: matches names that are reserved too.
        claims: gives all identifiers that generated code derives from a name; no two names may share one. A
            claim that cannot be an identifier, such as ``~outedges``, keeps apart names that a generator
            would confuse.
        suffix: appended to a name that cannot stay, with a number before it if that is not enough.
        prefix: put before a name that stays reserved with any suffix, because of its beginning.
    """

    style: Callable[[str], str] = str
    reserved: frozenset[str] = frozenset()
    pattern: re.Pattern[str] | None = None
    claims: Callable[[str], Iterable[str]] = _itself
    suffix: str = "_"
    prefix: str = ""

    def spell(self, names: Sequence[str], taken: set[str]) -> list[str]:
        """An identifier for each of the distinct ``names``, in their order. No identifier claims a name in
        ``taken``, to which all claims of identifiers are added.

        Names that can stay as they are come first, so that they never give way to names that have to change.
        """
        written = [self.style(name) for name in names]
        spelled = list(written)
        for at in sorted(range(len(names)), key=lambda at: not self.can_stay(written[at], taken)):
            if not self.can_stay(written[at], taken):
                spelled[at] = next(each for each in self._tries(written[at]) if self.is_free(each, taken))
            taken.update({spelled[at], *self.claims(spelled[at])})
        return spelled

    def identifiers(self, names: Sequence[str], taken: set[str]) -> dict[str, str]:
        """Each of the distinct ``names`` → its identifier, as ``spell`` gives it."""
        return dict(zip(names, self.spell(names, taken), strict=True))

    def can_stay(self, written: str, taken: Iterable[str]) -> bool:
        """Whether a name can be used as it is beside the ``taken`` ones."""
        return not (self.pattern and self.pattern.fullmatch(written)) and self.is_free(written, taken)

    def _tries(self, written: str) -> Iterator[str]:
        """An endless series of identifiers that may replace a name."""
        if not any(self.is_free(f"{written}{n}{self.suffix}", ()) for n in ("", 2)):
            written = f"{self.prefix}{capitalised(written)}"
        return (f"{written}{'' if n < 2 else n}{self.suffix}" for n in count(1))

    def is_free(self, written: str, taken: Iterable[str]) -> bool:
        """Whether neither a name nor what code derives from it (``claims``) is ``taken`` or reserved."""
        claims = {written, *self.claims(written)}
        return claims.isdisjoint(self.reserved) and claims.isdisjoint(taken)


@dataclass(frozen=True)
class Naming:
    """Rules by which one generator makes identifiers.

    Attributes:
        types: the scope of records, unions and enums together.
        fields: the scope of each record's fields.
        alternatives: the scope of each union's alternatives; None if they are spelled like fields.
        members: the scope of each enum's members.
        member: gives the name to spell for an enum's member, from both names: (enum, member).
        members_beside_types: whether the members of all enums share the scope of the types.
        fields_everywhere: whether a field's identifier stands for the same written name in all records.
        fields_apart: whether no field or alternative may have the name of a type.
        in_place: gives a schema's unions whose alternatives are named among the fields of a record: name of
            the union → name of the record.
    """

    types: Scope = field(default_factory=Scope)
    fields: Scope = field(default_factory=Scope)
    alternatives: Scope | None = None
    members: Scope = field(default_factory=Scope)
    member: Callable[[str, str], str] = _member_alone
    members_beside_types: bool = False
    fields_everywhere: bool = False
    fields_apart: bool = True
    in_place: Callable[[Schema], Mapping[str, str]] | None = None

    def spell(self, schema: Schema) -> Schema:
        """The same schema with the generator's identifiers in place of the declared names."""
        if self is AS_DECLARED:
            return schema
        declared = schema.named
        taken: set[str] = set()
        types = self.types.identifiers([type.name for type in declared], taken)
        named: dict[str, Composite | Enum] = {
            enum.name: self._enum(enum, types, taken) for enum in schema.enums
        }
        apart_from = set(types.values()) if self.fields_apart else set[str]()
        pairs = [*dict.fromkeys(pair for each in schema.records for pair in _written(each))]
        spelled = self.fields.spell([name for name, _ in pairs], set(apart_from))
        everywhere = dict(zip(pairs, spelled, strict=True))
        together = self._together(schema, apart_from)
        walk = schema.walk
        names_of: dict[str, Mapping[str, str]] = {}
        for composite in schema.composites:
            if isinstance(composite, Record) and self.fields_everywhere:
                names = {name: everywhere[name, written] for name, written in _written(composite)}
            elif composite.name in together:
                names = together[composite.name]
            else:
                names = self._scope(composite).identifiers(_names(composite), set(apart_from))
            names_of[composite.name] = names
            named[composite.name] = _spelled(composite, types, names, named)
        return Schema.made(
            schema.name,
            named[schema.root.name],
            [named[composite.name] for composite in schema.composites],
            [named[enum.name] for enum in schema.enums],
            walk and _walk(schema, walk, names_of),
            schema.digest(),
            schema.whole and self.spell(schema.whole),
            {
                types[owner]: frozenset(names_of[owner][part] for part in parts)
                for owner, parts in schema.updates.items()
            },
        )

    def _together(self, schema: Schema, taken: set[str]) -> dict[str, dict[str, str]]:
        """The identifiers of records and unions that share a scope (``in_place``): name of the record or
        union → declared name of a field or alternative → identifier; none is among ``taken``."""
        placed = self.in_place(schema) if self.in_place else {}
        found: dict[str, dict[str, str]] = {}
        for record in schema.records:
            unions = [union for union in schema.unions if placed.get(union.name) == record.name]
            if unions:
                together: list[Composite] = [record, *unions]
                declared = [name for composite in together for name in _names(composite)]
                names = self.fields.identifiers(declared, set(taken))
                found.update({composite.name: names for composite in together})
        return found

    def told(self, schema: Schema, comment: str = "//") -> list[str]:
        """The ``notes`` on changed names, as lines of comment for the head of a generated file."""
        return [f"{comment} {note}." for note in self.notes(schema)]

    def notes(self, schema: Schema) -> list[str]:
        """A note for each name that had to change beyond the language's style; empty if none had to."""
        spelled, notes = self.spell(schema), []
        for old, new in zip(schema.named, spelled.named, strict=True):
            if new.name != self.types.style(old.name):
                notes.append(f"{old.name} is {new.name}")
            for name, identifier in zip(_names(old), _names(new), strict=True):
                if isinstance(old, Enum):
                    plain = self.members.style(self.member(old.name, name))
                else:
                    plain = self._scope(old).style(name)
                if identifier != plain:
                    notes.append(f"{old.name}.{name} is {identifier}")
        return notes

    def _enum(self, enum: Enum, types: Mapping[str, str], taken: set[str]) -> Enum:
        declared = [*_names(enum), *(name for name, _ in enum.aliases)]
        names = [self.member(enum.name, name) for name in declared]
        spelled = self.members.spell(names, taken if self.members_beside_types else set())
        of = dict(zip(declared, spelled, strict=True))
        return Enum(
            types[enum.name],
            enum.underlying,
            [(of[name], number) for name, number in enum.members],
            [(of[name], number) for name, number in enum.aliases],
            enum.open,
            [(of[name], written) for name, written in enum.wire],
            respelled(enum.gone, of, types),
        )

    def _scope(self, composite: Composite) -> Scope:
        """The rules for the names of a record's fields or a union's alternatives."""
        return self.alternatives or self.fields if isinstance(composite, Union) else self.fields


AS_DECLARED = Naming()
"""The naming of generators that write every name as it is declared."""


def counterparts(one: Schema, other: Schema) -> dict[str, Any]:
    """Name of each named type in ``one`` → the type in ``other``, another spelling of the same schema."""
    return {mine.name: others for mine, others in zip(one.named, other.named, strict=True)}


def _names(type: Composite | Enum) -> list[str]:
    """The names of the members of an enum, the fields of a record, or the alternatives of a union. Names of
    parts that are gone are among them, so that the others are spelled as they were beside these."""
    if isinstance(type, Enum):
        members = with_gone(type.members, type.gone)
        known = [each.name if isinstance(each, Gone) else each[0] for each in members]
    else:
        known = [part.name for part in with_gone(type.parts, type.gone)]
    return [*known, *(each.name for each in type.gone if each.name and not each.is_known)]


def _written(record: Record) -> list[tuple[str, str]]:
    """The declared name and the written name of each field of a record, also of those that are gone."""
    written = {part.name: part.wire_name for part in record.fields}
    return [(name, written.get(name, name)) for name in _names(record)]


def _walk(schema: Schema, walk: Walk, fields: Mapping[str, Mapping[str, str]]) -> Walk:
    names, record = [], schema.root
    for name in (walk.nodes, walk.edges, walk.target, *filter(None, [walk.source])):
        names.append(fields[record.name][name])
        type = next(f.type for f in record.fields if f.name == name)
        if isinstance(type, List) and isinstance(type.item, Record):
            record = type.item
    return Walk(*names)


def _spelled(
    composite: Composite,
    types: Mapping[str, str],
    names: Mapping[str, str],
    named: Mapping[str, Composite | Enum],
) -> Composite:
    """A record or union with its identifiers: its own, those of its parts, and those of the types in them."""

    def renamed(type: Any) -> Any:
        match type:
            case None:  # an alternative without a value
                return None
            case Ref(name):
                return Ref(types[name])
            case Record(name) | Union(name) | Enum(name):
                return named[name]
            case _:
                return with_parts(type, renamed)

    made: list[Any] = [
        replace(part, name=names[part.name], type=renamed(part.type)) for part in composite.parts
    ]
    return composite.__class__(
        types[composite.name], made, composite.wire, respelled(composite.gone, names, types)
    )
