"""The classes of a workload's domain, for libraries with which each class has to be registered."""

from __future__ import annotations

from serbench.languages.jvm.domain import UNKNOWN, domain_type, domain_types, glue_file
from serbench.languages.jvm.functions import domain_alternative
from serbench.model import Alternative, Schema, Type, Union


def emit(schema: Schema) -> str:
    """The file ``Glue.scala`` of a workload."""
    types, title = domain_types(schema), "its classes, each after those that it holds"
    out = glue_file(schema, title, "import serbench.EnumValue.Companion")
    with out.block("object Glue {"):
        with out.block("val records: Seq[Class[_]] = Seq(", ")"):
            for composite in types.composites:
                if isinstance(composite, Union):
                    out(*(f"{_alternative(composite, each)}," for each in composite.alternatives))
                else:
                    out(f"{_class(composite)},")
            out(*(f"classOf[{domain_type(enum)}.{UNKNOWN}]," for enum in types.enums if enum.open))
        with out.block("val enums: Seq[(Class[_], Companion[_])] = Seq(", ")"):
            out(*(f"{_class(enum)} -> {domain_type(enum)}," for enum in types.enums))
    return out.text()


def _class(type: Type) -> str:
    return f"classOf[{domain_type(type)}]"


def _alternative(union: Union, each: Alternative) -> str:
    made = domain_alternative(union, each)
    return f"{made}.getClass" if each.type is None else f"classOf[{made}]"
