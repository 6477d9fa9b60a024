"""Generates glue for cista: the structs that it serializes, with its own containers, as users write them by
hand.

The conversions between these and the domain's are no generated code but templates, in ``support.hpp``; those
of graphs with pointers in ``pointers.hpp``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from serbench.codegen.source import Source
from serbench.codegen.steps import is_number, of_graph
from serbench.languages.cpp.domain import SCALARS, domain_types, forward_declarations
from serbench.languages.cpp.glue import GlueHeader, broken
from serbench.model import (
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
    Walk,
    bytes_,
    string,
)
from serbench.model.parts import describe, parts, types_in


def emit(schema: Schema) -> str:
    """The text of the file ``glue.hpp`` of a workload."""
    return _Glue(schema).text()


_MOST_ALTERNATIVES = 15

_MOST_HASHED = 128
"""How many types cista's hash of types has room for, unless it is given more."""


def fits(schema: Schema, variant: str) -> str | None:
    """Why a variant of the codec cannot do a schema: cista's unions have few alternatives, and two variants
    are for graphs alone."""
    most = max((len(each.alternatives) for each in schema.composites if isinstance(each, Union)), default=0)
    if most > _MOST_ALTERNATIVES:
        return (
            f"its variant does not compile with more than {_MOST_ALTERNATIVES} alternatives (its apply calls "
            f"itself for the others without their index); there are {most}"
        )
    if variant not in ("offset_pointers", "raw_pointers"):
        return None
    if not schema.walk:
        return "only the edges of a graph are pointers"
    return _Graph(schema, schema.walk).why_not()


class _Glue(GlueHeader):
    def __init__(self, schema: Schema):
        name = domain_types(schema).root.name
        root = f"struct {name};\nusing Native = {name};"
        self.pointers = fits(schema, "offset_pointers") is None
        support = "pointers.hpp" if self.pointers else "support.hpp"
        super().__init__(schema, "the structs that cista serializes", ["domain.hpp", support], root)

    def functions(self) -> None:
        if forward := forward_declarations(self.schema):
            self.out("", *forward)
        for composite in self.schema.composites:
            self.out("")
            with self.out.block(f"struct {composite.name} {{", "};"):
                if isinstance(composite, Record):
                    self.members(
                        [_member(field) for field in composite.fields], [f.name for f in composite.fields]
                    )
                    self.unchecked(composite.name, composite)
                else:
                    self.union(composite)

    def members(self, declared: Sequence[str], names: Sequence[str]) -> None:
        self.out(*declared)
        _tied(self.out, names)

    def unchecked(self, name: str, type: Type) -> None:
        if _is_flat(type):
            self.out(
                "// Holds no pointers: whoever refers to it has checked its bounds.",
                "template <class Context>",
                f"friend void deserialize(const Context&, {name}*) {{}}",
            )

    def union(self, union: Union) -> None:
        """Writes a struct for each alternative, since cista tells alternatives apart by their types."""
        for each in union.alternatives:
            with self.out.block(f"struct {each.name} {{", "};"):
                self.members(
                    [] if each.type is None else [f"{_native(each.type)} value;"],
                    ["value"] if each.type else [],
                )
                self.unchecked(each.name, each.type or Record(each.name, []))
        names = [each.name for each in union.alternatives]
        # cista cannot move a variant that has no value.
        self.out("", *broken(f"cista::variant<{', '.join(names)}> value{{{names[0]}{{}}}};"))
        _tied(self.out, ["value"])

    def text(self) -> str:
        super().text()
        if (most := _most_types(self.schema)) > _MOST_HASHED:
            self.roomy_hash(most)
        return self.out.text()

    def roomy_hash(self, most: int) -> None:
        """Writes the hash of types for a schema that has more of them than the library makes room for."""
        native = f"serbench::glue::{self.schema.root.name}"
        head = f"constexpr cista::hash_t cista::static_type_hash<{native}, {_MOST_HASHED}>() noexcept {{"
        self.out("", f"// cista's hash of types has room for {_MOST_HASHED} of them.", "template <>")
        with self.out.block("\n".join(broken(head))):
            self.out(f"return static_type_hash<{native}, {most}>();")

    def walk_accessors(self, walk: Walk) -> tuple[str, str, str]:
        nodes, edges, target = (walk.nodes, walk.edges, walk.target)
        return f"graph.{nodes}.size()", f"graph.{nodes}.data()[node].{edges}", f"edge.{target}"

    def walk(self, walk: Walk) -> None:
        super().walk(walk)
        if self.pointers:
            _Graph(self.schema, walk).write(self.out)


