"""Recognises the format of files, by their endings or else by their first bytes."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from shlex import quote

import orjson

from serbench.errors import InputError, unknown
from serbench.imports import formats
from serbench.imports.base import Format, refused
from serbench.imports.encodings import other_encoding, wide_encoding
from serbench.imports.names import listed
from serbench.imports.packed import ending_of, unpacked_head
from serbench.imports.strangers import TO_JSON, stranger

HEAD_BYTES = 64 << 10
"""Bytes at the beginning of a file by which its format is recognised."""

_MOST_NAMES = 3

_LINES_TRIED, _SIGNS_TRIED = 5, 20
"""How many of a file's first lines, and of its first braces and brackets, are looked at for JSON."""

_BY_PYTHON = "make JSON lines of its messages first, in Python by {} and json.dumps"
_TOML = (
    "python3 -c 'import json, sys, tomllib; print(json.dumps(tomllib.load(sys.stdin.buffer), default=str))'"
)
_CONVERTED = {
    (".yaml", ".yml"): ("YAML", TO_JSON),
    (".toml",): ("TOML", f"{_TOML} < {{}} > data.json makes JSON of it"),
    (".msgpack", ".mpk", ".mp"): ("MessagePack", _BY_PYTHON.format("msgpack.Unpacker")),
    (".cbor",): ("CBOR", _BY_PYTHON.format("cbor2.load")),
    (".bson",): ("BSON", "bsondump {} > data.jsonl makes JSON lines of it"),
    (".pkl", ".pickle"): ("pickles of Python", _BY_PYTHON.format("pickle.load")),
}
"""Endings of files that are not read → the format, and how JSON is made of it, where {} is the file."""


@dataclass(frozen=True)
class Recognised:
    """Files of one format.

    Attributes:
        notes: lines for the user: the files whose format was told by their first bytes, and those passed
            over.
    """

    format: Format
    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()


def recognised(files: Sequence[Path], found: Collection[Path] = (), name: str = "") -> Recognised:
    """Recognises the format of files, or takes the format that the user names.

    Args:
        found: the files that the user did not name one by one; those of no format are passed over.
        name: the name of a format; empty if it is to be told.

    Raises:
        InputError: a file cannot be read, is of no known format, or the files are of several formats.
        SelectionError: there is no format of that name.
    """
    if name:
        if name not in formats():
            raise unknown("format", name, formats())
        return Recognised(formats()[name], tuple(files))
    told = {path: _format_of(path) for path in files}
    kept = {path: each for path, each in told.items() if each}
    left = [path for path in files if not told[path]]
    if not kept or any(path not in found for path in left):
        raise _unknown(next((path for path in left if path not in found), left[0]))
    by_format: dict[str, list[Path]] = {}
    for path, (format, _) in kept.items():
        by_format.setdefault(format.name, []).append(path)
    if len(by_format) > 1:
        raise _several(by_format)
    notes = list(_told_by_content(kept))
    if left:
        notes.append(f"passed over, since they are of no known format: {named(left)}")
    return Recognised(next(iter(kept.values()))[0], tuple(kept), tuple(notes))


def named(files: Sequence[Path]) -> str:
    """Returns the names of the first few files, and how many more there are."""
    return listed([path.name for path in files], _MOST_NAMES)


def _format_of(path: Path) -> tuple[Format, str] | None:
    """Returns the format of a file, and words for its first bytes if these and not the ending tell the
    format; None if neither does."""
    suffix = ending_of(path)
    with_suffix = [format for format in formats().values() if suffix in format.suffixes]
    head = _head(path)
    begun = [(format, words) for format in formats().values() if (words := format.beginning(head))]
    signed = [(format, words) for format, words in begun if format.has_signature]
    if signed and signed[0][0] not in with_suffix:
        return signed[0]
    for format in with_suffix:
        if format.recognises(head):
            return format, ""
    if len(begun) == 1:
        return begun[0]
    # The reader of what the ending tells says best what is wrong.
    return (with_suffix[0], "") if with_suffix else None


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def _told_by_content(kept: dict[Path, tuple[Format, str]]) -> list[str]:
    """Returns a line for the user about each beginning by which files were recognised."""
    by_words: dict[tuple[str, str], list[Path]] = {}
    for path, (format, words) in kept.items():
        if words:
            by_words.setdefault((format.title, words), []).append(path)
    return [f"{named(those)}: taken as {title}: it {words}" for (title, words), those in by_words.items()]


def _unknown(path: Path) -> InputError:
    head = unpacked_head(_head(path))
    if not head:
        return refused(path, "", "an empty file", "a schema or data")
    if fault := stranger(path, head, "a schema or data"):
        return fault
    if encoding := wide_encoding(head):
        return other_encoding(path, "", encoding)
    if hidden := _json_behind(head):
        found, remedy = hidden
        return refused(path, "", found, "JSON alone", remedy.replace("{}", quote(str(path))))
    suffix = ending_of(path)
    for those, (what, remedy) in _CONVERTED.items():
        if suffix in those:
            remedy = remedy.replace("{}", quote(str(path)))
            return refused(path, "", f"the ending of {what}", "a format that is read", remedy)
    found = f"the ending '{suffix}'" if suffix else "no ending"
    endings = {each.title: " ".join(each.suffixes[:_MOST_NAMES]) for each in formats().values()}
    known = ", ".join(f"{title} ({few})" for title, few in endings.items())
    names = ", ".join(formats())
    return refused(
        path, "", f"{found}, and no beginning that tells the format", known, f"name it with --from: {names}"
    )


def _json_behind(head: bytes) -> tuple[str, str] | None:
    """Tells what first bytes hold, and the command that takes it out, if that is JSON behind other text: in
    each of the first lines, as logs and consumers write it, or once, as behind an assignment. None if they
    hold no such thing."""
    lines = [line for line in head.split(b"\n")[:-1] if line.strip()][:_LINES_TRIED]
    if len(lines) > 1 and all(_is_object(line[line.find(b"{") :]) for line in lines):
        return "lines with JSON behind other text", "sed 's/^[^{]*//' {} > lines.jsonl makes JSON lines of it"
    for sign in islice(re.finditer(rb"[{\[]", head), _SIGNS_TRIED):
        if _is_object(head[sign.start() :].rstrip(b"; \t\r\n"), len(head) == HEAD_BYTES):
            remedy = f"tail -c +{sign.start() + 1} {{}} > data.json takes out what is before it"
            return f"JSON behind {sign.start()} bytes of other text", remedy
    return None


def _is_object(text: bytes, may_be_cut: bool = False) -> bool:
    """Whether a text is an object or a list of them, or the beginning of one if it ``may_be_cut``."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return may_be_cut and "end of data" in str(error)
    return isinstance(value, dict) or (isinstance(value, list) and isinstance(next(iter(value), None), dict))


def _several(by_format: dict[str, list[Path]]) -> InputError:
    of_most = sorted(by_format.items(), key=lambda each: -len(each[1]))
    told = ", ".join(f"{formats()[name].title} ({named(files)})" for name, files in of_most)
    example = ending_of(max(by_format.values(), key=len)[0])
    how = f", such as those that match '*{example}'" if example else ""
    return InputError(
        f"the files are of several formats: {told}; expected files of one format{how}, and data files with "
        "--data"
    )
