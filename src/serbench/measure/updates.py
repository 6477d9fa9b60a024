"""The canonical bytes that messages have after an update.

An update turns bits of values over, and edits leave each value in its place. So what it does to a message
is found once, as a mask of bits, and holds for the message with any of its edits: values of millions of bytes
are not decoded for each.
"""

from __future__ import annotations

from typing import Any

from serbench.changes.updating import updated
from serbench.dataset.canonical import decode, encode
from serbench.model import Updates


def mask_of(root: Any, message: bytes, updates: Updates) -> int:
    """Return the bits that an update turns over in a message: canonical bytes of a value of ``root``."""
    after = encode(root, updated(root, decode(root, message), updates))
    return int.from_bytes(message, "little") ^ int.from_bytes(after, "little")


def masked(message: bytes, mask: int) -> bytes:
    """Return the canonical bytes of a message after the update that turns these bits over."""
    return (int.from_bytes(message, "little") ^ mask).to_bytes(len(message), "little")
