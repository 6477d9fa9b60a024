"""Text from outside (what a runner, a compiler or a file said) made fit for a terminal, a table or a picture.

A terminal obeys control characters: they move the cursor, set titles, clear what was said before. Direction
overrides show text in an order that it does not have, and characters without a glyph hide in it (Unicode
Technical Report 36).
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, DEL, C1
    # invisible, direction, separators
    "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ufffe\uffff"  # no text at all
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # controls of shorthand and of music
    "\U000e0000-\U000e0fff"  # tags, and selectors of variants
    "]"
)


def safe(text: object, lines: bool = True) -> str:
    """``text`` with every character that is obeyed rather than shown as its Python escape, such as ``\\x1b``
    and ``\\u202e``.

    A tab becomes a space. Line ends stay as ``\\n`` where ``lines`` is true and become spaces where it is
    not.
    """
    plain = str(text).replace("\r\n", "\n").replace("\t", " ")
    return _UNSAFE.sub(_escape, plain if lines else plain.replace("\n", " "))


def safe_json(text: str) -> str:
    """JSON text that means the same and can be printed: what ``safe`` would escape is escaped as JSON has
    it."""
    return _UNSAFE.sub(_json_escape, text)


def shortened(text: str, most: int) -> str:
    """A text of ``most`` characters at most: of a longer one the beginning and the end, with … between
    them."""
    end = most // 3
    return text if len(text) <= most else f"{text[: most - end - 3]} … {text[-end:]}"


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    units = [code] if code < 0x10000 else [0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code - 0x10000 & 0x3FF)]
    return "".join(f"\\u{unit:04x}" for unit in units)
