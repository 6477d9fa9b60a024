"""Copies a schema and all that it imports for a compiler, since a schema could import any file of the user.

Imports are found by the words and quoted texts of a schema, not by its grammar. A text that only looks like
an import does no harm: files that do not exist are left to the compiler, which tells them with their line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from serbench.imports.base import refused
from serbench.imports.encodings import other_encoding, wide_encoding
from serbench.text import safe, shortened

MOST_BYTES = 8 << 20
"""The most bytes of one file that is copied."""

MOST_TOGETHER = 64 << 20
MOST_FILES = 1000

MOST_UPWARD = 8
"""How many times ``..`` may occur in the path of an import."""

_INNER = "/".join("i" * MOST_UPWARD)
"""The folder of the copies, below that of the run: so deep that no allowed path leads out of the run's."""

_MOST_CHARACTERS = 1000
"""The most characters in the path of an import."""


@dataclass(frozen=True)
class Syntax:
    """How an IDL imports files.

    Attributes:
        tokens: matches a comment (group ``comment``), a text with its quotes (group ``text``), a word (group
            ``word``), or a sign.
        words: the words that stand before the text with a path.
        is_rooted: whether a path that begins with ``/`` is looked up below the folders for imports, and any
            other path only beside the importing file.
    """

    tokens: re.Pattern[str]
    words: frozenset[str]
    is_rooted: bool = False


@dataclass
class SourceFiles:
    """Copies of the files that a compiler may read.

    Attributes:
        file: the schema that the user gave.
        work: the folder of the run, which holds the copies.
        folders: folder of copies → the folder with their originals; the former are relative to ``work``.
        main: the copy of ``file``, relative to ``work``.
        names: all copied files, relative to their folders.
    """

    file: Path
    work: Path
    folders: dict[str, Path]
    main: str = ""
    names: list[str] = field(default_factory=list)

    @property
    def searched(self) -> list[str]:
        """The options by which a compiler looks for imports in the folders."""
        return [word for copy in self.folders for word in ("-I", copy)]

    def made(self) -> Path:
        """Makes the folder for the output of a compiler, below ``work``, and returns it."""
        folder = self.work / "made"
        folder.mkdir()
        return folder

    def given_for(self, told: str) -> Path | None:
        """The user's file for a path that a compiler prints; None if the path is not that of a copy."""
        plain = told.replace(f"{self.work}/", "").removeprefix("./")
        for copy, folder in self.folders.items():
            if plain.startswith(f"{copy}/"):
                return self.shown(folder / plain.removeprefix(f"{copy}/"))
        return None

    def shown(self, path: Path) -> Path:
        """The path of a file, in the form in which the user gave it, or gave that of the schema."""
        if path == absolute(self.file):
            return self.file
        here = Path.cwd()
        return path.relative_to(here) if not self.file.is_absolute() and path.is_relative_to(here) else path

    def plain(self, said: str) -> str:
        """The output of a compiler, from whose paths the folders of the run are taken out."""
        said = said.replace(f"{self.work}/", "")
        for copy in self.folders:
            said = said.replace(f"{copy}/", "")
        return said


def gathered(
    file: Path, folders: Sequence[Path], standard: Sequence[Path], syntax: Syntax, work: Path
) -> SourceFiles:
    """Copies ``file`` into the folder ``work``, with all that it imports from its own folder, from
    ``folders`` and from the compiler's ``standard`` folders.

    Raises:
        InputError: a file cannot be read, is too large, or imports a path that leads out of these folders.
    """
    check_folders(folders)
    if not file.is_file():
        raise refused(file, "", "no file", "a schema that can be read")
    searched = list(dict.fromkeys([*map(absolute, folders), absolute(file).parent, *standard]))
    copies = {f"{_INNER}/i{n}": folder for n, folder in enumerate(searched)}
    sources = SourceFiles(file, work, copies)
    _Gathering(sources, syntax).run()
    return sources


def check_folders(folders: Sequence[Path]) -> None:
    """Raises InputError if a folder for imports does not exist."""
    for folder in folders:
        if not folder.is_dir():
            raise refused(folder, "", "no folder", "a file that contains schemas", "change -I")


