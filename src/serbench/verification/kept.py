"""Keeps the results of verifications that passed, by everything on which they depend, so that they are not
repeated."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from serbench.errors import FileError
from serbench.measure.events import UnitEvent
from serbench.measure.unit import Unit, Verification
from serbench.system.files import read_json, to_json
from serbench.system.stamp import contents, sha256_of
from serbench.system.whole import write_atomically

ROOMS = (
    "codecs",
    "dataset",
    "drawing",
    "measure",
    "model",
    "selecting",
    "system",
    "verification",
    "workloads",
)
"""The packages whose sources decide whether a codec passes."""


def remembered(folder: Path, unit: Unit) -> Verification | None:
    """Return the verification that a unit passed before; None where there is none. A verification of all
    operations also serves for some of them. Nothing is remembered of a codec with shared libraries, since its
    executable does not contain them."""
    if unit.variant.codec.dynamic:
        return None
    whole = _read(folder / _what_decides(replace(unit, measured=())))
    return _read(folder / _what_decides(unit)) if whole is None and unit.measured else whole


def remember(folder: Path, unit: Unit, found: Verification) -> None:
    """Keep a verification for ``remembered``, if it passed."""
    if found.ok and not unit.variant.codec.dynamic:
        write_atomically(folder / _what_decides(unit), to_json(asdict(found)))


def _what_decides(unit: Unit) -> str:
    """Return a digest of everything on which a verification depends."""
    parts = {
        "runner": digest_of(unit.command),
        "codec": unit.variant.id,
        "tolerance": msgspec.structs.asdict(unit.variant.tolerance),
        "checks": unit.variant.checks,
        "data": [[each.sha256, each.messages, each.schema().digest()] for each in (unit.data, unit.edge)],
        "measured": sorted(unit.measured),
        "verifier": _verifier(),
        "python": sys.version,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


@cache
def _verifier() -> str:
    """Return a digest of the sources of all packages in ``ROOMS``, with every file, so that none that decides
    is forgotten."""
    package = Path(__file__).parents[1]
    sources = (path for room in ROOMS for path in (package / room).rglob("*.py"))
    return sha256_of(*contents(package, [*package.glob("*.py"), *sources]))


def _read(path: Path) -> Verification | None:
    """Return an earlier verification; None if there is none or its file cannot be used, so that the unit is
    verified again."""
    if not path.exists():
        return None
    try:
        found = read_json(path, Verification, "verification")
    except FileError:
        return None
    return found if found.ok else None


def digest_of(command: Sequence[str]) -> str:
    """Return the SHA-256 of a runner: of its executable and the words behind it. A runner that loads more
    than its executable has the digest of the rest in these words."""
    executable = hashlib.sha256(Path(command[0]).read_bytes()).hexdigest()
    return hashlib.sha256("\0".join([executable, *command[1:]]).encode()).hexdigest()


def event_of_unit(unit: Unit) -> UnitEvent:
    """Return a unit's event for the journal: with the digests of its programs, or the reason why there are
    none."""
    told: dict[str, Any] = {**unit.identity.fields, "status": unit.status, "reason": unit.reason}
    found = unit.verification
    if found and found.ok:
        told |= {name: getattr(found, name) for name in ("size_bytes", "messages", "operations", "views")}
        told |= {"growth": dict(found.growth), "executable": digest_of(unit.command)}
        told |= {"layouts": tuple(map(digest_of, unit.layouts)), "way": unit.way}
        told |= {"way_reason": unit.way_reason, "unchecked": unit.unchecked}
    elif found:
        told["signal"] = found.signal
    return UnitEvent(**told)
