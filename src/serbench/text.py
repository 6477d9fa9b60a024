"""Makes text that comes from outside (from a runner, a compiler or a file) safe for a terminal, a table or a
picture.

A terminal obeys control characters: they move the cursor, set titles or clear the screen. Direction overrides
show text in another order than it has, and characters without a glyph hide in it (Unicode Technical Report
36).
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, DEL, C1
    # invisible characters, direction, separators
    "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ufffe\uffff"  # surrogates and others that are not characters
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # controls of shorthand and of music
    "\U000e0000-\U000e0fff"  # tags, and selectors of variants
    "]"
)


def safe(text: object, lines: bool = True) -> str:
    """Return the text with every character that a terminal would obey rather than show replaced by its Python
    escape, such as ``\\x1b`` or ``\\u202e``.

    A tab becomes a space. With ``lines``, line ends stay, as ``\\n``; without, they become spaces.
    """
    plain = str(text).replace("\r\n", "\n").replace("\t", " ")
    return _UNSAFE.sub(_escape, plain if lines else plain.replace("\n", " "))


def safe_json(text: str) -> str:
    """Return JSON text of the same value that can be printed: each character that ``safe`` would replace is
    written as a JSON escape."""
    return _UNSAFE.sub(_json_escape, text)


def shortened(text: str, most: int) -> str:
    """Return the text, cut to at most about ``most`` characters: where it is longer, with … in place of its
    middle."""
    end = most // 3
    return text if len(text) <= most else f"{text[: most - end - 3]} … {text[-end:]}"


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    units = [code] if code < 0x10000 else [0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code - 0x10000 & 0x3FF)]
    return "".join(f"\\u{unit:04x}" for unit in units)


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, which has an ``s`` unless the count is one: ``1 cell``, ``2 cells``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def long_time(seconds: float) -> str:
    """Return an estimated duration in words, rounded as coarsely as an estimate is known: ``15 s``, ``3
    minutes``."""
    if seconds < 55:
        return f"{max(5, 5 * round(seconds / 5))} s"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    return f"{seconds / 3600:.1f} hours"
