"""Archives of the classes that a program loads, its own and its libraries', by which a JVM starts sooner than
with the archive of the JDK's classes alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from serbench.errors import BuildError
from serbench.languages.running import failure_of
from serbench.system.stamp import Stamp, sha256_of

FIRST_JDK = 13
"""The first JDK that archives the classes of a program when it ends."""

_CALLS = 1000
"""The calls of the process whose classes are archived: so many that the rare classes of a codec come up too,
and so few that it takes a second."""

_LONGEST_NS = 3_000_000_000


@dataclass(frozen=True)
class Archive:
    """The classes of a program, in jars, with the archive that a JVM made of those that it loaded.

    Classes in folders cannot be archived: a JVM could not see whether they have changed.

    Attributes:
        folder: the folder of its files.
        java: the words before the class path, with the flags of the process that is to use the archive.
        classes: the folders of the program's own classes.
        libraries: the class path of its libraries.
        cell: the class of the cell.
        state: the digest of everything that the program is made from.
    """

    folder: Path
    java: Sequence[str]
    classes: Sequence[Path]
    libraries: str
    cell: str
    state: str

    def command(self, dataset: Path) -> tuple[str, ...]:
        """Return the words that start the program with its archive, which is made first where it is not
        there: of the classes that one process loads to write and read messages of a dataset.

        Raises:
            BuildError: the process failed, or the JVM does not take the archive.
        """
        state = sha256_of(self.state, dataset.name, *self.java, self.libraries)
        stamp = Stamp(self.folder / "archived", state, self._file)
        if why := stamp.once(lambda: self._made(dataset)):
            raise BuildError(f"its classes could not be archived: {why}")
        return self._started(f"-XX:SharedArchiveFile={self._file}")

    @property
    def _file(self) -> Path:
        return self.folder / "classes.jsa"

    @property
    def _jars(self) -> list[Path]:
        return [self.folder / f"{n}-{path.parent.name}.jar" for n, path in enumerate(self.classes)]

    def _started(self, *flags: str) -> tuple[str, ...]:
        class_path = os.pathsep.join(filter(None, [*map(str, self._jars), self.libraries]))
        return (*self.java, *flags, "-cp", class_path, "serbench.Main", self.cell)

    def _made(self, dataset: Path) -> str:
        """Make jars and archive; return in a line why that failed, or nothing."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for jar, classes in zip(self._jars, self.classes, strict=True):
            _write_jar(jar, classes)
        with tempfile.TemporaryDirectory(prefix="serbench-") as scratch:
            calls = [
                "calls", "--dataset", str(dataset), "--cell", "roundtrip:fresh", "--calls", str(_CALLS),
                "--longest-ns", str(_LONGEST_NS), "--out", str(Path(scratch) / "calls"),
            ]  # fmt: skip
            if said := failure_of([*self._started(f"-XX:ArchiveClassesAtExit={self._file}"), *calls]):
                return said.splitlines()[-1]
        # A JVM that is told to use an archive, rather than to use it where it can, says why it does not.
        strict = self._started("-Xshare:on", f"-XX:SharedArchiveFile={self._file}")
        done = subprocess.run([*strict, "describe"], capture_output=True, text=True, errors="replace")
        lines = (done.stdout + done.stderr).strip().splitlines()
        return lines[-1] if done.returncode else ""


def _write_jar(jar: Path, classes: Path) -> None:
    with zipfile.ZipFile(jar, "w") as made:  # not compressed, as classes in folders are not
        for path in sorted(each for each in classes.rglob("*") if each.is_file()):
            made.write(path, path.relative_to(classes).as_posix())
