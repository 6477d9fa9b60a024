"""Generates conversions between dataclasses and lists, as for MessagePack."""

from serbench.languages.python.plain import Style

emit = Style(records="lists", enums="ints", unions="indexed").source
