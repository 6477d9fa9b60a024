"""Generates conversions for values that the library reads in another form than they had: a map whose keys are
all text as an object, and an object without its class."""

from serbench.languages.javascript.plain import PROTOTYPE, Form, lacking

emit = Form(maps="either").source
fits = lacking(
    {
        "constructor": "asks each object for the name of its constructor, which a field constructor hides",
        PROTOTYPE: f"gives an object with the key {PROTOTYPE} as a Map",
    }
)
