"""Generates the module ``cell.domain``: the types of the objects that an application in Python would hold."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.notation import Notation
from serbench.codegen.source import Source
from serbench.codegen.words import words
from serbench.languages.python.code import COLUMNS, wrapped
from serbench.languages.python.options import Domain
from serbench.model import Alternative, Enum, Field, Optional, Record, Scalar, Schema, Type, Union
from serbench.model.names import capitalised, pascal, snake

SCALARS = dict.fromkeys(("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"), "int")
SCALARS |= {"bool": "bool", "f32": "float", "f64": "float", "string": "str", "bytes": "bytes"}

KEYWORDS = words(
    """False None True and as assert async await break case class continue def del elif else except finally
    for from global if import in is lambda match nonlocal not or pass raise return try type while with yield
    _"""
)
"""The keywords of Python, and the words that are keywords in some places."""

BUILTINS = words(
    """Annotated IntEnum Literal Root TypedDict BaseModel Struct ConfigDict Field Optional Any Union
    bool bytes dict float int list str dataclass field object property classmethod staticmethod
    AssertionError BaseException Exception IndexError KeyError NotImplementedError OverflowError RuntimeError
    TypeError ValueError"""
)
"""Names that generated modules use without a path, or declare: no type or field has them."""

CONSTANTS = re.compile(r"[A-Z][A-Z0-9_]+")
"""The names of constants, which no type has, since generated modules have constants of such names."""

OF_CLASSES = words("mro register")
"""The attributes that a class has of its own class, that of models too: no field has their names, since
``dataclass`` takes ``type.mro`` for the default of a field ``mro``."""

OF_LIBRARIES = words("dataclass_json_config from_dict from_json to_dict to_json")
"""Names that libraries add to the classes of a program: no field has them."""

OF_MODELS = words(
    """construct copy dict from_orm json parse_file parse_obj parse_raw schema schema_json
    update_forward_refs validate model_config model_fields model_computed_fields model_extra
    model_fields_set model_construct model_copy model_dump model_dump_json model_json_schema
    model_parametrized_name model_post_init model_rebuild model_validate model_validate_json
    model_validate_strings"""
)
"""The attributes that every model of pydantic has: no field has their names."""

OF_ENUMS = words(
    """name value mro denominator numerator real imag conjugate bit_length bit_count to_bytes from_bytes
    as_integer_ratio is_integer"""
)
"""The attributes that every member of an ``IntEnum`` has: no member has their names."""

NAMING = Naming(
    # Functions of each type have its name in snake case.
    types=Scope(
        style=capitalised,
        reserved=KEYWORDS | BUILTINS,
        pattern=CONSTANTS,
        claims=lambda name: (name, f"~{snake(name)}"),
    ),
    fields=Scope(
        style=snake,
        reserved=KEYWORDS | BUILTINS | OF_CLASSES | OF_MODELS | OF_LIBRARIES | words("self"),
    ),
    alternatives=Scope(style=pascal),
    members=Scope(style=lambda name: snake(name).upper(), reserved=KEYWORDS | OF_ENUMS | words("NAMES")),
)
"""The names of domain types in Python. A plain dict has the written names as its keys instead."""

python_type = Notation(
    "Python",
    SCALARS,
    list="list[{}]",
    array="list[{}]",
    map="dict[{}, {}]",
    optional="{} | None",
    fixed="bytes",
    back="{}",
)
"""Writes a domain type in Python, of a schema with the names of Python."""


def classes_of(schema: Schema) -> dict[tuple[str, str], str]:
    """Return each alternative's class name, by union and alternative, for a schema in Python's names."""
    taken = {type.name for type in schema.named} | BUILTINS | KEYWORDS
    found: dict[tuple[str, str], str] = {}
    for union in schema.unions:
        for each in union.alternatives:
            name = f"{union.name}{each.name}"
            while name in taken:
                name += "_"
            taken.add(name)
            found[union.name, each.name] = name
    return found


def hint(type: Type, schema: Schema, open: str = "int") -> str:
    """Return the annotation of a type. ``open`` is the one for open enums, whose numbers may have no name; in
    it, ``{}`` stands for the enum's class."""
    text = python_type(type)
    for enum in schema.enums:
        if enum.open:
            text = re.sub(rf"(?<!\w){enum.name}(?!\w)", open.format(enum.name), text)
    return text


def default_of(field: Field) -> str:
    """Return the default that stands for a field which a message lacks: None where it is optional, or else a
    whole number, bool or text that the schema declares; empty where it has to be there."""
    if isinstance(field.type, Optional):
        return "None"
    if not isinstance(field.type, Scalar) or not isinstance(field.default, bool | int | str):
        return ""
    return _quoted(field.default) if isinstance(field.default, str) else repr(field.default)


