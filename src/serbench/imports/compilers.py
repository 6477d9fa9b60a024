"""Runs compilers of schemas that are installed on the user's system: within bounds, and in a folder that has
copies of the files that they may read and nothing else, since a schema may come from a stranger."""

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
from itertools import product
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
"""Seconds within which a compiler has to end, or write its next line; some thousand types take a second."""

MOST_CPU_S, MOST_CPU_OF_DATA_S = 10, 3600
"""Seconds of processor time that a compiler may take for a schema, and for all messages of a file."""

NAME_FOLDER = "name its folder with -I"
"""The advice for a schema that imports a file which does not exist."""

CRASHED = "it crashed, or took too much time or memory"
"""The fault that is told for a compiler which printed nothing."""

_QUOTED = re.compile(r"""["'](?:\w+\.)*(?P<name>\w+)["']""")

_MOST_SAID = 1 << 16
"""The most bytes that are read of a compiler's output."""


def _environment(work: Path) -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "HOME": str(work)}


def _lines(running: Popen[bytes], given: FileIO, most: int) -> Iterator[bytes]:
    """The lines that a program writes, up to its end, or up to a line of more than ``most`` bytes, of which
    only the beginning is given. Raises CompilerFailed if the program writes nothing for ``MOST_S``
    seconds."""
    assert running.stdout
    pieces: list[bytes] = []
    before = 0
    while select([running.stdout], [], [], MOST_S)[0]:
        read = os.read(running.stdout.fileno(), 1 << 16)
        position = given.tell()  # the program's, which shares the open file with us
        was_read(position - before)
        before = position
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


class CompilerFailed(Exception):
    """Raised where a compiler that reads data tells a fault, or nothing for too long."""


_WARNING = re.compile(r"\W*warning\b", re.IGNORECASE)


def first_line(said: str) -> str:
    """The first line of a compiler's output that is no warning, for errors of compilers that tell no place of
    a fault."""
    lines = [line for line in said.splitlines() if line.strip()]
    return next((line for line in lines if not _WARNING.match(line)), lines[0] if lines else CRASHED)


def limited_to(seconds: int) -> list[str]:
    """The words to put before a command, so that it may take only so many seconds of processor time."""
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
    """Runs a compiler within ``MOST_S`` seconds in the folder ``work``. Returns its exit status and the text
    that it wrote to standard error, and to standard output unless the file ``writes`` gets that.

    Args:
        program: the compiler's name, for errors.
        file: the user's file, which errors name.
        what: the word for the file in errors.
        environment: the one of this process by default.
        reads: a file for standard input; none by default.

    Raises:
        InputError: the compiler takes too long, or cannot be started.
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
        program: the name of the program.
        title: the name of its format in sentences.
        packages: package manager → the packages that contain the program.
        syntax: how its schemas import others.
        fault: matches one fault in its output, with the groups ``what``, ``file`` and ``line``; the last two
            are empty if the compiler does not tell them. There may be a group ``token``, at which the fault
            is, its ``column``, and ``first_file`` and ``first_line``, where the fault begins.
        remedies: patterns of faults, each with the advice for the user.
        cause: matches a warning from which faults follow, with the groups of ``fault``; None for no such.
        looks_ahead: matches a fault about a name (group ``name``) whose line may be that of what the compiler
            read behind it; None if lines are true.
    """

    program: str
    title: str
    packages: dict[str, str]
    syntax: Syntax
    fault: re.Pattern[str]
    remedies: Sequence[tuple[re.Pattern[str], str]]
    cause: re.Pattern[str] | None = None
    looks_ahead: re.Pattern[str] | None = None

    def found(self) -> str:
        """The path of the program; raises SetupError, which says how to get it, if it is not installed."""
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
        """A context with copies of a schema and of all that it imports; raises InputError."""
        with TemporaryDirectory(prefix="serbench-") as folder:
            yield gathered(file, folders, standard, self.syntax, Path(folder).resolve())

    def run(
        self,
        arguments: Sequence[str],
        sources: SourceFiles,
        reads: Path | None = None,
        writes: Path | None = None,
    ) -> str:
        """Runs the compiler in the folder of the copies, by ``run_bounded``; returns what the compiler wrote.

        Raises:
            InputError: the compiler finds a fault, takes too long, or cannot be started.
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

        A line is given only when the next one has come, or the compiler has ended without a fault: it may
        write a message, and then a fault in this message.

        Raises:
            CompilerFailed: the compiler tells a fault instead of the next line, or nothing for too long.
            InputError: the compiler cannot be started, or the data cannot be read.
            SetupError: the compiler is not installed.
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
                for line in _lines(running, given, most):
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
        """The error for a schema that does not compile: the first fault, from which others often follow."""
        told = (self.cause and self.cause.search(said)) or self.fault.search(said)
        groups = told.groupdict() if told else {"what": first_line(said)}
        what = groups["what"]
        file, line = (groups.get(f"first_{name}") or groups.get(name) or "" for name in ("file", "line"))
        where = sources.given_for(file)
        if where is None:  # a stage of the compiler, such as thrift's `generation`, is no file
            where, line = self._mentioned(sources, what) or (sources.file, "")
        elif before := self._before(sources, file, line, what):
            line, groups["token"] = before, ""
        if line and (column := groups.get("column")):
            line = f"{line}, column {column}"
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

    def _before(self, sources: SourceFiles, file: str, line: str, what: str) -> str:
        """For a fault whose line may be one behind it, the line where the name in it occurs last up to there;
        empty if lines are true, or there is no such name."""
        if not line or not (told := self.looks_ahead and self.looks_ahead.search(what)):
            return ""
        copy = sources.work / file.replace(f"{sources.work}/", "")
        text = copy.read_text("utf-8", "replace") if copy.is_file() else ""
        lines = (
            text.count("\n", 0, token.start()) + 1
            for token in self.syntax.tokens.finditer(text)
            if token["word"] == told["name"]
        )
        return str(max((each for each in lines if each <= int(line)), default=""))

    def place_of(self, sources: SourceFiles, stem: str, words: Sequence[str]) -> tuple[Path, str]:
        """The user's file without its ending ``stem``, and the line of the last of words that follow one
        another there, others between them; the line is empty if they do not."""
        for copy, name in product(sources.folders, sources.names):
            path = sources.work / copy / name
            if path.stem != stem or not path.is_file():
                continue
            text, left = path.read_text("utf-8", "replace"), [*words]
            where = sources.given_for(f"{copy}/{name}") or sources.file
            for token in self.syntax.tokens.finditer(text):
                if token["word"] == left[0] and not left[1:]:
                    return where, str(text.count("\n", 0, token.start()) + 1)
                if token["word"] == left[0]:
                    left.pop(0)
            return where, ""
        return sources.file, ""

    def _mentioned(self, sources: SourceFiles, what: str) -> tuple[Path, str] | None:
        """For a fault without a place, the user's file and line where a name that the fault has in quotes
        occurs first; None if there is no such name."""
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
