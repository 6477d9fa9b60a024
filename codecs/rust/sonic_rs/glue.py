"""Counts the values inside each other in messages, since sonic-rs reads a limited number of them."""

from serbench.languages.rust.depth import nested

__all__ = ["nested"]
