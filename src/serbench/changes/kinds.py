"""The kinds of changes to parts: what each makes of a schema."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from serbench.changes.change import Change, declared, edited, refused, with_parts_of, without
from serbench.changes.convert import Converter, Source, by_name
from serbench.changes.paths import Place, item_of, named_in, place_of, places, type_at
from serbench.errors import SelectionError, ValueMismatch
from serbench.model import Enum, Field, List, Optional, Record, Ref, Scalar, Schema, Type, Union, string
from serbench.model.names import pascal
from serbench.model.types import NOTHING, SCALARS

Others = dict[tuple[str, str], Source]


def made(
    text: str,
    old: Schema,
    types: dict[str, Any],
    forward: Others | None = None,
    backward: Others | None = None,
) -> Change:
    """The change to other declarations; ``forward`` and ``backward`` have the sources of parts whose names
    differ."""
    new = edited(text, old, types)
    return between_roots(text, old, new, by_name(forward or {}), by_name(backward or {}))


def between_roots(text: str, old: Schema, new: Schema, there: Any, back: Any) -> Change:
    """The change between two schemas whose parts are matched by ``there`` and ``back``."""
    forward = Converter(there, strict=True).of(old.root, new.root)
    backward = Converter(back, strict=False).of(new.root, old.root)

    def with_place(value: Any) -> Any:
        try:
            return forward(value)
        except ValueMismatch as error:
            raise ValueMismatch(f"{text}: {str(error).removeprefix('.')}") from error

    return Change(text, old, new, with_place, backward)


def part_of(schema: Schema, text: str, path: str) -> Place:
    """The field, alternative or member at a path; raises SelectionError for items and for no path."""
    place = place_of(schema, path)
    if not place.part:
        raise no_path(schema, text)
    if place.items:
        raise refused(text, f"{path} is no field, alternative or member of its own")
    return place


def no_path(schema: Schema, text: str) -> SelectionError:
    """The error of a change that names no part, with a path that it could name."""
    return refused(text, f"found no path; expected one such as {next(places(schema)).path}")


def drop(schema: Schema, text: str, argument: str) -> Change:
    """A part is removed: a field, an alternative or an enum's member."""
    place = part_of(schema, text, argument)
    return made(text, schema, {place.owner: without(schema, declared(schema)[place.owner], place.part)})


def add(schema: Schema, text: str, argument: str) -> Change:
    """A part is added at the end: ``path:type`` a field that is optional or empty, ``path:type=value`` one
    with a default, ``path:required<type>`` one that is always there; ``path`` or ``path:number`` an enum's
    member; ``path`` or ``path:type`` an alternative."""
    path, _, rest = argument.partition(":")
    above, _, name = path.rpartition(".")
    owner = place_of(schema, above)
    type = _named_type(owner)
    own = declared(schema)
    known = own[type.name]
    if isinstance(known, Enum):
        number = int(rest) if re.fullmatch(r"-?\d{1,20}", rest) else next_number(known)
        return made(text, schema, {known.name: with_parts_of(known, [*known.members, (name, number)])})
    number = next_number(known)
    word, is_given, default = rest.partition("=")
    if isinstance(known, Union):
        from_word = _type_of(schema, text, word) if word else None
        part: Any = replace(known.parts[0], name=name, type=from_word, number=number, wire="", hints=())
    else:
        required = re.fullmatch(r"required<(.+)>", word)
        type = _type_of(schema, text, required[1] if required else word)
        may_lack = is_given or required or isinstance(type, Optional) or item_of(type) is not None
        value = _literal(text, type, default) if is_given else NOTHING
        part = Field(name, type if may_lack else Optional(type), number, default=value)
    return made(text, schema, {known.name: with_parts_of(known, [*known.parts, part])})


def next_number(type: Any) -> int:
    """The number after the greatest of a record's, union's or enum's parts and of those that are gone."""
    numbers = [n for _, n in type.members] if isinstance(type, Enum) else [part.number for part in type.parts]
    numbers += [each.number for each in type.gone if each.is_known]
    return max(numbers, default=0) + 1


def _named_type(place: Place) -> Any:
    type = named_in(place.type)
    if not isinstance(type, Record | Union | Enum):
        raise SelectionError(f"{place.path}: has no parts; expected a record, a union or an enum")
    return type


