"""Two small programs in C and C++ that count the allocations of a runner of Python and tell its peak memory,
and the words that start the interpreter so that they see all allocations."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from serbench.errors import BuildError
from serbench.languages.install import install_command
from serbench.languages.running import failure_of, first_error
from serbench.system.stamp import Stamp, sha256_of

ISOLATED = ("-P", "-s")
"""Options that, in place of ``-I``, leave Python its environment, which says where objects are allocated."""

_PRELOADED = "counting.so"


@dataclass(frozen=True)
class CountingTools:
    """Builds the programs that count, once, with a compiler for C and C++.

    Attributes:
        runners: the folder of the project's measuring programs.
        directory: the folder in which the programs are built.
    """

    runners: Path
    directory: Path

    def preload(self) -> Path:
        """Build the library that counts what the allocator is asked for; return its path. Raises BuildError
        where there is no compiler, or where the C library has its allocator under no second name to call."""
        return self._built(_PRELOADED, self.runners / "python" / "counting.c", "cc", "-shared", "-fPIC")

    def launcher(self) -> Path:
        """Build the program that starts a runner and tells its peak; return its path, or raise BuildError."""
        return self._built("peak", self.runners / "cpp" / "source" / "peak.cpp", "c++")

    def _built(self, name: str, source: Path, compiler: str, *options: str) -> Path:
        program, made = shutil.which(compiler), self.directory / name
        if not program:
            get = install_command(["g++"])
            raise BuildError(f"no program '{compiler}' is on the path to build what counts; get it: {get}")
        self.directory.mkdir(parents=True, exist_ok=True)
        command = [program, "-O2", *options, "-o", str(made), str(source)]
        stamp = Stamp(made.with_suffix(".built"), sha256_of(*command, source.read_bytes()), made)
        if said := stamp.once(lambda: failure_of(command)):
            told = first_error(said, "error", otherwise=said.partition("\n")[0])
            raise BuildError(f"what counts did not build: {told}")
        return made

    def words(self, command: Sequence[str]) -> tuple[str, ...]:
        """Return the words that start a runner with the library of ``preload`` loaded first. Each object is
        allocated alone, since Python's own allocator gets memory for many at once; hashes are the same in
        every process, so that tables grow alike."""
        first, *options = command
        assert options[0] == "-I"
        unset = [word for name in sorted(os.environ) if name.startswith("PYTHON") for word in ("-u", name)]
        # A space ends the path of a library that is preloaded, but not that of a folder to look for it.
        folders = os.pathsep.join(filter(None, (str(self.directory), os.environ.get("LD_LIBRARY_PATH"))))
        preloaded = (f"LD_PRELOAD={_PRELOADED}", f"LD_LIBRARY_PATH={folders}")
        ours = ("PYTHONMALLOC=malloc", "PYTHONHASHSEED=0", *preloaded)
        return ("env", *unset, *ours, first, *ISOLATED, *options[1:])
