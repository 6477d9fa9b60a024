"""Writes schemas as FlatBuffers schemas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from serbench.codegen.naming import Naming
from serbench.codegen.notation import Notation
from serbench.codegen.source import Source
from serbench.idl.abilities import Abilities
from serbench.idl.fbs_gone import deprecated, gone_zero, has_nothing, nothing
from serbench.idl.fbs_names import NAMING
from serbench.idl.fbs_names import SCALARS as SCALARS
from serbench.idl.lower import Lowered, lower
from serbench.model import (
    Array,
    Enum,
    Field,
    FixedBytes,
    Gone,
    List,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
    string,
)
from serbench.model.gone import with_gone
from serbench.model.parts import resolved, with_parts

_type = Notation("FlatBuffers", SCALARS, list="[{}]", back="{}")

ABILITIES = Abilities(
    optional_lists=True,
    bytes_items=False,
    open_enums=True,
    wide_enums=True,
    fixed_bytes="record",
    plain_alternatives=False,
    unions_as_items=False,
)
"""The abilities that FlatBuffers have in every language: a union can only be the field of a table, and only
tables can be its alternatives."""

REQUIRES_RECORDS = True
"""Fields that hold tables, structs or unions are required, so that generated code has no absent ones."""

MAX_ARRAY = 65535
"""The most items of an array, which flatc counts in 16 bits."""

MOST_PARAMETERS = 256
"""The most numbers of a struct in languages where the function that writes it has a parameter for each."""


@dataclass(frozen=True)
class FbsDialect:
    """The rules that schemas follow for flatc's code in one language.

    Attributes:
        naming: makes names that FlatBuffers and the generated code can have.
        namespace: the namespace of all types.
        has_arrays: whether structs can have arrays. If not, the schema declares a member for each item of an
            array, which gives the same bytes.
        narrow_enums: whether enums can be in tables alone, and have 32 bits at most. If so, the schema
            declares any other enum as its integer, which gives the same bytes.
        open_enums: whether enums can have numbers without a name. If not, the schema declares an enum that
            has them as its integer, which gives the same bytes.
        has_keys: whether the compiler knows the attribute ``key``. If not, a text that is a map's key gets
            the attribute ``required``, which ``key`` implies.
        empty_defaults: whether strings and vectors are declared with the empty one as their default.
        whole: the namespace of the types of the whole message, which stand beside those of programs that read
            a part of it, so that the library's verifier looks at everything; empty where it has no verifier.
    """

    naming: Naming = NAMING
    namespace: str = "serbench.fbs"
    has_arrays: bool = True
    narrow_enums: bool = False
    open_enums: bool = True
    has_keys: bool = True
    empty_defaults: bool = False
    whole: str = ""

    def written(self, type: Type, in_struct: bool = False) -> Type:
        """The type that a schema of this dialect declares for a type: an integer for an enum it lacks."""
        if isinstance(type, Enum):
            is_number = self.narrow_enums and (in_struct or type.underlying.width == _WIDE)
            is_number |= type.open and not self.open_enums
            return type.underlying if is_number else type
        return with_parts(type, lambda part: self.written(part, in_struct))


_WIDE = 8
"""The bytes of an enum that has more than 32 bits."""

OFFSET = 4
"""The bytes of an offset."""

_CPP = FbsDialect(whole="serbench.whole")


def lowered(schema: Schema, dialect: FbsDialect = _CPP) -> Lowered:
    """The schema lowered to the types that FlatBuffers have."""
    return lower(schema, ABILITIES, dialect.naming)


class Tables:
    """A schema in FlatBuffers' terms and names, and which of its records are structs and which are tables.

    A struct lies inside its parent with the layout that it has in memory; the library offers it for small
    records of a fixed size. A table has a vtable, so its fields can be absent.
    """

    def __init__(self, schema: Schema, dialect: FbsDialect = _CPP):
        self.dialect = dialect
        self.lowered: Lowered = lowered(schema, dialect)
        self.schema = self.lowered.schema
        self._declared = {r.name: r for r in self.schema.records}
        # A record that is an alternative has to be a table.
        held = [part.type for union in self.lowered.unions for part in _all_alternatives(union)]
        self._alternatives = {type.name for type in held if isinstance(type, Record)}
        self._structs: dict[str, bool] = {}

    def is_struct(self, type: Type) -> bool:
        """Whether a type becomes a FlatBuffers struct: a declared record, or one for a map's entries, can."""
        if not isinstance(type, Record) or type.name == self.schema.root.name:
            return False  # the root of a buffer must be a table
        if not type.fields or type.name in self._alternatives:
            return False
        if type.name not in self._structs:  # asked often: records hold records
            declared = self.declared(type)
            held = [*(f.type for f in declared.fields), *(each.type for each in declared.gone if each.type)]
            self._structs[type.name] = all(map(self._lies_in_struct, held))
        return self._structs[type.name]

    def declared(self, record: Record) -> Record:
        """The record as it was declared, with arrays where lowering has lists."""
        return self._declared.get(record.name, record)

    def members_of(self, record: Record, field: Field) -> list[str]:
        """The names of the members that a struct has for an array's items, in a dialect without arrays."""
        assert isinstance(field.type, Array)
        claims = self.dialect.naming.fields.claims
        taken = {claim for each in record.fields if each != field for claim in claims(each.name)}
        names, end = [""], "_"
        while not names[0] or any(not taken.isdisjoint(claims(name)) for name in names):
            names = [f"{field.name}{end}{n}" for n in range(field.type.length)]
            end += "_"
        return names

    @property
    def structs(self) -> list[Record]:
        """The records that are structs."""
        return [each for each in self.lowered.records if self.is_struct(each)]

    @property
    def widest(self) -> int:
        """How many numbers the struct with the most has, counting those in its inner structs and arrays."""
        return max(map(self._width_of, self.structs), default=0)

    def _width_of(self, type: Type) -> int:
        match type:
            case Record():
                return sum(self._width_of(field.type) for field in self.declared(type).fields)
            case Array(item, length):
                return length * self._width_of(item)
            case FixedBytes(length):
                return length
            case _:
                return 1

    def parameters_of(self, record: Record, inside: str = "") -> list[str]:
        """The parameters of the function that writes a struct, in a dialect without arrays: one for each
        number, with the names of the structs around the number before its own."""
        found = []
        declared = self.declared(record)
        for field, lowered in zip(declared.fields, record.fields, strict=True):
            names, type = [field.name], lowered.type
            if isinstance(field.type, Array):
                names, type = self.members_of(declared, field), field.type.item
            for name in names:
                if isinstance(type, Record):
                    inner = self.lowered.record(type.name)
                    found += self.parameters_of(inner, f"{inside}{name}_")
                else:
                    found.append(f"{inside}{name}")
        return found

    def table_fields(self, record: Record) -> list[Field]:
        """The lowered fields in the order of their numbers, which is the order of their ids."""
        return sorted(self.lowered.record(record.name).fields, key=lambda f: f.number)

    def slots(self, record: Record) -> Iterator[tuple[Field, int]]:
        """The lowered fields in the order of their ids, each with its slot in the vtable; the slot before a
        union's says which alternative it has."""
        slot = 0
        for field in self.all_fields(record):
            slot += is_union(field.type)
            if isinstance(field, Field):
                yield field, slot
            slot += 1

    def all_fields(self, record: Record) -> list[Any]:
        """The lowered fields in the order of their ids, among them those that are gone, which keep slots."""
        lowered = self.lowered.record(record.name)
        return sorted(with_gone(lowered.fields, lowered.gone), key=lambda part: part.number)

    def size(self, type: Type) -> int:
        """How many bytes a value takes in a struct or vector: those of an offset if it lies elsewhere."""
        match type:
            case Enum():
                return type.underlying.width
            case Scalar() if type.width:
                return type.width
            case Array(item, length):
                return length * self.size(item)
            case FixedBytes(length):
                return length
            case Record() if self.is_struct(type):
                return sum(self.size(field.type) for field in self.declared(type).fields)
            case _:
                return OFFSET

    def _lies_in_struct(self, type: Type) -> bool:
        match type:
            case Array(Array() | FixedBytes()):
                return False
            case Array(item, length):
                return length <= MAX_ARRAY and self._lies_in_struct(item)
            case Scalar():
                return bool(type.width)
            case Enum():
                return has_zero(type)  # the fields of a struct have no default but 0
            case Record():
                return self.is_struct(type)
            case FixedBytes():
                return True
            case _:
                return False


