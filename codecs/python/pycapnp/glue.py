"""Generates code that converts dataclasses to dicts for pycapnp, and what pycapnp reads to dataclasses."""

from __future__ import annotations

from contextlib import nullcontext

from serbench.idl.capnp import field_name, is_alone, lowered, ordinals
from serbench.idl.nesting import deepest
from serbench.languages.python.access import members_of, names_of
from serbench.languages.python.code import suite
from serbench.languages.python.fixed import function_of
from serbench.languages.python.glue_module import LoweredModule, Table
from serbench.model import Enum, Record, Schema, Union
from serbench.model.parts import resolved

from .conversions import Mades, Plains, is_pointer


def emit(schema: Schema) -> str:
    """Return the text of the Python module ``cell.glue`` for a workload."""
    return _Glue(schema).text()


class _Glue(LoweredModule):
    sides = "messages as pycapnp has them"

    def __init__(self, schema: Schema):
        super().__init__(schema, lowered(schema))
        self.plains, self.mades = Plains("plain", self.types.made), Mades("made", self.types.made)

    def constants(self, body: str) -> list[str]:
        return [
            "",
            f'ROOT = "{self.natives[self.access.schema.root.name].name}"',
            f"DEEPEST = {deepest(self.types)}",
            '"""Structs and lists inside each other."""',
        ]

    def enum_tables(self, enum: Enum) -> list[Table]:
        """Return two tables for the generated module: a dict from the members of an enum to its enumerants,
        and the list of members in the enumerants' order, or a dict where some enumerants are obsolete."""
        own = [f"{enum.name}.{name}" for name, _ in enum.members]
        natives = zip(own, self.natives[enum.name].members, strict=True)
        pairs = [f'{member}: "{name}"' for member, (name, _) in natives]
        members, brackets = own, ("[", "]")
        if enum.gone:
            members = [f"{n}: {own}" for n, own in zip(ordinals(enum).values(), own, strict=True)]
            brackets = ("{", "}")
        return [(names_of(enum), pairs, ("{", "}")), (members_of(enum), members, brackets)]

    def record(self, record: Record, low: Record) -> None:
        parts = [
            (field_name(low, lower), own.type, lower.type, f"value.{own.name}")
            for own, lower in zip(record.fields, low.fields, strict=True)
        ]
        value, view = ("value", "view") if parts else ("_value", "_view")
        self.plains.anew()
        self.mades.anew()
        with self.function(f"plain_{function_of(record)}({value}: Any)"):
            always = [part for part in parts if not is_pointer(part[2])]
            absent = [part for part in parts if is_pointer(part[2])]
            plains = [(name, self.plains.inner(type, lower, at)) for name, type, lower, at in always]
            self.dict("plain: Any = " if absent else "return ", plains)
            for name, type, lower, at in absent:
                item, held = resolved(type).item, resolved(lower).item
                with suite(self.out, f"if {at} is not None:"):
                    self.out(f'plain["{name}"] = {self.plains.inner(item, held, at)}')
            self.out(*(["return plain"] if absent else []))
        with self.function(f"made_{function_of(record)}({view}: Any)"):
            self.access.give(
                self.out, record, [self.mades.of(type, lower, "view", name) for name, type, lower, _ in parts]
            )

    def union(self, union: Union, low: Union) -> None:
        pairs = list(zip(union.alternatives, low.alternatives, strict=True))
        self.plains.anew()
        self.mades.anew()
        with self.function(f"plain_{function_of(union)}(value: Any)"):
            for own, lower in zip(self.access.told_apart(self.out, union), low.alternatives, strict=True):
                plain = "None"
                if own.type is not None and lower.type is not None:
                    plain = self.plains.inner(own.type, lower.type, "value.value")
                self.out(f'return {{"{lower.name}": {plain}}}')
        with self.function(f"made_{function_of(union)}(view: Any)"):
            only = is_alone(low)  # a struct with a field, since Cap'n Proto has no such unions
            self.out(*([] if only else ["which = view.which()"]))
            for own, lower in pairs:
                value = None
                if own.type is not None and lower.type is not None:
                    value = self.mades.of(own.type, lower.type, "view", lower.name)
                with nullcontext() if only else suite(self.out, f'if which == "{lower.name}":'):
                    self.give_alternative(union, own, value)
            if not only:
                self.out(f'raise ValueError(f"{{which}} is no alternative of {union.name}")')
