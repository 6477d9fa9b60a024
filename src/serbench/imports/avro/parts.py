"""How each part of a schema is read, and how what is read becomes a value of the type model.

What fastavro returns does not always tell which branch of a union a value was; for an enum, fastavro returns
the symbol and not the number; and if a map has a key twice, only the last entry. So it is given another
schema for the same bytes: branches that look the same in Python become records with one field, whose name
says which branch it is and which adds no byte; an enum becomes its integer; a map becomes an array of its
entries. Messages that are not wanted are read without such records, which take a third of the time for some
data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

Convert = Callable[[Any], Any]

Written = Callable[[int], Any]
"""Returns the schema for a place with so many steps of recursion left."""

Fault = tuple[str, str, str]
"""The place in a value that does not fit its type, what was found there, and what is expected."""

_DICT, _FIELD, _OBJECT, _LIST = 240, 24, 56, 88
"""The bytes of Python's objects, rounded up: a dict, each of its entries, a plain object, a list."""

OF_AN_ITEM, OF_AN_ENTRY, OF_A_BRANCH = 16, _DICT + 2 * _FIELD + _OBJECT + 100, _DICT + _FIELD + _OBJECT
"""The bytes of whatever holds an item of a list, an entry of a map or the branch of a union."""

_SAME, _CALLED = "{0}", "{1}({0})"


class NotOfType(Exception):
    """A value does not fit its type; ``Part.fault`` tells where."""


def _no_fault(value: Any) -> Fault | None:
    return None


def _refuse() -> NoReturn:
    raise NotOfType


@dataclass
class SchemaPart:
    """One part of a schema.

    Attributes:
        schema: the schema that fastavro is given.
        kind: the class of what fastavro then returns.
        expression: a Python expression for the value in the type model; ``{0}`` stands for what fastavro
            returned, and ``{1}`` for ``call``. With a call for each part of a message instead, conversion
            would take half as long as reading.
        call: makes the value in the type model. It and the expression raise NotOfType.
        fault: finds where what fastavro returned does not fit the type; None if it fits.
        width: the fewest bytes that it takes, without what is inside lists, maps and unions.
        memory: the most bytes of memory that the objects of these bytes take.
        calls: the most of fastavro's reading functions inside each other, up to a step of recursion.
    """

    schema: Written
    kind: type
    expression: str = _SAME
    call: Convert | None = None
    fault: Callable[[Any], Fault | None] = _no_fault
    width: int = 0
    memory: int = 0
    calls: int = 1

    @property
    def convert(self) -> Convert | None:
        """The function that makes the value in the type model from what fastavro returned; None if they are
        the same."""
        if self.expression == _SAME:
            return None
        if self.expression == _CALLED:
            return self.call
        source = f"lambda value: {self.expression.format('value', 'call')}"
        return eval(source, {"call": self.call, "refuse": _refuse})  # type: ignore[no-any-return]


NULL = SchemaPart(lambda left: "null", type(None), "()")
"""Avro's null, which is an empty record in the type model."""

NO_VALUE = SchemaPart(lambda left: "null", type(None))
"""Avro's null as a branch of a union, which is an alternative without a value in the type model."""

Branches = Sequence[tuple[str, SchemaPart]]
"""The name and the part of each branch of a union."""

_KINDS = {"boolean": bool, "long": int, "float": float, "double": float, "bytes": bytes, "string": str}


def scalar(name: str) -> SchemaPart:
    """A scalar whose values are used as fastavro returns them."""
    width = {"float": 4, "double": 8}.get(name, 1)
    # Python shares the objects of small integers, so a long of one byte takes no memory of its own.
    memory = {"boolean": 0, "long": 16}.get(name, _OBJECT)
    return SchemaPart(lambda left: name, _KINDS[name], width=width, memory=memory)


def fixed(size: int) -> SchemaPart:
    return SchemaPart(lambda left: f"fixed_{size}", bytes, width=size, memory=_OBJECT + size, calls=2)


def integer(low: int, high: int, expected: str) -> SchemaPart:
    """An integer within bounds, which fastavro does not check."""

    def fault(value: int) -> Fault | None:
        return None if low <= value <= high else ("", "another integer", expected)

    expression = f"({{0}} if {low} <= {{0}} <= {high} else refuse())"
    return SchemaPart(lambda left: "long", int, expression, fault=fault, width=1, memory=16)


def record(names: Sequence[str], parts: Sequence[SchemaPart], schema: Written) -> SchemaPart:
    """A record with these fields; its ``schema`` gives the declaration or its name."""

    def fault(value: dict[str, Any]) -> Fault | None:
        for written, part, each in zip(names, parts, value.values(), strict=True):
            if found := part.fault(each):
                return f".{written}{found[0]}", found[1], found[2]
        return None

    memory = _DICT + _FIELD * len(parts) + sum(part.memory for part in parts)
    calls = 2 + max((part.calls for part in parts), default=0)
    return SchemaPart(
        schema, dict, _CALLED, _tuple_of(parts), fault, sum(part.width for part in parts), memory, calls
    )


