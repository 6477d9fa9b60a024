"""Says how many values inside each other serde_json reads."""

from serbench.languages.rust.depth import nested

__all__ = ["nested"]
