"""Generates conversions for what msgpackr lacks where records are maps: maps whose keys are no strings."""

from serbench.languages.javascript.plain import PROTOTYPE, Form, lacking

emit = Form(maps="objects").source
fits = lacking({PROTOTYPE: f"its decoder gives the key {PROTOTYPE} as __proto_"})
