"""Generates the list of a workload's classes, for libraries with which each class has to be registered."""

from __future__ import annotations

from serbench.languages.jvm.domain import UNKNOWN, domain_type, domain_types, glue_file
from serbench.languages.jvm.functions import domain_alternative
from serbench.model import Schema, Type, Union


def emit(schema: Schema) -> str:
    """Return the text of ``Glue.scala``."""
    types, title = domain_types(schema), "its classes, each after those that it holds"
    out = glue_file(schema, title, "import serbench.EnumValue.Companion")
    with out.block("object Glue {"):
        with out.block("val records: Seq[Class[_]] = Seq(", ")"):
            for composite in types.composites:
                if isinstance(composite, Union):
                    made = [(domain_alternative(composite, each), each) for each in composite.alternatives]
                    out(*(f"classOf[{name}]," if each.type else f"{name}.getClass," for name, each in made))
                else:
                    out(f"{_class(composite)},")
            out(*(f"classOf[{domain_type(enum)}.{UNKNOWN}]," for enum in types.enums if enum.open))
        with out.block("val enums: Seq[(Class[_], Companion[_])] = Seq(", ")"):
            out(*(f"{_class(enum)} -> {domain_type(enum)}," for enum in types.enums))
    return out.text()


def _class(type: Type) -> str:
    return f"classOf[{domain_type(type)}]"
