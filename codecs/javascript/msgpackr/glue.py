"""Generates conversions for what msgpackr lacks where records are maps: maps whose keys are no strings."""

from serbench.languages.javascript.plain import PROTOTYPE, Form, lacking

# It looks for eight classes in each object that is not a plain one.
emit = Form(maps="objects", classless=True).source
fits = lacking({PROTOTYPE: f"its decoder gives the key {PROTOTYPE} as __proto_"})
