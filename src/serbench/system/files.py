"""Reads files as untrusted input, and checks them against a type before anything uses them.

That includes files that serbench wrote itself: a full disk, another version of serbench or an editor may have
changed them.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec

from serbench.errors import FileError, SerbenchError, in_lines, unknown

T = TypeVar("T")

LARGEST_BYTES = 64 << 20
"""The most bytes of a manifest, a cache or a declaration: a thousand times those of the largest one."""

Text = Annotated[str, msgspec.Meta(max_length=1 << 20)]
"""Text for people to read, of 2^20 characters at most."""


def matching(pattern: str, expected: str, most: int = 100) -> msgspec.Meta:
    """Return a constraint for texts of at most ``most`` characters that match a pattern; ``expected``
    describes these texts in errors."""
    return msgspec.Meta(max_length=most, pattern=rf"^{pattern}\Z", extra={"expected": expected})


Name = Annotated[
    str,
    matching(
        r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]*",
        "a name without control characters of at most 1000 characters",
        most=1000,
    ),
]
"""The name of something: one line without control characters."""

FileName = Annotated[str, matching(r"(?!\.)[\w{}.+-]+", "the name of a file, without a folder", most=200)]
"""The name of a file in a folder of serbench; it may have placeholders such as ``{workload}``."""

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
"""A number of things, bytes or nanoseconds that a float holds exactly. 2^53 ns are 104 days."""

Positive = Annotated[int, msgspec.Meta(ge=1, le=1 << 53)]

Digest = Annotated[str, msgspec.Meta(max_length=128, pattern=r"^[0-9a-f]*\Z")]


class Loaded(dict[str, T]):
    """Things that were loaded, by name.

    Attributes:
        broken: name of a thing that could not be loaded → the error.
        folders: name, also of a broken thing → the folder that declares it.
        passed_over: name → other folders that declare the same name and do not count.
    """

    def __init__(self, found: Mapping[str, T] | None = None) -> None:
        super().__init__(found or {})
        self.broken: dict[str, FileError] = {}
        self.folders: dict[str, Path] = {}
        self.passed_over: dict[str, list[Path]] = {}


def first_of(folders: Sequence[Path], load: Callable[[Path], Loaded[T]]) -> Loaded[T]:
    """Load everything that several folders declare. For each name the first folder counts, even if its
    declaration is broken, since its author meant that one."""
    all: Loaded[T] = Loaded()
    for folder in folders:
        found = load(folder)
        for name in sorted({*found, *found.broken}):
            if name in all.folders:
                all.passed_over.setdefault(name, []).append(folder)
                continue
            all.folders[name] = folder
            if name in found.broken:
                all.broken[name] = found.broken[name]
            else:
                all[name] = found[name]
    return all


def not_there(kind: str, name: str, known: Mapping[str, Any]) -> SerbenchError:
    """Return the error for a name that is not in ``known``: it says why the thing could not be loaded, or
    suggests the most similar names."""
    broken = known.broken.get(name) if isinstance(known, Loaded) else None
    return FileError(f"{kind} {name} cannot be used: {broken}") if broken else unknown(kind, name, known)


_MOST_PROBLEMS = 10
"""The most faults of one file that an error shows."""


def read_text(path: Path, what: str) -> str:
    """Return the text of a file, which errors call ``what``, such as ``manifest``. Raise FileError where it
    is not a regular file, too large, not readable or not UTF-8."""
    data = read_bytes(path, what)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError(
            f"{path}, line {line}: the {what} is not UTF-8: byte {data[error.start]:#04x}"
        ) from error


def read_bytes(path: Path, what: str, most: int = LARGEST_BYTES) -> bytes:
    """Return the bytes of a file, of at most ``most``; arguments and errors are those of ``read_text``."""
    try:
        with open(path, "rb", opener=_open_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FileError(f"{path}: the {what} is not a regular file")
            data = file.read(min(os.fstat(file.fileno()).st_size, most) + 1)
    except OSError as error:
        raise FileError(f"{path}: the {what} cannot be read: {error.strerror}") from error
    except ValueError as error:  # its name has a NUL
        raise FileError(f"{str(path)!r}: the {what} cannot be read: {error}") from error
    if len(data) > most:
        raise FileError(f"{path}: the {what} has more than {most:,} bytes")
    return data


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a file without waiting for the other end of a pipe, so that pipes can be refused."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def prepare_types(types: Iterable[Any]) -> None:
    """Makes msgspec analyse types while a module is imported, in one thread. Otherwise msgspec analyses a
    type when it first decodes to that type, and a process in which two threads do so at once may crash."""
    for each in types:
        msgspec.json.Decoder(each)


def read_json(path: Path, type: type[T], what: str) -> T:
    """Return the value of ``type`` in a JSON file; raise FileError, which names each fault by its path in the
    JSON, where the file cannot be read or does not fit."""
    return parse_json(read_bytes(path, what), type, str(path), what)


def parse_json(data: bytes, type: type[T], where: str, what: str) -> T:
    """Return the value of ``type`` in the content of a JSON file, as ``read_json`` does; ``where`` names the
    file in errors."""
    if not data.strip():
        raise FileError(f"{where}: the {what} is empty")
    try:
        return msgspec.json.decode(data, type=type)
    except msgspec.ValidationError as error:
        found = _json_faults(data, type) or [str(error)]
        raise FileError(in_lines(f"{where}:", f" in the {what}", found, _MOST_PROBLEMS)) from error
    except (ValueError, RecursionError) as error:
        raise FileError(f"{where}: the {what} is not valid JSON: {_lowered(error)}") from error


def _json_faults(data: bytes, type: Any) -> list[str]:
    try:
        return faults(msgspec.json.decode(data), type)
    except (ValueError, RecursionError):  # values that the type ignores may be too great or too deep
        return []


def read_toml(path: Path, type: type[T], what: str, problems: Callable[[T], list[str]] = lambda _: []) -> T:
    """Return the table of ``type`` in a TOML file; raise FileError, which names each fault by its line and
    path, where the file cannot be read or does not fit. ``problems`` returns faults that the type does not
    rule out, each in the form that ``faults`` gives them."""
    text = read_text(path, what)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError, OverflowError) as error:
        raise FileError(f"{path}: the {what} is not valid TOML: {_lowered(error)}") from error
    try:
        table = msgspec.convert(data, type)
        found = problems(table)
    except (ValueError, RecursionError) as error:
        found = faults(data, type) or [str(error)]
    if found:
        told = [_line_of(text, fault.partition(": ")[0]) + fault for fault in found]
        raise FileError(in_lines(f"{path}:", f" in the {what}", told, _MOST_PROBLEMS))
    return table


def _lowered(error: BaseException) -> str:
    text = str(error)
    return text[:1].lower() + text[1:] if text else type(error).__name__


def faults(value: Any, type: Any, path: str = "") -> list[str]:
    """Return the places where ``value``, made of plain dicts, lists and scalars, does not fit ``type``: each
    once, as ``variants.default.adapter: found 3, expected str``; nothing if it fits."""
    try:
        return list(_faults(value, type, path))
    except RecursionError:
        return [f"{path or 'it'}: nested too deeply"]


def _faults(value: Any, type: Any, path: str) -> Iterator[str]:
    problem = _mismatch(value, type)
    if problem is None:
        return
    before = f"{path}." if path else ""
    is_struct = isinstance(type, msgspec.StructMeta)
    if isinstance(value, dict) and is_struct:
        known = {field.encode_name: field for field in msgspec.structs.fields(type)}
        found: list[str] = []
        for name, field in known.items():
            if name in value:
                found += _faults(value[name], field.type, before + name)
            elif field.required:
                found.append(f"{before}{name}: missing")
        if type.__struct_config__.forbid_unknown_fields:
            expected = f"unknown; expected one of {', '.join(sorted(known))}"
            strange = [key for key in value if key not in known]
            found += [f"{before}{short(key, quoted=False)}: {expected}" for key in strange]
        yield from found or [f"{path or 'it'}: {problem}"]
    elif isinstance(value, dict) and get_origin(type) is dict:
        key_type, item = get_args(type)
        for key, each in value.items():
            if wrong := _mismatch(key, key_type):
                yield f"{before}{short(key, quoted=False)}: a key that is {wrong.removeprefix('found ')}"
            yield from _faults(each, item, f"{before}{short(key, quoted=False)}")
    elif (
        isinstance(value, list)
        and get_origin(type) in (list, tuple)
        and len(get_args(type)) == 1 + (get_origin(type) is tuple)
    ):
        for n, each in enumerate(value):
            yield from _faults(each, get_args(type)[0], f"{path}[{n}]")
    else:
        yield f"{path or 'it'}: {problem}"


def _mismatch(value: Any, type: Any) -> str | None:
    """Return why a value does not fit a type, as ``found 3, expected str``; None if it fits."""
    try:
        msgspec.convert(value, type)
    except msgspec.ValidationError as error:
        said = str(error).partition(" - at `")[0]
        for meta in getattr(type, "__metadata__", ()):
            if isinstance(value, str) and isinstance(meta, msgspec.Meta) and meta.extra:
                return f"found {short(value)}, expected {meta.extra['expected']}"
        if expected := re.match(r"Expected (.*?)(?:, got .*)?$", said, re.DOTALL):
            return f"found {short(value)}, expected {_in_words(expected[1])}"
        return f"found {short(value)}: {said[:1].lower()}{said[1:]}"
    except (ValueError, OverflowError) as error:
        return f"found {short(value)}: {error}"
    return None


def _in_words(expected: str) -> str:
    """Return msgspec's description of the expected type in words for people who do not write Python."""
    words = {
        "str": "text",
        "int": "a whole number",
        "float": "a number",
        "bool": "true or false",
        "array": "a list",
    }
    words |= {"object": "a table", "null": "nothing"}
    text = re.sub(r"`(\w+)`", lambda match: words.get(match[1], match[1]), expected)
    return text.replace(" | ", " or ")


