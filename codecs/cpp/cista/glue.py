"""Glue for cista: the structs that it serializes, with its own containers, as an author would write them by hand.

The conversions between these and the domain's are no generated code but templates, in ``codecs/cpp/cista/support.hpp``.
"""

from __future__ import annotations

from serbench.languages.cpp.domain import SCALARS, domain_types
from serbench.languages.cpp.glue import Glue, broken, is_number
from serbench.model import Array, Enum, List, Map, Optional, Record, Scalar, Schema, Type, Walk, bytes_, string
from serbench.model.types import describe


def emit(schema: Schema) -> str:
    """The text of ``glue.hpp``."""
    return _Glue(schema).text()


def fits(schema: Schema, variant: str) -> str | None:
    """Two variants are about pointers between nodes and edges."""
    if variant in ("offset_pointers", "raw_pointers") and not schema.walk:
        return "only the edges of a graph are pointers"
    return None


class _Glue(Glue):
    def __init__(self, schema: Schema):
        name = domain_types(schema).root.name
        root = f"struct {name};\nusing Native = {name};"
        super().__init__(schema, "the structs that cista serializes", ["domain.hpp", "support.hpp"], root)

    def functions(self) -> None:
        for record in self.schema.records:
            self.struct(record)

    def struct(self, record: Record) -> None:
        out = self.out
        out("")
        with out.block(f"struct {record.name} {{", "};"):
            for field in record.fields:
                initialiser = "{}" if _needs_initialiser(field.type) else ""
                out(f"{_native(field.type)} {field.name}{initialiser};")
            names = ", ".join(field.name for field in record.fields)
            out("", *broken(f"auto cista_members() {{ return std::tie({names}); }}"))
            if _is_flat(record):
                out(
                    "// Holds no pointers: whoever refers to it has checked its bounds.",
                    "template <class Context>",
                    f"friend void deserialize(const Context&, {record.name}*) {{}}",
                )

    def walk_accessors(self, walk: Walk) -> tuple[str, str, str]:
        nodes, edges, target = (walk.nodes, walk.edges, walk.target)
        return f"graph.{nodes}.size()", f"graph.{nodes}.data()[node].{edges}", f"edge.{target}"


def _native(type: Type) -> str:
    """The type that cista's users write."""
    match type:
        case Scalar():
            special = {string: "cista::offset::string", bytes_: "cista::offset::vector<std::uint8_t>"}
            return special.get(type) or SCALARS[type.name]
        case Enum(name):
            return f"domain::{name}"
        case Record(name):
            return name
        case List(item):
            return f"cista::offset::vector<{_native(item)}>"
        case Array(item, length):
            return f"cista::array<{_native(item)}, {length}>"
        case Map(key, value):
            return f"cista::offset::hash_map<{_native(key)}, {_native(value)}>"
        case Optional(item):
            # cista::optional never destroys its value.
            return f"cista::optional<{_native(item)}>" if _is_flat(item) else f"cista::offset::unique_ptr<{_native(item)}>"
        case _:
            raise TypeError(f"{describe(type)} has no cista type")


def _is_flat(type: Type) -> bool:
    """Whether values lie inline as a whole: numbers and what consists of them."""
    match type:
        case Record(_, fields):
            return all(_is_flat(field.type) for field in fields)
        case Array(item, _):
            return _is_flat(item)
        case _:
            return is_number(type)


def _needs_initialiser(type: Type) -> bool:
    match type:
        case Array() | Enum():
            return True
        case Scalar():
            return type.width > 0
        case Optional(item):
            return _is_flat(item)
        case _:
            return False
