"""Generates glue that leaves domain objects as they are: the library tells records from maps itself here."""

from serbench.languages.javascript.plain import PROTOTYPE, Form, lacking

emit = Form().source
fits = lacking({PROTOTYPE: f"its decoder gives the key {PROTOTYPE} as __proto_"})
