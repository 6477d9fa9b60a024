"""Writes schemas as Protocol Buffers files, in proto3 or proto2."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.notation import Notation
from serbench.codegen.source import Source
from serbench.codegen.steps import is_number
from serbench.codegen.words import CALLED_MACROS, CPP, JAVA, JAVA_LANG, MACROS, SCALA, SCALA_PREDEF, words
from serbench.idl.abilities import Abilities
from serbench.idl.lower import Lowered, lower
from serbench.idl.oneofs import holder_of, oneofs_in_place, placed_in
from serbench.idl.proto_forms import form_bytes as form_bytes
from serbench.idl.reserved import gone_in, reserved, reserved_members
from serbench.model import (
    Alternative,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
)
from serbench.model.check import MAX_NUMBER
from serbench.model.names import bare, capitalised, upper_snake
from serbench.model.types import NOTHING

SCALARS = {
    "bool": "bool",
    "i8": "int32",
    "i16": "int32",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint32",
    "u16": "uint32",
    "u32": "uint32",
    "u64": "uint64",
    "f32": "float",
    "f64": "double",
    "string": "string",
    "bytes": "bytes",
}

_OTHER_FORMS = {
    "int32": ("sint32", "sfixed32"),
    "int64": ("sint64", "sfixed64"),
    "uint32": ("fixed32",),
    "uint64": ("fixed64",),
}

FORMS = {name: (word, *_OTHER_FORMS[word]) for name, word in SCALARS.items() if word in _OTHER_FORMS}
"""The name of a whole number's type → Protocol Buffers' words for it, of which a hint chooses one; the first
is written without a hint."""

_ENDS = ("key", "value")
"""The words with which a map's hints begin: those for its keys, and those for its values."""

# Whether a field is a list or optional is said by its label.
_type = Notation("proto3", SCALARS, list="{}", map="map<{}, {}>", optional="{}", back="{}")

RESERVED_NUMBERS = range(19_000, 20_000)
"""The numbers that no field may have, since Protocol Buffers reserve them."""


def proto_pascal(name: str) -> str:
    """A name in protoc's upper camel case, where a digit ends a word too: ``of_f32x`` → ``OfF32X``."""
    return re.sub(r"(?:^|_+)(.?)|(?<=\d)([a-z])", lambda m: (m[1] or m[2] or "").upper(), name)


# Names of fields for which protoc generates invalid C++: words that are reserved since C++11, and names of
# its own methods.
_NO_CPP = CALLED_MACROS | words(
    """char16_t char32_t char8_t co_await co_return co_yield concept consteval constinit default_instance
    descriptor errno internal_default_instance mutable_unknown_fields requires unknown_fields"""
)

_METHODS = words(
    """ArenaDtor ByteSizeLong Clear CopyFrom FullMessageName GetCachedSize GetClassData GetDescriptor
    GetMetadata GetReflection InternalSwap IsInitialized MergeFrom MergeImpl New SetCachedSize SharedCtor
    SharedDtor Swap UnsafeArenaSwap"""
)
"""Methods that the C++ class of each message has, so that no message can have such a name."""

# Members of ScalaPB's case classes, and the package by which they refer to each other.
_IN_SCALAPB = words(
    """companion discardUnknownFields getClass getField getFieldByNumber serbench serializedSize
    toByteArray toByteString toPMessage toProtoString unknownFields update withUnknownFields
    writeDelimitedTo writeTo"""
)

_TYPES = re.compile(rf"(?:{MACROS.pattern}) | .* (Proto|OuterClass|OrBuilder)", re.VERBOSE)
"""Matches names that no type gets, since macros, files or interfaces of generated code may have them."""


def _of_type(name: str) -> list[str]:
    return [name, f"~{name.lower()}", f"{name}_MIN", f"{name}_MAX", f"{name}_ARRAYSIZE"]


