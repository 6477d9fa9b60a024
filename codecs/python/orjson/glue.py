"""What reading dataclasses takes, which orjson does not make, as one would write it by hand."""

from serbench.languages.python.plain import JSON

emit = JSON.source
