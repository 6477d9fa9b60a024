"""Maps Arrow's types to the type model, each with the function that makes values of its arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from serbench.errors import InputError
from serbench.imports.base import Loss, Mapped, refused
from serbench.imports.columns import arrays
from serbench.imports.columns.arrays import Convert
from serbench.imports.columns.leaves import leaf
from serbench.imports.columns.library import arrow
from serbench.imports.columns.settled import MOST_MEMBERS, as_wanted
from serbench.imports.epochs import hint
from serbench.imports.json.paths import ITEM, VALUE, WHOLE, inside, member, shown
from serbench.imports.json.settings import EXPECTED, PathSettings, WantedValues
from serbench.imports.names import ScopeNames, TypeNames, identifier, singular, wire
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
    i32,
    i64,
    string,
)
from serbench.model.names import pascal
from serbench.model.types import Composite, Scalar
from serbench.text import safe, shortened

MOST_PARTS = 100_000
"""The most columns, fields and alternatives of one schema: more would take more memory than an import may."""

MOST_LEVELS = 64
"""The most types inside each other."""

MOST_FIXED = 1 << 24
"""The most items of a list of a fixed length, and bytes of a value of one: with longer ones, a few types
would take more memory than there is."""

_LONGEST_TOLD = 200

Told = Callable[[int], str]
"""Returns what a format says about the column of a leaf beyond Arrow's schema, by the leaf's number there."""


@dataclass
class DeclaredRow:
    """A row's type in the type model, with all types that it is made of.

    Attributes:
        columns: the function that makes the values of each column.
        texts: path that is to be an enum with members not yet known → its texts, which are added when values
            are made.
    """

    root: Record
    also: list[Composite | Enum]
    mapping: list[Mapped]
    losses: list[Loss]
    columns: list[Convert]
    texts: dict[str, dict[str, None]]


@dataclass(frozen=True)
class MappedType:
    """A type with the function that makes its values from arrays without nulls; ``why`` says what it follows
    from if it is a guess."""

    type: Type
    convert: Convert
    why: str = ""


def declare(
    file: Path,
    schema: Any,
    name: str,
    settings: PathSettings,
    members: Mapping[str, Iterable[str]],
    told: Told = lambda number: "",
    never_null: Callable[[str], bool] = lambda column: False,
    bounds: Mapping[str, tuple[int, int]] = MappingProxyType({}),
) -> DeclaredRow:
    """The type of a row.

    Args:
        members: path that is to be an enum → its members, as far as they are known.
        never_null: tells whether the files say that a column has no nulls, though it might have.
        bounds: path of a column of int64 → its least and its greatest value, if they are known.

    Raises:
        InputError: the type model cannot express something, named by its path; or a setting is wrong.
    """
    return _Declaring(file, settings, members, told, never_null, bounds).run(schema, name)


@dataclass
class _Declaring:
    file: Path
    settings: PathSettings
    members: Mapping[str, Iterable[str]]
    told: Told
    never_null: Callable[[str], bool]
    bounds: Mapping[str, tuple[int, int]]
    types: TypeNames = field(default_factory=TypeNames)
    also: list[Composite | Enum] = field(default_factory=list)
    mapping: list[Mapped | None] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    texts: dict[str, dict[str, None]] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    leaves: int = 0

    def run(self, schema: Any, name: str) -> DeclaredRow:
        called = self.types.of(pascal(identifier(name)))
        if not len(schema):
            raise self.refusal(WHOLE, "no column", "at least one")
        fields, converts = self.fields(schema, WHOLE, (called,), 0)
        self.settings.check(self.paths)
        mapping = [each for each in self.mapping if each]
        return DeclaredRow(Record(called, fields), self.also, mapping, self.losses, converts, self.texts)

    def fields(
        self, fields: Iterable[Any], path: str, words: tuple[str, ...], levels: int
    ) -> tuple[list[Field], list[Convert]]:
        """The fields of a row or a struct, and the functions that make their values."""
        names, made, converts, written = ScopeNames(), [], [], set()
        for each in fields:
            inner = member(path, each.name)
            if each.name in written:
                raise self.refusal(inner, "two fields with the same name", "distinct names")
            written.add(each.name)
            name = names.of(each.name)
            part = self.field(each, inner, (*words, pascal(identifier(each.name))), levels + 1)
            if not each.name:
                self.losses.append(Loss(shown(inner), f"an empty name: it is {name} here"))
            made.append(Field(name, part.type, wire=wire(each.name, name)))
            converts.append(part.convert)
        return made, converts

    def field(
        self, field: Any, path: str, words: tuple[str, ...], levels: int, key: bool = False
    ) -> MappedType:
        """The part at a path, for which a row is added to the mapping, unless it is a map's key."""
        self.count(path, levels)
        at = len(self.mapping)
        if not key:
            self.mapping.append(None)
        wanted = self.settings.at(path)
        part = self.present(field, path, words, levels, wanted)
        pa = arrow()
        why = part.why
        if pa.types.is_null(field.type) or pa.types.is_union(field.type) or key:
            made = part.type  # a union has no nulls of its own, only alternatives that are null
        elif (field.nullable and wanted is None) or (wanted and wanted.optional):
            made = Optional(part.type)
            part = MappedType(made, arrays.optional(part.convert))
            if wanted is None and self.never_null(path):
                said = f"--set '{shown(path)}={_said(part.type)}' makes it plain" if _said(part.type) else ""
                why = "; ".join(filter(None, (why, "it can be null but never is", said)))
        else:
            made = part.type
            remedy = f"--set '{shown(path)}=optional<{wanted.word}>' treats it as absent" if wanted else ""
            part = MappedType(
                made,
                arrays.required(part.convert, shown(path), "a value, as the schema or --set says", remedy),
            )
        if key:
            return MappedType(made, arrays.required(part.convert, shown(path), "a key"))
        self.mapping[at] = Mapped.to(shown(path), _theirs(field), made, why)
        return MappedType(made, part.convert)

    def present(
        self, field: Any, path: str, words: tuple[str, ...], levels: int, wanted: WantedValues | None
    ) -> MappedType:
        """The part for the values that are present."""
        pa, type = arrow(), field.type
        extension = (field.metadata or {}).get(b"ARROW:extension:name", b"").decode(errors="replace")
        if isinstance(type, pa.BaseExtensionType) and type.extension_name != "arrow.uuid":
            part = self.present(
                pa.field(field.name, type.storage_type, field.nullable), path, words, levels, wanted
            )
            extension, part = (
                type.extension_name,
                MappedType(part.type, arrays.stored(part.convert), part.why),
            )
        elif pa.types.is_nested(type) and not pa.types.is_run_end_encoded(type):
            if wanted and wanted.word not in (_word(type), "optional"):
                raise refused("settings", shown(path), f"'{wanted.word}' for {_theirs(field)}", EXPECTED)
            part = self.nested(type, path, words, levels)
        else:
            part = self.plain(field, path, words, wanted)
        if extension and extension != "arrow.uuid":
            called = shortened(safe(extension, lines=False), 100)
            self.losses.append(Loss(shown(path), f"what {called} means: it is what it is stored as here"))
        return part

    def plain(self, field: Any, path: str, words: tuple[str, ...], wanted: WantedValues | None) -> MappedType:
        pa, type = arrow(), field.type
        if pa.types.is_run_end_encoded(type):
            part = self.plain(pa.field(field.name, type.value_type, field.nullable), path, words, wanted)
            return MappedType(part.type, arrays.runs(arrays.optional(part.convert)), part.why)
        indexed = pa.types.is_dictionary(type)
        number, self.leaves = self.leaves, self.leaves + 1
        found = leaf(type.value_type if indexed else type, shown(path), self.told(number), MOST_FIXED)
        if isinstance(found, str):
            raise self.refusal(
                path,
                found,
                "a type that the type model has",
                "remove the column, or write it as another type",
            )
        self.losses += [Loss(shown(path), what) for what in found.losses]
        convert, why = found.convert, found.why
        if indexed:
            nullable = field.nullable and (wanted is None or wanted.optional)
            convert = arrays.dictionary(arrays.optional(convert), shown(path), nullable)
            if found.type == string and wanted is None:
                why = (
                    f"a dictionary is a way to store it; --set '{shown(path)}=enum' "
                    "makes an enum of its texts"
                )
        if wanted is None and found.type == i64 and path in self.bounds:
            may_lack = field.nullable and not self.never_null(path)
            why = hint(path, shown(path), "its values", *self.bounds[path], is_optional=may_lack)
        if wanted is None or wanted.word == "optional":
            return MappedType(found.type, convert, why)
        if wanted.kind == "enum" and found.type == string:
            return self.enum(path, words, convert)
        made = as_wanted(found.type, convert, wanted, shown(path))
        if made is None:
            raise refused("settings", shown(path), f"'{wanted.word}' for {_theirs(field)}", EXPECTED)
        self.losses += [Loss(shown(path), what) for what in made.losses]
        return MappedType(made.type, made.convert)

    def enum(self, path: str, words: tuple[str, ...], convert: Convert) -> MappedType:
        """An enum of the texts that occur; as long as these are not known, texts."""
        if path not in self.members:
            seen = self.texts.setdefault(path, {})
            return MappedType(string, arrays.noted(seen, MOST_MEMBERS, convert))
        texts, names = list(self.members[path]), ScopeNames()
        if not texts or "" in texts or len(texts) > MOST_MEMBERS:
            many = f"more than {MOST_MEMBERS}" if len(texts) > MOST_MEMBERS else f"{len(texts)}"
            found = "an empty text" if "" in texts else f"{many} different texts"
            raise refused(
                "settings", shown(path), f"'enum' for {found}", f"1 to {MOST_MEMBERS} texts, which are names"
            )
        called = self.types.of_qualified(".".join(words))
        written = [(names.of(text), text) for text in texts]
        made = Enum(
            called,
            i32,
            [name for name, _ in written],
            wire=[(name, text) for name, text in written if name != text],
        )
        self.also.append(made)
        return MappedType(
            Ref(called), arrays.members({text: n for n, text in enumerate(texts)}, shown(path), convert)
        )

    def nested(self, type: Any, path: str, words: tuple[str, ...], levels: int) -> MappedType:
        pa = arrow()
        of_item = (*words[:-1], singular(words[-1]))
        if pa.types.is_struct(type):
            called = self.types.of_qualified(".".join(words))
            at = len(self.also)
            fields, converts = self.fields(type, path, words, levels)
            self.also.insert(at, Record(called, fields))
            return MappedType(Ref(called), arrays.records(converts))
        if pa.types.is_map(type):
            return self.map(type, path, of_item, levels)
        if pa.types.is_union(type):
            return self.union(type, path, words, levels)
        item = self.field(type.value_field, inside(path, ITEM), of_item, levels + 1)
        if pa.types.is_fixed_size_list(type):
            if type.list_size > MOST_FIXED:
                raise self.refusal(path, f"lists of {type.list_size} items each", f"{MOST_FIXED} at most")
            made = Array(item.type, type.list_size) if type.list_size else List(item.type)
            return MappedType(made, arrays.fixed_lists(item.convert, type.list_size))
        is_view = pa.types.is_list_view(type) or pa.types.is_large_list_view(type)
        return MappedType(
            List(item.type), arrays.list_views(item.convert) if is_view else arrays.lists(item.convert)
        )

    def map(self, type: Any, path: str, words: tuple[str, ...], levels: int) -> MappedType:
        """A map; or, if the type model does not have such keys, a list of records with key and value."""
        wanted_path = inside(path, VALUE)
        key = self.field(type.key_field, f"{wanted_path} key", (*words, "Key"), levels + 1, key=True)
        value = self.field(type.item_field, wanted_path, words, levels + 1)
        if isinstance(key.type, Scalar) and (key.type.is_integer or key.type.name in ("string", "bool")):
            return MappedType(Map(key.type, value.type), arrays.maps(key.convert, value.convert, shown(path)))
        entry = self.types.of_qualified(".".join((*words[:-1], f"{words[-1]}Entry")))
        self.also.append(Record(entry, [Field("key", key.type), Field("value", value.type)]))
        what = (
            "that it is a map: such keys are not supported, so it becomes a list of records with key "
            "and value"
        )
        self.losses.append(Loss(shown(path), what))
        return MappedType(List(Ref(entry)), arrays.pairs(key.convert, value.convert))

    def union(self, type: Any, path: str, words: tuple[str, ...], levels: int) -> MappedType:
        called, names = self.types.of_qualified(".".join(words)), ScopeNames()
        at = len(self.also)
        alternatives, converts = [], []
        fields = [type.field(n) for n in range(type.num_fields)]
        if not fields or len({each.name for each in fields}) < len(fields):
            raise self.refusal(
                path,
                "a union without alternatives, or with two of the same name",
                "alternatives with distinct names",
            )
        for each in fields:
            name = names.of(each.name)
            part = self.field(
                each, f"{path}[{each.name}]", (*words, pascal(identifier(each.name))), levels + 1
            )
            alternatives.append(Alternative(name, part.type, wire=wire(each.name, name)))
            converts.append(part.convert)
        self.also.insert(at, Union(called, alternatives))
        made = arrays.unions(converts, type.type_codes, type.mode == "dense")
        return MappedType(Ref(called), made)

    def count(self, path: str, levels: int) -> None:
        self.paths[path] = ""
        if len(self.paths) > MOST_PARTS:
            raise self.refusal(path, f"more than {MOST_PARTS} columns and fields", "a smaller schema")
        if levels > MOST_LEVELS:
            raise self.refusal(
                path, f"more than {MOST_LEVELS} levels of nested types", "a less deeply nested schema"
            )

    def refusal(self, path: str, found: str, expected: str, remedy: str = "") -> InputError:
        return refused(self.file, shortened(safe(path, lines=False), 300), found, expected, remedy)


def _theirs(field: Any) -> str:
    """A field's type in Arrow's words; it does not list a struct's fields, which have rows of their own."""
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
    """The word by which a setting names a nested type."""
    types = arrow().types
    return (
        "record"
        if types.is_struct(type)
        else "map"
        if types.is_map(type)
        else "union"
        if types.is_union(type)
        else "list"
    )


def _said(type: Type) -> str:
    """The word by which a setting names a scalar type; empty if there is none."""
    inner = type.item if isinstance(type, Optional) else type
    return inner.name if isinstance(inner, Scalar) and inner.name != "bytes" else ""