def _of_field(name: str) -> list[str]:
    """The names that generated code derives from a field's name: its methods, in C++ with the name in lower
    case; and the name in JSON, which drops underscores."""
    lower, java = name.lower(), proto_pascal(name)
    cpp = "{} set_{} mutable_{} has_{} clear_{} add_{} {}_size release_{} set_allocated_{} _internal_{}"
    get = [
        f"get{java}{end}"
        for end in ("", "Count", "List", "Map", "Bytes", "Value", "ValueList", "Builder", "OrBuilder")
    ]
    case_class = [f"scala {verb}{java}" for verb in ("add", "addAll", "clear", "get", "with")]
    case_class.append(f"scala {java[:1].lower()}{java[1:]}")
    return [*cpp.replace("{}", lower).split(), *get, *case_class, f"~{bare(name)}"]


def _of_member(name: str) -> list[str]:
    return [name, f"{name}_VALUE", f"~{bare(name)}"]


NAMING = Naming(
    types=Scope(
        style=capitalised,
        reserved=CPP
        | JAVA
        | SCALA
        | JAVA_LANG
        | SCALA_PREDEF
        | _METHODS
        | words("Arena Builder ByteString Message MessageOrBuilder"),
        pattern=_TYPES,
        claims=_of_type,
    ),
    fields=Scope(
        reserved=_NO_CPP
        | words("getDescriptor getDefaultInstance")
        | {f"scala {name}" for name in _IN_SCALAPB},
        claims=_of_field,
    ),
    members=Scope(claims=_of_member),
    member=lambda enum, member: f"{upper_snake(enum)}_{upper_snake(member)}",
    members_beside_types=True,
    in_place=oneofs_in_place,
)
"""Makes names that Protocol Buffers and the code generated for C++, Java and Scala can have. The members of
all enums share the file's scope, so their names begin with the enum's."""


def abilities(syntax: str) -> Abilities:
    """The abilities of Protocol Buffers. They lack lists in lists, absent lists, absent items, lists in a
    oneof and, in proto2, open enums; lists of u8 become bytes."""
    has_open = syntax == "proto3"
    return Abilities(
        maps=True,
        byte_lists=True,
        enum_keys=False,
        open_enums=has_open,
        reserved_numbers=RESERVED_NUMBERS,
        in_place=oneofs_in_place,
    )


def lowered(schema: Schema, syntax: str = "proto3", naming: Naming = NAMING) -> Lowered:
    """The schema in the types and names of Protocol Buffers; ``syntax`` is ``proto3`` or ``proto2``."""
    return lower(schema, abilities(syntax), naming)


def accessor(name: str) -> str:
    """The word behind ``set_`` and ``mutable_`` in the C++ that protoc generates for a field."""
    lower = name.lower()
    return f"{lower}_" if lower in CPP else lower


def emit(schema: Schema, syntax: str = "proto3", naming: Naming = NAMING) -> str:
    """The text of ``<workload>.proto``; ``syntax`` is ``proto3`` or ``proto2``."""
    return text(lowered(schema, syntax, naming), syntax)


def text(types: Lowered, syntax: str) -> str:
    """The text of the file for a lowered schema; a codec whose library lacks types may lower it itself."""
    out = Source()
    out(
        f"// Generated by serbench from workload {types.declared.name}.",
        *types.naming.told(types.declared),
        f'syntax = "{syntax}";',
        "",
        "package serbench.pb;",
    )
    for enum in types.enums:
        out("")
        _enum(out, enum)
    for composite in types.composites:
        if composite.name in types.in_place:
            continue
        out("")
        if isinstance(composite, Union):
            _union(out, composite, types)
        else:
            _message(out, composite, types, syntax)
    return out.text()


def oneof(union: Union, naming: Naming = NAMING) -> str:
    """The name of the oneof in the message that stands for a union: ``value``, or another name if an
    alternative claims that one."""
    taken = {claim for alternative in union.alternatives for claim in naming.fields.claims(alternative.name)}
    names = ["value", "kind", "choice", *(f"choice_{n}" for n in range(len(union.alternatives)))]
    return next(
        n for n in names if naming.fields.can_stay(n, taken) and naming.fields.can_stay(f"{n}_case", taken)
    )


