"""Makes descriptors of schemas by protoc, which reads .proto files and checks compiled descriptor sets."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.message import DecodeError

from serbench.errors import LONGEST_FAULT, InputError
from serbench.imports.base import refused
from serbench.imports.beginnings import statement
from serbench.imports.compilers import first_line, limited_to, run_bounded
from serbench.imports.encodings import other_encoding, wide_encoding
from serbench.imports.protobuf import gogo
from serbench.imports.sources import absolute, check_folders
from serbench.text import shortened

MOST_CPU_S = 30
"""Seconds of processor time that protoc may take; Kubernetes' 60 files take it half a second."""

MOST_BYTES = 1 << 26
"""The most bytes of a schema. The descriptors of all public APIs of Google take 40 MB."""

SETS = (".binpb", ".desc", ".protoset")
"""Suffixes of files with the descriptors that protoc makes of schemas."""

_HEAD_BYTES = 64 << 10

beginning = statement(
    rb"(syntax|edition)\s*=\s*[\"']\w+[\"']\s*;", "begins with a syntax of Protocol Buffers"
)
"""Tells whether a file of any ending begins as a schema in text."""

_FAULT = re.compile(
    r"^(?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+): (?!warning: )(?P<what>.*)$", re.MULTILINE
)

_PROTOC = (
    "import sys; from grpc_tools import protoc; raise SystemExit(protoc.main(['protoc', *sys.argv[1:]]))"
)
"""The program in Python that runs protoc, which is in the package grpcio-tools."""


@dataclass(frozen=True)
class Compiled:
    """Schemas as protoc compiled them.

    Attributes:
        files: the descriptors, each after those that it imports.
        given: the names of the files that the user gave; all others in ``files`` are only imported.
    """

    files: Sequence[FileDescriptorProto]
    given: frozenset[str]


def compiled(schemas: Sequence[Path], folders: Sequence[Path]) -> Compiled:
    """The descriptors of ``.proto`` files and of compiled sets, and of all that they import from ``folders``,
    the folder of each file and the well-known types; raises InputError with file and line."""
    for file in schemas:
        _check_readable(file)
    check_folders(folders)
    texts = {file for file in schemas if _is_text(file)}
    for file in texts:
        if encoding := wide_encoding(_head(file)):
            raise other_encoding(file, "", encoding)
    sources = [absolute(file) for file in schemas if file in texts]
    sets = [file for file in schemas if file not in texts]
    named, beside = [absolute(folder) for folder in folders], [file.parent for file in sources]
    try:
        return _in_folders(sources, sets, [*named, *beside])
    except InputError:
        # Files in a folder may also import each other by the folders in which they are.
        if not named or len(sources) < 2:
            raise
        try:
            return _in_folders(sources, sets, [*beside, *named])
        except InputError:
            pass
        raise


def _in_folders(sources: Sequence[Path], sets: Sequence[Path], folders: Sequence[Path]) -> Compiled:
    with tempfile.TemporaryDirectory(prefix="serbench-") as work:
        return _run(sources, sets, list(dict.fromkeys(folders)), Path(work))


def _is_text(file: Path) -> bool:
    return file.suffix == ".proto" or (file.suffix not in SETS and bool(beginning(_head(file))))


def _head(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_HEAD_BYTES)


def _check_readable(file: Path) -> None:
    try:
        size = file.stat().st_size
        if not file.is_file():
            raise refused(file, "", "not a regular file", "a schema")
        if size > MOST_BYTES:
            raise refused(file, "", f"{size} bytes", f"a schema of at most {MOST_BYTES}")
        file.open("rb").close()
    except OSError as error:
        raise refused(file, "", error.strerror or "no file", "a schema that can be read") from None


def _run(sources: Sequence[Path], sets: Sequence[Path], folders: Sequence[Path], work: Path) -> Compiled:
    """Runs protoc once, in a folder with links to all files that it reads, since paths may contain signs that
    mean something in its options."""
    gogo.write(work / "own")
    linked = [*folders, _well_known(), work / "own"]
    for n, searched in enumerate(linked):
        (work / f"i{n}").symlink_to(searched, target_is_directory=True)
    for n, schema in enumerate(sets):
        (work / f"set{n}").symlink_to(absolute(schema))
    inputs = [_input(file, folders) for file in sources]
    given = [name for _, name in inputs] + [name for file in sets for name in _not_imported(file)]
    together = os.pathsep.join(f"set{n}" for n in range(len(sets)))
    command = [
        *limited_to(MOST_CPU_S),
        *[sys.executable, "-P", "-c", _PROTOC],
        *[f"-Ii{n}" for n in range(len(linked))],
        *([f"--descriptor_set_in={together}"] if sets else []),
        *["--include_imports", "--descriptor_set_out=out"],
        *[path for path, _ in inputs],
        *given[len(inputs) :],
    ]
    file = [*sources, *sets][0]
    status, said = run_bounded(command, "protoc", work, file, "a schema")
    if status:
        raise _fault(said, file, folders)
    return Compiled(FileDescriptorSet.FromString((work / "out").read_bytes()).file, frozenset(given))


def _input(file: Path, folders: Sequence[Path]) -> tuple[str, str]:
    """The path of a source in the folder of the run, and the name by which others import it."""
    n, folder = next((n, folder) for n, folder in enumerate(folders) if file.is_relative_to(folder))
    name = file.relative_to(folder).as_posix()
    return f"i{n}/{name}", name


def _fault(said: str, file: Path, folders: Sequence[Path]) -> InputError:
    """The error for the first fault with a place that protoc tells; the next ones often follow from it."""
    what, place, remedy = first_line(said), "", ""
    if fault := _FAULT.search(said):
        name = re.sub(r"^i\d+/", "", fault["file"])
        # A file that is in none of the folders is told by its name alone.
        file = next((folder / name for folder in folders if (folder / name).is_file()), Path(name))
        what, place = fault["what"], f"line {fault['line']}, column {fault['column']}"
        if what.startswith("Import "):
            remedy = "name the folder that imports are relative to with -I"
    found = f"a schema that protoc rejects ({shortened(what.rstrip('.'), LONGEST_FAULT)})"
    return refused(file, place, found, "a schema that protoc compiles", remedy)


def _well_known() -> Path:
    """The folder with Google's well-known types, from the package grpcio-tools."""
    found = importlib.util.find_spec("grpc_tools")
    assert found is not None and found.origin is not None
    return Path(found.origin).with_name("_proto")


def _not_imported(file: Path) -> list[str]:
    """The names of the files in a compiled set that no file in it imports; raises InputError if ``file`` is
    no compiled set."""
    try:
        files = FileDescriptorSet.FromString(file.read_bytes()).file
        imported = {name for each in files for name in each.dependency}
        names = [each.name for each in files if each.name not in imported]
    except (DecodeError, UnicodeDecodeError):
        names = []
    if not names or not all(map(_is_name, names)):
        raise refused(
            file, "", "no compiled schemas", "a FileDescriptorSet, as written by protoc --descriptor_set_out"
        )
    return names


def _is_name(name: object) -> bool:
    """Whether protoc can be given the name of a file. One that is not valid UTF-8 comes as bytes."""
    return isinstance(name, str) and name != "" and name[0] not in "-@" and "\0" not in name
