"""Kinds of changes to the shape of records that lose nothing: a list of records as columns, and a record of
one field as that field."""

from __future__ import annotations

from typing import Any

from serbench.changes.change import Change, edited, refused
from serbench.changes.free import FREE
from serbench.changes.kinds import inside, with_type
from serbench.changes.paths import Place, item_of, named_in, parts_of, place_of
from serbench.changes.wholes import edit_at
from serbench.model import Field, List, Optional, Record, Ref, Schema
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
