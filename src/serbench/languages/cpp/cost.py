"""The cost of a codec before it runs: the time to compile the least program that uses it, and that program's
size."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from serbench.errors import BuildError
from serbench.languages.base import LEAST_KIND, Carried
from serbench.languages.cpp.environment import build_environment
from serbench.languages.install import need
from serbench.languages.running import failure_of, first_error
from serbench.system.guard import marked_environment
from serbench.system.stamp import Stamp, sha256_of


@dataclass(frozen=True)
class LeastProgram:
    """The least program that uses a codec.

    Attributes:
        compile: the commands that compile it, one after the other.
    """

    executable: Path
    compile: Sequence[Sequence[str]]

    def compile_ns(self) -> int:
        """Nanoseconds that the compile commands take; the objects that they write are thrown away.

        Raises:
            BuildError: a command failed; holds what it printed.
        """
        environment = marked_environment(build_environment(os.environ)) | {"CCACHE_DISABLE": "1"}
        elapsed = 0
        with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
            for n, command in enumerate(self.compile):
                redirected = _redirected(command, f"{folder}/{n}.o")
                start = time.perf_counter_ns()
                done = subprocess.run(redirected, capture_output=True, text=True, env=environment)
                elapsed += time.perf_counter_ns() - start
                if done.returncode:
                    raise BuildError(
                        f"a compilation that had worked failed: {done.stderr.strip().splitlines()[-1:]}"
                    )
        return elapsed

    def binary_size(self) -> Mapping[str, int]:
        """The bytes of a copy of the executable without symbols, by GNU strip and size: of the whole
        ``file``; of code and constants (``text``); of variables with an initial value (``data``), and of
        those that start as zeros (``bss``), which the file does not hold.

        Raises:
            SetupError: there are no GNU binutils.
            BuildError: they do not understand the file.
        """
        with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
            stripped = Path(folder) / "stripped"
            _run("strip", "-o", str(stripped), str(self.executable))
            fields = _run("size", str(stripped)).splitlines()[-1].split()
            try:
                text, data, bss = map(int, fields[:3])
            except ValueError as error:
                raise BuildError(
                    f"'size' says {' '.join(fields)!r} of {self.executable.name}; expected GNU binutils' form"
                ) from error
            return {"file": stripped.stat().st_size, "text": text, "data": data, "bss": bss}


def carried(program: LeastProgram, without: LeastProgram, licence: str) -> Carried:
    """The parts that a least program carries for its codec: its bytes without symbols and those of shared
    libraries, less those of the program ``without``. Who knows the packages in it is nobody."""
    size, less = (
        each.binary_size()["file"] + sum(path.stat().st_size for path in shared_libraries(each.executable))
        for each in (program, without)
    )
    return Carried(LEAST_KIND, {"shipped": size - less}, licences=[licence] if licence else [])


def shared_libraries(executable: Path) -> set[Path]:
    """The files that the system loads with a program, by ldd; none for a static one."""
    done = subprocess.run(["ldd", str(executable)], capture_output=True, text=True)
    return {Path(each).resolve() for each in re.findall(r"=> (/\S+)", done.stdout)}


def built_without(command: Sequence[str], executable: Path, environment: Mapping[str, str]) -> LeastProgram:
    """Build the least program without a codec by one command, once for each state of its sources; raises
    BuildError."""
    sources = [Path(word).read_text() for word in command if word.endswith((".c", ".cpp"))]
    state = sha256_of(*command, *sources)

    def build() -> str:
        return failure_of([*command, "-o", str(executable)], environment=environment)

    if said := Stamp(executable.with_suffix(".built"), state, executable).once(build):
        raise BuildError(
            f"the least program without a codec did not build: {first_error(said, 'error: (.+)')}"
        )
    return LeastProgram(executable, ())


def compile_commands(ninja_commands: str, *sources: Path) -> list[list[str]]:
    """The commands of a target that compile what lies below one of ``sources``, in order and without a
    compiler cache.

    Args:
        ninja_commands: the output of ``ninja -t commands TARGET``.
    """
    commands = []
    for line in ninja_commands.splitlines():
        words = shlex.split(line)
        if "-c" in words and any(
            Path(words[words.index("-c") + 1]).is_relative_to(folder) for folder in sources
        ):
            commands.append(words[1:] if Path(words[0]).name == "ccache" else words)
    return commands


def _redirected(command: Sequence[str], output: str) -> list[str]:
    """The compile command with its object written to ``output``, and without the options for a list of
    dependencies, which would mislead the build tool."""
    words = []
    given = iter(command)
    for word in given:
        if word == "-o":
            next(given)
            words += ["-o", output]
        elif word in ("-MT", "-MF"):
            next(given)
        elif word != "-MD":
            words.append(word)
    return words


def _run(program: str, *arguments: str) -> str:
    done = subprocess.run([need(program, "binutils"), *arguments], capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"{program} failed: {done.stderr.strip()}")
    return done.stdout
