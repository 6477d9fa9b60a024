"""Whether a value is an expected one that leaves places free."""

from __future__ import annotations

import math
from typing import Any

from serbench.changes import FREE


def agrees(expected: Any, found: Any) -> bool:
    """Whether ``found`` is the expected value, wherever that is not FREE; NaN agrees with NaN."""
    if expected is FREE:
        return True
    if isinstance(expected, float) and isinstance(found, float):
        return expected == found or (math.isnan(expected) and math.isnan(found))
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(agrees(expected[key], found[key]) for key in expected)
    if isinstance(expected, list | tuple) and isinstance(found, list | tuple):
        return len(expected) == len(found) and all(map(agrees, expected, found))
    return bool(expected == found)
