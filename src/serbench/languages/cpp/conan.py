"""Gets libraries that no system has packages of, by Conan, for the command ``setup``."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from serbench.codecs.codec import Codec
from serbench.errors import SetupError
from serbench.system.command import COMMAND

MANAGER = "conan"
"""Conan's name in ``[install]`` of a ``codec.toml``."""


@dataclass(frozen=True)
class Conan:
    """Fetches libraries by Conan, as ``languages.base.Fetches`` describes.

    Attributes:
        project: the folder with ``conanfile.txt``, which names all libraries.
        folder: the folder of libraries, in which CMake looks for them.
    """

    project: Path
    folder: Path

    def can_fetch(self, codec: Codec) -> bool:
        return MANAGER in codec.install

    def fetch(self, codecs: Iterable[Codec], announce: Callable[[str], None]) -> None:
        names = ", ".join(codec.id for codec in codecs)
        conan = shutil.which("conan")
        if not conan:
            raise SetupError(
                f"{names}: Conan is not installed; get it: pip install conan; "
                "or set SERBENCH_PREFIX to where they are"
            )
        announce(f"installing with Conan for {names}")
        subprocess.run([conan, "profile", "detect", "--exist-ok"], capture_output=True)
        command = [
            conan,
            "install",
            str(self.project),
            f"--output-folder={self.folder}",
            "--deployer=full_deploy",
            "--build=missing",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            said = "\n".join(f"  {line}" for line in done.stderr.strip().splitlines()[-3:])
            raise SetupError(
                f"{names}: Conan could not install them; set SERBENCH_PREFIX to where they are. It said:\n"
                f"{said}"
            )


def conan_or_prefix(codec: Codec) -> str:
    """Advice on how to get a codec's library of which the system has no package."""
    if MANAGER in codec.install:
        return (
            f"{COMMAND} setup -c {codec.id} with Conan, or set SERBENCH_PREFIX to where "
            f"{codec.homepage} is installed"
        )
    return (
        f"no package is known for this system; see {codec.homepage}, and set SERBENCH_PREFIX to "
        "where you install it"
    )
