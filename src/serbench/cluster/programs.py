"""Programs that one machine builds and others of its kind start too: what they are known by, and where a
machine keeps them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from serbench.cluster.messages import Order
from serbench.languages.base import Toolchain
from serbench.measure.unit import Unit
from serbench.measure.verified import digest_of
from serbench.whole import write_atomically

KEPT_S = 30 * 86_400
"""For how long a program is kept that nobody asks for."""

_PROGRAM = "0"
"""The file of a program; those of its layouts have the numbers that follow."""


@dataclass(frozen=True)
class Kept:
    """The programs that a machine keeps, each with its layouts, by their keys.

    Attributes:
        folder: has a folder for each program.
    """

    folder: Path

    def files(self, key: str) -> list[Path]:
        """A program and then its layouts; none where it is not kept."""
        place = self.folder / key
        if not key or not (place / _PROGRAM).is_file():
            return []
        return sorted(place.glob("[0-9]*"), key=lambda file: int(file.name))

    def read(self, key: str) -> tuple[bytes, ...]:
        """The content of these files."""
        return tuple(file.read_bytes() for file in self.files(key))

    def digest(self, key: str) -> str:
        """The digest of these files; empty where there are none."""
        return digest_of_all(self.read(key)) if self.files(key) else ""

    def keep(self, key: str, programs: Sequence[bytes]) -> None:
        """Keeps a program and its layouts, and no longer those that nobody has asked for in a long time."""
        place = self.folder / key
        shutil.rmtree(place, ignore_errors=True)
        for number, data in reversed(list(enumerate(programs))):  # the program last: where it is, all are
            write_atomically(place / str(number), data)
            (place / str(number)).chmod(0o755)
        for other in self.folder.iterdir():
            with contextlib.suppress(OSError):  # another process deletes it as well
                if time.time() - other.stat().st_mtime > KEPT_S:
                    shutil.rmtree(other)


def digest_of_all(programs: Sequence[bytes]) -> str:
    """The digest of a program with its layouts."""
    each = (hashlib.sha256(program).digest() for program in programs)
    return hashlib.sha256(b"".join(each)).hexdigest()


class Programs:
    """The programs of an order, of which a machine may keep some, so that it need not build them.

    Attributes:
        kept: what it keeps.
    """

    def __init__(self, kept: Kept, order: Order):
        self.kept, self._order = kept, order
        self._described: dict[str, Mapping[str, Any]] = {}
        self._from_here: dict[tuple[str, str, str], list[Path]] = {}

    def key(self, build: Toolchain, unit: Unit) -> str:
        """The digest of what a program is made from: two machines of a kind for which it is the same would
        build the same. Empty where a program needs more than the files that can be handed over."""
        codec, workload = unit.variant.codec, unit.spec.workload.name
        described = self._describe(build)
        if not codec.traits.one_executable or codec.dynamic or described.get("linking") != "static":
            return ""
        parts = ("serbench", "runners", f"codec {codec.id}", f"workload {workload}")
        made_from = {
            "variant": unit.variant.id,
            "workload": workload,
            "toolchain": [build.name, described],
            "library": build.found[codec.name].version,
            "layouts": self._order.layouts,
            "sources": [self._order.sources[part] for part in parts],
        }
        return hashlib.sha256(msgspec.json.encode(made_from, order="sorted")).hexdigest()

    def _describe(self, build: Toolchain) -> Mapping[str, Any]:
        if build.name not in self._described:
            self._described[build.name] = build.describe()
        return self._described[build.name]

    def command(self, build: Toolchain, unit: Unit) -> tuple[str, ...]:
        """The command of a unit's program that is kept; empty where there is none, or where a run goes on
        that began with another one."""
        files = self.kept.files(self.key(build, unit))
        if not files:
            return ()
        command = (str(files[0]), *build.command(*unit.pair)[1:])
        if self._order.began_with and digest_of(command) not in self._order.began_with:
            return ()
        os.utime(files[0].parent)
        self._from_here[unit.key] = files
        return command

    def with_layouts(self, units: Sequence[Unit], link: Callable[[list[Unit]], list[Unit]]) -> list[Unit]:
        """The same units with their layouts: those that are kept, and for programs that were built here what
        ``link`` makes."""
        linked = {each.key: each for each in link([u for u in units if u.key not in self._from_here])}

        def kept(unit: Unit) -> Unit:
            files = self._from_here[unit.key][1:]
            return replace(unit, layouts=tuple((str(file), *unit.command[1:]) for file in files))

        return [linked[unit.key] if unit.key in linked else kept(unit) for unit in units]