def short(value: Any, quoted: bool = True) -> str:
    """Return a value as Python writes it, cut to 60 characters, for an error."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 200:
        return "a whole number of more than 60 digits"
    if isinstance(value, str | bytes) and len(value) > 100:
        value = value[:100]
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    text = text if quoted else text.strip("'")
    return text if len(text) <= 60 else text[:57] + "..."


_KEY = r"""(?:"[^"]*"|'[^']*'|[\w-]+)"""
_KEYS = rf"({_KEY}(?:\s*\.\s*{_KEY})*)"
_HEADER = re.compile(rf"\s*(\[{{1,2}})\s*{_KEYS}\s*\]{{1,2}}")
_VALUE = re.compile(rf"\s*{_KEYS}\s*=")


def _line_of(text: str, path: str) -> str:
    """Return the line of a TOML text that has a key, given by its path, or else begins the innermost table
    around it, as ``line 12, ``; empty if neither is found."""
    found, reach, table = 0, 0, ""
    arrays: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _plain(header[2])
            if header[1] == "[[":
                arrays[table] = arrays.get(table, -1) + 1
                table = f"{table}[{arrays[table]}]"
            else:
                outer = next((name for name in arrays if table.startswith(f"{name}.")), None)
                table = f"{outer}[{arrays[outer]}]{table.removeprefix(outer)}" if outer else table
            here = table
        elif value := _VALUE.match(line):
            here = f"{table}.{_plain(value[1])}" if table else _plain(value[1])
        else:
            continue
        if (path == here or path.startswith((f"{here}.", f"{here}["))) and len(here) > reach:
            found, reach = number, len(here)
    return f"line {found}, " if found else ""


def _plain(keys: str) -> str:
    """Return a TOML key such as ``a."b c"`` in the form of a fault's path."""
    return ".".join(key.strip("\"'") for key in re.findall(_KEY, keys))


def to_json(value: Any) -> str:
    """Return a struct or plain values as indented JSON that ends with a newline."""
    return json.dumps(msgspec.to_builtins(value), indent=1, ensure_ascii=False) + "\n"


def write_if_changed(path: Path, text: str) -> None:
    """Write a generated file, unless it already has this text: then an unchanged build has nothing to do."""
    if path.exists() and path.read_bytes() == text.encode():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