def absolute(path: Path) -> Path:
    """The absolute path, in which links are kept, so that errors name a file as the user knows it."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def not_imported(files: Sequence[Path], folders: Sequence[Path], syntax: Syntax) -> list[Path]:
    """The schemas among files that no other one of them imports from its own folder or from ``folders``; a
    file that cannot be read imports nothing."""
    met: dict[Path, Path] = {}
    for file in files:
        with suppress(OSError):
            with file.open("rb") as stream:
                text = stream.read(MOST_BYTES)
            for path, _ in _imports(text, syntax, file):
                for folder in (file.parent, *folders):
                    met.setdefault(absolute(folder / path.lstrip("/")), file)
    return [file for file in files if met.get(absolute(file), file) == file]


def _imports(data: bytes, syntax: Syntax, shown: Path) -> Iterator[tuple[str, int]]:
    """The paths that the text of a schema imports, each with its line; raises InputError for a comment
    without an end, at which a compiler may stay for ever."""
    is_import, text = False, data.decode("latin-1")
    for token in syntax.tokens.finditer(text):
        if _has_no_end(token["comment"] or ""):
            line = text.count("\n", 0, token.start()) + 1
            raise refused(shown, f"line {line}", "a comment that does not end", "*/ behind it")
        if token["text"] is not None and is_import:
            path = token["text"][1:-1].encode("latin-1").decode("utf-8", "replace")
            yield path, text.count("\n", 0, token.start()) + 1
        if token["comment"] is None:
            is_import = token["word"] in syntax.words


def _has_no_end(comment: str) -> bool:
    return comment.startswith("/*") and (len(comment) < len("/**/") or not comment.endswith("*/"))


@dataclass
class _Gathering:
    sources: SourceFiles
    syntax: Syntax
    taken: int = 0
    met: set[str] = field(default_factory=set)

    def run(self) -> None:
        given = absolute(self.sources.file)
        copy, folder = next(each for each in self.sources.folders.items() if given.is_relative_to(each[1]))
        for each in self.sources.folders:
            (self.sources.work / each).mkdir(parents=True, exist_ok=True)
        name = given.relative_to(folder).as_posix()
        self.sources.main = f"{copy}/{name}"
        left = [(copy, name)]
        while left:
            copy, name = left.pop()
            if f"{copy}/{name}" not in self.met:
                self.met.add(f"{copy}/{name}")
                left += self._take(copy, name)

    def _take(self, copy: str, name: str) -> Iterator[tuple[str, str]]:
        """Copies the file ``name`` from its original folder into the folder ``copy``; gives folder and
        name, again, of each file that it imports."""
        source = self.sources.folders[copy] / name
        text = self._read(source)
        place = self.sources.work / copy / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text)
        self.sources.names.append(name)
        for path, line in _imports(text, self.syntax, self.sources.shown(source)):
            yield from self._candidates(source, copy, name, path, line)

    def _read(self, source: Path) -> bytes:
        shown = self.sources.shown(source)
        try:
            with source.open("rb") as stream:
                text = stream.read(MOST_BYTES + 1)
        except OSError as error:
            raise refused(shown, "", error.strerror or "no file", "a schema that can be read") from None
        self.taken += len(text)
        if len(text) > MOST_BYTES or self.taken > MOST_TOGETHER or len(self.met) > MOST_FILES:
            most = f"{MOST_FILES} files of {MOST_BYTES >> 20} MiB at most, and {MOST_TOGETHER >> 20} together"
            raise refused(shown, "", "a schema that is too large", most)
        if encoding := wide_encoding(text):
            raise other_encoding(shown, "", encoding)
        return text

    def _candidates(
        self, source: Path, copy: str, name: str, path: str, line: int
    ) -> Iterator[tuple[str, str]]:
        """The existing files that ``path`` may mean where the file ``name`` imports it, each as its folder of
        copies and its path there; the compiler takes one of them."""
        rooted = self.syntax.is_rooted and path.startswith("/")
        relative = path.lstrip("/") if rooted else path
        beside = os.path.normpath(Path(name).parent / relative)
        below = os.path.normpath(relative)
        bad = (
            not relative.isprintable()
            or "\\" in relative
            or len(relative) > _MOST_CHARACTERS
            or relative.startswith("/")
        )
        outside = [each.split("/")[0] == ".." for each in (beside, below)]
        if bad or outside[0 if not rooted else 1] or relative.split("/").count("..") > MOST_UPWARD:
            told = shortened(safe(path, lines=False), 200)
            expected = "a path below the schema's folder, or below one given with -I"
            place = f"line {line}"
            raise refused(self.sources.shown(source), place, f"an import of '{told}'", expected)
        wanted = [] if rooted else [(copy, beside)]
        if rooted or not self.syntax.is_rooted:
            wanted += [(each, below) for each in self.sources.folders if not outside[1]]
        for each, inner in wanted:
            if inner != "." and (self.sources.folders[each] / inner).is_file():
                yield each, inner
