"""Says how many values inside each other ciborium reads."""

from serbench.languages.rust.depth import nested

__all__ = ["nested"]
