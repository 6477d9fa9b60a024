"""Generates conversions between dataclasses and lists, the shortest form of records in ``marshal``."""

from serbench.languages.python.plain import Style

emit = Style(records="lists", enums="ints", unions="indexed").source
