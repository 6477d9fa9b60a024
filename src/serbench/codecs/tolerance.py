"""The changes of values that a codec makes by design."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec

from serbench.model import Schema
from serbench.model.parts import has_floats


class Tolerance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The changes of values that a codec makes by design and that verification allows.

    Attributes:
        negative_zero: whether -0.0 may come back as 0.0.
        float_absolute: the most that a float may be off.
    """

    negative_zero: bool = False
    float_absolute: Annotated[float, msgspec.Meta(ge=0, le=1e300)] = 0.0

    def either(self, other: Tolerance) -> Tolerance:
        """Return the tolerance that allows whatever one of the two allows of values that are compared."""
        return Tolerance(
            negative_zero=self.negative_zero or other.negative_zero,
            float_absolute=max(self.float_absolute, other.float_absolute),
        )

    def describe(self) -> str:
        """Return the allowed changes in words; empty if there are none."""
        allowed = []
        if self.negative_zero:
            allowed.append("-0.0 may become 0.0")
        if self.float_absolute:
            allowed.append(f"floats may be off by {self.float_absolute:g}")
        return ", ".join(allowed)

    def loss_in(self, schemas: Iterable[Schema]) -> str:
        """Return the allowed changes in words; empty where no schema has a float, which alone may change."""
        return self.describe() if any(has_floats(schema.root) for schema in schemas) else ""