def _type_of(schema: Schema, text: str, word: str) -> Type:
    if inner := re.fullmatch(r"(list|optional)<(.+)>", word):
        item = _type_of(schema, text, inner[2])
        return List(item) if inner[1] == "list" else Optional(item)
    if word in SCALARS:
        return SCALARS[word]
    if word in declared(schema):
        return Ref(word)
    raise refused(
        text, f"'{word}' is no type; expected a scalar, list<…>, optional<…> or a type of the schema"
    )


def _literal(text: str, type: Type, word: str) -> Any:
    """The value that a user types as a default."""
    try:
        return word if type == string else Converter(by_name({}), strict=True).of(string, type)(word)
    except (SelectionError, ValueMismatch) as error:
        raise refused(text, f"'{word}' is no value of the type") from error


def rename(schema: Schema, text: str, argument: str) -> Change:
    """A part gets another name, and keeps its number: ``path:name``."""
    path, _, name = argument.partition(":")
    place = part_of(schema, text, path)
    type = declared(schema)[place.owner]
    if isinstance(type, Enum):
        parts: list[Any] = [(name if each == place.part else each, number) for each, number in type.members]
    else:
        parts = [replace(p, name=name, wire="") if p.name == place.part else p for p in type.parts]
    forward: Others = {(place.owner, name): (place.part,)}
    return made(
        text, schema, {place.owner: with_parts_of(type, parts)}, forward, {(place.owner, place.part): (name,)}
    )


def renumber(schema: Schema, text: str, argument: str) -> Change:
    """A field or an alternative gets another number: ``path:number``."""
    path, _, number = argument.partition(":")
    place = part_of(schema, text, path)
    type = declared(schema)[place.owner]
    if isinstance(type, Enum) or not re.fullmatch(r"[1-9]\d{0,9}", number):
        raise refused(text, "expected the path of a field or an alternative, and its number from 1 on")
    parts = [replace(p, number=int(number)) if p.name == place.part else p for p in type.parts]
    return made(text, schema, {place.owner: with_parts_of(type, parts)})


def reorder(schema: Schema, text: str, argument: str) -> Change:
    """The parts of a type are declared in another order, and keep their numbers: ``path:a,b,c``, of the root
    ``a,b,c``; parts that are not named follow in their order."""
    path, _, names = argument.rpartition(":")
    type = declared(schema)[_named_type(place_of(schema, path)).name]
    held = list(type.members if isinstance(type, Enum) else type.parts)
    by_their_name = {(each[0] if isinstance(type, Enum) else each.name): each for each in held}
    first = [part_of(schema, text, f"{path}.{n}" if path else n).part for n in names.split(",")]
    if len(set(first)) < len(first):
        raise refused(text, "a name stands there twice")
    order = [*first, *(name for name in by_their_name if name not in first)]
    return made(text, schema, {type.name: with_parts_of(type, [by_their_name[name] for name in order])})


def retyped(schema: Schema, text: str, path: str, change: Callable[[Type], Type]) -> Change:
    """A field, alternative or item gets the type that ``change`` makes of its own."""
    return made(text, schema, with_type(schema, text, path, change))


def with_type(schema: Schema, text: str, path: str, change: Callable[[Type], Type]) -> dict[str, Any]:
    """The name → declaration of the type of which a part gets the type that ``change`` makes of its own."""
    place = place_of(schema, path)
    type = declared(schema)[place.owner]
    if place.type is None or not place.part:
        raise refused(text, f"{path} has no type that could change")
    parts = []
    for part in type.parts:
        if part.name == place.part:
            part = replace(part, type=type_at(part.type, place.items, change))
            if isinstance(part, Field) and part.default is not NOTHING:
                part = replace(part, default=NOTHING)
        parts.append(part)
    return {place.owner: with_parts_of(type, parts)}


def inside(change: Callable[[Type], Type]) -> Callable[[Type], Type]:
    """The change made to the type inside an optional, or else to the type itself."""
    return lambda type: Optional(change(type.item)) if isinstance(type, Optional) else change(type)


def widths(schema: Schema, text: str, argument: str) -> Change:
    """A number gets another type, ``path:type``: a wider one (``widen``), a narrower one (``narrow``), or one
    with or without a sign (``sign``)."""
    path, _, word = argument.partition(":")
    kind = text.partition("=")[0]
    source = place_of(schema, path).inner
    allowed = numbers_for(kind, source)
    if word not in allowed:
        choice = f"expected {' or '.join(allowed)}" if allowed else "no type would do"
        raise refused(text, f"{path} is no number that becomes '{word}'; {choice}")
    return retyped(schema, text, path, inside(lambda type: SCALARS[word]))


