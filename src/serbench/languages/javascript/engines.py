"""The engines that run JavaScript: Node, and those that npm brings as another edition."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from serbench.errors import SetupError
from serbench.languages.javascript.packages import LOCK, brought
from serbench.languages.settings import OneOf
from serbench.system.files import write_if_changed

KEY = "engine"
"""The setting of a profile that names an engine."""

NODE = "node"

FLAGS = (
    "--expose-gc",
    "--min-semi-space-size=16",
    "--max-semi-space-size=16",
    "--max-old-space-size=4096",
    "--single-threaded-gc",
)
"""The flags of V8 in processes that measure. The young part of their heap does not grow meanwhile, and the
collector works in the time of the thread that made the garbage, as it has to where a process has one core."""


@dataclass(frozen=True)
class Engine:
    """An engine that npm brings.

    Attributes:
        title: its name for people.
        executable: the pattern of its executable below ``node_modules``.
        words: the words that start a program, for the executable.
        flags: the part of them that a table names.
    """

    title: str
    executable: str
    words: Callable[[str], Sequence[str]]
    flags: str


def _deno(executable: str) -> Sequence[str]:
    # Flags of V8 by the environment, which the process of each cell inherits too.
    env = shutil.which("env") or "/usr/bin/env"
    flags = f"DENO_V8_FLAGS={','.join(FLAGS)}"
    return (env, "DENO_NO_UPDATE_CHECK=1", flags, executable, "run", *_DENO_FLAGS)


_BUN_FLAGS = ("--no-install", "--expose-gc")
_DENO_FLAGS = ("--allow-all", "--no-lock", "--no-remote")

ENGINES = {
    "bun": Engine(
        "Bun",
        "@oven/bun-*/bin/bun",
        lambda executable: (executable, *_BUN_FLAGS),
        f"{' '.join(_BUN_FLAGS)}; the collector and compilers of JavaScriptCore have threads of their own",
    ),
    "deno": Engine("Deno", "@deno/*/deno", _deno, " ".join((*_DENO_FLAGS, *FLAGS))),
}


SETTINGS = OneOf(KEY, NODE, tuple(ENGINES))
"""The engine as a setting of JavaScript's programs."""


@dataclass(frozen=True)
class Brought:
    """An engine in a folder that npm fills.

    Attributes:
        given: the folder with its ``package.json`` and the lock.
    """

    name: str
    given: Path
    folder: Path

    @property
    def engine(self) -> Engine:
        return ENGINES[self.name]

    def bring(self) -> str:
        """Have npm bring the engine, unless it is there; return its version, or raise SetupError where npm
        cannot."""
        text = (self.given / "package.json").read_text()
        write_if_changed(self.folder / "package.json", text)
        found = brought(text, self.given / LOCK, self.folder)
        if not found.installed:
            raise SetupError(f"{KEY} {self.name}: {found.missing}")
        return found.version

    def words(self) -> Sequence[str]:
        """Return the words that start a program; raises SetupError where there is none for this system."""
        found = sorted((self.folder / "node_modules").glob(self.engine.executable))
        if not found:
            raise SetupError(f"{KEY} {self.name}: npm has no {self.engine.title} for this system")
        return self.engine.words(str(found[0]))
