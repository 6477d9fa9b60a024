"""Generates conversions between dataclasses and what orjson reads, as one would write them by hand."""

from serbench.languages.python.plain import JSON

emit = JSON.source
