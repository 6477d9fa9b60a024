"""Digests of the sources that decide what is measured, by which two installations are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from serbench.codecs.codec import Variant
from serbench.paths import PACKAGE, Paths
from serbench.system.stamp import contents, sha256_of
from serbench.workload import WorkloadSpec

_MADE = frozenset({"__pycache__", "node_modules", "target", "built", "data"})
"""Names of folders whose files do not count: tools generate them, or, in ``data``, only an installed package
has them there."""

_SHOWN = 5


def sources_of(paths: Paths, variants: Iterable[Variant], specs: Iterable[WorkloadSpec]) -> dict[str, str]:
    """Return the digests of serbench itself, of the runners, and of the codecs and workloads that are
    measured."""
    parts = {"serbench": own_digest(), "runners": digest_of_place(paths.runners)}
    for variant in variants:
        codec = variant.codec
        if f"codec {codec.id}" not in parts:
            parts[f"codec {codec.id}"] = digest_of_place(codec.directory)
    for spec in specs:
        parts[f"workload {spec.declared.workload.name}"] = digest_of_place(spec.workload.source)
    return parts


@cache
def own_digest() -> str:
    """Return the digest of serbench itself when this process first asked: a worker runs for long, with the
    sources with which it started."""
    return digest_of_place(PACKAGE)


def difference(asked: Mapping[str, str], own: Mapping[str, str]) -> str:
    """Return the parts whose sources differ from the client's, in words; empty where none does. Parts that
    only the client has do not count."""
    other = sorted(part for part in own if own[part] != asked.get(part))
    more = f" and {len(other) - _SHOWN} more" if len(other) > _SHOWN else ""
    return ", ".join(other[:_SHOWN]) + more


def digest_of_place(place: Path) -> str:
    """Return the digest of a file, or of the names and contents of all files of a folder that no tool
    makes."""
    if place.is_file():
        return sha256_of(*contents(place.parent, [place]))
    return sha256_of(*contents(place, _files(place)))


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir():
            if path.name not in _MADE:
                yield from _files(path)
        elif path.is_file() and path.suffix != ".pyc":
            yield path
