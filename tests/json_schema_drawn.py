"""Random schemas of JSON Schema, and random documents that are meant to be valid against them."""

from __future__ import annotations

from random import Random
from typing import Any

NAMES = ("id", "name", "x-y", "@id", "+1", "kind", "type", "class", "properties", "items", "$ref", "a b", "ä")
TEXTS = (
    "",
    "a",
    "b",
    "red",
    "it's",
    "0f8fad5b-d9cb-469f-a165-70867728950e",
    "2026-11-22T15:04:05Z",
    "\u20ac\n\t\\",
)
WORDS = ("a", "b", "red", "green", "a b", "a-b", "+1", "true", "null")

_LEVELS = 4


class DrawnSchema:
    """A random schema. Its objects are closed, so that all their members have names; recursion stands only in
    optional members and in lists.

    Attributes:
        json: the schema.
    """

    def __init__(self, draws: Random) -> None:
        self._draws = draws
        self._definitions: dict[str, Any] = {
            name: {} for name in ("Node", "leaf", "a/b")[: draws.randrange(4)]
        }
        for made in self._definitions.values():
            made.update(self._draws.choice((self._object, self._object, self._array, self._enum))(2))
        top = self._object(0) if draws.random() < 0.8 else self._schema(0, plain=True)
        if self._definitions:
            top["$defs"] = self._definitions
        self.json = top

    def _schema(self, level: int, plain: bool = False) -> Any:
        kinds = [self._boolean, self._integer, self._number, self._string, self._enum]
        if level < _LEVELS:
            kinds += [
                self._array,
                self._tuple,
                self._object,
                self._object,
                self._map,
                self._any_of,
                self._nullable,
                self._all_of,
            ]
        if not plain:
            kinds += [lambda level: self._draws.choice((True, {}))]
            kinds += [self._reference] * 2 if self._definitions and level > 0 else []
        return self._draws.choice(kinds)(level)

    def _boolean(self, level: int) -> Any:
        return {"type": "boolean"}

    def _integer(self, level: int) -> Any:
        low = self._draws.choice((0, -1, -128, -129, -(2**31), -(2**63)))
        high = self._draws.choice((127, 128, 255, 2**31, 2**63 - 1))
        return {
            "type": "integer",
            **self._draws.choice(
                ({}, {"minimum": low}, {"maximum": high}, {"minimum": low, "maximum": high})
            ),
        }

    def _number(self, level: int) -> Any:
        return {"type": "number", **self._draws.choice(({}, {"minimum": 0}, {"multipleOf": 0.5}))}

    def _string(self, level: int) -> Any:
        return {"type": "string", **self._draws.choice(({}, {"format": "date-time"}, {"maxLength": 30}))}

    def _enum(self, level: int) -> Any:
        values: list[Any] = self._draws.sample(WORDS, self._draws.randint(1, 4))
        return self._draws.choice(
            ({"enum": values}, {"const": values[0]}, {"enum": [*values, None]}, {"enum": [1, "x", True]})
        )

    def _array(self, level: int) -> Any:
        return {"type": "array", "items": self._schema(level + 1)}

    def _tuple(self, level: int) -> Any:
        first = [self._schema(level + 1, plain=True) for _ in range(self._draws.randint(1, 3))]
        return {"type": "array", "prefixItems": first, "items": False}

    def _object(self, level: int) -> Any:
        names = self._draws.sample(NAMES, self._draws.randint(1, 5))
        made = {name: self._schema(level + 1) for name in names}
        required = [name for name in names if not leads_on(made[name]) and self._draws.random() < 0.5]
        return {"type": "object", "properties": made, "required": required, "additionalProperties": False}

    def _map(self, level: int) -> Any:
        values = self._schema(level + 1)
        return {
            "type": "object",
            **self._draws.choice(({"additionalProperties": values}, {"patternProperties": {"": values}})),
        }

    def _any_of(self, level: int) -> Any:
        return {"anyOf": [self._schema(level + 1) for _ in range(self._draws.randint(1, 3))]}

    def _nullable(self, level: int) -> Any:
        return {"anyOf": [{"type": "null"}, self._schema(level + 1)]}

    def _all_of(self, level: int) -> Any:
        parts = [self._object(level + 1) for _ in range(2)]
        for part in parts:
            del part["additionalProperties"]
        return {"allOf": parts, "unevaluatedProperties": False}

    def _reference(self, level: int) -> Any:
        name = self._draws.choice([*self._definitions])
        return {"$ref": f"#/$defs/{name.replace('/', '~1')}"}


def leads_on(schema: Any) -> bool:
    """Whether a schema has a reference anywhere in it."""
    if isinstance(schema, dict):
        return isinstance(schema.get("$ref"), str) or any(map(leads_on, schema.values()))
    return isinstance(schema, list) and any(map(leads_on, schema))


class Documents:
    """Draws random documents of a schema."""

    def __init__(self, schema: Any, draws: Random) -> None:
        self._schema, self._draws = schema, draws

    def one(self) -> Any:
        return self._of(self._schema, 8)

    def _of(self, schema: Any, levels: int) -> Any:
        if schema in (True, {}):
            return self._any(3)
        if isinstance(reference := schema.get("$ref"), str):
            name = reference.removeprefix("#/$defs/").replace("~1", "/")
            return self._of(self._schema["$defs"][name], levels - 1)
        if "anyOf" in schema:
            return self._of(self._draws.choice(schema["anyOf"]), levels)
        if "allOf" in schema:
            return {
                name: value
                for each in reversed(schema["allOf"])
                for name, value in self._of(each, levels).items()
            }
        if "enum" in schema or "const" in schema:
            return self._draws.choice(schema.get("enum", [schema.get("const")]))
        return getattr(self, f"_{schema['type']}")(schema, levels)

    def _any(self, levels: int) -> Any:
        plain: Any = self._draws.choice((None, True, 5, -(2**63), 2.5, "x", [], {}))
        if not levels or self._draws.random() < 0.5:
            return plain
        return self._draws.choice(([plain, self._any(levels - 1)], {"a": plain, "": self._any(levels - 1)}))

    def _null(self, schema: Any, levels: int) -> Any:
        return None

    def _boolean(self, schema: Any, levels: int) -> Any:
        return self._draws.random() < 0.5

    def _integer(self, schema: Any, levels: int) -> Any:
        low, high = schema.get("minimum", -(2**40)), schema.get("maximum", 2**62)
        return self._draws.choice((low, high, max(low, min(high, 7))))

    def _number(self, schema: Any, levels: int) -> Any:
        return self._draws.choice((0, 1.5, 1e-300, 12.0, 2**60))

    def _string(self, schema: Any, levels: int) -> Any:
        return self._draws.choice(TEXTS)

    def _array(self, schema: Any, levels: int) -> Any:
        if first := schema.get("prefixItems"):
            return [self._of(each, levels - 1) for each in first[: self._draws.randint(0, len(first))]]
        return [
            self._of(schema["items"], levels - 1)
            for _ in range(self._draws.randrange(4) if levels > 0 else 0)
        ]

    def _object(self, schema: Any, levels: int) -> Any:
        if "properties" in schema:
            return {
                name: self._of(each, levels - 1)
                for name, each in schema["properties"].items()
                if name in schema["required"] or (levels > 0 and self._draws.random() < 0.6)
            }
        values = schema.get("additionalProperties", schema.get("patternProperties", {}).get(""))
        return {
            key: self._of(values, levels - 1)
            for key in self._draws.sample(NAMES, self._draws.randrange(3) if levels > 0 else 0)
        }