@dataclass(frozen=True)
class _Containers:
    """The C++ types of cista's containers, with ``{}`` for each type that they hold; ``named`` returns the
    C++ type for the name of a record that has containers inside."""

    string: str
    vector: str
    map: str
    owner: str
    named: Callable[[str], str] = str


_OFFSET = _Containers(
    "cista::offset::string",
    "cista::offset::vector<{}>",
    "cista::offset::hash_map<{}, {}>",
    "cista::offset::unique_ptr<{}>",
)


def _member(field: Field, containers: _Containers = _OFFSET) -> str:
    initialiser = "{}" if _needs_initialiser(field.type) else ""
    return f"{_native(field.type, containers)} {field.name}{initialiser};"


def _tied(out: Source, names: Sequence[str]) -> None:
    out(*([""] if names else []), *broken(f"auto cista_members() {{ return std::tie({', '.join(names)}); }}"))


def _native(type: Type, of: _Containers = _OFFSET) -> str:
    """The C++ type of cista that stands for a domain type."""
    match type:
        case Scalar():
            special = {string: of.string, bytes_: of.vector.format("std::uint8_t")}
            return special.get(type) or SCALARS[type.name]
        case Enum(name):
            return f"domain::{name}"
        case Record(name) | Union(name):
            return name if _is_flat(type) else of.named(name)
        case FixedBytes(length):
            return f"cista::array<std::byte, {length}>"
        case Ref(name):
            return of.owner.format(of.named(name))
        case Optional(Ref() as item):
            return _native(item, of)
        case List(Ref(name)):
            return of.vector.format(of.named(name))
        case List(item):
            return of.vector.format(_native(item, of))
        case Array(item, length):
            return f"cista::array<{_native(item, of)}, {length}>"
        case Map(key, value):
            # An owner where it leads back: cista::hash_map asks for complete types.
            return of.map.format(_native(key, of), _native(value, of))
        case Optional(item):
            # cista::optional never destroys its value.
            return (
                f"cista::optional<{_native(item, of)}>"
                if _is_flat(item)
                else of.owner.format(_native(item, of))
            )
        case _:
            raise TypeError(f"{describe(type)} has no cista type")


def _most_types(schema: Schema) -> int:
    """At least how many types the native root is made of: those of the domain, and a struct for each
    alternative of a union."""
    types = types_in(schema.root)
    return len(types) + sum(len(type.alternatives) for type in types if isinstance(type, Union))


def _is_flat(type: Type) -> bool:
    """Whether values have no pointers in them: numbers, and arrays and records of numbers."""
    if isinstance(type, Record | Array):
        return all(map(_is_flat, parts(type)))
    return isinstance(type, FixedBytes) or is_number(type)


def _needs_initialiser(type: Type) -> bool:
    if isinstance(type, Optional):
        return _is_flat(type.item)
    return isinstance(type, Array | FixedBytes) or is_number(type)


# Names of records and fields never end like this.
_KIND = "Kind_"
_PLACE = "place_"


def _of_kind(name: str) -> str:
    return f"{name}<{_KIND}>"


def _container(name: str) -> str:
    return f"typename {_KIND}::template {name}<{{}}>"


_ANY = _Containers(
    f"typename {_KIND}::String",
    _container("Vector"),
    _container("HashMap").replace("{}", "{}, {}"),
    _container("Owner"),
    _of_kind,
)


