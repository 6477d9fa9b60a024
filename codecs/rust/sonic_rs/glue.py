"""Says how many values inside each other sonic-rs reads."""

from serbench.languages.rust.depth import nested

__all__ = ["nested"]
