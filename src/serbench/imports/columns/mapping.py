"""Maps the schema of a file of columns to the type model, with the functions that make values of its
arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from serbench.errors import InputError
from serbench.imports.base import refused, setting
from serbench.imports.columns import arrays
from serbench.imports.columns.arrays import Convert
from serbench.imports.columns.leaves import MappedType, as_wanted, leaf
from serbench.imports.columns.library import arrow
from serbench.imports.declaring import Findings
from serbench.imports.epochs import hint
from serbench.imports.json.paths import ITEM, VALUE, WHOLE
from serbench.imports.json.places import Location
from serbench.imports.json.settings import MOST_MEMBERS, PathSettings, WantedValues, checked_members
from serbench.imports.names import ScopeNames, enum_of_texts, identifier, wire
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Type,
    Union,
    i64,
    string,
)
from serbench.model.names import pascal
from serbench.model.types import Composite, Scalar
from serbench.text import safe, shortened

MOST_PARTS = 100_000
"""The most columns, fields and alternatives of one schema: more would take more memory than an import may."""

MOST_LEVELS = 64
"""The most types inside each other; a schema with more is refused."""

MOST_FIXED = 1 << 24
"""The most items of a list of a fixed length, and bytes of a value of one: with longer ones, a few types
would take more memory than there is."""

_LONGEST_TOLD = 200

Told = Callable[[int], str]
"""Returns what a format says of a column beyond Arrow's schema, in the format's own words; it is asked by the
column's number among all columns and parts of columns that have no parts themselves."""


