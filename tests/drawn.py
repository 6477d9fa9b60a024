"""Many drawn schemas as one workload, so that one build of a codec holds it to all of them.

The root has a field for each schema. Types whose name an earlier schema has get a number, as one file declares them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from tests.strategies import schemas

from serbench.dataset.values import edge_values
from serbench.model import Field, Record, Schema
from serbench.workload import Workload


def drawn_schemas(count: int) -> list[Schema]:
    """The same ones each time."""
    found: list[Schema] = []

    @settings(
        max_examples=count, derandomize=True, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(schemas())
    def collect(schema: Schema) -> None:
        found.append(schema)

    collect()
    return found


def combined(name: str, parts: Sequence[Schema]) -> Workload:
    """A workload whose messages hold edge values of all ``parts``."""
    taken: set[str] = {"Drawn"}
    fields: list[Field] = []
    for at, part in enumerate(parts):
        names = {type.name: _free(type.name, taken) for type in part.named}
        fields.append(Field(f"drawn_{at}", Schema.from_json(_renamed(part.to_json(), names)).root))
    root = Record("Drawn", fields)

    def generate() -> Iterator[Any]:
        yield from edge_values(root)

    return Workload(name, f"{len(parts)} drawn schemas", root, generate)


def _free(name: str, taken: set[str]) -> str:
    free, number = name, 2
    while free in taken:
        free, number = f"{name}{number}", number + 1
    taken.add(free)
    return free


def _renamed(data: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """A schema's JSON with other names of types."""

    def of_type(type: Any) -> Any:
        match type:
            case str():
                return names.get(type, type)
            case {"map": [key, value]}:
                return {"map": [key, of_type(value)]}
            case dict():
                return {key: value if key == "length" else of_type(value) for key, value in type.items()}
        raise TypeError(f"{type!r} is no type in JSON")

    enums = [enum | {"name": names[enum["name"]]} for enum in data["enums"]]
    records = [
        {"name": names[r["name"]], "fields": [field | {"type": of_type(field["type"])} for field in r["fields"]]}
        for r in data["records"]
    ]
    return {"name": data["name"], "root": names[data["root"]], "enums": enums, "records": records}
