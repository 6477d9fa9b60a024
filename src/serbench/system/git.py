"""Files as they are at a revision of a git repository."""

from __future__ import annotations

import io
import os
import posixpath
import re
import subprocess
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePosixPath

from serbench.errors import SelectionError

_REVISION = re.compile(r"(?P<revision>(?:[^:{]|\{[^}]*\})+):(?P<path>.*)", re.DOTALL)
"""Matches a file at a revision as git writes it; a text in braces is part of the revision."""

_MOST_NAMED = 3


def git(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder; the caller judges its status and output. Raise SelectionError where git cannot be
    started."""
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        return subprocess.run(["git", *words], cwd=folder, capture_output=True, env=environment)
    except OSError as error:
        raise SelectionError(f"revisions need git: {error}") from error


def commit_of(folder: Path, revision: str) -> str:
    """Return the commit of a revision; empty where the repository of ``folder`` has no such revision."""
    found = git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return found.stdout.decode().strip() if found.returncode == 0 else ""


def unpack(folder: Path, commit: str, paths: str, into: Path) -> str:
    """Unpack the files of a commit that match ``paths``, a pathspec, into the folder ``into``; return git's
    words where it cannot, else an empty text. Links that lead out of the folder are left out."""
    archive = git(folder, "archive", "--format=tar", commit, "--", paths)
    if archive.returncode:
        return _said(archive)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(into, filter=_inside)
    return ""


def _inside(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    try:
        return tarfile.data_filter(member, folder)
    except tarfile.FilterError:
        return None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """The first line of what git says of an error."""
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else f"it ended with status {done.returncode}"


def parted(text: str) -> tuple[str, str]:
    """The revision and the path in a text such as ``v1.2:schema/order``; two empty texts where it is no
    such text."""
    match = _REVISION.fullmatch(text)
    return (match["revision"], match["path"]) if match else ("", "")


@dataclass(frozen=True)
class Unpacked:
    """A file at a revision, unpacked together with all files of its kind.

    Attributes:
        top: the folder that holds the repository's files.
        folder: the folder into which the files were unpacked.
        path: the path of the file in both.
    """

    top: Path
    folder: Path
    path: str

    @property
    def file(self) -> Path:
        """The unpacked file."""
        return self.folder / self.path

    def place_of(self, path: Path) -> Path:
        """The place where a path in the repository was unpacked; other paths stay as they are."""
        absolute = path.resolve()
        return self.folder / absolute.relative_to(self.top) if absolute.is_relative_to(self.top) else path


def file_at(text: str, folder: Path, into: Path) -> Unpacked:
    """Unpack the file that a text such as ``v1.2:schema/order`` means, and all of the revision's files
    with the same ending, since it may import them, into the folder ``into``. As in git, the path begins at
    the top of the repository of ``folder``, or with ``./`` at the folder itself.

    Raises:
        SelectionError: ``folder`` is in no repository, or there is no such revision or file, with the nearest
            ones.
    """
    revision, path = parted(text)
    found = git(folder, "rev-parse", "--show-cdup", "--show-prefix")
    if found.returncode:
        raise SelectionError(f"{text}: found no git repository: git says: {_said(found)}")
    up, prefix = found.stdout.decode().split("\n")[:2]
    top = (folder / up).resolve()
    commit = commit_of(folder, revision)
    if not commit:
        raise SelectionError(f"{text}: found no revision '{revision}'{_near_revisions(top, revision)}")
    begun = prefix if path.startswith(("./", "../")) else ""
    path = posixpath.normpath(begun + path)
    listed = git(top, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
    names = listed.stdout.decode(errors="surrogateescape").split("\0")
    if path not in names:
        raise SelectionError(f"{text}: {revision} has no file '{path}'{_near_paths(path, names)}")
    ending = PurePosixPath(path).suffix
    why = unpack(top, commit, f":(glob)**/*{ending}" if ending else f":(literal){path}", into)
    if why or not (into / path).is_file():
        told = why or "it is not in git's archive; see export-ignore in .gitattributes"
        raise SelectionError(f"{text}: the file cannot be unpacked: {told}")
    return Unpacked(top, into, path)


def _near_revisions(top: Path, revision: str) -> str:
    refs = git(top, "for-each-ref", "--format=%(refname:short)").stdout.decode().split()
    hint = _near(revision, refs)
    is_shallow = git(top, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true"
    return f"{hint}; this clone is shallow: git fetch brings more" if is_shallow else hint


def _near_paths(path: str, names: Sequence[str]) -> str:
    last = PurePosixPath(path).name
    if any(name.startswith(f"{path}/") for name in names):
        return ", but a folder; expected a file"
    same = [name for name in names if PurePosixPath(name).name == last]
    return _near(path, same or names)


def _near(found: str, known: Sequence[str]) -> str:
    near = get_close_matches(found, known, n=_MOST_NAMED, cutoff=0.4)
    return f"; did you mean {' or '.join(near)}?" if near else ""
