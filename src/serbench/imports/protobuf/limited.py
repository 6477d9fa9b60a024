"""A program that runs protoc within bounds: what it compiles is a stranger's. Its arguments are protoc's."""

import contextlib
import sys

from grpc_tools import protoc

MOST_CPU_S, MOST_MEMORY, MOST_WRITTEN = 30, 1 << 30, 1 << 28


def main() -> int:
    """Ends by a signal or with the status of protoc."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # not every system has these limits
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_WRITTEN, MOST_WRITTEN))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    return int(protoc.main(["protoc", *sys.argv[1:]]))


if __name__ == "__main__":
    raise SystemExit(main())
