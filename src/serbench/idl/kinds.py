"""Finds out which kinds of types an IDL has natively, by lowering an example of each kind."""

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
    """Compares declared types with their lowered types."""

    scalars: Mapping[str, str]
    met: set[str] = field(default_factory=set)

    def same(self, declared: Type | None, low: Type | None) -> bool:
        """Whether lowering left a type as declared; None is the type of an alternative without a value."""
        match declared, low:
            case Scalar(name), Scalar(other):
                return name == other and self.is_widest(declared)
            case (Enum(), Enum()) | (Ref(), Ref()) | (FixedBytes(), FixedBytes()):
                return True
            case (List(item), List(other)) | (Optional(item), Optional(other)):
                return self.same(item, other)
            case Map(key, value), Map(other_key, other_value):
                return self.same(key, other_key) and self.same(value, other_value)
            case (Record() as one, Record() as other) | (Union() as one, Union() as other):
                if one.name in self.met:
                    return True  # it is not compared again
                self.met.add(one.name)
                pairs = zip(one.parts, other.parts, strict=True)
                return all(self.same(part.type, lower.type) for part, lower in pairs)
        return declared is low is None

    def is_widest(self, scalar: Scalar) -> bool:
        """Whether a scalar is the one that the IDL's word means: the widest of those that share the word, and
        the signed one if there are two."""
        sharing = [each for each in SCALARS.values() if self.scalars[each.name] == self.scalars[scalar.name]]
        return scalar == max(sharing, key=lambda each: (each.width, each.is_signed))
