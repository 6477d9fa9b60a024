"""The bytes that a codec adds to a bundle of a JavaScript program, by esbuild."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from serbench.errors import BuildError
from serbench.languages.base import Carried
from serbench.languages.javascript.packages import LOCK, brought, need
from serbench.languages.running import first_error
from serbench.system.files import write_if_changed

KIND = (
    "a bundle for Node by esbuild, minified and without unused code, less one without the codec; compressed "
    "likewise, and for browsers"
)

_SIZES = ("", "gzip", "brotli")
"""The sizes that ``bundle.js`` prints, in its order: of the bundle itself, and compressed."""


class Bundler:
    """The program that bundles: ``bundle.js`` and the exact esbuild of its lock.

    Args:
        given: the folder of the program's files.
        folder: the folder into which npm brings esbuild.
    """

    def __init__(self, given: Path, folder: Path):
        self._given, self._folder = given, folder

    def bring(self) -> None:
        """Have npm bring esbuild, unless it is there; raises BuildError where npm cannot."""
        for name in ("package.json", "bundle.js"):
            write_if_changed(self._folder / name, (self._given / name).read_text())
        found = brought((self._given / "package.json").read_text(), self._given / LOCK, self._folder)
        if not found.installed:
            raise BuildError(f"no esbuild, which makes bundles: {found.missing}")

    def carried(self, program: Path, adapter: str) -> Carried | str:
        """Return the parts that ``adapter`` adds to a bundle of the program in a folder, or why there is no
        bundle."""
        command = [need("node"), str(self._folder / "bundle.js"), str(program), adapter]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"esbuild made no bundle: {first_error(done.stderr, 'Error')}"
        return _carried(json.loads(done.stdout))


def _carried(told: Mapping[str, Mapping[str, Any]]) -> Carried | str:
    node, browser = told["node"], told["browser"]
    if "failure" in node:
        return f"esbuild made no bundle for Node: {node['failure']}"
    bytes = {name or "shipped": size for name, size in zip(_SIZES, node["bytes"], strict=True)}
    missing = {}
    if "failure" in browser:
        missing["browser"] = browser["failure"]
    else:
        named = (f"browser_{name}".rstrip("_") for name in _SIZES)
        bytes |= dict(zip(named, browser["bytes"], strict=True))
    packages: dict[str, str] = node["packages"]
    return Carried(KIND, bytes, len(packages), sorted({*packages.values()} - {""}), missing)
