"""Dataclasses as lists, which is the shortest that ``marshal`` knows."""

from serbench.languages.python.plain import Style

emit = Style(records="lists", enums="ints", unions="indexed").source
