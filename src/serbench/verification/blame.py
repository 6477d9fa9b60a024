"""Tells whose code an outcome of evolution is due to: the library's, or the adapter's around it."""

from __future__ import annotations

from serbench.errors import By

_DUE_TO_NOBODY = ("kept", "impossible", "not tried")


def blamed(outcome: str, raised_by: By, is_library: bool) -> By:
    """Return whose code an outcome is due to.

    A value that is not the expected one, without an error, is the library's: adapters copy what the library
    gives, and make up nothing for what is missing.

    Args:
        outcome: a key of ``OUTCOMES`` (``evolution.py``).
        raised_by: whose code raised the error that the reader reports; empty where there is none, or where
            the reader does not know.
        is_library: whether the codec is a library. All that another one does is the adapter's.

    Returns:
        ``library`` or ``adapter``; empty where nobody can tell, and for outcomes that nobody is to blame for.
    """
    if outcome in _DUE_TO_NOBODY:
        return ""
    if not is_library:
        return "adapter"
    return "library" if outcome in ("defaults", "misread") else raised_by
