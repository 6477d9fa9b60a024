"""Writes schemas as FlatBuffers schemas from which planus generates Rust.

It chooses names that stay different in Rust's style, which planus gives them: ``fooBar`` and ``foo_bar``
would become the same.
"""

from __future__ import annotations

import re
from functools import partial

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.words import RUST, words
from serbench.idl import fbs
from serbench.idl.fbs import REQUIRES_RECORDS, SCALARS, FbsDialect
from serbench.idl.fbs_names import WORDS
from serbench.model.names import pascal
from serbench.model.names import snake as underscored

__all__ = ["PLANUS", "REQUIRES_RECORDS", "SCALARS", "emit", "lowered", "snake", "upper_camel"]

_WORDS = WORDS | RUST | words("native_include null inf nan")
"""Names that no field gets: reserved words of schemas, and of Rust, to which planus adds an underscore."""

_BOUNDARY = re.compile(r"((?<=[a-z])[0-9]*)(?=[A-Z])|((?<=[A-Z])[0-9]*)(?=[A-Z][a-z])|_")
"""Matches where planus ends a word of a name: before a capital behind a small letter, between two capitals if
a small letter follows, and at underscores."""


def _parts(name: str) -> list[str]:
    return _BOUNDARY.sub(lambda end: f"{end[1] or end[2] or ''}_", name).split("_")


def upper_camel(name: str) -> str:
    """The name that planus gives a type, a member or an alternative: ``XY_pair`` → ``XyPair``."""
    return "".join(part.capitalize() for part in _parts(name))


def snake(name: str) -> str:
    """The name that planus gives a field."""
    return "_".join(part.lower() for part in _parts(name))


def _of_type(name: str) -> list[str]:
    """The names that planus declares for a type."""
    return [upper_camel(f"{name}{end}") for end in ("", "Ref", "Builder")]


NAMING = Naming(
    types=Scope(style=pascal, reserved=words("Self"), claims=_of_type, suffix="Type"),
    fields=Scope(
        style=underscored, reserved=_WORDS, claims=lambda name: (name, snake(name)), suffix="_field"
    ),
    alternatives=Scope(
        style=pascal,
        reserved=words("NONE Self"),
        claims=lambda name: (upper_camel(name), f"~{snake(name)}"),
        suffix="Value",
    ),
    members=Scope(
        style=pascal, reserved=words("Self"), claims=lambda name: (upper_camel(name),), suffix="Value"
    ),
    fields_apart=False,
)
"""Makes names that FlatBuffers and the generated Rust can have."""

PLANUS = FbsDialect(NAMING, "fbs", has_arrays=False, open_enums=False, has_keys=False, empty_defaults=True)

lowered = partial(fbs.lowered, dialect=PLANUS)
emit = partial(fbs.emit, dialect=PLANUS)
