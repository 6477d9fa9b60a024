"""Runs Ninja in one folder: builds there, and asks Ninja about the targets."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from serbench.errors import BuildError
from serbench.languages import running
from serbench.languages.base import Progress
from serbench.languages.cpp.programs import need
from serbench.system.cores import usable_cores
from serbench.system.guard import marked_environment


@dataclass(frozen=True)
class Ninja:
    """Ninja in a folder that CMake has configured.

    Attributes:
        environment: the environment of Ninja and of all that it starts.
    """

    directory: Path
    environment: Mapping[str, str]

    def build(self, targets: Iterable[str], progress: Progress) -> str | None:
        """Builds what can be built; returns None where all targets were, else all that Ninja printed."""
        environment = {**marked_environment(self.environment), "NINJA_STATUS": "[%f/%t] "}
        # Ninja's own choice, two steps more than cores, takes longer on two cores: they share caches.
        at_once = ("-j", str(usable_cores()))
        lines = []
        with subprocess.Popen(
            self._command(*at_once, "-k", "0", *targets),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
        ) as process:
            assert process.stdout
            for line in process.stdout:
                lines.append(line)
                if step := re.match(r"\[(\d+)/(\d+)\] (.*)", line):
                    progress(int(step[1]), int(step[2]), step[3])
        return "".join(lines) if process.returncode else None

    def refresh(self) -> bool:
        """Runs CMake again where a file that it read has changed; returns False where that failed."""
        return self._ask("build.ninja").returncode == 0

    def targets(self) -> set[str]:
        """The names of all targets."""
        return {line.rpartition(": ")[0] for line in self._ask("-t", "targets", "all").stdout.splitlines()}

    def is_up_to_date(self, target: str) -> bool:
        return "no work to do" in self._ask("-n", target).stdout

    def commands(self, target: str) -> str:
        """The commands that build a target, one a line.

        Raises:
            BuildError: Ninja knows no such target.
        """
        done = self._ask("-t", "commands", target)
        if done.returncode:
            raise BuildError(f"ninja has no commands for {target}: {(done.stdout + done.stderr).strip()}")
        return done.stdout

    def _command(self, *words: str) -> list[str]:
        return [ninja_program(), "-C", str(self.directory), *words]

    def _ask(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._command(*words),
            capture_output=True,
            text=True,
            errors="replace",
            env=dict(self.environment),
        )


def ninja_program() -> str:
    """The path of the Ninja that is installed beside Python, or else of the one on the path."""
    beside = Path(sys.executable).parent / "ninja"
    return str(beside) if beside.exists() else need("ninja")


_ERROR = r"(?i)\berror\b|undefined reference|cannot find|not found"


def first_error(log: str, outputs: Sequence[str]) -> str:
    """The first error of a step that failed.

    Args:
        log: the text that ``Ninja.build`` returned.
        outputs: parts of the names of files of which the step may make one.
    """
    for section in log.split("FAILED: ")[1:]:
        output, *rest = section.splitlines()
        # the first line behind it is the command
        said = list(takewhile(lambda line: not re.match(r"\[\d+/\d+\] ", line), rest[1:]))
        if any(name in output for name in outputs) and said:
            return running.first_error("\n".join(said), _ERROR, otherwise=said[-1].strip())
    said = [line for line in log.splitlines() if line.startswith("ninja: error: ")]
    return said[0] if said else "a step that it depends on failed"
