"""A program that becomes another one, within bounds: ``limited.py PROGRAM ARGUMENT...``. What that compiles is a stranger's."""

import contextlib
import os
import sys

MOST_CPU_S, MOST_MEMORY, MOST_WRITTEN = 10, 1 << 30, 1 << 28


def main() -> None:
    """Does not return."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # not every system has these limits
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_WRITTEN, MOST_WRITTEN))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
