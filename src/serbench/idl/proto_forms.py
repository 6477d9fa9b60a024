"""The bytes of whole numbers in the forms that Protocol Buffers have for them."""

from __future__ import annotations


def form_bytes(word: str, value: int) -> int:
    """Return the bytes of a number in the form of this word, without its tag."""
    if "fixed" in word:
        return 4 if word.endswith("32") else 8
    if word.startswith("s"):
        value = 2 * value if value >= 0 else -2 * value - 1
    return -(-max((value % (1 << 64)).bit_length(), 1) // 7)
