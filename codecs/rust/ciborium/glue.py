"""How deep ciborium reads."""

from __future__ import annotations

from serbench.languages.rust.depth import nested

__all__ = ["nested"]