def oneof_of(union: Union, types: Lowered) -> str:
    """The name of a union's oneof, either in the message that stands for the union, or in the message that
    the union stands in directly."""
    holder = holder_of(union, types)
    if isinstance(holder, Union):
        return oneof(union, types.naming)
    held = ((field.name, placed_in(field, types)) for field in holder.fields)
    return next(name for name, each in held if each is not None and each.name == union.name)


def _message(out: Source, record: Record, types: Lowered, syntax: str) -> None:
    placed = {field.name: union for field in record.fields if (union := placed_in(field, types))}
    beside: list[Field | Alternative] = [field for field in record.fields if field.name not in placed]
    beside += [each for union in placed.values() for each in union.alternatives]
    labels = {field.name: _label(field, syntax) for field in record.fields if field.name not in placed}
    added = {f"_{name}" for name, label in labels.items() if label == "optional " and syntax == "proto3"}
    json_names = _json_names(beside, {*placed, *added})
    with out.block(f"message {record.name} {{"):
        for field in record.fields:
            if field.name in placed:
                _oneof(out, field.name, placed[field.name], json_names)
                continue
            default = _default(field) if syntax == "proto2" else ""
            written = _options(default, packed(field, syntax), json_names[field.name])
            out(f"{labels[field.name]}{_kind(field)} {field.name} = {field.number}{written};")
        out(*reserved(gone_in(record, types), MAX_NUMBER))


def _union(out: Source, union: Union, types: Lowered) -> None:
    with out.block(f"message {union.name} {{"):
        name = oneof(union, types.naming)
        _oneof(out, name, union, _json_names(union.alternatives, {name}))
        out(*reserved(gone_in(union, types), MAX_NUMBER))


def _oneof(out: Source, name: str, union: Union, json_names: Mapping[str, str]) -> None:
    with out.block(f"oneof {name} {{"):
        for each in union.alternatives:
            out(f"{_kind(each)} {each.name} = {each.number}{_options(json_names[each.name])};")


def _words(part: Field | Alternative) -> list[str]:
    return [word for idl, word in part.hints if idl == "proto"]


def written_types(part: Field | Alternative) -> list[tuple[Type, str]]:
    """The types of a map's keys and values, or of a field's items or value, each with the word for a number
    that a hint gives, such as ``sint32``; the word is empty if there is no such hint."""
    assert part.type is not None  # lowering puts an empty record in its place
    words = _words(part)
    match part.type:
        case Map(key, value):
            ends = ([w.removeprefix(f"{end} ") for w in words if w.startswith(f"{end} ")] for end in _ENDS)
            return [(type, _number(type, of)) for type, of in zip((key, value), ends, strict=True)]
        case List(item) | Optional(item):
            return [(item, _number(item, words))]
        case type:
            return [(type, _number(type, words))]


def _number(type: Type, words: Sequence[str]) -> str:
    return next((w for w in words if isinstance(type, Scalar) and w in FORMS.get(type.name, ())), "")


def _kind(part: Field | Alternative) -> str:
    """The type of a field or alternative, as the schema writes it."""
    kinds = [number or _type(type) for type, number in written_types(part)]
    return f"map<{', '.join(kinds)}>" if isinstance(part.type, Map) else kinds[0]


def packed(field: Field, syntax: str) -> str:
    """The option ``packed`` of a field whose hint differs from the default of ``syntax``; else empty."""
    is_packable = isinstance(field.type, List) and is_number(field.type.item)
    other = f"packed = {'false' if syntax == 'proto3' else 'true'}"
    return other if is_packable and other in _words(field) else ""


def _options(*options: str) -> str:
    written = ", ".join(filter(None, options))
    return f" [{written}]" if written else ""


