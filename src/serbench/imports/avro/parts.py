"""How each part of a schema is read, and how the result becomes a value of the type model.

Some values that fastavro returns do not tell which branch of a union was read; for an enum, fastavro returns
the symbol and not the number; and for a map that has a key twice, only the last entry. So fastavro is given
another schema for the same bytes: branches that look the same in Python become records with one field, whose
name tells the branch and which adds no byte; an enum becomes its integer; a map becomes an array of its
entries. Messages that are not wanted are read without such records, which take a third of the time for some
data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

Convert = Callable[[Any], Any]

Written = Callable[[int], Any]
"""Returns the schema of a part where so many steps of recursion are left."""

Inner = Iterable[tuple[str, "SchemaPart", Any]]
"""For each value directly inside another one: its place there, such as ``[2]``, its part, and the value."""

_DICT, _FIELD, _OBJECT, _LIST = 240, 24, 56, 88
"""The bytes of objects in Python, rounded up: a dict, each of its entries, a plain object, a list."""

OF_AN_ITEM, OF_AN_ENTRY, OF_A_BRANCH = 16, _DICT + 2 * _FIELD + _OBJECT + 100, _DICT + _FIELD + _OBJECT
"""The bytes of the Python object around an item of a list, an entry of a map or the branch of a union."""

_SAME, _CALLED = "{0}", "{1}({0})"


class NotOfType(Exception):
    """Raised for a value that does not fit its type; ``fault_in`` finds the place."""


def _refuse() -> NoReturn:
    raise NotOfType


@dataclass
class SchemaPart:
    """One part of a schema.

    Attributes:
        schema: the schema that fastavro is given.
        kind: the class of the values that fastavro then returns.
        expression: a Python expression for the value in the type model; ``{0}`` stands for the value that
            fastavro returned, and ``{1}`` for ``call``. With a call for each part of a message instead,
            conversion would take half as long as reading.
        call: makes the value in the type model. Both it and the expression raise NotOfType.
        inner: gives the values inside a value that fastavro returned.
        misfit: for a value that fastavro returned, what is wrong with the value itself, and what is expected;
            None if it fits.
        width: the fewest bytes that a value takes, without the items of lists, maps and unions.
        memory: the most bytes of memory that the objects of these bytes take.
        calls: how deep fastavro's reading functions call each other at most, up to a step of recursion.
    """

    schema: Written
    kind: type
    expression: str = _SAME
    call: Convert | None = None
    inner: Callable[[Any], Inner] = lambda value: ()
    misfit: Callable[[Any], tuple[str, str] | None] = lambda value: None
    width: int = 0
    memory: int = 0
    calls: int = 1

    @property
    def convert(self) -> Convert | None:
        """Makes the value in the type model from that of fastavro; None if both are the same."""
        if self.expression == _SAME:
            return None
        if self.expression == _CALLED:
            return self.call
        source = f"lambda value: {self.expression.format('value', 'call')}"
        return eval(source, {"call": self.call, "refuse": _refuse})  # type: ignore[no-any-return]


def fault_in(part: SchemaPart, value: Any, path: str = "") -> tuple[str, str, str] | None:
    """The first place where a value that fastavro returned does not fit its part of the schema, what was
    found there, and what is expected; None if all of the value fits."""
    if found := part.misfit(value):
        return path, *found
    for step, each, held in part.inner(value):
        if fault := fault_in(each, held, f"{path}{step}"):
            return fault
    return None


NULL = SchemaPart(lambda left: "null", type(None), "()")
"""Avro's null, which is an empty record in the type model."""

NO_VALUE = SchemaPart(lambda left: "null", type(None))
"""Avro's null as a branch of a union, which is an alternative without a value in the type model."""

Branches = Sequence[tuple[str, SchemaPart]]
"""The name and the part of each branch of a union."""

_KINDS = {"boolean": bool, "long": int, "float": float, "double": float, "bytes": bytes, "string": str}


def scalar(name: str) -> SchemaPart:
    """The ``SchemaPart`` for a scalar whose values are used as fastavro returns them."""
    width = {"float": 4, "double": 8}.get(name, 1)
    # Python shares the objects of small integers, so a long of one byte takes no memory of its own.
    memory = {"boolean": 0, "long": 16}.get(name, _OBJECT)
    return SchemaPart(lambda left: name, _KINDS[name], width=width, memory=memory)


def fixed(size: int) -> SchemaPart:
    """The ``SchemaPart`` for bytes of a fixed length."""
    return SchemaPart(lambda left: f"fixed_{size}", bytes, width=size, memory=_OBJECT + size, calls=2)


def integer(low: int, high: int, expected: str) -> SchemaPart:
    """The ``SchemaPart`` for an integer within bounds, which fastavro does not check."""
    expression = f"({{0}} if {low} <= {{0}} <= {high} else refuse())"
    fault = "another integer", expected
    return SchemaPart(
        lambda left: "long",
        int,
        expression,
        misfit=lambda value: None if low <= value <= high else fault,
        width=1,
        memory=16,
    )


