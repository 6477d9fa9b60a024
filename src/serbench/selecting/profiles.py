"""The profiles that a user names, such as those of ``verify --format-profile``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from serbench.errors import SelectionError, unknown
from serbench.selecting.conformance import Catalogue

BETWEEN = ":"
"""The sign between a format and its profile."""


def judges_of(catalogues: Mapping[str, Catalogue], asked: Sequence[str]) -> dict[str, list[Catalogue]]:
    """Return, by format, the catalogues as the profiles of ``asked`` judge, in which ``*`` stands for any;
    where nothing is asked for, every catalogue as its own specification does.

    Raises:
        SelectionError: there is no such format, or no such profile of it.
    """
    if not asked:
        return {name: [each] for name, each in catalogues.items()}
    known = {name: each.by_profile for name, each in catalogues.items()}
    found: dict[str, list[Catalogue]] = {}
    for name, profile in (pair for text in asked for pair in pairs_of("--format-profile", text, known)):
        own = found.setdefault(name, [])
        if all(each.profile != profile for each in own):
            own.append(known[name][profile])
    return found


def pairs_of(option: str, text: str, known: Mapping[str, Collection[str]]) -> Iterator[tuple[str, str]]:
    """The formats with profiles that a text such as ``one:strict`` of an option names; ``*`` stands for any.

    Args:
        known: format → its profiles.

    Raises:
        SelectionError: there is no such format, or no such profile of it.
    """
    format, between, profile = text.partition(BETWEEN)
    names = _matching(f"format of {option}", format, known)
    if not between:
        those = [f"{name}{BETWEEN}{each}" for name in names for each in known[name]]
        raise SelectionError(f"{option}: found '{text}', expected one of {', '.join(those)}")
    profiles = dict.fromkeys(each for name in names for each in known[name])
    wanted = _matching(f"profile of {format} in {option}", profile, profiles)
    yield from ((name, each) for name in names for each in wanted if each in known[name])


def _matching(kind: str, pattern: str, known: Iterable[str]) -> list[str]:
    names = list(known)
    if found := [each for each in names if fnmatchcase(each, pattern)]:
        return found
    raise unknown(kind, pattern, names)
