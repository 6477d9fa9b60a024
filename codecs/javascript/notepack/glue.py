"""Generates conversions for what the library lacks: Map, and keys of one that are no strings."""

from serbench.languages.javascript.plain import PROTOTYPE, Form, lacking

emit = Form(maps="objects").source
fits = lacking({PROTOTYPE: f"its decoder takes the value of the key {PROTOTYPE} for the object's prototype"})