class RowTypes(Findings):
    """The type of a row of a table, and all types that it refers to.

    Attributes:
        root: the record of a row.
        also: the records, unions and enums that it refers to.
        columns: for each column, the function that makes values of an array of it.
        texts: path that the user wants to be an enum → its different texts, which are added while values are
            made; only paths whose members are not given.
    """

    def __init__(
        self,
        file: Path,
        schema: Any,
        name: str,
        settings: PathSettings,
        members: Mapping[str, Iterable[str]],
        told: Told,
        never_null: Callable[[str], bool],
        bounds: Mapping[str, tuple[int, int]],
    ):
        """Makes the type of a row, called ``name``, from a schema of Arrow.

        Args:
            members: path that the user wants to be an enum → its members, as far as they are known.
            never_null: tells whether the files say that the column at a path has no nulls, which its type
                allows.
            bounds: path of a column of int64 → its least and its greatest value, if they are known.

        Raises:
            InputError: the type model cannot express something, named by its path; or a setting is wrong.
        """
        super().__init__()
        self._file, self._settings, self._members = file, settings, members
        self._told, self._never_null, self._bounds = told, never_null, bounds
        self.also: list[Composite | Enum] = []
        self.texts: dict[str, dict[str, None]] = {}
        self._paths: dict[str, None] = {}
        self._leaves = 0
        called = self.type_names.of(pascal(identifier(name)))
        if not len(schema):
            raise self._refusal(WHOLE, "no column", "at least one")
        fields, self.columns = self._fields(schema, Location(WHOLE, (called,)))
        self.root = Record(called, fields)
        settings.check(self._paths)

    def _fields(self, fields: Iterable[Any], place: Location) -> tuple[list[Field], list[Convert]]:
        """Returns the fields of a row or a struct, and the functions that make their values."""
        names, made, converts, written = ScopeNames(), [], [], set()
        for each in fields:
            inner = place.member(each.name)
            if each.name in written:
                raise self._refusal(inner.path, "two fields with the same name", "distinct names")
            written.add(each.name)
            name = names.of(each.name)
            part = self._field(each, inner)
            if not each.name:
                self.lose(inner.shown, f"an empty name: it is {name} here")
            made.append(Field(name, part.type, wire=wire(each.name, name)))
            converts.append(part.convert)
        return made, converts

    def _field(self, field: Any, place: Location) -> MappedType:
        """Maps a field of Arrow at a place, which may have nulls, and adds a row for it to the mapping."""
        self._count(place)
        at = self.reserve()
        wanted = self._settings.at(place.path)
        part = self._present(field, place, wanted)
        types = arrow().types
        made, why, convert = part.type, part.why, part.convert
        if types.is_null(field.type) or types.is_union(field.type):
            pass  # a union has no nulls of its own, only alternatives that are null
        elif (field.nullable and not wanted) or wanted.optional:
            made, convert = Optional(made), arrays.optional(convert)
            if not wanted and self._never_null(place.path):
                said = f"{setting(place.shown, _said(part.type))} makes it plain" if _said(part.type) else ""
                why = "; ".join(filter(None, (why, "it can be null but never is", said)))
        else:
            remedy = (
                f"{setting(place.shown, f'optional<{wanted.word}>')} treats it as absent" if wanted else ""
            )
            expected = "a value, as the schema or --set says"
            convert = arrays.required(convert, place.shown, expected, remedy)
        self.tell(place.shown, _theirs(field), made, why, at)
        return MappedType(made, convert)

    def _key(self, field: Any, place: Location) -> MappedType:
        """Maps the type of a map's keys, for which the mapping that the user is shown gets no row."""
        self._count(place)
        part = self._present(field, place, self._settings.at(place.path))
        return MappedType(part.type, arrays.required(part.convert, place.shown, "a key"))

    def _present(self, field: Any, place: Location, wanted: WantedValues) -> MappedType:
        """Maps the type of a field of Arrow to the type model, as if the field had no nulls."""
        pa, type = arrow(), field.type
        extension = (field.metadata or {}).get(b"ARROW:extension:name", b"").decode(errors="replace")
        if isinstance(type, pa.BaseExtensionType) and type.extension_name != "arrow.uuid":
            part = self._present(pa.field(field.name, type.storage_type, field.nullable), place, wanted)
            extension = type.extension_name
            part = MappedType(part.type, arrays.stored(part.convert), part.why)
        elif pa.types.is_nested(type) and not pa.types.is_run_end_encoded(type):
            if wanted and wanted.word not in (_word(type), "optional"):
                raise wanted.unsuitable(place.path, _theirs(field))
            part = self._nested(type, place)
        else:
            part = self._plain(field, place, wanted)
        if extension and extension != "arrow.uuid":
            called = shortened(safe(extension, lines=False), 100)
            self.lose(place.shown, f"what {called} means: it is what it is stored as here")
        return part

    def _plain(self, field: Any, place: Location, wanted: WantedValues) -> MappedType:
        pa, type = arrow(), field.type
        if pa.types.is_run_end_encoded(type):
            part = self._plain(pa.field(field.name, type.value_type, field.nullable), place, wanted)
            return MappedType(part.type, arrays.runs(arrays.optional(part.convert)), part.why)
        indexed = pa.types.is_dictionary(type)
        number, self._leaves = self._leaves, self._leaves + 1
        found = leaf(type.value_type if indexed else type, place.shown, self._told(number), MOST_FIXED)
        if isinstance(found, str):
            remedy = "remove the column, or write it as another type"
            raise self._refusal(place.path, found, "a type that the type model has", remedy)
        self.lose(place.shown, *found.losses)
        convert, why = found.convert, found.why
        if indexed:
            nullable = field.nullable and (not wanted or wanted.optional)
            convert = arrays.dictionary(arrays.optional(convert), place.shown, nullable)
            if found.type == string and not wanted:
                why = (
                    f"a dictionary is a way to store it; {setting(place.shown, 'enum')} "
                    "makes an enum of its texts"
                )
        if not wanted and found.type == i64 and place.path in self._bounds:
            may_lack = field.nullable and not self._never_null(place.path)
            bounds = self._bounds[place.path]
            why = hint(place.path, place.shown, "its values", *bounds, is_optional=may_lack)
        if not wanted or wanted.word == "optional":
            return MappedType(found.type, convert, why)
        if wanted.kind == "enum" and found.type == string:
            return self._enum(place, convert)
        made = as_wanted(found.type, convert, wanted, place.shown)
        if made is None:
            raise wanted.unsuitable(place.path, _theirs(field))
        self.lose(place.shown, *made.losses)
        return MappedType(made.type, made.convert)

    def _enum(self, place: Location, convert: Convert) -> MappedType:
        """Maps texts to the enum that the user wants, or, until all its members are known, to strings."""
        if place.path not in self._members:
            seen = self.texts.setdefault(place.path, {})
            return MappedType(string, arrays.noted(seen, MOST_MEMBERS, convert))
        texts = checked_members(place.shown, self._members[place.path])
        made = enum_of_texts(self.type_names.of_qualified(place.qualified), texts)
        self.also.append(made)
        numbers = {text: n for n, text in enumerate(texts)}
        return MappedType(Ref(made.name), arrays.members(numbers, place.shown, convert))

    def _nested(self, type: Any, place: Location) -> MappedType:
        types = arrow().types
        if types.is_struct(type):
            called = self.type_names.of_qualified(place.qualified)
            at = len(self.also)
            fields, converts = self._fields(type, place)
            self.also.insert(at, Record(called, fields))
            return MappedType(Ref(called), arrays.records(converts))
        if types.is_map(type):
            return self._map(type, place)
        if types.is_union(type):
            return self._union(type, place)
        item = self._field(type.value_field, place.inside(ITEM))
        size = type.list_size if types.is_fixed_size_list(type) else 0
        if size > MOST_FIXED:
            raise self._refusal(place.path, f"lists of {size} items each", f"{MOST_FIXED} at most")
        made = Array(item.type, size) if size else List(item.type)
        return MappedType(made, arrays.lists(item.convert))

    def _map(self, type: Any, place: Location) -> MappedType:
        """Maps a map to a map, or, if the type model has no maps with such keys, to a list of records with
        key and value."""
        inner = place.inside(VALUE)
        key = self._key(type.key_field, Location(f"{inner.path} key", (*inner.words, "Key"), inner.levels))
        value = self._field(type.item_field, inner)
        if isinstance(key.type, Scalar) and (key.type.is_integer or key.type.name in ("string", "bool")):
            convert = arrays.maps(key.convert, value.convert, place.shown)
            return MappedType(Map(key.type, value.type), convert)
        entry = self.type_names.of_qualified(f"{inner.qualified}Entry")
        self.also.append(Record(entry, [Field("key", key.type), Field("value", value.type)]))
        what = (
            "that it is a map: such keys are not supported, so it becomes a list of records with key "
            "and value"
        )
        self.lose(place.shown, what)
        return MappedType(List(Ref(entry)), arrays.pairs(key.convert, value.convert))

    def _union(self, type: Any, place: Location) -> MappedType:
        called, names = self.type_names.of_qualified(place.qualified), ScopeNames()
        at = len(self.also)
        alternatives, converts = [], []
        fields = [type.field(n) for n in range(type.num_fields)]
        if not fields or len({each.name for each in fields}) < len(fields):
            found = "a union without alternatives, or with two of the same name"
            raise self._refusal(place.path, found, "alternatives with distinct names")
        for each in fields:
            name = names.of(each.name)
            inner = replace(place.member(each.name), path=f"{place.path}[{each.name}]")
            part = self._field(each, inner)
            alternatives.append(Alternative(name, part.type, wire=wire(each.name, name)))
            converts.append(part.convert)
        self.also.insert(at, Union(called, alternatives))
        made = arrays.unions(converts, type.type_codes, type.mode == "dense")
        return MappedType(Ref(called), made)

    def _count(self, place: Location) -> None:
        self._paths[place.path] = None
        if len(self._paths) > MOST_PARTS:
            found = f"more than {MOST_PARTS} columns and fields"
            raise self._refusal(place.path, found, "a smaller schema")
        if place.levels > MOST_LEVELS:
            found = f"more than {MOST_LEVELS} levels of nested types"
            raise self._refusal(place.path, found, "a less deeply nested schema")

    def _refusal(self, path: str, found: str, expected: str, remedy: str = "") -> InputError:
        return refused(self._file, shortened(safe(path, lines=False), 300), found, expected, remedy)


