"""Compilers of schemas that are installed on the user's system. Each runs within bounds, in a folder with
copies of what it may read and nothing else, since the schema may come from a stranger."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from select import select
from subprocess import PIPE, STDOUT, Popen
from tempfile import TemporaryDirectory

from serbench.errors import LONGEST_FAULT, InputError, SetupError
from serbench.imports import limited
from serbench.imports.base import refused
from serbench.imports.following import was_read
from serbench.imports.sources import SourceFiles, Syntax, gathered
from serbench.text import safe, shortened

MOST_S = 60
"""Seconds within which a compiler has to end, or to write its next line; a schema of some thousand types
takes it less than one."""

MOST_CPU_S, MOST_CPU_OF_DATA_S = 10, 3600
"""Seconds of processor time that a compiler may take for a schema, and for all messages of a file."""

NAME_FOLDER = "name its folder with -I"
"""The advice for a schema that imports one which is not there."""

CRASHED = "it crashed, or took too much time or memory"
"""The fault of a compiler that tells none."""

_QUOTED = re.compile(r"""["'](?:\w+\.)*(?P<name>\w+)["']""")

_MOST_SAID = 1 << 16
"""The most bytes that are read of what a compiler prints."""


def _environment(work: Path) -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "HOME": str(work)}


def _lines(running: Popen[bytes], most: int) -> Iterator[bytes]:
    """The lines that a program writes, up to its end, or up to the first line of more than ``most`` bytes, of
    which only the beginning comes. Raises CompilerFailed if nothing comes for ``MOST_S`` seconds."""
    assert running.stdout
    pieces: list[bytes] = []
    while select([running.stdout], [], [], MOST_S)[0]:
        read = os.read(running.stdout.fileno(), 1 << 16)
        *whole, rest = read.split(b"\n")
        for line in whole:
            yield b"".join((*pieces, line))
            pieces.clear()
        pieces.append(rest)
        if not read or sum(map(len, pieces)) > most:
            if text := b"".join(pieces):
                yield text
            return
    raise CompilerFailed


def _followed(lines: Iterator[bytes], given: FileIO) -> Iterator[bytes]:
    """The same lines, and tells ``was_read`` how far their program has come in ``given``: it shares the
    position in this file with us."""
    before = 0
    for line in lines:
        position = given.tell()
        was_read(position - before)
        before = position
        yield line


class CompilerFailed(Exception):
    """A compiler that reads data has told a fault, or nothing for too long."""


def limited_to(seconds: int) -> list[str]:
    """The beginning of a command that may take so many seconds of processor time."""
    return [sys.executable, "-IS", limited.__file__, str(seconds)]


def run_bounded(
    command: Sequence[str],
    program: str,
    work: Path,
    file: Path,
    what: str,
    environment: Mapping[str, str] | None = None,
    reads: Path | None = None,
    writes: Path | None = None,
) -> tuple[int, str]:
    """Runs a compiler within ``MOST_S`` seconds in the folder ``work``. Returns its exit status, and its text
    on both outputs, or on standard error alone if the other one goes to the file ``writes``.

    Args:
        program: its name, for errors.
        file: the user's file, which errors name.
        what: the word of errors for the file.
        environment: this process's own by default.
        reads: file for its standard input; none by default.

    Raises:
        InputError: it takes too long, or cannot be started.
    """
    said, expected = work / "said", f"a schema that {program} compiles"
    try:
        with (
            said.open("wb") as told,
            (reads or Path(os.devnull)).open("rb") as given,
            writes.open("wb") if writes else nullcontext(told) as out,
        ):
            done = subprocess.run(
                command,
                cwd=work,
                env=environment,
                stdin=given,
                stdout=out,
                stderr=told,
                timeout=MOST_S,
                check=False,
            )
    except subprocess.TimeoutExpired:
        raise refused(file, "", f"{what} that takes {program} longer than {MOST_S} s", expected) from None
    except OSError as error:
        found = f"{what} that {program} cannot be started with ({error.strerror})"
        raise refused(file, "", found, expected) from None
    with said.open("rb") as text:
        return done.returncode, text.read(_MOST_SAID).decode("utf-8", "replace")


