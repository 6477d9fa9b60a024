"""Glue between domain objects and a library whose native objects are mutable messages with the same fields.

Each record and union gets ``build``, ``extract`` and ``traverse``. Destinations are overwritten in place, so
that their memory is used again. ``type`` is always a value's type in the domain and ``low`` what it is in the
IDL.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from serbench.idl.lower import Lowered
from serbench.idl.nesting import deepest
from serbench.languages.cpp.composites import Heads, Use
from serbench.languages.cpp.conversions import Build, Extract, Traverse
from serbench.languages.cpp.notation import CompositeNotation, Slot, Value
from serbench.model import Alternative, Enum, Field, Record, Type, Union


class MessageGlue(CompositeNotation):
    """Generator of ``build``, ``extract`` and ``traverse`` for messages with the same fields as the domain.

    Attributes:
        limits_recursion: whether the adapter sets the library's limit on how deep messages are nested.
    """

    breaks_heads = False
    limits_recursion = True

    def __init__(self, types: Lowered, what: str, header: str):
        """Writes the head of the file: ``what`` names the library's messages in a comment, and ``header`` is
        the file that declares them."""
        includes = sorted(["convert.hpp", "domain.hpp", header])
        root = f"using Native = {self.namespace}::{types.schema.root.name};"
        super().__init__(types, f"domain objects to and from {what}", includes, root)
        self.build = Build(self)
        self.extract = Extract(self)
        self.traverse = Traverse(self)
        levels = deepest(types) if self.limits_recursion else 0
        if levels:
            self.out("", "template <>", f"inline constexpr int recursion_limit<Native> = {levels};")

    def heads(self, domain: str, native: str, traverse: str = "traverse") -> Heads:
        name = f"{self.namespace}::{native}"
        return (
            f"inline void build(const {domain}& domain, {name}& native)",
            f"inline void extract(const {name}& native, {domain}& domain)",
            f"inline Checksum {traverse}(const {name}& native)",
        )

    def record(self, record: Record, low: Record) -> None:
        heads = self.heads(f"domain::{record.name}", low.name)
        if not record.fields:
            self.empty_functions(heads)
            return
        fields = list(zip(record.fields, low.fields, strict=True))
        ways = (
            (self.function, self.build_field),
            (self.function, self.extract_field),
            (self.sum_function, self.sum_field),
        )
        for head, (function, write) in zip(heads, ways, strict=True):
            with function(head):
                for field, to in fields:
                    write(field.type, to, f"domain.{field.name}")

    def build_field(self, type: Type, low: Field, name: str) -> None:
        """Writes code that sets the field ``low`` of a message from ``name``, the domain's field in C++."""
        self.build.part(type, low.type, Value(name), self.slot("native.", low))

    def extract_field(self, type: Type, low: Field, name: str) -> None:
        """Writes code that sets ``name``, the domain's field in C++, from the field ``low`` of a message."""
        self.extract.part(type, low.type, self.read("native", low), Slot.member(name))

    def sum_field(self, type: Type, low: Field, name: str) -> None:
        """Writes code that adds the value of the message's field ``low`` to ``sum``, as ``traverse`` does."""
        self.traverse.part(type, low.type, self.read("native", low), "")

    def union(self, union: Union, low: Union) -> None:
        pairs = list(zip(union.alternatives, low.alternatives, strict=True))
        holder = self.types.in_place.get(low.name)  # its message has a ``traverse`` of its own
        traverse = f"traverse_{low.name}" if holder else "traverse"

        def use(conversion: Extract | Traverse, target: Any, n: int) -> None:
            own, to = pairs[n]
            assert own.type is not None and to.type is not None
            read = self.read_alternative("native", Field(to.name, to.type))
            conversion.part(own.type, to.type, read, target)

        self.union_functions(
            self.heads(f"domain::{union.name}", holder or low.name, traverse),
            "domain",
            [own.type is not None for own, _ in pairs],
            (
                lambda n: self.build_alternative(pairs[n][0].type, pairs[n][1], Value("held")),
                partial(use, self.extract, Slot.member("held")),
                partial(use, self.traverse, ""),
            ),
            partial(self.choose, low),
        )

    def native(self, type: Record | Union | Enum) -> str:
        """The name that the library's message or enum for a domain type has."""
        return str(self.natives[type.name].name)

    def build_alternative(self, type: Type | None, low: Alternative, value: Value) -> None:
        """Writes code that sets the alternative ``low`` of the message's union ``native``; a generator whose
        messages have alternatives without a value, for which ``type`` is None, has to override it."""
        assert type is not None and low.type is not None
        self.build.part(type, low.type, value, self.slot("native.", Field(low.name, low.type)))

    def read_alternative(self, message: str, low: Field) -> Value:
        """The expression that reads the alternative ``low`` of a message, once that is known to have it."""
        return self.read(message, low)

    def choose(self, union: Union, write: Use) -> None:
        """Writes code that does what ``write`` writes for the alternative that the union ``native`` has, and
        throws where it has none. Only codecs with ``type_model = 2`` need it."""
        raise NotImplementedError(f"{self.__class__.__name__} has no choose")