def is_union(type: Any) -> bool:
    """Whether a field's type is a union, or an optional one, so that the field has two slots."""
    return isinstance(resolved(type.item if isinstance(type, Optional) else type), Union)


def numbers_of(union: Union) -> dict[str, int]:
    """Name of each alternative of a union → the number in messages, from 1; gone ones keep theirs."""
    return {each.name: number for number, each in enumerate(_all_alternatives(union), 1)}


def _all_alternatives(union: Union) -> list[Any]:
    return sorted(with_gone(union.alternatives, union.gone), key=lambda part: part.number)


def has_zero(enum: Enum) -> bool:
    """Whether a member of an enum has or had the number 0, which is the default of fields."""
    return any(value == 0 for _, value in enum.members) or gone_zero(enum) is not None


def emit(schema: Schema, dialect: FbsDialect = _CPP) -> str:
    """The text of the ``.fbs`` file."""
    tables = Tables(schema, dialect)
    out = Source()
    out(
        f"// Generated by serbench from workload {schema.name}.",
        *dialect.naming.told(schema),
    )
    _types(out, tables, dialect.namespace)
    out("", f"root_type {tables.schema.root.name};")
    if schema.whole and dialect.whole:
        _types(out, Tables(schema.whole, dialect), dialect.whole)
    return out.text()


