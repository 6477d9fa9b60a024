"""The pace of a program: how long its passes and warm-ups took, by which later measuring is foreseen."""

from __future__ import annotations

import msgspec

from serbench.codecs.traits import Traits, Typical
from serbench.measure.events import Average


class Pace(msgspec.Struct, frozen=True):
    """How fast a program is.

    Attributes:
        pass_ns: a pass over many messages, in nanoseconds for each canonical byte; the mean of operations.
        warmup_s: the seconds that a cell warms up if it may, the mean of operations; None if not known.
        is_typical: whether it is that of a language, since the program was never measured.
    """

    pass_ns: Average = Typical().pass_ns
    warmup_s: Average | None = None
    is_typical: bool = False

    @classmethod
    def typical(cls, traits: Traits) -> Pace:
        """Return the pace that programs of a language typically have."""
        warm_up = traits.warm_up
        return cls(traits.typical.pass_ns, warm_up.settling_ns / 1e9 if warm_up else None, is_typical=True)

    def warmup_within(self, limit_s: float) -> float:
        """Return the seconds that a cell is foreseen to warm up where it may for ``limit_s``."""
        return limit_s if self.warmup_s is None else min(limit_s, self.warmup_s)
