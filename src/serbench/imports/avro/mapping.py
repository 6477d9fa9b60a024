"""Maps Avro's types to the type model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import isfinite
from typing import Any

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.idl.avsc import NULL_LAST, WITHOUT_DEFAULT
from serbench.imports.avro.schemas import DEFAULT, LOGICAL, RECORDS, Parsed, kind_of, name_of, nullable
from serbench.imports.base import Imported, Mapped
from serbench.imports.declaring import Declaring
from serbench.imports.names import ScopeNames, enum_of_texts, identifier, wire
from serbench.model import types
from serbench.model.names import pascal
from serbench.model.parts import describe
from serbench.model.types import NOTHING
from serbench.text import safe, shortened

MOST_PARTS = 100_000
"""The most fields, branches and symbols of one schema: more would take too much memory."""

MOST_FIXED = 1 << 24
"""The most bytes of a ``fixed``: with longer ones, a few values would take too much memory."""

_LONGEST_TOLD = 200

VALUE = "value"
"""The name of the only field in the record that is made around a message of another type."""

_SCALARS = {
    "boolean": types.bool_,
    "int": types.i32,
    "long": types.i64,
    "float": types.f32,
    "double": types.f64,
    "bytes": types.bytes_,
    "string": types.string,
}

_LOGICAL = {
    ("int", "date"): types.Logical("date", types.i32),
    ("int", "time-millis"): types.Logical("time", types.i32, "ms"),
    ("long", "time-micros"): types.Logical("time", types.i64, "us"),
    ("string", "uuid"): types.Logical("uuid", types.string),
    **{
        ("long", f"{local}timestamp-{unit}"): types.Logical("timestamp", types.i64, short, zoned=not local)
        for local in ("", "local-")
        for unit, short in (("millis", "ms"), ("micros", "us"), ("nanos", "ns"))
    },
}


def declare(parsed: Parsed, message: Any) -> Imported:
    """The type of a message, with all types that it is made of, the mapping and the losses; raises InputError
    for a part that the type model cannot express."""
    return _TypeMapping(parsed).run(message)


class _TypeMapping(Declaring):
    """Maps the types of a message.

    Attributes:
        known: full name of an enum, or "" for the record that stands for null → its name in the type model.
        parts: how many fields, branches and symbols there are so far.
    """

    most_types = sys.maxsize  # ``count`` sets a limit

    def __init__(self, parsed: Parsed):
        super().__init__(parsed.file)
        self.parsed = parsed
        self.known: dict[str, str] = {}
        self.enums: dict[str, types.Enum] = {}
        self.parts = 0

    def run(self, message: Any) -> Imported:
        """Declares all types, breadth first, so that the fields of a record stand together in the mapping."""
        message = self.parsed.declaration(message)
        left = iter(self.left)  # it grows meanwhile
        if kind_of(message) in RECORDS:
            self.ref(message["name"])
            root = self.record(next(left))
        else:
            root = self.around(message)
        for full in left:
            self.declared.append(self.record(full))
        if not root.fields:
            raise self.cannot(root.wire or root.name, "a message without fields", "at least one")
        return Imported(root, self.declared, self.mapping, self.losses)

    def around(self, message: Any) -> types.Record:
        """The record with one field that is made around messages whose type is no record."""
        name = self.type_names.of("Message")
        made = self.field(
            name,
            {"name": VALUE, "type": message},
            ScopeNames(),
            why="a message that is not a record; the record added here takes no bytes",
        )
        return types.Record(name, [made])

    def record(self, full: str) -> types.Record:
        """The record that has the full name ``full`` in Avro."""
        fields, names = self.parsed.named[full]["fields"], ScopeNames()
        written = [each["name"] for each in fields]
        for each in written:
            if not isinstance(each, str) or not each:
                raise self.cannot(full, "a field whose name is not a string", "a name")
        if len(set(written)) < len(written):
            raise self.cannot(full, "two fields with the same name", "distinct names")
        name = self.ref(full).name
        return types.Record(name, [self.field(full, each, names) for each in fields], wire(full, name))

    def field(self, owner: str, declaration: Any, names: ScopeNames, why: str = "") -> types.Field:
        written = declaration["name"]
        name, path, schema = names.of(written), f"{owner}.{written}", declaration["type"]
        row = self.reserve()
        type = self.type(schema, path)
        hints = []
        null_last = bool(isinstance(schema, list) and (found := nullable(schema)) and found[1] == 0)
        if null_last:
            hints.append(NULL_LAST)
        elif isinstance(type, types.Optional) and DEFAULT not in declaration:
            hints.append(WITHOUT_DEFAULT)
        self.tell(path, self.told(schema), type, why, at=row)
        self.count(path)
        default = self.default(type, declaration.get(DEFAULT, NOTHING), null_last)
        return types.Field(name, type, wire=wire(written, name), default=default, hints=hints)

    def type(self, schema: Any, path: str, item: bool = False) -> types.Type:
        """The type in the type model for the schema of the part at ``path`` or, if ``item``, of its items."""
        schema = self.parsed.declaration(schema)
        base = self.base(schema, path, item)
        logical = schema.get(LOGICAL) if isinstance(schema, dict) else None
        if logical is None:
            return base
        made = _logical(schema, base)
        if made is None:
            same = self.told(schema, plain=True)
            self.lose(path, f"what {self.told(schema)} means: it is {same} here, of the same bytes")
        return made or base

    def base(self, schema: Any, path: str, item: bool) -> types.Type:
        kind = kind_of(schema)
        if kind in RECORDS:
            return self.ref(schema["name"])
        if kind == "enum":
            return self.enum(schema)
        if kind == "fixed":
            return self.fixed(schema, path)
        if kind == "null":
            return self.null()
        if kind == "union":
            return self.union(schema, path, item)
        if kind == "array":
            return types.List(self.type(schema["items"], path, item=True))
        if kind == "map":
            return types.Map(types.string, self.type(schema["values"], path, item=True))
        return _SCALARS[kind]

    def null(self) -> types.Ref:
        """The type of a field that is always null: a record without fields, which takes no byte, as null."""
        if "" not in self.known:
            self.known[""] = self.type_names.of("Null")
            self.declared.append(types.Record(self.known[""], []))
        return types.Ref(self.known[""])

    def enum(self, declaration: Any) -> types.Ref:
        full, symbols = declaration["name"], declaration["symbols"]
        if full not in self.known:
            if not symbols:
                raise self.cannot(full, "an enum without symbols", "at least one")
            self.count(full, len(symbols))
            self.known[full] = self.type_names.of_qualified(full)
            made = enum_of_texts(self.known[full], symbols)
            self.enums[made.name] = made
            self.declared.append(made)
            theirs = shortened(f"enum of {', '.join(symbols)}", _LONGEST_TOLD)
            self.rows.append(Mapped(full, theirs, f"enum {made.name} of i32, numbered in their order"))
            if "default" in declaration:
                why = "a change of schema is not measured"
                self.lose(full, f"its default, which readers with fewer symbols take: {why}")
        return types.Ref(self.known[full])

    def fixed(self, declaration: Any, path: str) -> types.FixedBytes:
        size = declaration["size"]
        if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= MOST_FIXED:
            raise self.cannot(path, "a fixed of another size", f"1 to {MOST_FIXED} bytes")
        return types.FixedBytes(size)

    def union(self, branches: Sequence[Any], path: str, item: bool) -> types.Type:
        if not branches:
            raise self.cannot(path, "a union without branches", "at least one")
        if found := nullable(branches):
            other, index = found
            if item and index == 0:
                what = "it is written as the first, whose index takes as many bytes"
                self.lose(path, f"that null is the second branch: {what}")
            return types.Optional(self.type(other, path, item=True))
        self.count(path, len(branches))
        union = self.type_names.of("".join(pascal(identifier(part)) for part in path.rsplit(".", 2)[-2:]))
        names, alternatives = ScopeNames(), []
        rows = [self.reserve() for _ in branches]
        for row, branch in zip(rows, branches, strict=True):
            if isinstance(branch, list):
                raise self.cannot(path, "a union that is a branch of a union", "its branches")
            called = name_of(branch) or kind_of(branch)
            name, inner = names.of(called.rsplit(".", 1)[-1]), f"{path}[{called}]"
            type = None if called == "null" else self.type(branch, inner, item=True)
            ours = "nothing but the choice" if type is None else describe(type)
            self.rows[row] = Mapped(inner, self.told(branch), ours)
            alternatives.append(types.Alternative(name, type, wire=wire(called, name)))
        self.declared.append(types.Union(union, alternatives))
        return types.Ref(union)

    def told(self, schema: Any, plain: bool = False) -> str:
        """A schema in Avro's words, for the user; if ``plain``, without its logical type."""
        schema = self.parsed.declaration(schema)
        kind, name = kind_of(schema), name_of(schema)
        if kind == "union":
            return f"[{', '.join(self.told(branch) for branch in schema)}]"
        logical = schema.get(LOGICAL) if isinstance(schema, dict) and not plain else None
        details = [schema[each] for each in ("precision", "scale") if logical == "decimal" and each in schema]
        meant = f" ({', '.join(map(str, [logical, *details]))})" if logical is not None else ""
        size = f" of {schema['size']} bytes" if kind == "fixed" else ""
        item = {"array": "items", "map": "values"}.get(kind)
        of = f" of {self.told(schema[item])}" if item else ""
        return shortened(f"{kind}{f' {name}' if name else ''}{size}{of}{meant}", _LONGEST_TOLD)

    def default(self, type: types.Type, written: Any, null_last: bool) -> Any:
        """The default of a field; NOTHING if it has none, or not of a plain type. ``null_last``: null is the
        second branch of its union, so that the default is of the first."""
        if written is NOTHING:
            return NOTHING
        match type:
            case types.Optional(item) if null_last:
                return self.default(item, written, False)
            case types.Optional():
                return None if written is None else NOTHING
            case types.Logical(_, base):
                return self.default(base, written, False)
            case types.Ref(name) if name in self.enums and isinstance(written, str):
                enum = self.enums[name]
                found = {enum.wire_name(member): number for member, number in enum.members}
                return found.get(written, NOTHING)
            case types.Scalar("f32" | "f64") if isinstance(written, int) and not isinstance(written, bool):
                written = float(written)
        is_plain = (
            isinstance(type, types.Scalar)
            and type != types.bytes_
            and not (isinstance(written, float) and not isfinite(written))
        )
        return written if is_plain and find_mismatch(type, written) is None else NOTHING

    def count(self, path: str, parts: int = 1) -> None:
        self.parts += parts
        if self.parts > MOST_PARTS:
            raise self.cannot(
                path, f"more than {MOST_PARTS} fields, branches and symbols", "a smaller schema"
            )

    def cannot(
        self, path: str, found: str, expected: str = "types of the type model", remedy: str = ""
    ) -> InputError:
        return super().cannot(shortened(safe(path, lines=False), 300), found, expected, remedy)


def _logical(schema: Any, base: types.Type) -> types.Logical | None:
    """The logical type that a schema declares; None if the type model has no such type over such a base."""
    logical = schema[LOGICAL]
    if not isinstance(logical, str):
        return None
    if logical == "uuid" and base == types.FixedBytes(16):
        return types.Logical("uuid", types.FixedBytes(16))
    if logical == "decimal" and (isinstance(base, types.FixedBytes) or base == types.bytes_):
        precision, scale = schema.get("precision"), schema.get("scale", 0)
        whole = all(isinstance(each, int) and not isinstance(each, bool) for each in (precision, scale))
        if whole and 0 <= scale <= precision and precision >= 1:
            return types.Logical("decimal", base, precision=precision, scale=scale)
        return None
    return _LOGICAL.get((kind_of(schema), logical))
