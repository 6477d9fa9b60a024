"""Makes what fails smaller for as long as it still fails: of schemas that fail together the fewest, of a schema the simplest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count
from typing import Any, TypeVar

from tests.drawn import renamed

from serbench.errors import SchemaError
from serbench.model import Enum, Record, Schema, Union
from serbench.model.parts import describe

T = TypeVar("T")
Json = dict[str, Any]

MOST_TRIES = 60
"""How many smaller schemas are tried, since each may be a build."""

PLAINEST = "bool"

PARTS = {"records": "fields", "unions": "alternatives", "enums": "members"}
"""By kind of declaration, what it lists."""


def fewest(items: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> list[T]:
    """Some of ``items`` that fail together, none of which can be left out: halves are left out first, then smaller shares."""
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
    """What is left of a failing schema when nothing of it can be left out or made plainer."""
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


def described(schema: Schema) -> str:
    """The declarations of a schema, one a line, the root last."""
    return "\n".join(f"  {_described(type)}" for type in schema.named)


def _described(type: Enum | Record | Union) -> str:
    match type:
        case Enum(name, underlying, members):
            return f"enum {name}: {underlying.name} {{{', '.join(f'{member} = {value}' for member, value in members)}}}"
        case Record(name, fields):
            return f"record {name} {{{', '.join(f'{f.name}: {describe(f.type)} = {f.number}' for f in fields)}}}"
        case Union(name, alternatives):
            told = (f"{a.name}: {describe(a.type)} = {a.number}" if a.type else f"{a.name} = {a.number}" for a in alternatives)
            return f"union {name} {{{', '.join(told)}}}"


def simpler_schemas(schema: Schema) -> Iterator[Schema]:
    """Schemas with something less than ``schema``, those with the least first."""
    data = schema.to_json()
    roots = (data | {"root": record["name"]} for record in data["records"] if record["name"] != data["root"])
    for candidate in chain(roots, _with_one_part(data), _without_a_part(data), _with_simpler_types(data), _plain(data)):
        try:
            yield Schema.from_json(candidate)
        except SchemaError:
            continue  # what was left out was needed


def _declarations(data: Json) -> Iterator[tuple[str, int, Json]]:
    """Every declaration with its kind and place, the root first."""
    found = [(kind, n, each) for kind in PARTS for n, each in enumerate(data.get(kind, []))]
    return iter(sorted(found, key=lambda each: each[2]["name"] != data["root"]))


def _changed(data: Json, kind: str, at: int, **changes: Any) -> Json:
    return data | {kind: [each | changes if n == at else each for n, each in enumerate(data[kind])]}


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
        for key in ("aliases", "wire", "open"):
            if key in declared:
                kept = {k: each for k, each in declared.items() if k != key}
                yield data | {kind: [kept if n == at else each for n, each in enumerate(data[kind])]}


def _with_simpler_types(data: Json) -> Iterator[Json]:
    for kind, at, declared in _declarations(data):
        listed = declared[PARTS[kind]]
        for n, part in enumerate(listed if kind != "enums" else []):
            for type in _simpler_types(part["type"]):
                yield _changed(data, kind, at, **{PARTS[kind]: [*listed[:n], part | {"type": type}, *listed[n + 1 :]]})


def _simpler_types(type: Any) -> Iterator[Any]:
    """Types with something less around them or in them."""
    if type is None or type == PLAINEST:
        return
    yield PLAINEST
    match type:
        case {"map": [key, value]}:
            yield value
            yield from ({"map": [simpler, value]} for simpler in ("i8",) if key != simpler)
            yield from ({"map": [key, simpler]} for simpler in _simpler_types(value))
        case {"array": item, "length": length}:
            yield item
            if length != 1:
                yield type | {"length": 1}
            yield from (type | {"array": simpler} for simpler in _simpler_types(item))
        case {"list": item} | {"optional": item}:
            yield item
            yield from ({next(iter(type)): simpler} for simpler in _simpler_types(item))
        case {"logical": _, "over": base}:
            yield base


def _plain(data: Json) -> Iterator[Json]:
    """With numbers by order, and with names that are reserved nowhere: all of them, then those of one declaration."""
    for kind, at, declared in _declarations(data):
        if kind != "enums":
            yield _changed(data, kind, at, **{PARTS[kind]: [part | {"number": 0} for part in declared[PARTS[kind]]]})
    types = {each["name"]: f"Type{n}" for n, (_, _, each) in enumerate(_declarations(data))}
    everything = renamed(data, types)
    for kind, at, declared in list(_declarations(everything)):
        everything = _changed(everything, kind, at, **{PARTS[kind]: _plain_parts(kind, declared)})
    yield everything
    yield renamed(data, types)
    for kind, at, declared in _declarations(data):
        yield _changed(data, kind, at, **{PARTS[kind]: _plain_parts(kind, declared)})
        yield renamed(data, {name: name for name in types} | {declared["name"]: types[declared["name"]]})


def _plain_parts(kind: str, declared: Json) -> list[Any]:
    names = (f"part{n}" for n in count())
    if kind == "enums":
        return [[name, value] for name, (_, value) in zip(names, declared["members"], strict=False)]
    return [part | {"name": name} for name, part in zip(names, declared[PARTS[kind]], strict=False)]
