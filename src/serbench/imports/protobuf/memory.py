"""A bound on the memory that one message may take: in a few bytes it can have thousands of empty ones with
many fields each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 400 << 20
"""For a message of protobuf's library, and again for its values."""

SMALL = 1 << 12
"""Bytes of a message that cannot take so much."""


class TooLarge(Exception):
    """More memory would have been taken."""


@contextlib.contextmanager
def bounded(size: int) -> Iterator[None]:
    """Raises TooLarge where what is done with a message of ``size`` bytes takes more memory; of this process
    alone, and where the system bounds it, as Linux does."""
    if size <= SMALL or not (data := Path("/proc/self/statm")).exists():
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    taken = int(data.read_text().split()[5]) * resource.getpagesize()
    most = taken + MOST_BYTES
    try:
        resource.setrlimit(
            resource.RLIMIT_DATA, (most if soft == resource.RLIM_INFINITY else min(most, soft), hard)
        )
        yield
    except MemoryError:
        raise TooLarge from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
