"""From the type model to source text.

``IDLS`` and ``GLUE`` name the generators that a ``codec.toml`` asks for; each takes a schema and gives one file's
text. A codec that needs neither works on the domain types alone.
"""
