"""Generates glue that leaves domain objects as they are, and gives what was read its classes back."""

from serbench.languages.javascript.plain import Form

# Arrays with holes are written item by item with its index, even where none is missing.
emit = Form(unions="tagged", wide_are_exact=True, packed=True).source
