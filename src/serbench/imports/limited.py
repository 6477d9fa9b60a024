"""Becomes another program that may not take much time, memory or disk, since it reads a stranger's files:
``limited.py SECONDS PROGRAM ARGUMENT...``."""

import contextlib
import os
import sys

MOST_MEMORY, MOST_WRITTEN = 1 << 30, 1 << 28


def main() -> None:
    """Sets the limits and becomes the program that the arguments name; does not return."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # not every system has these limits
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]),) * 2)
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_WRITTEN, MOST_WRITTEN))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.execv(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
