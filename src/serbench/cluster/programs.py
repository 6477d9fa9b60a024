"""Programs that one machine builds and others of its kind use too: how they are identified, and where a
machine keeps them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import msgspec

from serbench.cluster.messages import Order
from serbench.cluster.sources import digest_of_place
from serbench.languages.base import Toolchain
from serbench.measure.identity import Identity
from serbench.measure.unit import Unit
from serbench.system.stamp import sha256_of
from serbench.verification.kept import digest_of

KEPT_RUNS = 5
"""How many runs a machine keeps programs of: those that were used last."""


@dataclass(frozen=True)
class KeptPrograms:
    """The programs that a machine keeps for a run, each with its layouts, by key.

    They are kept for each run separately, since nobody can know whether another run's programs were built
    from the same files: a library may have changed that has the same version, or none.

    Attributes:
        folder: holds a folder for each program of the run; the folders of other runs lie beside it.
    """

    folder: Path

    def files(self, key: str) -> list[Path]:
        """Return the file of a program and then those of its layouts; nothing where it is not kept."""
        place = self.folder / key
        return sorted(place.iterdir(), key=lambda file: int(file.name)) if key and place.is_dir() else []

    def read(self, key: str) -> tuple[bytes, ...]:
        """Return the contents of the files of a program."""
        return tuple(file.read_bytes() for file in self.files(key))

    def digest(self, key: str) -> str:
        """Return the digest of the files of a program; empty where it is not kept."""
        return sha256_of(*self.read(key)) if self.files(key) else ""

    def keep(self, key: str, programs: Sequence[bytes]) -> None:
        """Keep a program and its layouts, unless they are kept already; delete those of older runs."""
        self.folder.mkdir(parents=True, exist_ok=True)
        os.utime(self.folder)
        if self.files(key):
            return
        made = Path(mkdtemp(prefix=".", dir=self.folder))
        try:
            for number, data in enumerate(programs):
                (made / str(number)).write_bytes(data)
                (made / str(number)).chmod(0o755)
            made.rename(self.folder / key)  # so it is there whole, or not at all
        finally:
            shutil.rmtree(made, ignore_errors=True)
        self._drop_older_runs()

    def _drop_older_runs(self) -> None:
        with contextlib.suppress(OSError):  # another process drops them as well
            runs = sorted(self.folder.parent.iterdir(), key=lambda run: run.stat().st_mtime, reverse=True)
            for run in runs[KEPT_RUNS:]:
                shutil.rmtree(run)


class Shelf:
    """The programs that a machine already keeps of those that an order (a client's request) is about.

    Attributes:
        kept: all programs that the machine keeps for the run that the order names.
    """

    def __init__(self, folder: Path, order: Order):
        self.kept = KeptPrograms(folder / order.run)
        self._order = order
        self._described: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._digest_of = cache(digest_of_place)  # once for each order: a worker lasts longer
        self._from_here: dict[Identity, list[Path]] = {}

    def key(self, build: Toolchain, unit: Unit) -> str:
        """Return the digest of schema, sources and tools of a program, which is equal on two machines that
        would build the same. Empty where the order names no run, or the program needs more than files that
        can be handed over, or its library has no version."""
        codec, schema = unit.variant.codec, unit.spec.workload.schema
        found, described = build.found.get(codec.name), self._describe(build)
        if not (self._order.run and found and found.installed and found.version):
            return ""
        if not codec.traits.one_executable or codec.dynamic or described.get("linking") != "static":
            return ""
        made_from = {
            "variant": unit.variant.id,
            "schema": schema.digest(),  # with the workload's name, which its packages have
            "toolchain": [build.language, build.name, described],
            "library": found.version,
            "sources": [self._order.sources[part] for part in ("serbench", "runners")],
            # All of a language, since the adapter of one codec may include what is another one's.
            "codecs": self._digest_of(codec.directory.parent),
        }
        return hashlib.sha256(msgspec.json.encode(made_from, order="sorted")).hexdigest()

    def _describe(self, build: Toolchain) -> Mapping[str, Any]:
        of = (build.language, build.name)
        if of not in self._described:
            self._described[of] = build.describe()
        return self._described[of]

    def command(self, build: Toolchain, unit: Unit) -> tuple[str, ...]:
        """Return the command of a unit's program that is kept; empty where none is, or where the run that is
        continued began with another one."""
        files = self.kept.files(self.key(build, unit))
        if not files:
            return ()
        command = (str(files[0]), *build.command(*unit.pair)[1:])
        if self._order.began_with and digest_of(command) not in self._order.began_with:
            return ()
        os.utime(self.kept.folder)
        self._from_here[unit.identity] = files
        return command

    def with_layouts(self, units: Sequence[Unit], link: Callable[[list[Unit]], list[Unit]]) -> list[Unit]:
        """Return the units with their layouts: those that are kept, and for programs that were built here the
        layouts that ``link`` makes."""
        built = [unit for unit in units if unit.identity not in self._from_here]
        linked = {each.identity: each for each in link(built)}

        def kept(unit: Unit) -> Unit:
            files = self._from_here[unit.identity][1:]
            return replace(unit, layouts=tuple((str(file), *unit.command[1:]) for file in files))

        return [linked[unit.identity] if unit.identity in linked else kept(unit) for unit in units]