def _types(out: Source, tables: Tables, namespace: str) -> None:
    out("", f"namespace {namespace};")
    for enum in tables.schema.enums:
        out("")
        _enum(out, enum)
    for union in tables.lowered.unions:  # flatc takes names that it does not know yet for tables
        out("")
        _union(out, union, nothing(tables))
    if has_nothing(tables):
        out("", f"table {nothing(tables)} {{", "}")
    for record in tables.lowered.records:
        out("")
        if tables.is_struct(record):
            _struct(out, tables, record)
        else:
            _table(out, tables, record)


def _enum(out: Source, enum: Enum) -> None:
    with out.block(f"enum {enum.name} : {SCALARS[enum.underlying.name]} {{"):
        gone = gone_zero(enum)
        members = [*enum.members, *([] if gone is None else [(gone.name, 0)])]
        for name, value in sorted(members, key=lambda member: member[1]):  # flatc wants them ascending
            out(f"{name} = {value},")


def _union(out: Source, union: Union, empty: str) -> None:
    """Writes a union. An alternative that is gone keeps its number, with the table ``empty``."""
    with out.block(f"union {union.name} {{"):
        for each in _all_alternatives(union):
            out(f"{each.name}:{empty if isinstance(each, Gone) else each.type.name},")


def _struct(out: Source, tables: Tables, record: Record) -> None:
    is_entry = tables.lowered.made.get(record.name) == "entry"
    dialect = tables.dialect
    with out.block(f"struct {record.name} {{"):
        for field, lowered in zip(tables.declared(record).fields, record.fields, strict=True):
            match field.type:
                case Array(item) if not dialect.has_arrays:
                    names = tables.members_of(tables.declared(record), field)
                    out(*(f"{name}:{_type(dialect.written(item, in_struct=True))};" for name in names))
                    continue
                case Array(item, length):
                    written = f"[{_type(dialect.written(item, in_struct=True))}:{length}]"
                case _:
                    written = _type(dialect.written(lowered.type, in_struct=True))
            key = " (key)" if is_entry and field.name == "key" and dialect.has_keys else ""
            out(f"{field.name}:{written}{key};")


def _table(out: Source, tables: Tables, record: Record) -> None:
    is_entry = tables.lowered.made.get(record.name) == "entry"
    dialect = tables.dialect
    with out.block(f"table {record.name} {{"):
        for field in tables.all_fields(record):
            if isinstance(field, Gone):
                out(*deprecated(tables, field))
                continue
            is_key = is_entry and field.name == "key"
            if is_key and field.type == string and not dialect.has_keys:
                out(f"{field.name}:string (required);")
                continue
            key = " (key)" if is_key and dialect.has_keys else ""
            out(f"{field.name}:{_table_type(field.type, dialect)}{key};")


def _table_type(type: Type, dialect: FbsDialect) -> str:
    """The type of a field of a table in the schema, followed by the default or attribute of the field."""
    match type:
        case Enum() if dialect.written(type) != type:
            default = "" if has_zero(type) else f" = {type.members[0][1]}"
            return f"{_type(dialect.written(type))}{default}"
    match dialect.written(type):
        case Optional(Scalar(_, struct_format) as item) if struct_format:
            return f"{_type(item)} = null"
        case Optional(Enum() as item):
            return f"{item.name} = null"
        case Optional(item):
            return _type(item)  # strings, vectors, tables and structs can be absent as they are
        case Enum() as enum if not has_zero(enum):
            return f"{enum.name} = {enum.members[0][0]}"
        case Record() | Union() | Ref() as named:
            return f"{named.name} (required)"
        case Scalar("string") if dialect.empty_defaults:
            return 'string = ""'
        case (Scalar("bytes") | List()) as vector if dialect.empty_defaults:
            return f"{_type(vector)} = []"
        case written:
            return _type(written)
