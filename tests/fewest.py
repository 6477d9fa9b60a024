"""Reduces a failing input for as long as it still fails: to the fewest schemas that fail together, and to the
simplest form of a schema."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Any, TypeVar

from tests.drawn import renamed

from serbench.errors import SchemaError
from serbench.model import Schema
from serbench.model.types import SCALARS

T = TypeVar("T")
Json = dict[str, Any]

MOST_TRIES = 60
"""The most smaller schemas that are tried, since each may need a build."""

PLAINEST = "bool"

DECORATIONS = ("wire", "aliases", "open", "default", "hints")

PARTS = {"records": "fields", "unions": "alternatives", "enums": "members"}
"""Kind of declaration → the key of the parts that it lists."""


def fewest(items: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> list[T]:
    """The fewest of ``items`` that still fail together, of which none can be left out. Halves are left out
    first, then smaller shares."""
    kept, share = list(items), len(items) // 2
    while share:
        begin = 0
        while begin < len(kept):
            rest = [*kept[:begin], *kept[begin + share :]]
            if rest and fails(rest):
                kept = rest
            else:
                begin += share
        share //= 2
    return kept


def simplest(schema: Schema, fails: Callable[[Schema], bool], tries: int = MOST_TRIES) -> Schema:
    """The simplest schema that still fails: nothing of it can be left out or made plainer."""
    tried = {schema.digest()}
    while len(tried) <= tries:
        for simpler in simpler_schemas(schema):
            if simpler.digest() not in tried and len(tried) <= tries:
                tried.add(simpler.digest())
                if fails(simpler):
                    schema = simpler
                    break
        else:
            break
    return schema


def simpler_schemas(schema: Schema) -> Iterator[Schema]:
    """Schemas that are each simpler than ``schema`` in one way, the simplest first."""
    data = schema.to_json()
    roots = (data | {"root": record["name"]} for record in data["records"] if record["name"] != data["root"])
    less = (
        _undecorated(data),
        _with_one_part(data),
        _without_a_part(data),
        _with_simpler_types(data),
        _plain(data),
    )
    for candidate in chain(roots, *less):
        try:
            yield Schema.from_json(candidate)
        except SchemaError:
            continue  # the part that was left out was needed


def _declarations(data: Json) -> Iterator[tuple[str, int, Json]]:
    """Every declaration of a schema with its kind and its index, the root first."""
    found = [(kind, n, each) for kind in PARTS for n, each in enumerate(data.get(kind, []))]
    return iter(sorted(found, key=lambda each: each[2]["name"] != data["root"]))


def _changed(data: Json, kind: str, at: int, **changes: Any) -> Json:
    return data | {kind: [each | changes if n == at else each for n, each in enumerate(data[kind])]}


def _undecorated(data: Json) -> Iterator[Json]:
    """Schemas without optional attributes of types and their parts, such as numbers and written names: once
    without all of them, and once without each kind."""

    def without(keys: Collection[str], told: Any) -> Any:
        match told:
            case dict():
                return {key: without(keys, each) for key, each in told.items() if key not in keys}
            case list():
                return [without(keys, each) for each in told]
        return told

    for keys in (DECORATIONS, *([key] for key in DECORATIONS)):
        yield {key: without(keys, each) if key in PARTS else each for key, each in data.items()}


def _with_one_part(data: Json) -> Iterator[Json]:
    for kind, at, declared in _declarations(data):
        listed = declared[PARTS[kind]]
        if len(listed) > 2:
            for part in listed:
                yield _changed(data, kind, at, **{PARTS[kind]: [part]})


def _without_a_part(data: Json) -> Iterator[Json]:
    for kind, at, declared in _declarations(data):
        listed = declared[PARTS[kind]]
        for n in range(len(listed) if len(listed) > 1 else 0):
            yield _changed(data, kind, at, **{PARTS[kind]: [*listed[:n], *listed[n + 1 :]]})


def _with_simpler_types(data: Json) -> Iterator[Json]:
    flat = _parts_of_flat_types(data)
    for kind, at, declared in _declarations(data):
        listed = declared[PARTS[kind]]
        if kind == "enums":
            yield _changed(
                data, kind, at, underlying="i8", members=[[name, n] for n, (name, _) in enumerate(listed)]
            )
            continue
        for n, part in enumerate(listed):
            empty = [None] if kind == "unions" else []
            for type in (*empty, *_simpler_types(part["type"], declared["name"], flat)):
                yield _changed(
                    data, kind, at, **{PARTS[kind]: [*listed[:n], part | {"type": type}, *listed[n + 1 :]]}
                )


def _parts_of_flat_types(data: Json) -> dict[str, list[Any]]:
    """The name of each record and union that does not lead back to itself → the types of its parts. A type
    that leads back to itself is left out, since a schema in which its parts replaced it would grow without
    end."""
    types = {
        declared["name"]: [part["type"] for part in declared[PARTS[kind]] if part["type"] is not None]
        for kind, _, declared in _declarations(data)
        if kind != "enums"
    }
    reached = {name: set(_names_in(of)) for name, of in types.items()}
    for _ in types:
        for name, others in reached.items():
            reached[name] = others.union(*(reached.get(other, set()) for other in others))
    return {name: of for name, of in types.items() if name not in reached[name]}


def _names_in(type: Any) -> Iterator[str]:
    match type:
        case str():
            yield type
        case list():
            for each in type:
                yield from _names_in(each)
        case dict():
            yield from _names_in([each for key, each in type.items() if key not in ("logical", "unit")])


def _simpler_types(type: Any, own: str, flat: Mapping[str, list[Any]]) -> Iterator[Any]:
    """Types that are simpler than ``type``, which stands in the declaration ``own``: an item in place of its
    list, map or optional; a part of a record or union in ``flat`` in place of that record or union; and
    ``own`` in place of another declared type, so that recursion through others becomes direct."""
    if type is None or type == PLAINEST:
        return
    yield PLAINEST
    match type:
        case str() if type not in SCALARS and type != own:
            yield from (own, *flat.get(type, []))
        case {"map": [key, value]}:
            yield value
            yield from ({"map": [simpler, value]} for simpler in ("i8",) if key != simpler)
            yield from ({"map": [key, simpler]} for simpler in _simpler_types(value, own, flat))
        case {"array": item, "length": length}:
            yield item
            if length != 1:
                yield type | {"length": 1}
            yield from (type | {"array": simpler} for simpler in _simpler_types(item, own, flat))
        case {"list": item} | {"optional": item}:
            yield item
            yield from ({next(iter(type)): simpler} for simpler in _simpler_types(item, own, flat))
        case {"logical": _, "over": base}:
            yield base
            if type.get("precision", 1) > 1:
                yield type | {"precision": 1, "scale": 0}
            yield from (
                type | {"over": simpler}
                for simpler in ({"bytes": 1},)
                if isinstance(base, dict) and base != simpler
            )
        case {"bytes": length} if length != 1:
            yield {"bytes": 1}


def _plain(data: Json) -> Iterator[Json]:
    """Schemas with default numbers in one declaration; then schemas with names that are reserved nowhere, in
    all declarations and in each one."""
    for kind, at, declared in _declarations(data):
        if kind != "enums":
            yield _changed(
                data, kind, at, **{PARTS[kind]: [part | {"number": 0} for part in declared[PARTS[kind]]]}
            )
    types = {each["name"]: f"Type{n}" for n, (_, _, each) in enumerate(_declarations(data))}
    everything = renamed(data, types)
    for kind, at, declared in list(_declarations(everything)):
        everything = _changed(everything, kind, at, **_with_plain_names(kind, declared))
    yield everything
    yield renamed(data, types)
    for kind, at, declared in _declarations(data):
        yield _changed(data, kind, at, **_with_plain_names(kind, declared))
        yield renamed(data, {name: name for name in types} | {declared["name"]: types[declared["name"]]})


def _with_plain_names(kind: str, declared: Json) -> Json:
    """The fields, alternatives or members of a declaration with plain names: part0, part1 and so on."""
    names = (f"part{n}" for n in count())
    if kind != "enums":
        return {
            PARTS[kind]: [
                part | {"name": name} for name, part in zip(names, declared[PARTS[kind]], strict=False)
            ]
        }
    listed = {key: declared[key] for key in ("members", "aliases", "wire") if key in declared}
    plain = dict(
        zip((name for name, _ in [*listed["members"], *listed.get("aliases", [])]), names, strict=False)
    )
    return {key: [[plain[name], each] for name, each in pairs] for key, pairs in listed.items()}