@dataclass(frozen=True)
class Compiler:
    """A compiler of schemas.

    Attributes:
        program: its name.
        title: the name of its format in sentences.
        packages: package manager → the packages that contain it.
        syntax: how its schemas import others.
        fault: matches one fault in what it prints, with the groups ``what``, ``file`` and ``line``; the last
            two are empty if it does not tell them. It may have a group ``token``, at which the fault is, and
            ``first_file`` and ``first_line``, where it begins.
        remedies: the words of faults → what to do about them.
    """

    program: str
    title: str
    packages: dict[str, str]
    syntax: Syntax
    fault: re.Pattern[str]
    remedies: Sequence[tuple[re.Pattern[str], str]]

    def found(self) -> str:
        """The path of the program; if it is not installed, raises SetupError, which says how to get it."""
        path = shutil.which(self.program)
        if path is None:
            sudo = "" if os.geteuid() == 0 else "sudo "
            ways = {"apt": f"{sudo}apt-get install", "homebrew": "brew install"}
            how = " or ".join(f"{ways[manager]} {packages}" for manager, packages in self.packages.items())
            raise SetupError(
                f"reading {self.title} needs {self.program}, which is not installed; get it: {how}"
            )
        return os.path.abspath(path)  # noqa: PTH100  # a link keeps its name

    @contextmanager
    def copied(
        self, file: Path, folders: Sequence[Path], standard: Sequence[Path] = ()
    ) -> Iterator[SourceFiles]:
        """Copies of a schema and of all that it imports, which exist while this context lasts; raises
        InputError."""
        with TemporaryDirectory(prefix="serbench-") as folder:
            yield gathered(file, folders, standard, self.syntax, Path(folder).resolve())

    def run(
        self,
        arguments: Sequence[str],
        sources: SourceFiles,
        reads: Path | None = None,
        writes: Path | None = None,
    ) -> str:
        """Runs the compiler in the folder of the copies, and returns its text on both outputs, or on standard
        error alone if the other one goes to the file ``writes``.

        Args:
            reads: file for its standard input; none by default.

        Raises:
            InputError: it finds a fault, takes too long, or cannot be started.
            SetupError: it is not installed.
        """
        work = sources.work
        command = [*limited_to(MOST_CPU_S), self.found(), *arguments]
        status, said = run_bounded(
            command, self.program, work, sources.file, "input", _environment(work), reads, writes
        )
        if status:
            raise self.refusal(said, sources)
        return said

    def lines(self, arguments: Sequence[str], work: Path, data: Path, most: int) -> Iterator[bytes]:
        """The lines that the compiler writes while it reads ``data``, each a JSON object. A line of more than
        ``most`` bytes is cut, and is the last.

        A line is given only when the next one has come, or the program has ended without a fault, since it
        may write the message at which it fails and the fault after that.

        Raises:
            CompilerFailed: it has told a fault instead of the next line, or nothing for too long.
            InputError: it cannot be started, or the data cannot be read.
            SetupError: it is not installed.
        """
        command = [*limited_to(MOST_CPU_OF_DATA_S), self.found(), *arguments]
        try:
            given = data.open("rb", buffering=0)
            running = Popen(
                command, cwd=work, env=_environment(work), stdin=given, stdout=PIPE, stderr=STDOUT
            )
        except OSError as error:
            raise refused(
                data, "", error.strerror or "no file", f"data that {self.program} can read"
            ) from None
        last = None
        with running, given:
            try:
                for line in _followed(_lines(running, most), given):
                    if not line.startswith(b"{"):
                        raise CompilerFailed
                    if last is not None:
                        yield last
                    last = line
                if (last is None or len(last) <= most) and running.wait():
                    raise CompilerFailed
            finally:
                running.kill()
        if last is not None:
            yield last

    def refusal(self, said: str, sources: SourceFiles) -> InputError:
        """The error for a schema that does not compile. It tells the first fault alone, since others often
        follow from it."""
        told = next((found for found in self.fault.finditer(said)), None)
        lines = [line for line in said.splitlines() if line.strip()]
        groups = told.groupdict() if told is not None else {}
        if told is not None:
            file = groups.get("first_file") or told["file"] or ""
            what, line = told["what"], groups.get("first_line") or told["line"]
        else:
            what = lines[0] if lines else CRASHED
            file = line = ""
        where = sources.given_for(file)
        if where is None:  # a stage of the compiler, such as thrift's `generation`, is no file
            where, line = self._mentioned(sources, what) or (sources.file, "")
        if (token := groups.get("token")) and f"'{token}'" not in what.replace('"', "'"):
            what = f"{what}, at '{token}'"
        what = shortened(safe(sources.plain(what), lines=False).strip().rstrip("."), LONGEST_FAULT)
        remedy = next((remedy for words, remedy in self.remedies if words.search(what)), "")
        return refused(
            where,
            f"line {line}" if line else "",
            f"input that {self.program} rejects ({what})",
            f"a schema that {self.program} compiles",
            remedy,
        )

    def _mentioned(self, sources: SourceFiles, what: str) -> tuple[Path, str] | None:
        """The user's file and the line where a name that a fault has in quotes occurs first, for faults that
        have no place; None if there is no such name."""
        if not (quoted := _QUOTED.search(what)):
            return None
        copies = [f"{copy}/{name}" for copy in sources.folders for name in sources.names]
        for copy in dict.fromkeys([sources.main, *copies]):
            if (sources.work / copy).is_file():
                text = (sources.work / copy).read_text("utf-8", "replace")
                for token in self.syntax.tokens.finditer(text):
                    where = sources.given_for(copy)
                    if where and token["word"] == quoted["name"]:
                        return where, str(text.count("\n", 0, token.start()) + 1)
        return None
