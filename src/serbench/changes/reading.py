"""Reading a part: the paths that are asked for, and the part's values put back into a whole message."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from serbench.changes.change import refused
from serbench.changes.kinds import no_path
from serbench.changes.paths import item_of
from serbench.errors import ValueMismatch
from serbench.model import Array, List, Map, Optional, Record, Schema, Union
from serbench.model.parts import resolved

READ = "read"
"""The word of a workload whose programs read some paths of another workload's messages."""

SHARES = "shares"
"""The word that asks for several sets of paths, each of a greater share of all fields than the one before."""

FIRST = "first"
"""The word that asks for the first value of a message."""

_SHARES = ("1%", "3%", "10%", "30%")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)%")
_CHOSEN = re.compile(r"\[[^\]]+\]")


def sets_of(asked: Sequence[str], schema: Schema) -> list[str]:
    """Return the sets of paths that are asked for, with 1, 3, 10 and 30 % of all fields for ``shares``, where
    that is no field of the root."""
    words = [] if _is_field(schema, SHARES) else [SHARES]
    return [each for text in asked for each in (_SHARES if text.strip() in words else (text,))]


def words_that_are_fields(asked: Sequence[str], schema: Schema) -> list[str]:
    """Return which of the words ``first`` and ``shares`` are asked for and mean a field of the root, since it
    has that name."""
    return [word for word in (FIRST, SHARES) if word in map(str.strip, asked) and _is_field(schema, word)]


def _is_field(schema: Schema, name: str) -> bool:
    return any(part.name == name for part in schema.root.parts)


def read_paths(schema: Schema, asked: str, text: str) -> str:
    """Return the paths that are asked for, separated by commas: those of a list such as ``id, lines[].sku``;
    ``first`` for the first value of the root, where that is no field of it; or ``10%`` for this share of all
    values, drawn by the schema so that a greater share has all paths of a smaller one.

    Raises:
        SelectionError: a path names a single item or entry, or nothing is asked for.
    """
    if not all(each.strip() for each in asked.split(",")):
        raise no_path(schema, text)
    refuse_single(asked, text)
    share = _SHARE.fullmatch(asked.strip())
    if share is None and (asked.strip() != FIRST or _is_field(schema, FIRST)):
        return ",".join(each.strip() for each in asked.split(","))
    found = fields_with_values(schema)
    if not found:
        raise refused(text, "no field holds a value; expected paths")
    if share is None:
        return found[0]
    if not 0 < float(share[1]) <= 100:
        raise refused(text, f"found {share[0]}, expected more than 0 % and at most 100 %")
    count = max(1, round(len(found) * float(share[1]) / 100))
    drawn = set(random.Random(schema.digest()).sample(found, len(found))[:count])
    return ",".join(path for path in found if path in drawn)


def fields_with_values(schema: Schema) -> list[str]:
    """Return the path of every field of a schema that holds no further parts, in the order of messages: the
    parts of each type once."""
    return list(_values(schema.root, "", set()))


def refuse_single(paths: str, text: str) -> None:
    """Raise SelectionError where paths name a single item or entry; ``text`` is what the user asked for."""
    if single := _CHOSEN.search(paths):
        raise refused(text, f"{single[0]} is a single item or entry; expected [], which means all of them")


def _values(owner: Any, path: str, met: set[str]) -> Iterator[str]:
    """Yield the paths in a record or union that itself is at ``path``; ``met`` are the types whose parts came
    before."""
    met.add(owner.name)
    for part in owner.parts:
        if part.type is None:
            continue
        here, inner = f"{path}.{part.name}" if path else part.name, resolved(part.type)
        while (item := item_of(inner.item if isinstance(inner, Optional) else inner)) is not None:
            here, inner = f"{here}[]", resolved(item)
        inner = resolved(inner.item) if isinstance(inner, Optional) else inner
        if isinstance(inner, Record | Union):
            yield from _values(inner, here, met) if inner.name not in met else ()
        elif isinstance(owner, Record):
            yield here


def put_back(whole: Any, value: Any, part: Any, seen: Any) -> Any:
    """Return a value of the type ``whole`` with what a value ``seen`` of the type ``part`` has of it; the
    rest is that of ``value``. The two values have the same shape, such as lists of as many items.

    Raises:
        ValueMismatch: the values have different shapes.
    """
    whole, part = resolved(whole), resolved(part)
    match whole:
        case Record():
            own = {f.name: (f.type, each) for f, each in zip(part.fields, seen, strict=True)}
            return tuple(
                put_back(f.type, each, *own[f.name]) if f.name in own else each
                for f, each in zip(whole.fields, value, strict=True)
            )
        case Union():
            _same(value[0], seen[0])
            before, after = whole.alternatives[value[0]], part.alternatives[seen[0]]
            held = value[1] if before.type is None else put_back(before.type, value[1], after.type, seen[1])
            return (value[0], held)
        case Optional(item):
            _same(value is None, seen is None)
            return None if value is None else put_back(item, value, part.item, seen)
        case List(item) | Array(item, _):
            _same(len(value), len(seen))
            return [put_back(item, each, part.item, own) for each, own in zip(value, seen, strict=True)]
        case Map(_, item):
            _same(value.keys(), seen.keys())
            return {key: put_back(item, each, part.value, seen[key]) for key, each in value.items()}
    return seen


def _same(whole: object, part: object) -> None:
    if whole != part:
        raise ValueMismatch(f"the part has {part} where the whole message has {whole}")
