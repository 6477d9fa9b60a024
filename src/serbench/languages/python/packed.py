"""Writes and reads messages as numbers one after the other: the canonical encoding, and what a careful
programmer writes by hand. Neighbouring values of a fixed width are packed by one ``struct.Struct``, lists of
numbers by ``array``."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.codegen.source import Source
from serbench.languages.python.access import Access
from serbench.languages.python.fixed import (
    FixedRun,
    is_fixed,
)
from serbench.languages.python.reading import ReadFunction
from serbench.languages.python.writing import Writing
from serbench.model import (
    Record,
    Union,
)
from serbench.model.parts import back_references, parts


def functions(access: Access, count: str, ordered: bool) -> tuple[Source, dict[str, str]]:
    """The functions that write and read each composite that is not packed as a part of others, and the root;
    and the letters of what packs, by their names."""
    out, named = Source("    "), dict[str, str]()
    own = [c for c in access.schema.composites if not is_fixed(c) or c is access.schema.root]
    referred = _referred(access.schema.composites)
    own = [c for c in access.schema.composites if c in own or c.name in referred]
    for composite in own:
        out("", "")
        Writing(access, out, FixedRun(named), count, ordered).function(composite)
        out("", "")
        ReadFunction(access, out, FixedRun(named), count).function(composite)
    return out, named


def _referred(composites: Sequence[Record | Union]) -> set[str]:
    return {ref.name for c in composites for part in parts(c) for ref in back_references(part)}
