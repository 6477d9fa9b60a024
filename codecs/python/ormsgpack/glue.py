"""Generates conversions between dataclasses and lists, which C writes for records in MessagePack too."""

from serbench.languages.python.plain import LISTS

emit = LISTS.source
