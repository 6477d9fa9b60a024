"""Limits of the tags of a struct's fields."""

from serbench.languages.go.tagged import fits

__all__ = ["fits"]
