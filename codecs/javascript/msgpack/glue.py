"""Generates conversions for what the library lacks: Map, and keys that are no strings."""

from serbench.languages.javascript.plain import PROTOTYPE, Form, lacking

emit = Form(maps="objects").source
fits = lacking({PROTOTYPE: f"its decoder refuses the key {PROTOTYPE}"})
