"""What the tags of a struct's fields can say."""

from serbench.languages.go.tagged import fits

__all__ = ["fits"]
