"""The published versions of Go's modules, as Go tells them, and the modules that a codec needs with one."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from serbench.codecs.codec import Codec
from serbench.codecs.edition import is_path
from serbench.errors import SetupError
from serbench.languages.go.options import options_of
from serbench.languages.go.sources import MODULE, SUMS
from serbench.languages.go.toolchain import fetching_environment, need_go
from serbench.languages.language import Versions
from serbench.languages.running import failure_of
from serbench.system.files import write_if_changed
from serbench.system.stamp import contents, sha256_of

DEVELOPED = "(devel)"
"""Go's own word for the version of a module in a folder."""

_DATED = 100
"""The newest versions whose days are asked for: Go fetches a file for each."""


class ModuleVersions(Versions):
    """The published versions of modules, without the ``v`` that Go has before each."""

    def usual(self, codec: Codec) -> str:
        return required((codec.directory / MODULE).read_text(), options_of(codec).module).partition("+")[0]

    def published(self, codec: Codec) -> Sequence[str]:
        module = options_of(codec).module
        found = _versions(module, "-retracted")
        if not found:
            raise SetupError(f"Go does not tell which versions of {module} there are; is there a network?")
        return list(map(_number, found))

    def withdrawn(self, codec: Codec, asked: str = "") -> Collection[str]:
        module = options_of(codec).module
        left = _versions(module)
        return set(map(_number, _versions(module, "-retracted"))) - set(map(_number, left)) if left else ()

    def released(self, codec: Codec) -> Mapping[str, str]:
        module = options_of(codec).module
        asked = [f"{module}@{each}" for each in _versions(module)[-_DATED:]]
        told = _listed(*asked) if asked else []
        return {_number(each["Version"]): each["Time"][:10] for each in told if "Time" in each}

    def problem(self, codec: Codec, version: str) -> str:
        if not options_of(codec).module:
            return "this codec has no library"
        if not is_path(version) or (Path(version) / MODULE).exists():
            return ""
        return f"found {version}, expected the folder of a module, with its {MODULE}"

    def pinned(self, codec: Codec, version: str) -> Codec:
        """Return the codec as it is: a build knows the version of its edition."""
        return codec


def _versions(module: str, *words: str) -> list[str]:
    """Return the versions of a module, the oldest first, as Go has them; none where it does not tell."""
    return [version for each in _listed("-versions", *words, module) for version in each.get("Versions", [])]


def _listed(*words: str) -> list[dict[str, Any]]:
    """Return what ``go list -m`` tells of modules; nothing where it fails, as without a network."""
    go = need_go()
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        (Path(folder) / MODULE).write_text("module asking\n")
        done = subprocess.run(
            [go, "list", "-m", "-json", *words],
            cwd=folder,
            env=fetching_environment(go, ""),
            capture_output=True,
            text=True,
        )
    # The objects follow each other without commas.
    told = re.sub(r"^}\n{", "},{", done.stdout, flags=re.MULTILINE)
    return [] if done.returncode else list(json.loads(f"[{told}]"))


def _number(version: str) -> str:
    return version.removeprefix("v").removesuffix("+incompatible")


def required(text: str, module: str) -> str:
    """Return the version, without ``v``, of a module that the text of a ``go.mod`` requires; empty where it
    does not."""
    found = re.search(rf"^\s*(?:require )?{re.escape(module)} v(\S+)", text, flags=re.MULTILINE)
    return found[1] if found else ""


def tools(text: str) -> Sequence[str]:
    """Return the packages that the text of a ``go.mod`` names as tools."""
    blocks = re.findall(r"^tool \(\n(.*?)^\)", text, flags=re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^tool \S+$", text, flags=re.MULTILINE)
    return re.findall(r"^(?:tool )?\s*(\S+/\S+)$", "\n".join([*blocks, *lines]), flags=re.MULTILINE)


def content_of(version: str) -> str:
    """Return a digest of the module that a version is the folder of, without hidden files; empty for a
    number."""
    if not is_path(version):
        return ""
    folder = Path(version)
    files = [path for path in folder.rglob("*") if path.is_file()]
    seen = [path for path in files if not any(part[0] == "." for part in path.relative_to(folder).parts)]
    return sha256_of(*contents(folder, seen))


def resolve(codec: Codec, version: str, given: Mapping[str, str], target: Path) -> str:
    """Have Go write the ``go.mod`` and ``go.sum`` of a codec with its library in a version into the folder
    ``target``; return the output of a failure, or nothing.

    Args:
        version: a number, or the path of a folder.
        given: the codec's own files, by their names, which Go changes where it has to.
    """
    go, options = need_go(), options_of(codec)
    environment = fetching_environment(go, options.experiment)
    number = ("get", f"{options.module}@v{version}")
    pin = ("mod", "edit", f"-replace={options.module}={version}") if is_path(version) else number
    with tempfile.TemporaryDirectory(prefix="serbench-") as temporary:
        folder = Path(temporary)
        for name, text in given.items():
            write_if_changed(folder / name, text)
        if said := failure_of([go, *pin], folder, environment):
            return said
        for path in codec.directory.glob("*.go"):
            write_if_changed(folder / "adapter" / path.name, path.read_text())
        # Packages that are generated are not there yet, which -e passes over.
        needed = ("list", "-e", "-deps", "./...", *tools(given[MODULE]))
        for words in (needed, ("mod", "download")):
            if said := failure_of([go, *words], folder, environment):
                return said
        for name in (SUMS, MODULE):
            if (folder / name).exists():
                write_if_changed(target / name, (folder / name).read_text())
    return ""