def _json_names(parts: Sequence[Field | Alternative], oneofs: Set[str]) -> dict[str, str]:
    """The name of each part of a message → the option for its name in JSON; empty if it needs none. If one
    part has a written name, all parts get the option, so that no name that protoc makes by itself is that of
    another part.

    protoc calls the oneof that it adds for an optional ``note`` ``_note``. Python's library refuses a message
    in which that is also a name in JSON, or in which a name in JSON is the declared name of another part.
    Parts with such names get other names in JSON, which occur in no message.
    """
    if not any(each.wire for each in parts):
        return dict.fromkeys((each.name for each in parts), "")
    taken = {*oneofs, *(each.wire_name for each in parts)}
    options = {}
    for part in parts:
        name = part.wire_name
        refused = {*oneofs, *(each.name for each in parts if each is not part)}
        while name in refused or (name != part.wire_name and name in taken):
            name += "_"
        taken.add(name)
        is_default = name == _default_json_name(part.name)
        options[part.name] = "" if is_default else f'json_name = "{escaped(name.encode())}"'
    return options


def _default_json_name(name: str) -> str:
    return re.sub(r"_+(.?)", lambda m: m[1].upper(), name)


def _default(field: Field) -> str:
    """The option for the default of a field; empty if none is declared, or protoc has no way to write it."""
    type = field.type.item if isinstance(field.type, Optional) else field.type
    if field.default is NOTHING or field.default is None:
        return ""
    match type:
        case Scalar("bool"):
            return f"default = {'true' if field.default else 'false'}"
        case Scalar("string"):
            return f'default = "{escaped(field.default.encode())}"'
        case Scalar():
            # protoc writes inf and nan as Python does.
            return f"default = {field.default}" if type.width else ""
        case Enum():
            name = type.named(field.default)
            return f"default = {name}" if name else ""
        case _:
            return ""


def escaped(text: bytes) -> str:
    """The text between quotes in C: quotes, backslashes and all but printable ASCII are in octal."""
    return "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\{c:03o}" for c in text)


def _enum(out: Source, enum: Enum) -> None:
    unspecified = f"{upper_snake(enum.name)}_UNSPECIFIED"
    taken = {*(name for name, _ in (*enum.members, *enum.aliases)), *(each.name for each in enum.gone)}
    while unspecified in taken:
        unspecified += "_"
    members = zero_first(enum, unspecified)
    is_zero_made = members[0][0] == unspecified
    with out.block(f"enum {enum.name} {{"):
        if enum.aliases:
            out("option allow_alias = true;")
        for name, value in (*members, *enum.aliases):
            out(f"{name} = {value};")
        out(*reserved_members(enum, is_zero_made))


def zero_first(enum: Enum, unspecified: str) -> list[tuple[str, int]]:
    """The members with 0 first, as proto3 requires; if none is 0, a member called ``unspecified`` is."""
    members = sorted(enum.members, key=lambda member: member[1] != 0)
    return members if members[0][1] == 0 else [(unspecified, 0), *members]


def _label(field: Field, syntax: str) -> str:
    """The label of a field, with a blank after it, or nothing.

    In proto2, every field except a map has a label. In proto3, a message field is optional, so that it has a
    presence bit: without one, protoc's Clear() frees the message in it. A field that was required is optional
    too, so that it is written even if it is zero.
    """
    match field.type:
        case List():
            return "repeated "
        case Map():
            return ""
        case Optional() | Record() | Union() | Ref():
            return "optional "
        case _:
            return "optional " if syntax == "proto2" or is_required(field) else ""


def is_required(field: Field) -> bool:
    """Whether a number or string was required in its original schema, so that it is always written."""
    return "required" in _words(field)


def is_implicit(field: Field | Alternative) -> bool:
    """Whether absence and zero of a field are the same in its original schema, so that no zero is written."""
    return "implicit" in _words(field)
