"""What comes back in another way: maps as objects where all their keys are text; objects without a class."""

from serbench.languages.javascript.plain import PROTOTYPE, Form, lacking

emit = Form(maps="either").source
fits = lacking(
    {
        "constructor": "asks each object for the name of its constructor, which a field constructor hides",
        PROTOTYPE: f"gives an object with the key {PROTOTYPE} as a Map",
    }
)
