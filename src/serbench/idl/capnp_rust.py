"""Writes schemas as Cap'n Proto schemas from which capnpc generates Rust."""

from __future__ import annotations

import re
from functools import partial

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.words import words
from serbench.idl import capnp
from serbench.idl.capnp import BUILT_IN, SCALARS, CapnpDialect, enumerant
from serbench.model.names import camel, pascal

__all__ = ["SCALARS", "accessor", "emit", "lowered", "module"]

_KEYWORDS = words(
    """abstract alignof as be become box break const continue crate do else enum extern false final fn for if
    impl in let loop macro match mod move mut offsetof once override priv proc pub pure ref return self sizeof
    static struct super trait true type typeof unsafe unsized use virtual where while yield"""
)
"""Names to which capnpc adds an underscore, since it takes them for reserved words of Rust."""

_NO_MODULES = words("async await core dyn try")
"""Names that no module can have: reserved words of Rust that capnpc does not escape, and names of crates."""

_IN_MODULES = words("builder owned pipeline reader which whichBuilder whichReader")
"""Names that a struct's module declares itself, in small letters at first; no alternative can have them."""


def accessor(name: str) -> str:
    """The end of the names of the methods ``get_…``, ``set_…``, ``init_…`` and ``has_…`` of a field."""
    return re.sub(r"(?<=.)(?=[A-Z])", "_", name).lower()


def module(name: str) -> str:
    """The name of the module that capnpc generates for a struct or a group."""
    made = accessor(name)
    return f"{made}_" if made in _KEYWORDS else made


def _in_module(name: str) -> list[str]:
    """The names that an identifier claims: itself and, with ``~`` before it, the module that capnpc makes."""
    return [name, f"~{accessor(name)}"]


_RESERVED = frozenset(f"~{word}" for word in _NO_MODULES)
NAMING = Naming(
    types=Scope(
        style=pascal, reserved=BUILT_IN | _RESERVED | words("From Self"), claims=_in_module, suffix="Type"
    ),
    fields=Scope(style=camel, reserved=_RESERVED, claims=_in_module, suffix="Value"),
    alternatives=Scope(
        style=camel, reserved=_RESERVED | _IN_MODULES | words("self"), claims=_in_module, suffix="Value"
    ),
    members=Scope(style=enumerant, reserved=words("self"), suffix="Value"),
    fields_apart=False,
)
"""Makes names that Cap'n Proto, which allows no underscores, and the generated Rust can have."""

_RUST = CapnpDialect(NAMING, ())

lowered = partial(capnp.lowered, dialect=_RUST)
emit = partial(capnp.emit, dialect=_RUST)
