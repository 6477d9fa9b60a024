"""Copies of executables, so that each process finds its code in other places of physical memory.

Copies of an executable that are the same byte for byte differ in speed, here by a tenth in either direction
(docs/laboratory/layouts-and-places.md), presumably since caches and predictors know code by its physical
address too; and the pages of a file stay where they were first read to. With one file for all rounds, such a
place would be a bias that no number of rounds takes away and that the next run need not have; with a copy for
each process it is one more part of the noise between processes, which intervals tell of.

Source of the idea: C. Curtsinger and E. D. Berger, "Stabilizer: statistically sound performance evaluation"
(ASPLOS 2013), who move functions against each other too, which this does not.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

_MFD_EXEC = 0x10
"""A flag of Linux 6.3 and later: where ``vm.memfd_noexec`` is 1, a file in memory may be executed only if it
has this flag."""


@contextlib.contextmanager
def fresh_copy(executable: str) -> Iterator[int | None]:
    """Provide the file descriptor of a copy of ``executable`` in memory, which is deleted at the end of this
    context; None where the system has no files in memory. Raise OSError where the executable cannot be
    read."""
    content = Path(executable).read_bytes()
    descriptor = _file_in_memory()
    if descriptor is None:
        yield None
        return
    with os.fdopen(descriptor, "wb") as copy:
        copy.write(content)
        copy.flush()
        os.fchmod(descriptor, 0o700)
        yield descriptor


def copies_run() -> bool | None:
    """Whether this system executes copies in memory; None where there is no program to try it with."""
    program = shutil.which("true")
    if program is None:
        return None
    with fresh_copy(program) as copy:
        if copy is None:
            return False
        try:
            return (
                subprocess.run([program], executable=path_of(copy), pass_fds=(copy,), check=False).returncode
                == 0
            )
        except PermissionError:
            return False


def path_of(copy: int) -> str:
    """Return the path by which a child process that inherits the descriptor finds the copy."""
    return f"/proc/self/fd/{copy}"


def _file_in_memory() -> int | None:
    if not hasattr(os, "memfd_create"):
        return None
    for flags in (_MFD_EXEC, 0):  # older systems refuse a flag that they do not know
        with contextlib.suppress(OSError):
            return os.memfd_create("serbench-runner", os.MFD_CLOEXEC | flags)
    return None
