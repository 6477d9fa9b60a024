"""The pace of a program: how long its passes and warm-ups took, and all that a process does before them, by
which later measuring is foreseen."""

from __future__ import annotations

import msgspec

from serbench.codecs.traits import Traits, Typical
from serbench.measure.events import Average
from serbench.system.files import Count

_ANY_BYTES = 1 << 50
"""More canonical bytes than a dataset has: messages are typically made ready in proportion to any of them."""


class Pace(msgspec.Struct, frozen=True):
    """How fast a program is.

    Attributes:
        pass_ns: a pass over many messages, in nanoseconds for each canonical byte; the mean of operations.
        warmup_s: the seconds that a cell warms up if it may, the mean of operations; None if not known.
        made_s: the seconds in which a process makes ready ``made_bytes`` canonical bytes of messages: it
            reads and converts them, and another process judges what passes leave. 0 where nothing is known.
        is_typical: whether it is that of a language, since the program was never measured.
    """

    pass_ns: Average = Typical().pass_ns
    warmup_s: Average | None = None
    made_s: Average = 0.0
    made_bytes: Count = 0
    is_typical: bool = False

    @classmethod
    def typical(cls, traits: Traits) -> Pace:
        """Return the pace that programs of a language typically have."""
        warm_up, typical = traits.warm_up, traits.typical
        warmup_s = warm_up.settling_ns / 1e9 if warm_up else None
        made_s = typical.made_ns * _ANY_BYTES / 1e9
        return cls(typical.pass_ns, warmup_s, made_s, _ANY_BYTES, is_typical=True)

    def pass_s(self, size: int | float) -> float:
        """Return the foreseen seconds of a pass over so many canonical bytes."""
        return self.pass_ns * size / 1e9

    def making_s(self, size: int) -> float:
        """Return the foreseen seconds in which a process makes ready so many canonical bytes: in proportion
        up to as many as were seen, since their seconds may be those of a slow start, which more bytes do not
        make slower; two passes over all bytes of which nothing is known."""
        seen_s = self.made_s * min(1.0, size / max(self.made_bytes, 1))
        return seen_s + 2 * self.pass_s(max(0, size - self.made_bytes))

    def warmup_within(self, limit_s: float) -> float:
        """Return the seconds that a cell is foreseen to warm up where it may for ``limit_s``."""
        return limit_s if self.warmup_s is None else min(limit_s, self.warmup_s)
