"""Limits the memory of a message: a few bytes can hold thousands of empty messages with many fields each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 400 << 20
"""The most bytes of memory for a message in protobuf's library, and again for its values."""

SMALL = 1 << 12
"""The most bytes of a message that is read without a limit: it cannot take ``MOST_BYTES`` of memory."""


class TooLarge(Exception):
    """Raised where a message would take more memory than it may."""


@contextlib.contextmanager
def bounded(size: int) -> Iterator[None]:
    """A context for work with a message of ``size`` bytes; raises TooLarge if the work takes more than
    ``MOST_BYTES`` of memory. The limit is one of this process, and only on Linux and systems like it."""
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
