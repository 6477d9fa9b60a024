"""Fields whose written names are others, of which mashumaro is told."""

from serbench.languages.python.written import names_alone as emit

__all__ = ["emit"]
