"""Reads the messages of files of JSON and JSON lines, plain or packed, one after the other in bounded
memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import orjson

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.json.envelope import ITEMS, MOST_LEVELS, ListFound, choice, lists_of_objects, the_list
from serbench.imports.json.parsing import FAULTS, NoJson, no_json, parse
from serbench.imports.packed import MARK, ending_of, opened
from serbench.text import safe, shortened

TITLE = "JSON"

FRAMINGS: Mapping[str, str] = {
    "auto": (
        "JSON lines if the first line is an object and more lines follow; otherwise each object of a "
        "list of objects is a message, and anything else is one message"
    ),
    "lines": "each line is a message; empty lines are skipped",
    "one": "each file is one message",
    "items": "each item of a list is a message: of the one that a file is, or the only list of objects in it",
    "items:NAME": "each item of the list that is the member NAME of a file's object is a message",
}

LINE_SUFFIXES = (".jsonl", ".ndjson")

LONGEST_TEXT = 256 << 20
"""The most bytes of a message, or of a file that is read as a whole."""

MOST_MEMORY = 640 << 20
"""The most bytes that one message is expected to take as Python values."""

LARGE = 1 << 20
"""A shorter text takes less than ``MOST_MEMORY``, whatever it holds."""

_PIECE = 1 << 16
"""Lines are looked at together in pieces of so many bytes, and the rest of the last line."""

_SPACE = b" \t\r\n"


@dataclass(frozen=True)
class JsonFile:
    """One file of messages.

    Attributes:
        file: its path.
        framing: one of ``FRAMINGS`` other than ``auto``.
        list: the name of the list whose items are messages; empty if the file itself is that list, or has one
            list alone.
        known: the names of the lists in all files of the dataset, of which some may be empty in this one.
    """

    file: Path
    framing: str
    list: str = ""
    known: frozenset[str] = frozenset()

    def place(self, number: int) -> str:
        """Returns the place of message ``number``, as errors name it."""
        return {"lines": f"line {number}", "items": f"item {number}"}.get(self.framing, "")

    def messages(self) -> Iterator[tuple[int, bytes]]:
        """Reads the text of each message, with the number of its line or item, from 1.

        Raises:
            InputError: the file cannot be read or unpacked, is not a list of items, or a message is too long.
        """
        for number, piece in self.pieces():
            yield from self.messages_in(number, piece)

    def pieces(self) -> Iterator[tuple[int, bytes]]:
        """Reads the file in pieces of many lines, or of one message, each with the number of its first line
        or item. Raises the errors of ``messages``, except for a line that is too long."""
        if self.framing == "lines":
            yield from self._pieces_of_lines()
        elif self.framing == "items":
            for number, item in enumerate(_items(self), 1):
                yield number, bytes(item)
        elif (text := _whole(self.file)) and not text.isspace():
            yield 1, text

    def messages_in(self, number: int, piece: bytes) -> Sequence[tuple[int, bytes]]:
        """Returns the messages of a piece whose first line or item is ``number``, with their numbers; raises
        InputError if one is too long."""
        texts = piece.split(b"\n") if self.framing == "lines" else [piece]
        messages = [(own, text) for own, text in enumerate(texts, number) if text and not text.isspace()]
        if len(piece) >= LARGE:
            for own, text in messages:
                _check_size(self.file, self.place(own), text)
        return messages

    def _pieces_of_lines(self) -> Iterator[tuple[int, bytes]]:
        number = 1
        with opened(self.file, TITLE) as stream:
            while piece := stream.read(_PIECE):
                piece += stream.readline(LONGEST_TEXT + 1)
                yield number, piece.removeprefix(MARK) if number == 1 else piece
                number += piece.count(b"\n")


def sources(paths: Sequence[Path], framing: str) -> list[JsonFile]:
    """Returns the files at ``paths``, in their order, each with its framing; raises InputError if there is no
    framing of that name, or a file cannot be read."""
    framing, colon, named = framing.partition(":")
    if (framing and framing not in FRAMINGS) or (colon and (framing != ITEMS or not named)):
        framing = shortened(safe(f"{framing}{colon}{named}", lines=False), 100)
        raise InputError(f"framing: found '{framing}'; expected one of {', '.join(FRAMINGS)}")
    known = _known(paths) if framing == ITEMS and not named and len(paths) > 1 else frozenset()
    return [
        JsonFile(file, framing_of(file) if framing in ("", "auto") else framing, named, known)
        for file in paths
    ]


def notes_of(files: Sequence[JsonFile], framing: str) -> list[str]:
    """Returns a line for the user about a list of objects inside a document: that the items of the list are
    the messages, or which option makes them the messages. Of several files, the first stands for all."""
    if not files or (framing not in ("", "auto") and files[0].framing != ITEMS):
        return []
    file, named = files[0].file, files[0].list
    shown = f"{file}, the first of {len(files)}" if len(files) > 1 else str(file)
    try:
        if files[0].framing == ITEMS:
            text = _whole(file).lstrip(_SPACE)
            taken = the_list(text, named, file, files[0].known).told if text.startswith(b"{") else ""
            return [f"{shown}: messages are the items of its list {taken}"] if taken else []
        text, rest = _first_lines(file) if files[0].framing == "lines" else (_whole(file).lstrip(_SPACE), b"")
        if text.startswith(b"["):
            items = msgspec.json.decode(text, type=list[msgspec.Raw])
            is_told = files[0].framing == "lines" and ListFound("", items).is_of_objects
            return [f"{shown}: each line is one message; --framing items takes items of lists"] * is_told
        found = [] if rest else lists_of_objects(text)
    except FAULTS:
        return []  # told when the file is read
    if all(len(each.items) == 1 for each in found):
        return []
    if len(found) == 1:
        return [f"{shown}: one message; --framing items takes the items of its list {found[0].told}"]
    return [f"{shown}: one message; {choice(found)}"]


def _first_lines(file: Path) -> tuple[bytes, bytes]:
    """Returns the first line that is not empty, and what may be only the beginning of the next."""
    with opened(file, TITLE) as stream:
        first = b" "
        while first and not first.removeprefix(MARK).strip(_SPACE):
            first = stream.readline(LONGEST_TEXT + 1)
        rest = b" "
        while rest and not rest.strip(_SPACE):
            rest = stream.readline(1 << 16)
    return first.removeprefix(MARK).strip(_SPACE), rest.strip(_SPACE)


def framing_of(file: Path) -> str:
    """Tells by its first lines, or else by all of it, how the messages of a file follow one another."""
    first, rest = _first_lines(file)
    has_lines = ending_of(file) in LINE_SUFFIXES
    if has_lines and not (rest and _goes_on(first)):
        return "lines"
    with suppress(*FAULTS):
        if rest and first.startswith(b"{"):
            orjson.loads(first)
            return "lines"
        if first.startswith(b"["):
            items = msgspec.json.decode(_text_of_items(file), type=list[msgspec.Raw])
            return "items" if ListFound("", items).is_of_objects else "one"
    if has_lines and rest.startswith(b"{") and _is_json(rest) and not _is_json(_whole(file)):
        return "lines"  # the first of which is cut off
    return "one"


def _goes_on(line: bytes) -> bool:
    """Whether a line is the beginning of JSON that goes on in the next line."""
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError as fault:
        return "end of data" in str(fault)
    return False


def _is_json(text: bytes) -> bool:
    with suppress(*FAULTS):
        msgspec.json.decode(text, type=msgspec.Raw)
        return True
    return False


def _items(source: JsonFile) -> Sequence[msgspec.Raw]:
    """Returns the items of the list that a file is, or that its object holds, or the objects in its lines.
    They refer to the text of the file, and take about 64 bytes each."""
    text = _text_of_items(source.file)
    with suppress(*FAULTS):
        return _items_of(text, source, source.known)
    lines = _lines(text)
    with suppress(*FAULTS):
        known = source.known.union(_names(lines))
        return [item for line in lines for item in _items_of(line, source, known)]
    raise _no_list(source.file)


def _items_of(text: bytes, source: JsonFile, known: frozenset[str]) -> Sequence[msgspec.Raw]:
    """Returns the items of the list that a document is or holds; raises one of ``FAULTS`` without one."""
    if source.list or text.lstrip(_SPACE).startswith(b"{"):
        return the_list(text.lstrip(_SPACE), source.list, source.file, known).items
    return msgspec.json.decode(text, type=list[msgspec.Raw])


def _known(files: Sequence[Path]) -> frozenset[str]:
    """Returns the names of the lists of objects in all files, of which a file alone may have an empty one."""
    names: set[str] = set()
    for file in files:
        text = _text_of_items(file)
        with suppress(*FAULTS):
            names.update(_names([text] if not _lines(text)[1:] or _is_json(text) else _lines(text)))
    return frozenset(names)


def _names(documents: Sequence[bytes]) -> set[str]:
    found = (lists_of_objects(each.lstrip(_SPACE), MOST_LEVELS) for each in documents)
    return {each.name for lists in found for each in lists}


def _lines(text: bytes) -> list[bytes]:
    return [line for line in text.split(b"\n") if line and not line.isspace()]


def _no_list(file: Path) -> InputError:
    """Returns the error for a file from which no items can be taken."""
    text = _whole(file)
    lines = [(n, line) for n, line in enumerate(text.split(b"\n"), 1) if line and not line.isspace()]
    has_lines = len(lines) > 1 and _is_json(lines[0][1])
    for number, part in lines if has_lines else [(0, text)]:
        try:
            parse(part)
        except NoJson as fault:
            empty = refused(file, "", "no message", "at least one")
            return no_json(file, fault, f"line {number}" if number else "") if text.strip() else empty
    found = "JSON lines of which one" if has_lines else "JSON that"
    found += " is not a list, and has no list of objects in it"
    return refused(file, "", found, "a list of messages", "use another --framing")


def _text_of_items(file: Path) -> bytes:
    text = _whole(file)
    if len(text) + 64 * text.count(b",") > MOST_MEMORY:
        raise _too_long(file, "", len(text))
    return text.lstrip(_SPACE)


def _whole(file: Path) -> bytes:
    with opened(file, TITLE) as stream:
        text = stream.read(LONGEST_TEXT + 1)
    if len(text) > LONGEST_TEXT:
        raise _too_long(file, "")
    return text.removeprefix(MARK)


def _check_size(file: Path, place: str, text: bytes) -> None:
    """Raises InputError if the values of a message would take more than ``MOST_MEMORY``: about 200 bytes for
    an object, 64 for a list, 56 for an item and 2 for a character."""
    if len(text) > LONGEST_TEXT:
        raise _too_long(file, place)
    if len(text) >= LARGE:
        expected = 2 * len(text) + 200 * text.count(b"{") + 64 * text.count(b"[") + 56 * text.count(b",")
        if expected > MOST_MEMORY:
            raise _too_long(file, place, len(text))


def _too_long(file: Path, place: str, length: int = 0) -> InputError:
    size = f"{length} bytes" if length else f"more than {LONGEST_TEXT >> 20} MiB"
    expected = f"a document that takes at most {MOST_MEMORY >> 20} MiB of memory"
    remedy = "a list of messages can be of any length as JSON lines: jq -c '.[]' FILE.json > FILE.jsonl"
    return refused(file, place, f"{size} of JSON in one piece", expected, remedy)
