"""How deep ciborium reads."""

from serbench.languages.rust.depth import nested

__all__ = ["nested"]
