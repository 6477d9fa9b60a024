"""Tells the encoding of text that is not UTF-8, and the command that makes UTF-8 of it."""

from __future__ import annotations

import re
import shlex
from codecs import getincrementaldecoder
from pathlib import Path

from serbench.imports.base import Refusal, refused

_MARKS = {b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
"""Byte order mark → encoding; the longer marks first, since they begin like the shorter ones."""

_ZEROS: dict[tuple[bool, ...], str] = {
    (False, True, True, True): "UTF-32LE",
    (True, True, True, False): "UTF-32BE",
    (False, True, False, True): "UTF-16LE",
    (True, False, True, False): "UTF-16BE",
}
"""Which of a text's first four bytes are zero → its encoding, if it begins with ASCII (RFC 4627, 3)."""


_MOST_LOOKED_AT = 256

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
"""Matches a character that no text has: bytes with zeros among them may be numbers of a binary format."""


def wide_encoding(head: bytes) -> str:
    """The encoding of text with these first bytes, if it has more than a byte for each character, as iconv
    names it; else empty."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    encoding = _ZEROS.get(tuple(byte == 0 for byte in head[:4]), "")
    return encoding if encoding and _is_text(head[:_MOST_LOOKED_AT], encoding) else ""


def _is_text(head: bytes, encoding: str) -> bool:
    """Whether first bytes, of which the last may be a part of a character, are text in an encoding."""
    try:
        return not _CONTROL.search(getincrementaldecoder(encoding)().decode(head))
    except UnicodeDecodeError:
        return False


def other_encoding(file: Path, place: str, encoding: str) -> Refusal:
    """The error for text in another encoding than UTF-8, with the command that converts it."""
    return refused(file, place, f"text in {encoding}", "text in UTF-8", _iconv(encoding, file))


def zero_byte(file: Path, place: str, text: bytes) -> Refusal:
    """The error for a zero byte in text whose beginning tells no encoding."""
    if _is_binary(text.replace(b"\0", b"")):
        return _no_text(file, place)
    remedy = f"is it UTF-16? {_iconv('UTF-16', file)}"
    return refused(file, place, "a zero byte", "text in UTF-8", remedy)


def not_utf8(file: Path, place: str, text: bytes) -> Refusal:
    """The error for bytes that are not UTF-8, in what seems to be text with a byte for each character, or is
    none at all."""
    if _is_binary(text):
        return _no_text(file, place)
    remedy = f"is it of Western Europe? {_iconv('WINDOWS-1252', file)}"
    return refused(file, place, "bytes that are not valid UTF-8", "text in UTF-8", remedy)


def _is_binary(text: bytes) -> bool:
    return bool(_CONTROL.search(text[:_MOST_LOOKED_AT].decode("latin-1")))


def _no_text(file: Path, place: str) -> Refusal:
    remedy = "is it in a binary format, such as MessagePack or CBOR? make JSON of it first"
    return refused(file, place, "bytes that are no text", "text in UTF-8", remedy)


def place_of(text: bytes, at: int) -> tuple[int, int]:
    """The line and the column of a byte, from 1; a column is a character, or a byte that belongs
    to none."""
    before = text[:at]
    line = before[before.rfind(b"\n") + 1 :]
    return before.count(b"\n") + 1, len(line.decode(errors="replace")) + 1


def _iconv(encoding: str, file: Path) -> str:
    return f"iconv -f {encoding} -t UTF-8 {shlex.quote(str(file))} makes UTF-8 of it"
