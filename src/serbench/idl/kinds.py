"""Finds out which kinds of types an IDL has natively, from what lowering makes of an example of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from serbench.idl.lower import Lowered
from serbench.model import Enum, FixedBytes, List, Map, Optional, Record, Ref, Scalar, Schema, Type, Union
from serbench.model.kinds import KINDS, schema_of
from serbench.model.types import SCALARS


def lowered_kinds(lowered: Callable[[Schema], Lowered], scalars: Mapping[str, str]) -> frozenset[str]:
    """The kinds of types that an IDL expresses by other types.

    Args:
        lowered: lowers a schema for the IDL.
        scalars: name of each scalar → the IDL's word for it.
    """
    found = set()
    for kind in KINDS:
        schema = schema_of([kind]).plain()
        low = lowered(schema)
        root = low.record(low.schema.root.name)
        if not _Comparison(scalars).same(schema.root.fields[-1].type, root.fields[-1].type):
            found.add(kind)
    return frozenset(found)


@dataclass
class _Comparison:
    """Compares types as they were declared with what they were lowered to."""

    scalars: Mapping[str, str]
    met: set[str] = field(default_factory=set)

    def same(self, declared: Type, low: Type) -> bool:
        """Whether the IDL has a type as it was declared."""
        match declared, low:
            case Scalar(name), Scalar(other):
                return name == other and self.is_widest(declared)
            case (Enum(), Enum()) | (Ref(), Ref()) | (FixedBytes(), FixedBytes()):
                return True
            case (List(item), List(other)) | (Optional(item), Optional(other)):
                return self.same(item, other)
            case Map(key, value), Map(other_key, other_value):
                return self.same(key, other_key) and self.same(value, other_value)
            case Record(name, fields), Record(_, low_fields):
                return self.are_same(name, [f.type for f in fields], [f.type for f in low_fields])
            case Union(name, alternatives), Union(_, low_alternatives):
                return self.are_same(name, [a.type for a in alternatives], [a.type for a in low_alternatives])
        return False

    def are_same(
        self, name: str, declared: list[Type] | list[Type | None], low: list[Type] | list[Type | None]
    ) -> bool:
        """Whether the IDL has the parts of a record or union as they were declared. One that was met before
        is not compared again."""
        if name in self.met:
            return True
        self.met.add(name)
        pairs = zip(declared, low, strict=True)
        return all(
            other is None if one is None else other is not None and self.same(one, other)
            for one, other in pairs
        )

    def is_widest(self, scalar: Scalar) -> bool:
        """Whether a scalar is the one that the IDL's word means: the widest of those that share the word, and
        the signed one if there are two."""
        sharing = [each for each in SCALARS.values() if self.scalars[each.name] == self.scalars[scalar.name]]
        return scalar == max(sharing, key=lambda each: (each.width, each.is_signed))
