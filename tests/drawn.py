"""Random schemas packed into workloads, so that one program of a codec is tested with many of them.

Each random schema follows from its number. The root of a pack has a field for each schema, whose type is the
root of that schema; the root of a flat pack has the fields of these roots themselves. A type whose name an
earlier schema has is renamed by adding a number.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from tests.schemas import schema_of
from tests.strategies import values_of

from serbench.codecs.codec import Variant
from serbench.dataset.values import NO_LIMITS, Limits
from serbench.model import Field, Record, Schema, i32
from serbench.model.grown import EDITION
from serbench.selecting.support import limits_of_values
from serbench.workload import Workload

PACK = 50
"""The number of schemas in one pack. Up to about this number, most of the compile time goes to the libraries'
headers."""

VALUES = 16
"""The number of random values of each schema, in addition to its edge values."""

ROOT = "Drawn"


EDITIONS = range(1, EDITION + 1)
"""The editions of the type model whose random schemas are tested; the first stays, since earlier runs and
codecs rely on its schemas."""


def drawn_schemas(count: int, edition: int = 1) -> list[Schema]:
    """The first ``count`` random schemas of an edition of the type model, the same ones each time."""
    begin = "drawn" if edition == 1 else f"drawn/{edition}"
    return [schema_of(edition)(Random(f"{begin}/{number}")) for number in range(count)]


@dataclass(frozen=True)
class Pack:
    """Several schemas in one workload.

    Attributes:
        flat: whether the root has the fields of the random roots themselves, for codecs whose root can hold
            no record.
        limits: the limits within which all values are brought, for codecs that take no values beyond them.
    """

    parts: tuple[Schema, ...]
    flat: bool = False
    limits: Limits = NO_LIMITS

    def with_parts(self, parts: Iterable[Schema]) -> Pack:
        return Pack(tuple(parts), self.flat, self.limits)

    @property
    def schema(self) -> Schema:
        return packed("pack", self.parts, self.flat)

    @property
    def workload(self) -> Workload:
        """The workload of the pack. Its name is that of no other pack, so that what was built for one pack is
        kept while others are built."""
        told = json.dumps([[part.to_json() for part in self.parts], self.flat, self.limits.parameters()])
        name = f"drawn_{hashlib.sha256(told.encode()).hexdigest()[:8]}"
        schema = packed(name, self.parts, self.flat)
        return Workload(name, f"{len(self.parts)} drawn schemas", schema.root, self.values, also=schema.named)

    def values(self) -> Iterator[Any]:
        """Random values of all parts of the pack. Edge values need not be given: they are made for any
        workload."""
        drawn = [drawn_values(part) for part in self.parts]
        root = self.schema.root
        for n in range(VALUES):
            each = [values[n % len(values)] for values in drawn]
            message = tuple(field for value in each for field in value) if self.flat else tuple(each)
            yield self.limits.fitted(root, message)


def packs(
    parts: Sequence[Schema], variants: Iterable[Variant], size: int = PACK
) -> dict[Pack, list[Variant]]:
    """Puts schemas into packs of ``size``; returns each pack with the variants that are tested with it.

    A schema that a variant cannot do is left out of its packs, so that it hides no other fault. A schema that
    a variant can do only as fields of the root is in a flat pack.
    """
    found: dict[Pack, list[Variant]] = {}
    alone = {part: forms(part) for part in parts}
    for variant in variants:
        fitting = {part: _first_form(variant, alone[part]) for part in parts}
        for begin in range(0, len(parts), size):
            for flat in (False, True):
                own = tuple(part for part in parts[begin : begin + size] if fitting[part] is flat)
                for pack in _fitting(variant, Pack(own, flat, _limits(variant))):
                    found.setdefault(pack, []).append(variant)
    return found


def _limits(variant: Variant) -> Limits:
    """The limits that a variant has whatever the schema is, without its limit on depth, which depends on the
    schema."""
    return reduce(Limits.and_those, map(limits_of_values, variant.cannot), NO_LIMITS)


def _fitting(variant: Variant, pack: Pack) -> Iterator[Pack]:
    """The pack, halved until the variant can do each part: schemas that it can do alone may be too much for
    it together, such as when one scope has to hold the names of all."""
    if len(pack.parts) > 1 and variant.why_not(pack.schema) is not None:
        middle = len(pack.parts) // 2
        for half in (pack.parts[:middle], pack.parts[middle:]):
            yield from _fitting(variant, pack.with_parts(half))
    elif pack.parts:
        yield pack


def forms(part: Schema) -> list[Schema]:
    """The two packs in which one random schema can be tested, each as a schema: the random one is a record in
    a field of the root, or flat, with its fields in the root. A second schema stands beside it in both packs,
    since codecs may write a root of one field as that field."""
    beside = Schema("beside", Record("Beside", (Field("value", i32, 1),)))
    return [packed("part", [part, beside], flat) for flat in (False, True)]


def _first_form(variant: Variant, forms: Sequence[Schema]) -> bool | None:
    """The first of the ``forms`` of a schema that a variant can do: False for the record, True for the flat
    form; None if it can do neither."""
    return next((bool(flat) for flat, form in enumerate(forms) if variant.why_not(form) is None), None)


def packed(name: str, parts: Sequence[Schema], flat: bool = False) -> Schema:
    """One schema that holds all ``parts``: each as a record in a field of the root, or with ``flat`` by its
    fields in the root."""
    taken, fields, written = {ROOT}, set[str](), set[str]()
    whole: dict[str, list[Any]] = {"enums": [], "records": [], "unions": []}
    own: list[dict[str, Any]] = []
    for n, part in enumerate(parts):
        data = renamed(part.to_json(), {type.name: _free(type.name, taken) for type in part.named})
        root = next(record for record in data["records"] if record["name"] == data["root"])
        if flat:
            own += [_renumbered(field, fields, written) for field in root["fields"]]
        else:
            own.append({"name": f"drawn_{n}", "type": data["root"], "number": 0})
        for kind, types in whole.items():
            types += data.get(kind, [])
    whole["records"].append({"name": ROOT, "fields": own})
    return Schema.from_json({"name": name, "root": ROOT, **whole})


def _renumbered(field: dict[str, Any], names: set[str], written: set[str]) -> dict[str, Any]:
    """A copy of a field without its number, and with a name and a written name that are not among ``names``
    and ``written``, so that the fields of several records fit into one record."""
    wire, name = _free(field.get("wire", field["name"]), written), _free(field["name"], names)
    kept = {key: each for key, each in field.items() if key != "wire"}
    return kept | {"name": name, "number": 0} | ({"wire": wire} if wire != name else {})


def drawn_values(schema: Schema) -> list[Any]:
    """Up to ``VALUES`` random values of a schema, the same ones each time."""
    found: list[Any] = []

    @seed(1)
    @settings(
        max_examples=VALUES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(values_of(schema.root))
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found[:VALUES]


def _free(name: str, taken: set[str]) -> str:
    free, number = name, 2
    while free in taken:
        free, number = f"{name}{number}", number + 1
    taken.add(free)
    return free


def renamed(data: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """The JSON of a schema whose types are renamed."""

    def of_type(type: Any) -> Any:
        match type:
            case str():
                return names.get(type, type)
            case list():
                return [of_type(each) for each in type]
            case dict():
                return {
                    key: each if key in ("logical", "unit") else of_type(each) for key, each in type.items()
                }
        return type

    def of_parts(parts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        return [part | {"type": of_type(part["type"])} for part in parts]

    def of_declaration(declared: dict[str, Any]) -> dict[str, Any]:
        changed = {key: of_parts(declared[key]) for key in ("fields", "alternatives") if key in declared}
        return declared | {"name": names[declared["name"]]} | changed

    kinds = {
        kind: [of_declaration(each) for each in data.get(kind, [])] for kind in ("enums", "records", "unions")
    }
    return data | {"root": names[data["root"]]} | kinds
