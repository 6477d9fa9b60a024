"""Dataclasses as what ``json`` knows, as one would write it by hand."""

from serbench.languages.python.plain import JSON

emit = JSON.source
