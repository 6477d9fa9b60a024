"""Generates the code that a user of FlatBuffers writes around flatc's Python: conversions between dataclasses
and buffers."""

from __future__ import annotations

from serbench.codegen.steps import Wanted
from serbench.idl.fbs import MOST_PARAMETERS, Tables
from serbench.idl.fbs_py import PYTHON, camel
from serbench.languages.python.glue_module import LoweredModule
from serbench.languages.python.sums import write_walk
from serbench.model import Enum, Record, Schema, Union, Walk
from serbench.model.names import snake

from .building import Builds
from .extracting import Extracts
from .helpers import HELPERS
from .parts import Conversion
from .summing import Sums

_KINDS: dict[str, type[Conversion]] = {"build": Builds, "extract": Extracts, "sum": Sums}


def fits(schema: Schema, variant: str) -> str | None:
    """Return why the library cannot do a schema; None where it can."""
    tables = Tables(schema.plain(), PYTHON)
    if tables.widest > MOST_PARAMETERS:
        return f"the members that stand for arrays in a struct are more than {MOST_PARAMETERS}"
    if any(len(set(names)) < len(names) for names in map(tables.parameters_of, tables.structs)):
        return "flatc's Python would have two parameters of one name for the members of a struct"
    return None


def emit(schema: Schema) -> str:
    """Return the text of the Python module ``cell.glue`` for a workload."""
    return Glue(schema).text()


class Glue(LoweredModule):
    """Generates the module of a workload."""

    sides = "dataclasses to and from FlatBuffers"
    helpers = HELPERS

    def __init__(self, schema: Schema):
        self.tables = Tables(schema, PYTHON)
        super().__init__(schema, self.tables.lowered)
        self.wanted = Wanted(lambda kind, low: f"{kind}_{snake(low.name)}", "__")
        self.call = self.wanted.call
        self.conversions = {name: kind(self.out, self) for name, kind in _KINDS.items()}

    def of(self, low: Record | Union | Enum) -> str:
        """Return the variable that holds flatc's module of a type; its name is that of no domain type."""
        return f"_{low.name}"

    def functions(self) -> None:
        root = self.access.schema.root
        low = self.low(root)
        build, extract, total = (self.call(kind, root, low) for kind in _KINDS)
        self.wanted.write(lambda kind, *given: self.conversions[kind].function(*given))
        self.traversal(total)
        root_of = f"{self.of(low)}.{low.name}.GetRootAs"
        self.out("", "", f"build = {build}", f"extract = {extract}", f"root_of = {root_of}")

    def standard(self, body: str) -> list[str]:
        by_numpy = "_numbers(" in body or "_listed(" in body
        self.libraries = [*(["import numpy"] if by_numpy else []), "from cell import ADAPTER"]
        return [
            *(["import struct"] if "_bits32(" in body or "_bits64(" in body else []),
            *(["from math import copysign"] if "copysign(" in body else []),
        ]

    def constants(self, body: str) -> list[str]:
        named = sorted(self.types.composites, key=lambda composite: composite.name)
        return [
            *(f"from fbs import {n.name} as {self.of(n)}" for n in named if f"{self.of(n)}." in body),
            "",
            'BY_NUMPY = ADAPTER == "ByNumpy"',
            '"""Whether vectors of numbers are arrays of numpy."""',
        ]

    def walk(self, walk: Walk) -> None:
        nodes, edges, target = (camel(name) for name in (walk.nodes, walk.edges, walk.target))
        loop, to = f"for n in range(node.{edges}Length()):", f"node.{edges}(n).{target}()"
        node = f"node = view.{nodes}(number)"
        write_walk(self.out, "count", f"view.{nodes}Length()", "count", node, edges=loop, target=to)
