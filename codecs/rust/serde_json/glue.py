"""Counts the values inside each other in messages, since serde_json reads a limited number of them."""

from serbench.languages.rust.depth import nested

__all__ = ["nested"]