def numbers_for(kind: str, source: Any) -> list[str]:
    """The names of the scalars that a number can become by ``widen``, ``narrow`` or ``sign``."""
    if not isinstance(source, Scalar) or not (source.is_integer or source.is_float):
        return []
    found = [s for s in SCALARS.values() if s.width and s.is_float == source.is_float]
    numbers = [s for s in found if s.is_float or s.is_integer]
    if kind == "sign":
        return [s.name for s in numbers if s.width == source.width and s.name != source.name]

    def holds(wide: Scalar, narrow: Scalar) -> bool:
        fits = wide.is_float or (wide.bounds[0] <= narrow.bounds[0] and narrow.bounds[1] <= wide.bounds[1])
        return wide.width > narrow.width and fits

    if kind == "widen":
        return [s.name for s in numbers if holds(s, source)]
    return [s.name for s in numbers if holds(source, s)]


def optional(schema: Schema, text: str, argument: str) -> Change:
    """A value becomes optional."""
    if isinstance(place_of(schema, argument).type, Optional):
        raise refused(text, f"{argument} is optional")
    return retyped(schema, text, argument, Optional)


def required(schema: Schema, text: str, argument: str) -> Change:
    """An optional value has to be there; values of which it is absent do not fit."""
    if not isinstance(place_of(schema, argument).type, Optional):
        raise refused(text, f"{argument} is not optional")
    return retyped(schema, text, argument, lambda type: type.item)  # type: ignore[union-attr]


def as_list(schema: Schema, text: str, argument: str) -> Change:
    """One value, or an optional one, becomes a list of values."""
    if isinstance(place_of(schema, argument).inner, List):
        raise refused(text, f"{argument} is a list")
    return retyped(schema, text, argument, lambda t: List(t.item if isinstance(t, Optional) else t))


def as_one(schema: Schema, text: str, argument: str) -> Change:
    """A list becomes an optional value; lists of several items do not fit."""
    type = place_of(schema, argument).type
    if not isinstance(type, List) or isinstance(type.item, Optional | List):
        raise refused(text, f"{argument} is no list of values that are always there")
    return retyped(schema, text, argument, lambda t: Optional(t.item))  # type: ignore[union-attr]


def as_text(schema: Schema, text: str, argument: str) -> Change:
    """A number or a bool becomes a string: in decimal digits, as ``true`` or as ``false``."""
    source = place_of(schema, argument).inner
    if not isinstance(source, Scalar) or not (source.is_integer or source.is_float or source.name == "bool"):
        raise refused(text, f"{argument} is neither a number nor a bool")
    return retyped(schema, text, argument, inside(lambda type: string))


def as_parsed(schema: Schema, text: str, argument: str) -> Change:
    """A string becomes a number or a bool, ``path:type``; other strings do not fit."""
    path, _, word = argument.partition(":")
    if place_of(schema, path).inner != string or SCALARS.get(word, string).name in ("string", "bytes"):
        raise refused(text, "expected the path of a string, and the type of a number or bool")
    return retyped(schema, text, path, inside(lambda type: SCALARS[word]))


def group(schema: Schema, text: str, argument: str) -> Change:
    """Fields of one record move into a record of their own, at the place of the first: ``a,b:name``."""
    paths, _, name = argument.rpartition(":")
    moved = [part_of(schema, text, path) for path in paths.split(",")]
    owners = {place.owner for place in moved}
    record = declared(schema)[moved[0].owner]
    if len(owners) > 1 or not isinstance(record, Record):
        raise refused(text, "expected fields of one record")
    names = [place.part for place in moved]
    kind = pascal(name)
    while kind in declared(schema) or kind in SCALARS:
        kind += "Group"
    own = [replace(f, number=0) for f in record.fields if f.name in names]
    whole = Field(name, Ref(kind), next_number(record))
    at = record.fields.index(next(f for f in record.fields if f.name in names))
    for each in names:
        record = without(schema, record, each)
    fields = [*record.fields[:at], whole, *record.fields[at:]]
    types = {record.name: with_parts_of(record, fields), kind: Record(kind, own)}
    back: Others = {(record.name, each): (name, each) for each in names}
    return made(text, schema, types, {(record.name, name): ()}, back)
