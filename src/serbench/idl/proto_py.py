"""Writes schemas as Protocol Buffers files for a compiler that gives names the style of Python: no two of
their names differ by style alone."""

from __future__ import annotations

import keyword
import re
from dataclasses import replace
from functools import partial

from serbench.codegen.words import words
from serbench.idl import proto
from serbench.idl.proto import SCALARS

__all__ = ["SCALARS", "attribute", "class_name", "emit", "lowered"]

DIALECT_OF = "proto"
"""The IDL that has its hints."""

_WORD = re.compile("[^a-zA-Z0-9]*([A-Z]+(?![a-z])[0-9]*|[A-Z]*[a-z]*[0-9]*)")
"""Matches a word of a name in any style, with the signs before it; the group is the word alone."""

_TAKEN = words("betterproto2 load")
"""Names that no field can have, since classes of messages use them: betterproto's module, and a method."""


def class_name(name: str) -> str:
    """The compiler's name of a class: ``Foo_bar`` → ``FooBar``, ``HTTPServer`` → ``HttpServer``."""
    return _WORD.sub(lambda m: m[1].capitalize(), name)


def attribute(name: str) -> str:
    """The compiler's name of a field: ``outEdges`` → ``out_edges``, ``out_Edges`` stays, ``if`` → ``if_``."""
    made = name
    if "_" not in name and name.lower() != name:
        for before in (r"(?<=[a-z0-9])([A-Z])", r"(?<=[A-Z])([A-Z])(?=[a-z])", r"(?<=[a-zA-Z])([0-9])"):
            made = re.sub(before, r"_\1", made)
        made = made.lower()
    return f"{made}_" if keyword.iskeyword(made) else made


def _of_type(name: str) -> list[str]:
    return [*proto.NAMING.types.claims(name), f"python {class_name(name)}"]


def _of_field(name: str) -> list[str]:
    return [*proto.NAMING.fields.claims(name), f"python {attribute(name)}"]


NAMING = replace(
    proto.NAMING,
    types=replace(
        proto.NAMING.types,
        reserved=proto.NAMING.types.reserved | {"python None", "python True", "python False"},
        claims=_of_type,
    ),
    fields=replace(
        proto.NAMING.fields,
        reserved=proto.NAMING.fields.reserved | {f"python {name}" for name in _TAKEN},
        claims=_of_field,
    ),
)
"""Makes names that Protocol Buffers can have, and the generated Python too."""

lowered = partial(proto.lowered, naming=NAMING)
emit = partial(proto.emit, naming=NAMING)
