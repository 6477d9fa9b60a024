"""Threads that wait for machines."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from serbench.cluster.pool import Pool

try:
    import resource
except ImportError:  # a system without such limits
    resource = None  # type: ignore[assignment]

OTHER_FILES = 256
"""How many files are open besides the journals of machines: connections, and what is read meanwhile."""


@contextlib.contextmanager
def threads_for(pool: Pool, count: int, files: int = 0) -> Iterator[ThreadPoolExecutor]:
    """A pool of so many threads, which end soon where anything goes wrong.

    Args:
        files: the number of files that they have open, if more than one each.
    """
    _let_open(max(count, files) + OTHER_FILES)
    threads = ThreadPoolExecutor(max(count, 1))
    try:
        yield threads
    except BaseException:
        pool.give_up()
        raise
    finally:
        threads.shutdown(cancel_futures=True)


def _let_open(files: int) -> None:
    """Lets this process have so many files open, as far as it may: many systems begin with 1,024, and each
    machine has a journal."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = files if hard == resource.RLIM_INFINITY else min(files, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(OSError, ValueError):  # it may have another limit yet
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