def defaults_of(record: Record, domain: Domain) -> list[str]:
    """Return the default of each field of a class, empty where it has none. Dataclasses have those of their
    last fields alone where glue makes them: others could only be given by keywords, by which making an object
    takes twice as long."""
    found = [default_of(field) for field in record.fields]
    if domain != "dataclass":
        return found
    last = _last_needed(found)
    return [default if n > last else "" for n, default in enumerate(found)]


def by_keywords(record: Record, domain: Domain) -> bool:
    """Whether the fields of a class are given by keywords: a field with a default stands before one without,
    or all classes of this kind are made so."""
    found = [default_of(field) for field in record.fields]
    is_mixed = any(found[: max(_last_needed(found), 0)])
    return domain == "model" or (domain in ("struct", "keywords") and is_mixed)


def _last_needed(defaults: Sequence[str]) -> int:
    """The index of the last field without a default; -1 where each has one."""
    return max((n for n, default in enumerate(defaults) if not default), default=-1)


def domain_source(schema: Schema, domain: Domain) -> str:
    """Return the text of ``cell.domain`` with one kind of domain types."""
    module = _Dicts(schema) if domain == "dict" else _Classes(schema, domain)
    return module.text()


class _Module:
    """Generates the module of a schema; a method with the name of a kind of type writes such a type.

    Attributes:
        imports: the names that the module imports from each other module.
    """

    def __init__(self, declared: Schema):
        self.declared, self.schema = declared, NAMING.spell(declared)
        self.classes = classes_of(self.schema)
        self.out = Source("    ")
        self.imports: dict[str, set[str]] = {}

    def text(self) -> str:
        for declared, spelled in zip(self.declared.named, self.schema.named, strict=True):
            getattr(self, spelled.__class__.__name__.lower())(declared, spelled)
        self.end()
        head, title = Source(), f"Generated by serbench from workload {self.declared.name}"
        head(f'"""{title}: what an application would hold."""')
        head("", *NAMING.told(self.declared, "#"), "from __future__ import annotations", "")
        groups = [sorted(m for m in self.imports if (m in _STANDARD) is std) for std in (True, False)]
        for group in filter(None, groups):
            head(*(f"from {module} import {', '.join(sorted(self.imports[module]))}" for module in group), "")
        return head.text().rstrip("\n") + "\n" + self.out.text().rstrip("\n") + "\n"

    def needs(self, module: str, name: str) -> None:
        self.imports.setdefault(module, set()).add(name)

    def alternative(self, name: str, declared: Alternative, type: Type | None) -> None: ...

    def union(self, declared: Union, union: Union) -> None:
        names = [self.classes[union.name, each.name] for each in union.alternatives]
        for name, old, new in zip(names, declared.alternatives, union.alternatives, strict=True):
            self.alternative(name, old, new.type)
        self.union_alias(union.name, names)

    def end(self) -> None:
        self.out("", "", f"Root = {self.schema.root.name}", '"""A message."""')

    def head(self, *lines: str) -> None:
        self.out("", "", *lines)

    def union_alias(self, name: str, alternatives: Sequence[str]) -> None:
        """Write the name of a union as an alias for its alternatives' classes."""
        one_line = f"{name} = {' | '.join(alternatives)}"
        lines = [f"{name} = (", *_sum_of(alternatives), ")"]
        self.head(*([one_line] if len(one_line) <= COLUMNS else lines))


_STANDARD = ("dataclasses", "enum", "typing")


