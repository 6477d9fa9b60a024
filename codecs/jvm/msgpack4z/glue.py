"""Generates msgpack4z's codec of each record from the codecs of its fields, as users of the library do."""

from __future__ import annotations

from collections.abc import Mapping

from serbench.codegen.source import Source
from serbench.languages.jvm.domain import domain_type, domain_types, glue_file, written_names
from serbench.model import Array, Enum, List, Map, Optional, Record, Scalar, Schema, Type, string, u64
from serbench.model.parts import parts

_WIDEST = 22
"""The most fields of a record that the library has codecs for: functions and tuples of Scala have no more."""

# The library's codecs go by the type in Scala; those that have to be told apart are ours.
_SCALARS = {
    "bool": "booleanCodec",
    "i8": "byteCodec",
    "i16": "shortCodec",
    "i32": "intCodec",
    "i64": "longCodec",
    "u8": "shortCodec",
    "u16": "intCodec",
    "u32": "longCodec",
    "u64": "unsigned",
    "f32": "floatCodec",
    "f64": "doubleCodec",
    "string": "stringCodec",
    "bytes": "bytes",
}


def emit(schema: Schema) -> str:
    """Return the text of the file with the codecs of a workload's root."""
    root = domain_types(schema).root
    out = glue_file(
        schema,
        "the codecs of its records",
        "import msgpack4z.CodecInstances.all._",
        "import msgpack4z.{CaseCodec, MsgpackCodec}",
        "import serbench.codec.Msgpack4zCodecs._",
    )
    with out.block("object Glue {"):
        out(f"def maps: MsgpackCodec[{domain_type(root)}] = Maps.{_expression(root)}")
        out(f"def arrays: MsgpackCodec[{domain_type(root)}] = Arrays.{_expression(root)}")
        _codecs(out, "Maps", root, written_names(schema))
        _codecs(out, "Arrays", root, {})
    return out.text()


def _codecs(out: Source, name: str, root: Record, names: Mapping[str, str]) -> None:
    """Write the object with the codecs of records as maps, by the written ``names`` of fields, or as arrays
    where none are given."""
    out("")
    with out.block(f"private object {name} {{"):
        for n, type in enumerate(_named(root, [])):
            if n:
                out("")
            if isinstance(type, Enum):
                number = "unsigned" if type.underlying == u64 else "longCodec"
                enum = domain_type(type)
                out(f"val {_expression(type)}: MsgpackCodec[{enum}] = enumeration({enum}, {number})")
            else:
                _record(out, type, names)


def _named(type: Type, before: list[Record | Enum]) -> list[Record | Enum]:
    """The list ``before`` with the records and enums in ``type`` added, each behind its own parts."""
    if type not in before:
        for part in parts(type):
            _named(part, before)
        if isinstance(type, Record | Enum):
            before.append(type)
    return before


def _record(out: Source, type: Record, names: Mapping[str, str]) -> None:
    name, is_wide = domain_type(type), len(type.fields) > _WIDEST
    if is_wide:
        made = f"{'wideRecordAsMap' if names else 'wideRecord'}[{name}](values =>"
    else:
        maker = "recordsAsMaps" if names else "CaseCodec"
        made = f"{maker}.codec{len(type.fields)}({name}.apply _, {name}.unapply _)("
    out(f"val {_expression(type)}: MsgpackCodec[{name}] =")
    with out.indented():
        out(made)
        if is_wide:
            with out.indented(), out.block(f"{name}(", ")"):
                out(
                    *(
                        f"values({n}).asInstanceOf[{domain_type(field.type)}],"
                        for n, field in enumerate(type.fields)
                    )
                )
            out(")(")
        if names:
            with out.indented():
                out(*(f'"{names[field.name]}",' for field in type.fields))
            out(")(")
        with out.indented():
            out(*(f"{_expression(field.type)}," for field in type.fields))
        out(")")


def _expression(type: Type) -> str:
    """Return the expression for the codec of a type."""
    match type:
        case Scalar(name):
            return _SCALARS[name]
        case Enum(name):
            return f"enum{name}"
        case Record(name):
            return f"record{name}"
        case List(item):
            return f"vectorCodec({_expression(item)})"
        case Array(item, length):
            return f"array({length}, {_expression(item)})"
        case Optional(item):
            return f"optional({_expression(item)})"
        case Map(key, value):
            return f"{'mapCodec' if key == string else 'pairs'}({_expression(key)}, {_expression(value)})"
    raise TypeError(f"{type!r} has no codec")
