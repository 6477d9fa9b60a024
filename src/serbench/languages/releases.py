"""Releases of a codec's library: its stable versions with the days on which they were published."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

from serbench.codecs.codec import Codec
from serbench.errors import SelectionError, SetupError
from serbench.languages.versions import (
    asked_versions,
    is_stable,
    kept_versions,
    nearest,
    order_of,
    versions_of,
    withdrawn_versions,
)
from serbench.system.whole import write_atomically


class Release(msgspec.Struct, frozen=True):
    """A stable version, and the day on which it was published, such as ``2026-11-29``; empty where the
    package manager does not tell it."""

    version: str
    released: str = ""


def releases(home: Path, codec: Codec) -> list[Release]:
    """Return the releases of a codec's library that were not withdrawn, the oldest first, as the package
    manager tells them, or without a network as it told them last (``home`` keeps them).

    Raises:
        SelectionError: the codec has no library, its language no versions, or there is no release.
        SetupError: the package manager does not tell them, and did not before.
    """
    versions = versions_of(codec)
    if problem := versions.problem(codec, "1"):
        raise SelectionError(f"{codec.id}: {problem}")
    try:
        known = asked_versions(home, codec)
    except SetupError:
        known = kept_versions(home, codec)
        if not known:
            raise
    file = home / "versions" / f"{codec.id.replace('/', '-')}-released.json"
    days: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
    days |= dict(versions.released(codec))
    write_atomically(file, json.dumps(days))
    left = set(known) - set(withdrawn_versions(home, codec))
    stable = sorted(filter(is_stable, left), key=order_of)
    if not stable:
        raise SelectionError(f"{codec.id}: its library has no stable version")
    return [Release(each, days.get(each, "")) for each in stable]


def the_last(found: Sequence[Release], number: int) -> Sequence[Release]:
    """Return the newest releases, ``number`` of them, or all if there are fewer."""
    return found[-number:]


def evenly(found: Sequence[Release], most: int) -> Sequence[Release]:
    """Return at most ``most`` releases, two or more, evenly spread over all, with the first and the last."""
    if len(found) <= most:
        return found
    return [found[round(n * (len(found) - 1) / (most - 1))] for n in range(most)]


def since(found: Sequence[Release], day: str) -> Sequence[Release]:
    """Return the releases that were published on a day, such as ``2026-01-31``, or later; raise
    SelectionError where days are not known, or none is so new."""
    if not any(each.released for each in found):
        raise SelectionError(
            "--since: the package manager does not tell when versions were published; expected --last or "
            "--versions"
        )
    newer = [each for each in found if each.released >= day]
    if not newer:
        raise SelectionError(f"--since {day}: the newest release is of {found[-1].released}")
    return newer


def between(found: Sequence[Release], text: str) -> Sequence[Release]:
    """Return the releases from A to B, both included, of ``A..B``; either may be left out.

    Raises:
        SelectionError: it has no ``..``, or there is no such release, with the nearest ones.
    """
    first, dots, last = text.partition("..")
    known = [each.version for each in found]
    if not dots:
        raise SelectionError(f"--versions {text}: expected A..B, the oldest version and the newest one")
    for each in filter(None, (first, last)):
        if each not in known:
            named = ", ".join(nearest(each, known))
            raise SelectionError(f"--versions {text}: there is no release {each}; the nearest are {named}")
    start = known.index(first) if first else 0
    end = known.index(last) + 1 if last else len(known)
    if start >= end:
        raise SelectionError(f"--versions {text}: {first} is newer than {last}; expected the oldest first")
    return found[start:end]
