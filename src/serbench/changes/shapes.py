"""Kinds of changes to the shape of messages that lose nothing: a list of records as columns, a record of one
field as that field, a map whose keys are always the same as a record, and texts as numbers of a table."""

from __future__ import annotations

import re
from typing import Any

from serbench.changes.change import Change, declared, edited, refused, with_parts_of
from serbench.changes.free import FREE
from serbench.changes.kinds import inside, next_number, with_type
from serbench.changes.paths import Place, item_of, named_in, parts_of, place_of
from serbench.changes.wholes import edit_at
from serbench.errors import ValueMismatch
from serbench.model import Field, List, Map, Optional, Record, Ref, Schema, Type, string, u32
from serbench.model.names import pascal
from serbench.model.parts import resolved
from serbench.model.types import SCALARS


def _refuse_recursive(schema: Schema, text: str, place: Place, record: Record) -> None:
    left, met = [record.name], {record.name}
    known = {each.name: each for each in schema.composites}
    while left:
        for _, type in parts_of(known[left.pop()]):
            name = "" if type is None else getattr(named_in(type), "name", "")
            if name in known and name not in met:
                met.add(name)
                left.append(name)
    if place.owner in met:
        raise refused(text, f"{record.name} holds {place.owner} again, so that there is no end of it")


def columns(schema: Schema, text: str, argument: str) -> Change:
    """A list of records becomes one record with a list for each of their fields."""
    place = place_of(schema, argument)
    record = resolved(item_of(place.inner)) if isinstance(place.inner, List) else None
    if not isinstance(record, Record) or not record.fields:
        raise refused(text, f"{argument} is no list of records with fields")
    _refuse_recursive(schema, text, place, record)
    name = f"{record.name}Columns"
    if name in {each.name for each in schema.composites} | SCALARS.keys():
        raise refused(text, f"there is a type {name}")
    fields = [Field(each.name, List(each.type), wire=each.wire) for each in record.fields]
    types = with_type(schema, text, argument, inside(lambda type: Ref(name)))
    new = edited(text, schema, types | {name: Record(name, fields)}, keeps_walk=False)

    def across(rows: Any) -> Any:
        return None if rows is None else tuple([row[n] for row in rows] for n in range(len(fields)))

    def back(lists: Any) -> Any:
        if lists is None:
            return None
        return list(zip(*lists, strict=True)) if len(set(map(len, lists))) == 1 else FREE

    return Change(text, schema, new, edit_at(schema, place, across), edit_at(new, place, back))


def ungroup(schema: Schema, text: str, argument: str) -> Change:
    """A record of one field becomes that field."""
    place = place_of(schema, argument)
    record = place.inner if place.type is not None else None
    if not place.part or not isinstance(record, Record) or len(record.fields) != 1:
        raise refused(text, f"{argument} is no record of one field")
    _refuse_recursive(schema, text, place, record)
    held = record.fields[0].type
    if isinstance(place.type, Optional) and isinstance(held, Optional):
        raise refused(text, f"an absent {argument} would be the same as an absent {record.fields[0].name}")
    new = edited(text, schema, with_type(schema, text, argument, inside(lambda type: held)))
    out = edit_at(schema, place, lambda value: None if value is None else value[0])
    absent = isinstance(place.type, Optional)
    return Change(
        text, schema, new, out, edit_at(new, place, lambda x: None if absent and x is None else (x,))
    )


_RECORD = re.compile(r"(\d{1,2}),(\d{1,2})")


def record(schema: Schema, text: str, argument: str) -> Change:
    """A map becomes a record, ``path:3,8``, of so many fields with names of so many characters, one for each
    key; maps that have other keys than the first one do not fit. Fields are named by numbers, since some
    formats write names, and names of keys would tell the data."""
    path, _, word = argument.partition(":")
    place, size = place_of(schema, path), _RECORD.fullmatch(word)
    if place.type is None or not isinstance(place.inner, Map) or not size or not int(size[1]):
        raise refused(text, "expected the path of a map, and the number of its keys and of their characters")
    count, characters = int(size[1]), int(size[2])
    name = pascal(f"{place.part}_record")
    while name in {each.name for each in (*schema.composites, *schema.enums)} | SCALARS.keys():
        name += "Too"
    held: list[Type] = []

    def replaced(type: Any) -> Type:
        held.append(type.value)
        return Ref(name)

    types = with_type(schema, text, path, inside(replaced))
    names = [f"k{number:0{max(1, characters - 1)}}" for number in range(count)]
    made = Record(name, [Field(each, held[0]) for each in names])
    new = edited(text, schema, types | {name: made}, keeps_walk=False)
    keys: list[Any] = []

    def across(value: Any) -> Any:
        if value is None:
            return None
        keys.extend(value if not keys and len(value) == count else ())
        if not keys or value.keys() != {*keys}:
            raise ValueMismatch(f"{path}: the map has other keys")
        return tuple(value[key] for key in keys)

    def back(value: Any) -> Any:
        if value is None:
            return None
        return dict(zip(keys, value, strict=True)) if keys else FREE

    return Change(text, schema, new, edit_at(schema, place, across), edit_at(new, place, back))


def dictionary(schema: Schema, text: str, argument: str) -> Change:
    """Texts become their numbers in a table of the distinct ones, a new field of the root. The table has them
    in the order in which the message has them, so that equal messages stay equal."""
    place, root = place_of(schema, argument), schema.root
    if place.type is None or place.inner != string:
        raise refused(text, f"{argument} is no string")
    inside_of_it = (type for each in schema.composites for _, type in parts_of(each) if type is not None)
    if any(getattr(named_in(type), "name", "") == root.name for type in inside_of_it):
        raise refused(text, f"{root.name} holds itself, so that each of them would have a table")
    types = with_type(schema, text, argument, inside(lambda type: u32))
    own = types.get(root.name, declared(schema)[root.name])
    name, taken = f"{place.part}_texts", {each.name for each in own.fields}
    while name in taken:
        name += "_too"
    table = Field(name, List(string), next_number(own))
    new = edited(text, schema, types | {root.name: with_parts_of(own, [*own.fields, table])})

    def there(message: Any) -> Any:
        numbers: dict[str, int] = {}

        def number(value: Any) -> Any:
            return None if value is None else numbers.setdefault(value, len(numbers))

        return (*edit_at(schema, place, number)(message), list(numbers))

    def back(message: Any) -> Any:
        texts = message[-1]

        def text_of(number: Any) -> Any:
            return None if number is None else texts[number] if number < len(texts) else FREE

        return edit_at(new, place, text_of)(message)[:-1]

    return Change(text, schema, new, there, back)
