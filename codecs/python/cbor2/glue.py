"""Generates conversions between dataclasses and dicts, which are CBOR's maps."""

from serbench.languages.python.plain import Style

emit = Style(enums="ints", packs_octets=True, is_lone=True).source
