"""Dataclasses of what rapidjson reads, which makes none itself, as one would write it by hand."""

from serbench.languages.python.plain import JSON

emit = JSON.source
