"""Gathers the files that a user means by paths, folders and patterns, without those that hold no data."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from serbench.errors import InputError
from serbench.imports.recognising import named

_BESIDE = re.compile(
    r"(README|LICEN[CS]E|COPYING|NOTICE|CHANGELOG|CONTRIBUTING)(\.(txt|md|rst|adoc|html))?"
    r"|.*\.(md|markdown|rst|adoc|crc|md5|sha\d+|asc|sig)"
    r"|_SUCCESS|_(common_)?metadata|_(started|committed)_\d+"
    r"|Thumbs\.db|desktop\.ini",
    re.IGNORECASE,
)
"""Matches the names of files that people, Spark and others leave beside data."""

_HIDDEN = re.compile(r"\..*|_delta_log|_temporary|_spark_metadata", re.DOTALL)
"""Matches the names of files and folders inside a folder that hold no data of the user."""


@dataclass
class Gathered:
    """Files that a user means.

    Attributes:
        found: the files that were not named one by one.
        passed_over: the files that lie beside data; the rest are ``files``.
        folders: the folders that were named.
    """

    files: list[Path] = field(default_factory=list)
    found: set[Path] = field(default_factory=set)
    passed_over: list[Path] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)

    @property
    def notes(self) -> list[str]:
        """A line for the user about the files that were passed over, if there are any."""
        if not self.passed_over:
            return []
        return [f"passed over, since they lie beside data: {named(self.passed_over)}"]


def gathered(words: Sequence[str], standard_input: Path | None = None) -> Gathered:
    """Finds the files for paths, folders and patterns; ``-`` stands for standard input if there is a file to
    keep it in. Files that lie beside data, such as a README, are passed over, unless the user names no
    others.

    Raises:
        InputError: a file does not exist, or a folder or pattern has none.
    """
    made = Gathered()
    for word in words:
        path = Path(word)
        if word == "-" and standard_input:
            with standard_input.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
            made.files.append(standard_input)
        elif path.is_dir():
            made.folders.append(path)
            _add_folder(made, path)
        elif path.exists() or not any(c in word for c in "*?["):
            if not path.is_file():
                raise InputError(f"{word}: {_no_file(path)}")
            made.files.append(path)
        else:
            base = Path(path.anchor)
            matching = sorted(each for each in base.glob(str(path.relative_to(base))) if each.is_file())
            if not matching:
                raise InputError(f"{word}: no file matches this pattern")
            made.files += matching
            made.found.update(matching)
    beside = [path for path in made.files if _BESIDE.fullmatch(path.name)]
    if len(beside) < len(made.files):
        made.files = [path for path in made.files if path not in set(beside)]
        made.passed_over += beside
    return made


def _no_file(path: Path) -> str:
    """Tells the user why there is no file at a path."""
    if path.exists():
        return "not a regular file"
    if not path.is_symlink():
        return "no such file"
    try:
        path.resolve(strict=True)
    except FileNotFoundError:
        return f"a link to {path.readlink()}, which is not there"
    except (OSError, RuntimeError):
        pass
    return "a link that leads to itself"


def _add_folder(made: Gathered, folder: Path) -> None:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    hidden = {path for path in files if any(map(_HIDDEN.fullmatch, path.relative_to(folder).parts))}
    beside = [path for path in files if path in hidden or _BESIDE.fullmatch(path.name)]
    if len(beside) == len(files):
        over = f", only such as lie beside data: {named(beside)}" if beside else ""
        raise InputError(f"{folder}: this folder contains no file with data{over}")
    made.passed_over += beside
    made.files += (path for path in files if path not in set(beside))
    made.found.update(files)
