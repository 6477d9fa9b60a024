"""The bytes and modules that a codec adds to the least program in Go."""

from __future__ import annotations

import subprocess
from pathlib import Path

from serbench.codecs.codec import Codec
from serbench.errors import BuildError
from serbench.languages.base import LEAST_KIND, Carried
from serbench.languages.go.sources import without_files
from serbench.languages.go.toolchain import building_environment
from serbench.languages.running import failure_of, write_folder
from serbench.model import Schema

LEAST_FLAGS = ("-trimpath", "-ldflags=-buildid= -s -w")
"""The flags of ``go build`` for least programs: without symbols and debugging information."""


def without(go: str, folder: Path, schema: Schema, runner: Path) -> int:
    """Build the least program without a codec in ``folder``; return its bytes, or raise BuildError."""
    files = {folder / name: text for name, text in without_files(schema, runner).items()}
    write_folder(folder, files)
    program = folder.with_suffix(".least")
    command = [go, "build", *LEAST_FLAGS, "-o", str(program), "."]
    if said := failure_of(command, folder, building_environment(go, "")):
        raise BuildError(f"the least program without a codec did not build: {said.splitlines()[0]}")
    return program.stat().st_size


def carried(go: str, program: Path, codec: Codec, less: int) -> Carried:
    """Return the parts that the least ``program`` carries for a codec, by Go's own list of its modules.

    Args:
        less: the bytes of the same program without a codec.
    """
    told = subprocess.run([go, "version", "-m", str(program)], capture_output=True, text=True)
    modules = [line.split()[1] for line in told.stdout.splitlines() if line.startswith("\tdep\t")]
    others = [name for name in modules if name != "serbench"]
    licences = [codec.licence] if others and codec.licence else []  # modules do not name theirs
    return Carried(LEAST_KIND, {"shipped": program.stat().st_size - less}, len(others), licences)
