"""Tells whose code an outcome of evolution is due to: the library's, or the adapter's around it."""

from __future__ import annotations

from serbench.codecs.codec import Codec
from serbench.errors import By
from serbench.idl import requires_records
from serbench.model import Record, Ref, Schema, Union

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


def requires_missing(codec: Codec, reader: Schema, writer: Schema) -> bool:
    """Return whether the reader refuses messages of the writer because of a word that serbench wrote into its
    IDL file: that a field which the writer's schema lacks is required."""
    if codec.idl is None or not requires_records(codec.idl.language):
        return False
    written = {record.name: {field.name for field in record.fields} for record in writer.records}
    return any(
        isinstance(field.type, Record | Union | Ref) and field.name not in written[record.name]
        for record in reader.records
        if record.name in written
        for field in record.fields
    )
