"""Generates conversions between dataclasses and dicts, the form of records in CBOR for C here."""

from serbench.languages.python.plain import Style

emit = Style(enums="ints", packs_octets=True, is_lone=True).source
