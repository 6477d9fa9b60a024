"""Generates glue that makes records plain objects; the library tells them from maps itself here."""

from serbench.languages.javascript.plain import PROTOTYPE, Form, lacking

# It looks for eight classes in each object that is not a plain one.
emit = Form(classless=True).source
fits = lacking({PROTOTYPE: f"its decoder gives the key {PROTOTYPE} as __proto_"})