def _tuple_of(parts: Sequence[SchemaPart]) -> Convert:
    """A function that makes the tuple of a record's values from what fastavro returned. Its source is written
    for this record, as ``collections.namedtuple`` does."""
    if all(part.expression == _SAME for part in parts):
        return lambda value: tuple(value.values())
    fields = "".join(f"v{n}, " for n in range(len(parts)))
    made = "".join(f"{part.expression.format(f'v{n}', f'c{n}')}, " for n, part in enumerate(parts))
    scope: dict[str, Any] = {"refuse": _refuse, **{f"c{n}": part.call for n, part in enumerate(parts)}}
    exec(f"def convert(value):\n    {fields} = value.values()\n    return ({made})", scope)
    return scope["convert"]  # type: ignore[no-any-return]


def list_of(item: SchemaPart) -> SchemaPart:
    def fault(value: list[Any]) -> Fault | None:
        return _fault_of_items(item, value)

    changed = item.expression != _SAME
    return SchemaPart(
        lambda left: {"type": "array", "items": item.schema(left)},
        list,
        f"[{item.expression.format('each', '{1}')} for each in {{0}}]" if changed else _SAME,
        item.call,
        fault,
        width=1,
        memory=_LIST,
        calls=1 + item.calls,
    )


def _fault_of_items(item: SchemaPart, values: Sequence[Any]) -> Fault | None:
    for n, each in enumerate(values):
        if found := item.fault(each):
            return f"[{n}]{found[0]}", found[1], found[2]
    return None


def map_of(name: str, item: SchemaPart) -> SchemaPart:
    """A map, which is read as an array of records called ``name``."""
    change = item.convert

    def schema(left: int) -> Any:
        fields = [{"name": "key", "type": "string"}, {"name": "value", "type": item.schema(left)}]
        return {"type": "array", "items": {"type": "record", "name": f"{name}_{left}", "fields": fields}}

    def call(value: list[dict[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = dict(map(dict.values, value))  # type: ignore[arg-type]
        if len(made) < len(value):
            raise NotOfType
        return {key: change(each) for key, each in made.items()} if change else made

    def fault(value: list[dict[str, Any]]) -> Fault | None:
        if len({each["key"] for each in value}) < len(value):
            return "", "two entries with the same key", "distinct keys"
        return _fault_of_items(item, [each["value"] for each in value])

    return SchemaPart(schema, list, _CALLED, call, fault, width=1, memory=_LIST, calls=2 + item.calls)


def map_passed(item: SchemaPart) -> SchemaPart:
    """A map in messages of which no value is made."""
    return SchemaPart(lambda left: {"type": "map", "values": item.schema(left)}, dict, calls=2 + item.calls)


def optional(item: SchemaPart, index: int) -> SchemaPart:
    """A union of null and one other branch, which has the index 0 or 1."""

    def schema(left: int) -> Any:
        return [item.schema(left), "null"] if index == 0 else ["null", item.schema(left)]

    def fault(value: Any) -> Fault | None:
        return None if value is None else item.fault(value)

    expression = _SAME if item.expression == _SAME else f"(None if {{0}} is None else {item.expression})"
    return SchemaPart(schema, object, expression, item.call, fault, width=1, calls=1 + item.calls)


def union(name: str, branches: Branches) -> SchemaPart:
    """A union. If branches look the same in Python, they are read as records whose names begin with
    ``name``."""
    kinds, changes = [part.kind for _, part in branches], [part.convert for _, part in branches]
    plain = union_passed(branches)
    if len(set(kinds)) < len(kinds):
        return _union_of_boxes(name, branches, plain, changes)
    chosen = {kind: (index, change) for index, (kind, change) in enumerate(zip(kinds, changes, strict=True))}

    def call(value: Any) -> tuple[int, Any]:
        index, change = chosen[type(value)]
        return index, change(value) if change else value

    def fault(value: Any) -> Fault | None:
        return _fault_of_branch(branches[chosen[type(value)][0]], value)

    return replace(plain, expression=_CALLED, call=call, fault=fault, width=1)


def _union_of_boxes(
    name: str, branches: Branches, plain: SchemaPart, changes: Sequence[Convert | None]
) -> SchemaPart:
    chosen = {str(index): (index, change) for index, change in enumerate(changes)}

    def schema(left: int) -> Any:
        return [
            {
                "type": "record",
                "name": f"{name}_{index}_{left}",
                "fields": [{"name": str(index), "type": each}],
            }
            for index, each in enumerate(plain.schema(left))
        ]

    def call(value: dict[str, Any]) -> tuple[int, Any]:
        [(key, held)] = value.items()
        index, change = chosen[key]
        return index, change(held) if change else held

    def fault(value: dict[str, Any]) -> Fault | None:
        [(key, held)] = value.items()
        return _fault_of_branch(branches[int(key)], held)

    return replace(plain, schema=schema, expression=_CALLED, call=call, fault=fault, width=1)


def union_passed(branches: Branches) -> SchemaPart:
    """A union in messages of which no value is made."""
    calls = 2 + max((part.calls for _, part in branches), default=1)
    return SchemaPart(lambda left: [part.schema(left) for _, part in branches], object, calls=calls)


def _fault_of_branch(branch: tuple[str, SchemaPart], value: Any) -> Fault | None:
    called, part = branch
    if found := part.fault(value):
        return f"[{called}]{found[0]}", found[1], found[2]
    return None
