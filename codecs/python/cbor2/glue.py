"""Generates conversions between dataclasses and dicts, which records are in C's codecs for CBOR too."""

from serbench.languages.python.plain import Style

emit = Style(enums="ints", packs_octets=True, is_lone=True).source
