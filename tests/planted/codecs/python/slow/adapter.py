"""An adapter that lingers at floats when it writes, and at nothing when it reads."""

import time
from typing import Any

from cell import canonical

LINGER_NS = 30_000


def linger(message: Any) -> None:
    for line in message.lines:
        if getattr(line, "price", 0.0):  # there is none where it was dropped
            end = time.perf_counter_ns() + LINGER_NS
            while time.perf_counter_ns() < end:
                pass


class Slow:
    class Encoder:
        def encode(self, message: Any) -> bytes:
            linger(message)
            return canonical.write(message)

    class Decoder:
        decode = staticmethod(canonical.read)
