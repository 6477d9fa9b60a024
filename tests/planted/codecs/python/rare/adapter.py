"""Adapters whose mean tells little: one lingers at one message in a thousand, one is slow to import."""

import time
from typing import Any

from cell import canonical

STALL_NS = 1_000_000
IMPORT_S = 0.25


class Plain:
    class Encoder:
        encode = staticmethod(canonical.write)

    class Decoder:
        decode = staticmethod(canonical.read)


class Stalls(Plain):
    class Encoder:
        count = 0

        def encode(self, message: Any) -> bytes:
            Stalls.Encoder.count += 1
            if Stalls.Encoder.count % 1000 == 0:
                end = time.perf_counter_ns() + STALL_NS
                while time.perf_counter_ns() < end:
                    pass
            return canonical.write(message)


def __getattr__(name: str) -> Any:
    """Takes its time for the one adapter that is not there before it is asked for."""
    if name != "Imported":
        raise AttributeError(name)
    time.sleep(IMPORT_S)
    return Plain
