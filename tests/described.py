"""Schemas printed as declarations, so that a person can read one that fails a test."""

from __future__ import annotations

from collections.abc import Mapping

from serbench.model import Alternative, Enum, Field, Record, Schema, Union
from serbench.model.parts import describe
from serbench.model.types import NOTHING


def described(schema: Schema) -> str:
    """The declarations of a schema, one a line, the root last. A name whose written form differs is followed
    by ``as`` and that form, which the type model's first edition lacks."""
    return "\n".join(f"  {_described(type)}" for type in schema.named)


def _described(type: Enum | Record | Union) -> str:
    match type:
        case Enum(name, underlying, members):
            wire = dict(type.wire)
            told = [f"{_written(member, wire)} = {value}" for member, value in members]
            told += [f"alias {_written(alias, wire)} = {value}" for alias, value in type.aliases]
            return f"{'open ' if type.open else ''}enum {name}: {underlying.name} {{{', '.join(told)}}}"
        case Record(name, fields):
            return f"record {_named(name, type.wire)} {{{', '.join(map(_field, fields))}}}"
        case Union(name, alternatives):
            return f"union {_named(name, type.wire)} {{{', '.join(map(_alternative, alternatives))}}}"


def _field(field: Field) -> str:
    default = "" if field.default is NOTHING else f" default {field.default!r}"
    hints = "".join(f" [{idl}: {hint}]" for idl, hint in field.hints)
    return f"{_named(field.name, field.wire)}: {describe(field.type)} = {field.number}{default}{hints}"


def _alternative(alternative: Alternative) -> str:
    type = f": {describe(alternative.type)}" if alternative.type else ""
    return f"{_named(alternative.name, alternative.wire)}{type} = {alternative.number}"


def _written(name: str, wire: Mapping[str, str]) -> str:
    return _named(name, wire.get(name, ""))


def _named(name: str, wire: str) -> str:
    return f"{name} as {wire!r}" if wire else name
