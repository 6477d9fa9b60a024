"""Compilers of schemas that the user's system has. Each runs within bounds, in a folder that has copies of what it may read
and nothing else: what it compiles is a stranger's."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from serbench.errors import LONGEST_FAULT, InputError, SetupError
from serbench.imports.base import refused
from serbench.imports.sources import Sources
from serbench.text import safe, shortened

MOST_S = 60
"""Within which a compiler has to end; a schema of some thousand types takes it less than a second."""

_MOST_SAID = 1 << 16
"""Bytes that are read of what a compiler says."""


@dataclass(frozen=True)
class Ended:
    """How a compiler ended.

    Attributes:
        status: 0 where it had no fault to tell.
        said: on both of its outputs, or only on that for faults where the other one is a file.
    """

    status: int
    said: str


@dataclass(frozen=True)
class Compiler:
    """A compiler of schemas.

    Attributes:
        program: its name.
        title: of what it compiles, as sentences have it.
        packages: manager of packages → those that have it.
        fault: matches one fault in what it says, with groups ``what``, and ``file`` and ``line`` where these are told.
        missing: matches the fault of a schema that imports another one which is not there.
    """

    program: str
    title: str
    packages: dict[str, str]
    fault: re.Pattern[str]
    missing: re.Pattern[str]

    def found(self) -> str:
        """Where the program is; raises SetupError, which says how to get it, where it is not."""
        path = shutil.which(self.program)
        if path is None:
            sudo = "" if os.geteuid() == 0 else "sudo "
            ways = {"apt": f"{sudo}apt-get install", "homebrew": "brew install"}
            how = " or ".join(f"{ways[manager]} {packages}" for manager, packages in self.packages.items())
            raise SetupError(f"{self.title} is read by {self.program}, which is not on this machine; get it: {how}")
        return os.path.abspath(path)  # noqa: PTH100  # its name stays, where it is a link

    def run(
        self, arguments: Sequence[str], work: Path, file: Path, reads: Path | None = None, writes: Path | None = None
    ) -> Ended:
        """Runs it in ``work``.

        Args:
            file: of the user's, which errors name.
            reads: its standard input.
            writes: its standard output; by default that is told with what it says.

        Raises:
            InputError: it takes too long, or cannot be started.
            SetupError: it is not there.
        """
        command = [sys.executable, "-IS", str(Path(__file__).with_name("limited.py")), self.found(), *arguments]
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "HOME": str(work)}
        said = work / "said"
        try:
            with (
                said.open("wb") as told,
                (reads or Path(os.devnull)).open("rb") as given,
                (writes or work / "out").open("wb") as out,
            ):
                done = subprocess.run(
                    command,
                    cwd=work,
                    env=environment,
                    stdin=given,
                    stdout=out if writes else told,
                    stderr=told,
                    timeout=MOST_S,
                    check=False,
                )
        except subprocess.TimeoutExpired:
            raise refused(file, "", f"what {self.program} takes longer than {MOST_S} s for", self._expected) from None
        except OSError as error:
            raise refused(file, "", f"what {self.program} cannot be started with ({error.strerror})", self._expected) from None
        with said.open("rb") as told:
            return Ended(done.returncode, told.read(_MOST_SAID).decode("utf-8", "replace"))

    @property
    def _expected(self) -> str:
        return f"a schema that {self.program} compiles"

    def refusal(self, ended: Ended, sources: Sources) -> InputError:
        """The error for a schema that it does not compile: the first fault, since others are often a consequence of it."""
        told = next((found for found in self.fault.finditer(ended.said)), None)
        lines = [line for line in ended.said.splitlines() if line.strip()]
        if told is not None:
            what, where, line = told["what"], sources.given_for(told["file"] or ""), told["line"]
        elif lines:
            what, where, line = lines[0], sources.file, ""
        else:
            what, where, line = "it crashed, or took too much time or memory", sources.file, ""
        what = shortened(safe(sources.plain(what), lines=False).strip().rstrip("."), LONGEST_FAULT)
        remedy = "give the folder that has it with -I" if self.missing.search(what) else ""
        return refused(where, f"line {line}" if line else "", f"what {self.program} refuses ({what})", self._expected, remedy)
