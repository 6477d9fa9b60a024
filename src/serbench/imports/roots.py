"""Which type of a schema a message is, for formats whose compiler tells all types and not which of them is
meant."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path

from serbench.errors import LONGEST_FAULT, InputError
from serbench.imports.base import refused
from serbench.text import safe, shortened

_MOST_NAMED = 8
"""Of candidates, in a message."""


def chosen(names: Sequence[str], referred: Collection[str], wanted: str, file: Path, what: str) -> str:
    """The full name of the type that is wanted, which may be told by its end; where none is wanted, of the
    only one that no other refers to.

    Args:
        names: of all types that a message can be.
        referred: those to which another one refers.
        what: such a type, in the words of the format.

    Raises:
        InputError: there is none, or more than one; names those that there are.
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
        alike = [name for name in names if name not in referred]
        near = alike or names
        found = f"{len(alike) or 'no'} {what}{'s' if alike else ''} that no other refers to"
    if len(alike) == 1:
        return alike[0]
    raise _none(file, found, near)


def _none(file: Path, found: str, names: Sequence[str]) -> InputError:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    told = ", ".join(names[:_MOST_NAMED])
    return refused(file, "", found, f"the full name of one: {told}{more}", f"use --root {names[0]}")
