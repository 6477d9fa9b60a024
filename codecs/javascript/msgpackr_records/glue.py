"""Domain objects as they are: records and maps are told apart."""

from serbench.languages.javascript.plain import PROTOTYPE, Form, lacking

emit = Form().source
fits = lacking({PROTOTYPE: f"its decoder gives the key {PROTOTYPE} as __proto_"})
