"""Generates conversions between dataclasses and lists, the form of records in MessagePack for C here."""

from serbench.languages.python.plain import LISTS

emit = LISTS.source
