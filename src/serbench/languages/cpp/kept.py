"""Keeps the files that were generated for a codec and a workload, and generates them again only where they
could differ.

For a large schema each text takes a tenth of a second, and every command asks for those of all codecs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import msgspec

from serbench.codecs.codec import Codec
from serbench.errors import FileError
from serbench.system.files import read_json, to_json, write_if_changed
from serbench.system.stamp import contents, sha256_of
from serbench.workload import Workload

Write = Callable[[Path, str], None]


class _Kept(msgspec.Struct):
    """A note of what was generated: the digest of all that decided it, the files, and the calls of the CMake
    list that build them."""

    digest: str
    files: list[str]
    calls: list[str]


def kept(stamp: Path, digest: str, generate: Callable[[Write], Iterable[str]]) -> list[str]:
    """The result of ``generate``, or its earlier one where the file ``stamp`` has this digest and all files
    that were written then exist.

    Args:
        generate: writes files by the function that it is given, and returns the calls of the CMake list.
    """
    try:
        before = read_json(stamp, _Kept, "note of what was generated") if stamp.exists() else None
    except FileError:  # another version's, or one that was cut off
        before = None
    if before and before.digest == digest and all(Path(file).exists() for file in before.files):
        return before.calls
    files: list[str] = []

    def write(path: Path, text: str) -> None:
        write_if_changed(path, text)
        files.append(str(path))

    calls = list(generate(write))
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(to_json(_Kept(digest, files, calls)))
    return calls


def digest_of(directory: Path, codec: Codec, workload: Workload) -> str:
    """The digest of all that decides what is generated for a codec and a workload below ``directory``."""
    schema = workload.schema
    parts = (
        str(directory),
        codec.id,
        str(codec.directory),
        schema.digest(),
        repr(schema.walk),
        _digest_of_files(Path(__file__).parents[2], "*.py"),  # serbench's own sources
        _digest_of_files(codec.directory.parent, "*"),  # a codec may import from its neighbours
    )
    return sha256_of(*parts)


@cache
def _digest_of_files(folder: Path, names: str) -> str:
    files = (path for path in folder.rglob(names) if path.is_file() and "__pycache__" not in path.parts)
    return sha256_of(*contents(folder, files))
