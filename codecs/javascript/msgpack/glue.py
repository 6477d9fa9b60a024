"""Generates conversions for the maps that the library lacks, also those whose keys are no strings."""

from serbench.languages.javascript.plain import PROTOTYPE, Form, lacking

emit = Form(maps="objects").source
fits = lacking({PROTOTYPE: f"its decoder refuses the key {PROTOTYPE}"})
