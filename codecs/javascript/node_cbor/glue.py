"""Generates conversions for what comes back otherwise than it was written: maps whose keys are all text, as
objects; and objects, without a class."""

from serbench.languages.javascript.plain import PROTOTYPE, Form, lacking

emit = Form(maps="either").source
fits = lacking(
    {
        "constructor": "asks each object for the name of its constructor, which a field constructor hides",
        PROTOTYPE: f"gives an object with the key {PROTOTYPE} as a Map",
    }
)
