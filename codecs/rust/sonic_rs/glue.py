"""How deep sonic-rs reads."""

from serbench.languages.rust.depth import nested

__all__ = ["nested"]
