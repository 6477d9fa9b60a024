"""Generates conversions for what cbor-x lacks where records are maps: maps whose keys are no strings."""

from serbench.languages.javascript.plain import PROTOTYPE, Form, lacking

# It looks for 18 classes, iterators and blobs in each object that is not a plain one.
emit = Form(maps="objects", classless=True).source
fits = lacking({PROTOTYPE: f"its decoder gives the key {PROTOTYPE} as __proto_"})
