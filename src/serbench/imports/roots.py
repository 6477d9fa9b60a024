"""Chooses the type of a message, for formats whose schemas declare types and do not say which is the root."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path

from serbench.errors import LONGEST_FAULT
from serbench.imports.base import refused
from serbench.imports.names import listed
from serbench.text import safe, shortened

_MOST_NAMED = 8
"""How many candidates an error names."""


def chosen(names: Sequence[str], referred: Collection[str], wanted: str, file: Path, what: str) -> str:
    """The full name of the root: of the type called ``wanted``, of which the end of the name is enough; if
    ``wanted`` is empty, of the only type, or the only one to which no other refers.

    Args:
        names: full names of all types that can be the root.
        referred: names of the types to which another type refers.
        what: the format's word for such a type.

    Raises:
        InputError: there is no such type, or more than one; names the candidates.
    """
    if not names:
        raise refused(file, "", f"no {what} with a field", "a schema that has one")
    if wanted in names:
        return wanted
    if wanted:
        alike = [name for name in names if name.endswith(f".{wanted}")]
        near = alike or get_close_matches(wanted, names, n=3, cutoff=0.4) or names
        told = shortened(safe(wanted, lines=False), LONGEST_FAULT)
        found = f"{len(alike)} called '{told}'" if alike else f"no {what} with fields that is called '{told}'"
    else:
        alike = [name for name in names if name not in referred] if len(names) > 1 else [*names]
        near = alike or names
        found = f"{len(alike) or 'no'} {what}{'s' if alike else ''} that no other refers to"
    if len(alike) == 1:
        return alike[0]
    candidates = [shortened(safe(name, lines=False), LONGEST_FAULT) for name in near]
    expected = f"the full name of one: {listed(candidates, _MOST_NAMED)}"
    raise refused(file, "", found, expected, f"use --root {candidates[0]}")
