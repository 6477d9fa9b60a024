"""Tells which schemas the library cannot do: those with names that tags of Go's fields cannot have."""

from serbench.languages.go.tagged import fits

__all__ = ["fits"]
