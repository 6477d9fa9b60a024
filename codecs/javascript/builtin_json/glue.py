"""Generates conversions for what JSON lacks: bigints, Map, bytes, infinities, and names of enums."""

from serbench.languages.javascript.json_form import JSON, why_not_json

emit = JSON.source
fits = why_not_json
