"""Versions of libraries that a user asks for (``--version``): which there are, and codecs that have them."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from serbench.codecs.codec import Codec
from serbench.codecs.edition import Edition, is_path
from serbench.errors import SelectionError, SetupError, unknown
from serbench.languages import languages
from serbench.languages.language import Versions
from serbench.system.whole import write_atomically

_STABLE = re.compile(r"v?\d+(\.\d+)*")
LATEST, PREVIOUS = "latest", "previous"
_NEAREST = 2
"""The versions that an error names on either side of the one that there is not."""


def with_version(edition: Edition, codecs: Sequence[Codec]) -> list[Codec]:
    """Return those of a language's ``codecs`` that an edition has, in its version if it is one of a
    version."""
    own = [codec for codec in codecs if edition.has(codec.id)]
    if not edition.version:
        return own
    return [versions_of(codec, edition.version.text).pinned(codec, edition.version.text) for codec in own]


def resolved(home: Path, asked: str, codecs: Mapping[str, Codec]) -> str:
    """Return ``CODEC=VERSION`` as the user wrote it, with the number of the version that is meant by
    ``latest`` or ``previous``. The package manager is asked unless it named the version before, which
    ``home`` keeps.

    Args:
        codecs: the selected codecs by id.

    Raises:
        SelectionError: a codec that is not selected, or whose language has no versions; no such version, with
            the nearest ones; or no such package at a path.
        SetupError: the package manager does not tell which versions there are.
    """
    name, equals, wanted = asked.partition("=")
    wanted = re.sub(r"^v(?=\d)", "", wanted)  # some write it before the number, and tables leave it out
    if not (equals and wanted):
        raise SelectionError(
            f"--version {asked}; expected CODEC=VERSION, with a version, {LATEST}, {PREVIOUS} or a path"
        )
    if name not in codecs:
        raise SelectionError(f"--version {asked}: {unknown('selected codec', name, codecs)}")
    codec = codecs[name]
    versions = versions_of(codec, wanted)
    if problem := versions.problem(codec, wanted):
        raise SelectionError(f"--version {asked}: {problem}")
    if is_path(wanted):
        return f"{name}={Path(wanted).resolve()}"
    known = kept_versions(home, codec)
    if wanted not in known:
        try:
            known = asked_versions(home, codec, wanted if wanted not in (LATEST, PREVIOUS) else "")
        except SetupError:  # a word means one of the versions that are kept; a number may be a newer one
            if not (known and wanted in (LATEST, PREVIOUS)):
                raise
    usual, withdrawn = versions.usual(codec), withdrawn_versions(home, codec)
    return f"{name}={_meant(asked, wanted, known, withdrawn, usual)}"


def kept_versions(home: Path, codec: Codec) -> list[str]:
    """Return the versions that the package manager told last, the newest first; none if it was not asked."""
    kept = _file_of(home, codec)
    return list(json.loads(kept.read_text())) if kept.exists() else []


def asked_versions(home: Path, codec: Codec, wanted: str = "") -> list[str]:
    """Ask the package manager for the published versions, keep them in ``home``, and return them, the newest
    first; raise SetupError where it does not tell. A withdrawn version that is ``wanted`` is among them, and
    so are those that were wanted before."""
    published = versions_of(codec).published(codec)
    asked = "" if wanted in published else wanted
    not_listed = set(withdrawn_versions(home, codec)) - set(published)
    withdrawn = sorted({*versions_of(codec).withdrawn(codec, asked), *not_listed})
    known = sorted({*published, *withdrawn}, key=order_of, reverse=True)
    kept = _file_of(home, codec)
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(kept, json.dumps(known))
    write_atomically(_file_of(home, codec, "-withdrawn"), json.dumps(withdrawn))
    return known


def withdrawn_versions(home: Path, codec: Codec) -> Collection[str]:
    """Return the versions that were withdrawn, as the package manager told last."""
    kept = _file_of(home, codec, "-withdrawn")
    return frozenset(json.loads(kept.read_text())) if kept.exists() else frozenset()


def _file_of(home: Path, codec: Codec, what: str = "") -> Path:
    return home / "versions" / f"{codec.id.replace('/', '-')}{what}.json"


def nearest(version: str, published: Collection[str]) -> list[str]:
    """Return the published versions next to one that there is not, the newest first."""
    ordered = sorted(published, key=order_of)
    place = bisect_left([order_of(each) for each in ordered], order_of(version))
    return ordered[max(0, place - _NEAREST) : place + _NEAREST][::-1]


def _meant(asked: str, wanted: str, known: Sequence[str], withdrawn: Collection[str], usual: str) -> str:
    """Return the published version that is meant by a number or by a word; no word means a withdrawn one."""
    if wanted in known:
        return wanted
    stable = [each for each in known if is_stable(each) and each not in withdrawn]
    if wanted == LATEST and stable:
        return stable[0]
    older = [each for each in stable if order_of(each) < order_of(usual or stable[0])]
    if wanted == PREVIOUS and older:
        return older[0]
    named = ", ".join(nearest(usual if wanted == PREVIOUS else wanted, known)) or "no version at all"
    raise SelectionError(f"--version {asked}: there is no such version; the nearest are {named}")


def versions_of(codec: Codec, wanted: str = "VERSION") -> Versions:
    """Return the versions of a codec's language; raise SelectionError where it has none, which names
    ``wanted``."""
    found = languages()[codec.language].versions
    if not found:
        able = [each.traits.title for each in languages().values() if each.versions]
        raise SelectionError(
            f"--version {codec.id}={wanted}: versions are for codecs of {', '.join(able[:-1])} and "
            f"{able[-1]}; for those of {codec.traits.title} see --prefix"
        )
    return found


def is_stable(version: str) -> bool:
    """Whether a version is a release, and not what led to one."""
    return bool(_STABLE.fullmatch(version))


def order_of(version: str) -> tuple[tuple[int, ...], bool, str]:
    """Return the key by which versions are ordered: their numbers, and a release after what led to it."""
    numbers, rest = re.match(r"v?([\d.]*)(.*)", version).groups()  # type: ignore[union-attr]
    places = [int(each) for each in numbers.split(".") if each]
    while places and not places[-1]:
        places.pop()
    return tuple(places), not rest, rest