def _theirs(field: Any) -> str:
    """Returns a field's type in Arrow's words, without a struct's fields, which have rows of their own."""
    return shortened(
        safe(f"{_told_type(field.type)}{'' if field.nullable else ' not null'}", lines=False), _LONGEST_TOLD
    )


def _told_type(type: Any) -> str:
    types = arrow().types
    if hasattr(type, "extension_name"):
        return str(type.extension_name)
    if types.is_struct(type):
        return "struct"
    if types.is_union(type):
        return f"{type.mode} union"
    if types.is_map(type):
        return f"map<{_told_type(type.key_type)}, {_told_type(type.item_type)}>"
    if types.is_dictionary(type):
        return f"dictionary<{_told_type(type.value_type)}>"
    if types.is_fixed_size_list(type):
        return f"list<{_told_type(type.value_type)}>[{type.list_size}]"
    if types.is_nested(type) and hasattr(type, "value_type"):
        return f"{str(type).partition('<')[0]}<{_told_type(type.value_type)}>"
    return str(type)


def _word(type: Any) -> str:
    """Returns the word by which a setting names a nested type: record, map, union or list."""
    types = arrow().types
    words = {"record": types.is_struct, "map": types.is_map, "union": types.is_union}
    return next((word for word, is_so in words.items() if is_so(type)), "list")


def _said(type: Type) -> str:
    """Returns the word by which a setting names a scalar type, optional or not; empty if it has none."""
    inner = type.item if isinstance(type, Optional) else type
    return inner.name if isinstance(inner, Scalar) and inner.name != "bytes" else ""
