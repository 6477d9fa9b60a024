"""Glue between domain objects and a library whose native objects are mutable messages with the same fields.

Each record and union gets ``build``, ``extract`` and ``traverse``. Destinations are overwritten in place, so
that their memory is used again. ``type`` is always a value's type in the domain and ``low`` what it is in the
IDL.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from serbench.idl.lower import Lowered
from serbench.languages.cpp.composites import Heads, Use
from serbench.languages.cpp.conversions import Build, Extract, Traverse
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.notation import CompositeNotation, Slot, Value
from serbench.model import Alternative, Enum, Field, Optional, Record, Scalar, Type, Union


class MessageGlue(CompositeNotation):
    """The functions of every record and union."""

    breaks_heads = False

    def __init__(self, types: Lowered, what: str, header: str):
        """``what`` is what the messages are called, and ``header`` the file that has them."""
        includes = sorted(["convert.hpp", "domain.hpp", header])
        root = f"using Native = {self.namespace}::{types.schema.root.name};"
        super().__init__(types, f"domain objects to and from {what}", includes, root)
        self.build = Build(self)
        self.extract = Extract(self)
        self.traverse = Traverse(self)

    def functions(self) -> None:
        self.declarations()
        for composite in self.schema.composites:
            if isinstance(composite, Record):
                self.record(composite, self.types.record(self.native(composite)))
            else:
                self.union(composite, self.types.union(self.native(composite)))

    def heads(self, domain: str, native: str, traverse: str = "traverse") -> Heads:
        name = f"{self.namespace}::{native}"
        return (
            f"inline void build(const {domain}& domain, {name}& native)",
            f"inline void extract(const {name}& native, {domain}& domain)",
            f"inline Checksum {traverse}(const {name}& native)",
        )

    def record(self, record: Record, lowered: Record) -> None:
        heads = self.heads(f"domain::{record.name}", lowered.name)
        if not record.fields:
            self.empty_functions(heads)
            return
        names = [f"domain.{field.name}" for field in record.fields]
        fields = list(zip(record.fields, lowered.fields, names, strict=True))
        with self.function(heads[0]):
            for field, low, name in fields:
                if union := self.placed(low.type):
                    self.out(f"if ({name}) build(*{name}, native);", f"else {self.placed_union(union)[1]}")
                elif self.leaves_out_zero(low):
                    self.build_unless_zero(field.type, low, name)
                else:
                    self.build.part(field.type, low.type, Value(name), self.slot("native.", low))
        with self.function(heads[1]):
            for field, low, name in fields:
                if union := self.placed(low.type):
                    self.out(
                        f"if ({self.placed_union(union)[0]}) extract(native, engaged({name}));",
                        f"else {name}.reset();",
                    )
                else:
                    self.extract.part(field.type, low.type, self.read("native", low), Slot.member(name))
        with self.sum_function(heads[2]):
            for field, low, _ in fields:
                if union := self.placed(low.type):
                    self.out(f"if ({self.placed_union(union)[0]}) sum += 1 + {self.sum_name(union)}(native);")
                else:
                    self.traverse.part(field.type, low.type, self.read("native", low), "")

    def union(self, union: Union, lowered: Union) -> None:
        holder = self.types.in_place.get(lowered.name, lowered.name)
        pairs = list(zip(union.alternatives, lowered.alternatives, strict=True))

        def use(conversion: Extract | Traverse, target: Any, n: int) -> None:
            own, low = pairs[n]
            assert own.type is not None and low.type is not None
            read = self.read_alternative("native", Field(low.name, low.type))
            conversion.part(own.type, low.type, read, target)

        self.union_functions(
            self.heads(f"domain::{union.name}", holder, self.sum_name(lowered)),
            "domain",
            [own.type is not None for own, _ in pairs],
            (
                lambda n: self.build_alternative(pairs[n][0].type, pairs[n][1], Value("held")),
                partial(use, self.extract, Slot.member("held")),
                partial(use, self.traverse, ""),
            ),
            partial(self.choose, lowered),
        )

    def placed(self, low: Type) -> Union | None:
        """The union of a field where that union stands in the message itself; else None."""
        union = low.item if isinstance(low, Optional) else None
        return union if isinstance(union, Union) and union.name in self.types.in_place else None

    def sum_name(self, union: Union) -> str:
        """The name of the function that sums a union. Where the union stands in a message, ``traverse`` is
        that message's own."""
        return f"traverse_{union.name}" if union.name in self.types.in_place else "traverse"

    def native(self, type: Record | Union | Enum) -> str:
        """The name of the message or enum for a domain type."""
        return str(self.natives[type.name].name)

    def build_alternative(self, type: Type | None, low: Alternative, value: Value) -> None:
        """Sets an alternative of the union ``native``; ``type`` is None where it has no value."""
        assert low.type is not None
        if type is None:
            self.out(self.chosen_empty(low))
        else:
            self.build.part(type, low.type, value, self.slot("native.", Field(low.name, low.type)))

    def chosen_empty(self, low: Alternative) -> str:
        """The statement that sets an alternative without a value."""
        raise NotImplementedError(f"{self.__class__.__name__} has no chosen_empty")

    def read_alternative(self, message: str, low: Field) -> Value:
        """An alternative to read, which is there."""
        return self.read(message, low)

    def choose(self, union: Union, write: Use) -> None:
        """Writes what is done with each alternative of the union ``native``, and an error where it has none.

        Only codecs with ``type_model = 2`` need this and ``chosen_empty``.
        """
        raise NotImplementedError(f"{self.__class__.__name__} has no choose")

    def placed_union(self, union: Union) -> tuple[str, str]:
        """For a union that stands in the message ``native``: the condition that it has an alternative, and
        the statement that takes it away.

        Only codecs whose IDL has such unions (``Abilities.in_place``) need this.
        """
        raise NotImplementedError(f"{self.__class__.__name__} has no placed_union")

    def leaves_out_zero(self, low: Field) -> bool:
        """Whether messages leave out a field that is zero."""
        return False

    def build_unless_zero(self, type: Type, low: Field, name: str) -> None:
        """Sets a field that messages leave out where it is zero; a float's zero with a sign is not left
        out."""
        slot = self.slot("native.", low)
        if isinstance(type, Scalar) and (type.is_float or not type.width):
            is_set = f"{name} != 0 || std::signbit({name})" if type.is_float else f"!{name}.empty()"
        else:
            is_set = f"{name} != {cpp_type(type, 'domain::')}{{}}"
        with self.out.either(f"if ({is_set}) {{", slot.presence):
            self.build.part(type, low.type, Value(name), slot)
