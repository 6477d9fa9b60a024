"""Dataclasses as dicts, as libcbor has records here."""

from serbench.languages.python.plain import Style

emit = Style(enums="ints", packs_octets=True, is_lone=True).source