class _Classes(_Module):
    """Generates classes: dataclasses, structs of msgspec, or models of pydantic."""

    def __init__(self, declared: Schema, domain: Domain):
        super().__init__(declared)
        self.domain = domain

    def enum(self, declared: Enum, enum: Enum) -> None:
        self.needs("enum", "IntEnum")
        self.head(f"class {enum.name}(IntEnum):")
        if enum.open:
            self.out('    """Names of some numbers; a field holds any number, as an int."""', "")
        self.out(*(f"    {name} = {number}" for name, number in (*enum.members, *enum.aliases)))

    def record(self, declared: Record, record: Record) -> None:
        pairs = zip(declared.fields, record.fields, strict=True)
        fields = [(new.name, new.type, old.wire_name) for old, new in pairs]
        keywords = by_keywords(record, self.domain)
        self.body(record.name, fields, defaults=defaults_of(record, self.domain), keywords=keywords)

    def end(self) -> None:
        super().end()
        if self.domain == "model":
            self.out("", "Root.model_rebuild()  # now that all classes are there")

    def union_alias(self, name: str, alternatives: Sequence[str]) -> None:
        if self.domain != "model" or len(alternatives) == 1:
            super().union_alias(name, alternatives)
            return
        self.needs("pydantic", "Field")
        self.needs("typing", "Annotated")
        told = 'Field(discriminator="type")'
        one_line = f"{name} = Annotated[{' | '.join(alternatives)}, {told}]"
        *first, last = _sum_of(alternatives)
        lines = [f"{name} = Annotated[", *first, f"{last},", f"    {told},", "]"]
        self.head(*([one_line] if len(one_line) <= COLUMNS else lines))

    def alternative(self, name: str, declared: Alternative, type: Type | None) -> None:
        self.body(name, [("value", type, "value")] if type else [], tag=declared.wire_name)

    def body(
        self,
        name: str,
        fields: Sequence[tuple[str, Type, str]],
        tag: str = "",
        defaults: Sequence[str] = (),
        keywords: bool = False,
    ) -> None:
        """Write a class of fields: each a name, a type and a written name; ``tag`` tells an alternative, and
        ``defaults`` are the text of each field's default, empty where it has none. With ``keywords``, fields
        are given by them."""
        renamed = {own: wire for own, _, wire in fields if own != wire}
        values = defaults or [""] * len(fields)
        lines = [
            f"    {own}: {hint(type, self.schema)}{f' = {value}' if value else ''}"
            for (own, type, _), value in zip(fields, values, strict=True)
        ]
        match self.domain:
            case "struct":
                self.needs("msgspec", "Struct")
                options = [f'tag={json.dumps(tag)}, tag_field="type"'] if tag else []
                options += [f"rename={json.dumps(renamed, ensure_ascii=False)}"] if renamed else []
                options += ["kw_only=True"] if keywords else []
                self.head()
                wrapped(self.out, f"class {name}(", ["Struct", *options], "):")
            case "model":
                lines = self.model(name, fields, tag, values)
            case _:
                self.needs("dataclasses", "dataclass")
                options = ["slots=True", *(["kw_only=True"] if keywords else [])]
                self.head(f"@dataclass({', '.join(options)})", f"class {name}:")
        self.out(*(lines or ["    pass"]))

    def model(
        self, name: str, fields: Sequence[tuple[str, Type, str]], tag: str, defaults: Sequence[str]
    ) -> list[str]:
        """Write a model's head and return the lines of its fields. In JSON, bytes are in base64."""
        for each in ("BaseModel", "ConfigDict"):
            self.needs("pydantic", each)
        self.head(f"class {name}(BaseModel):")
        options = ['ser_json_bytes="base64"', 'val_json_bytes="base64"']
        lines = []
        if tag:
            self.needs("typing", "Literal")
            lines.append(f"    type: Literal[{json.dumps(tag)}] = {json.dumps(tag)}")
        for (own, type, wire), value in zip(fields, defaults, strict=True):
            text = hint(type, self.schema)
            if own != wire:
                self.needs("pydantic", "Field")
                text += f" = Field({f'default={value}, ' if value else ''}alias={_quoted(wire)})"
            elif value:
                text += f" = {value}"
            lines.append(f"    {own}: {text}")
        if any(own != wire for own, _, wire in fields):
            # A written name may be the name of another field, so each caller takes one kind of them.
            options += ["validate_by_name=True", "validate_by_alias=False"]
        config = Source("    ")
        with config.indented():
            wrapped(config, "model_config = ConfigDict(", options, ")")
        return [*config.text().splitlines(), *([""] if lines else []), *lines]


def _sum_of(alternatives: Sequence[str]) -> list[str]:
    """Return the lines of a union type with ``|`` between its classes, one a line."""
    return [f"    {'| ' if n else ''}{name}" for n, name in enumerate(alternatives)]


class _Dicts(_Module):
    """Generates types of plain dicts by written names; enums are names, and unions dicts of one pair."""

    def enum(self, declared: Enum, enum: Enum) -> None:
        self.needs("typing", "Literal")
        names = [declared.wire_name(name) for name, _ in declared.members]
        self.out("", "", f"{enum.name} = Literal[{', '.join(map(_quoted, names))}]")

    def record(self, declared: Record, record: Record) -> None:
        pairs = zip(declared.fields, record.fields, strict=True)
        self.typed(
            record.name, [(old.wire_name, hint(new.type, self.schema, "{} | int")) for old, new in pairs]
        )

    def alternative(self, name: str, declared: Alternative, type: Type | None) -> None:
        self.typed(name, [(declared.wire_name, hint(type, self.schema, "{} | int") if type else "None")])

    def typed(self, name: str, fields: Sequence[tuple[str, str]]) -> None:
        self.needs("typing", "TypedDict")
        if all(own.isidentifier() and own not in KEYWORDS for own, _ in fields):
            self.head(f"class {name}(TypedDict):")
            self.out(*([f"    {own}: {text}" for own, text in fields] or ["    pass"]))
            return
        self.head(f"{name} = TypedDict(")
        self.out(f"    {_quoted(name)},", "    {")
        self.out(*(f"        {_quoted(own)}: {_quoted(text)}," for own, text in fields), "    },", ")")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
