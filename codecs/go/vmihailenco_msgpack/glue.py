"""Schemas with names that the tags of a struct's fields cannot have."""

from serbench.languages.go.tagged import fits

__all__ = ["fits"]
