"""A program that waits until serbench has ended, in whatever way, and then kills the processes that serbench
has started and left behind.

It is run by its path, with the mark of those processes. It reads standard input, whose other end only
serbench holds: when that closes, serbench has ended. A process is recognized by the mark in the environment
with which it was started. Its children inherit that, whatever session they are in and whatever process has
become their parent.
"""

import contextlib
import os
import signal
import sys
import time

PASSES, PAUSE_S = 100, 0.02


def marked(mark: bytes) -> list[int]:
    """Return the processes that were started with ``mark`` in their environment, except those of other users,
    whose environment cannot be read."""
    found = []
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit() and int(name) != os.getpid():
            with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:  # noqa: PTH123
                if mark in file.read().split(b"\0"):
                    found.append(int(name))
    return found


def main() -> None:
    """Wait for the end of serbench and then kill marked processes, until none is left or the rest cannot be
    killed."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    while os.read(0, 4096):
        pass
    for _ in range(PASSES):
        left = marked(sys.argv[1].encode())
        if not left:
            return
        for process in left:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    main()