def record(names: Sequence[str], parts: Sequence[SchemaPart], schema: Written) -> SchemaPart:
    """The ``SchemaPart`` for a record; ``schema`` gives its declaration or its name."""
    steps = [f".{name}" for name in names]
    return SchemaPart(
        schema,
        dict,
        _CALLED,
        _tuple_of(parts),
        lambda value: zip(steps, parts, value.values(), strict=True),
        width=sum(part.width for part in parts),
        memory=_DICT + _FIELD * len(parts) + sum(part.memory for part in parts),
        calls=2 + max((part.calls for part in parts), default=0),
    )


def _tuple_of(parts: Sequence[SchemaPart]) -> Convert:
    """A function that makes the tuple of a record's values from the dict that fastavro returned. Its source
    is written for this record, as ``collections.namedtuple`` does."""
    if all(part.expression == _SAME for part in parts):
        return lambda value: tuple(value.values())
    fields = "".join(f"v{n}, " for n in range(len(parts)))
    made = "".join(f"{part.expression.format(f'v{n}', f'c{n}')}, " for n, part in enumerate(parts))
    scope: dict[str, Any] = {"refuse": _refuse, **{f"c{n}": part.call for n, part in enumerate(parts)}}
    exec(f"def convert(value):\n    {fields} = value.values()\n    return ({made})", scope)
    return scope["convert"]  # type: ignore[no-any-return]


def list_of(item: SchemaPart) -> SchemaPart:
    """The ``SchemaPart`` for a list, whose items are read by the part ``item``."""
    changed = item.expression != _SAME
    return SchemaPart(
        lambda left: {"type": "array", "items": item.schema(left)},
        list,
        f"[{item.expression.format('each', '{1}')} for each in {{0}}]" if changed else _SAME,
        item.call,
        lambda value: _items(item, value),
        width=1,
        memory=_LIST,
        calls=1 + item.calls,
    )


def _items(item: SchemaPart, values: Iterable[Any]) -> Inner:
    return ((f"[{n}]", item, each) for n, each in enumerate(values))


def map_of(name: str, item: SchemaPart) -> SchemaPart:
    """The ``SchemaPart`` for a map, which is read as an array of records called ``name``."""
    change = item.convert

    def schema(left: int) -> Any:
        fields = [{"name": "key", "type": "string"}, {"name": "value", "type": item.schema(left)}]
        return {"type": "array", "items": {"type": "record", "name": f"{name}_{left}", "fields": fields}}

    def call(value: list[dict[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = dict(map(dict.values, value))  # type: ignore[arg-type]
        if len(made) < len(value):
            raise NotOfType
        return {key: change(each) for key, each in made.items()} if change else made

    def inner(value: list[dict[str, Any]]) -> Inner:
        return _items(item, (each["value"] for each in value))

    def misfit(value: list[dict[str, Any]]) -> tuple[str, str] | None:
        is_twice = len({each["key"] for each in value}) < len(value)
        return ("two entries with the same key", "distinct keys") if is_twice else None

    calls = 2 + item.calls
    return SchemaPart(schema, list, _CALLED, call, inner, misfit, width=1, memory=_LIST, calls=calls)


def map_passed(item: SchemaPart) -> SchemaPart:
    """The ``SchemaPart`` for a map in a message that is passed over, so that no value is made of it."""
    return SchemaPart(lambda left: {"type": "map", "values": item.schema(left)}, dict, calls=2 + item.calls)


def optional(item: SchemaPart, index: int) -> SchemaPart:
    """The ``SchemaPart`` for a union of null and one other branch, which has the index 0 or 1."""

    def schema(left: int) -> Any:
        return [item.schema(left), "null"] if index == 0 else ["null", item.schema(left)]

    def inner(value: Any) -> Inner:
        return () if value is None else (("", item, value),)

    expression = _SAME if item.expression == _SAME else f"(None if {{0}} is None else {item.expression})"
    return SchemaPart(schema, object, expression, item.call, inner, width=1, calls=1 + item.calls)


def union(name: str, branches: Branches) -> SchemaPart:
    """The ``SchemaPart`` for a union; branches alike in Python become records with names from ``name``."""
    kinds, changes = [part.kind for _, part in branches], [part.convert for _, part in branches]
    plain = union_passed(branches)
    chosen = {kind: index for index, kind in enumerate(kinds)}

    def boxed(left: int) -> Any:
        fields = enumerate([{"name": str(n), "type": each}] for n, each in enumerate(plain.schema(left)))
        return [{"type": "record", "name": f"{name}_{n}_{left}", "fields": each} for n, each in fields]

    def by_kind(value: Any) -> tuple[int, Any]:
        return chosen[type(value)], value

    def in_box(value: dict[str, Any]) -> tuple[int, Any]:
        [(key, held)] = value.items()
        return int(key), held

    schema, branch = (plain.schema, by_kind) if len(chosen) == len(branches) else (boxed, in_box)

    def call(value: Any) -> tuple[int, Any]:
        index, held = branch(value)
        change = changes[index]
        return index, change(held) if change else held

    def inner(value: Any) -> Inner:
        index, held = branch(value)
        called, part = branches[index]
        return ((f"[{called}]", part, held),)

    return replace(plain, schema=schema, expression=_CALLED, call=call, inner=inner, width=1)


def union_passed(branches: Branches) -> SchemaPart:
    """The ``SchemaPart`` for a union in a message that is passed over, so that no value is made of it."""
    calls = 2 + max((part.calls for _, part in branches), default=1)
    return SchemaPart(lambda left: [part.schema(left) for _, part in branches], object, calls=calls)