class _Graph:
    """Generator of structs for a graph whose nodes and edges point to each other. The kind of pointers is a
    template parameter of the structs."""

    def __init__(self, schema: Schema, walk: Walk):
        self.schema, self.walk = schema, walk
        self.node, self.edge = of_graph(schema.root, walk)
        self.lists = [field.name for field in self.node.fields if field.type == List(self.edge)]
        self.ends = [name for name in (walk.source, walk.target) if name]

    def why_not(self) -> str | None:
        """Why this graph cannot be objects that point to each other; None where it can."""
        if not _is_flat(self.edge):
            return "edges may hold numbers alone, since cista does not check what pointers lead to"
        placed = {(self.schema.root, self.walk.nodes), *((self.node, name) for name in self.lists)}
        for record in self.schema.records:
            for field in record.fields:
                if (record, field.name) not in placed and {self.node, self.edge} & _beside_records(
                    field.type
                ):
                    return (
                        "nodes and edges are objects of their own, "
                        f"and {record.name}.{field.name} is no list of a graph's"
                    )
        return None

    def write(self, out: Source) -> None:
        """Writes the structs, and the functions by which ``pointers.hpp`` finds their parts."""
        out("", "namespace pointers {", "", "// As a program with pointers would hold it.")
        for record in (self.node, self.edge):
            out(f"template <class {_KIND}>", f"struct {record.name};")
        for record in self.schema.records:
            if record == self.edge or not _is_flat(record):
                self.struct(out, record)
        out("", "}  // namespace pointers", "", "template <>")
        with out.block(f"struct Pointers<domain::{self.schema.root.name}> {{", "};"):
            self.parts(out)

    def struct(self, out: Source, record: Record) -> None:
        added = []
        out("", f"template <class {_KIND}>")
        with out.block(f"struct {record.name} {{", "};"):
            if record == self.node:
                target = next(field.type for field in self.edge.fields if field.name == self.walk.target)
                out(
                    f"{_native(target)} {_PLACE}{{}};  // among the nodes, "
                    "by which the domain's edges name it"
                )
                added.append(_PLACE)
            for field in record.fields:
                out(self.member(record, field))
            names = [*added, *(field.name for field in record.fields)]
            if record == self.schema.root:
                owned = {"all_edges_": self.edge, "strangers_": self.node}
                for name, of in owned.items():
                    out(f"{_ANY.vector.format(_ANY.owner.format(_of_kind(of.name)))} {name};")
                names += owned
            _tied(out, names)

    def member(self, record: Record, field: Field) -> str:
        if record == self.edge and field.name in self.ends:
            return f"{_container('Pointer').format(_of_kind(self.node.name))} {field.name}{{nullptr}};"
        if record == self.node and field.name in self.lists:
            return (
                f"{_ANY.vector.format(_container('Pointer').format(_of_kind(self.edge.name)))} {field.name};"
            )
        if record == self.schema.root and field.name == self.walk.nodes:
            return f"{_ANY.vector.format(_ANY.owner.format(_of_kind(self.node.name)))} {field.name};"
        return _member(field, _ANY)

    def parts(self, out: Source) -> None:
        """Writes the functions that find the nodes, edges and values of a graph, in these structs and in the
        domain's, whose members have the same names."""
        for name, record in {"Graph": self.schema.root, "Node": self.node, "Edge": self.edge}.items():
            out(f"template <class {_KIND}>", f"using {name} = pointers::{_of_kind(record.name)};")
        walk = self.walk
        out(f"static auto& nodes(auto& graph) {{ return graph.{walk.nodes}; }}")
        out(f"static auto& edges(auto& node) {{ return node.{walk.edges}; }}")
        if walk.source:
            out(f"static auto& source(auto& edge) {{ return edge.{walk.source}; }}")
        tuples = {
            "other_edges": ("node", [name for name in self.lists if name != walk.edges]),
            "ends": ("edge", self.ends),
            "root_values": ("graph", _names(self.schema.root, [walk.nodes])),
            "node_values": ("node", _names(self.node, self.lists)),
            "edge_values": ("edge", _names(self.edge, self.ends)),
        }
        for name, (of, members) in tuples.items():
            tied = ", ".join(f"{of}.{member}" for member in members)
            parameter = f"auto& {of}" if members else "auto&"
            out(*broken(f"static auto {name}({parameter}) {{ return std::tie({tied}); }}"))
        call = f"return depth_first(graph.{walk.nodes}.size(), [&](std::size_t node, auto&& reach) {{"
        with out.block("static Checksum walk(const auto& graph) {"), out.block(call, "});"):
            edges = f"graph.{walk.nodes}.data()[node]->{walk.edges}"
            out(f"for (const auto& edge : {edges}) reach(edge->{walk.target}->{_PLACE});")


def _names(record: Record, without: Sequence[str]) -> list[str]:
    return [field.name for field in record.fields if field.name not in without]


def _beside_records(type: Type) -> set[Type]:
    """``type`` and the types that it is made of, without those inside records."""
    return {type}.union(
        *(() if isinstance(type, Record) else (_beside_records(part) for part in parts(type)))
    )
