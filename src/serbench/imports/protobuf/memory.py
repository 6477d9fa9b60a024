"""Limits the memory that one message may take: in a few bytes it can hold thousands of empty messages with
many fields each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 400 << 20
"""The most bytes for a message in protobuf's library, and again for its values."""

SMALL = 1 << 12
"""A message of at most so many bytes cannot take so much memory, and is not limited."""


class TooLarge(Exception):
    """A message would have taken more memory than it may."""


@contextlib.contextmanager
def bounded(size: int) -> Iterator[None]:
    """Raises TooLarge if what this context does with a message of ``size`` bytes takes more than
    ``MOST_BYTES`` of memory. It limits this process alone, and only on systems that can do so, such as
    Linux."""
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
