"""The published versions of Python's libraries, as pip tells them."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from serbench.codecs.codec import Codec
from serbench.codecs.edition import is_path
from serbench.errors import SetupError
from serbench.languages.language import Versions, fault_of_package
from serbench.languages.python.environments import Wheels, pip_words
from serbench.languages.python.options import options_of


class PipVersions(Versions):
    """The published versions of wheels."""

    def usual(self, codec: Codec) -> str:
        return Wheels.of(codec).locked_version

    def published(self, codec: Codec) -> Sequence[str]:
        library = Wheels.of(codec).library
        command = [*pip_words(), "index", "versions", "--pre", "--disable-pip-version-check", library]
        done = subprocess.run(command, capture_output=True, text=True)
        found = re.search("^Available versions: (.+)$", done.stdout, re.MULTILINE)
        if not found:
            raise SetupError(f"pip does not tell which versions of {library} there are; is there a network?")
        return found[1].split(", ")

    def withdrawn(self, codec: Codec, asked: str = "") -> Collection[str]:
        """Return the version that is asked for where it was yanked: pip lists none of these, but tells it in
        the report on an installation that it does not carry out."""
        return [asked] if asked and _is_yanked(f"{Wheels.of(codec).library}=={asked}") else ()

    def problem(self, codec: Codec, version: str) -> str:
        expected = "a wheel, which pip wheel --no-deps FOLDER makes"
        return fault_of_package(bool(options_of(codec).requirements), version, ".whl", expected)

    def pinned(self, codec: Codec, version: str) -> Codec:
        options = options_of(codec)
        first, *others = options.requirements
        name = re.split(r"[<>=!~;@\s]", first, maxsplit=1)[0]  # with its extras
        own = f"{name} @ {_address_of(Path(version))}" if is_path(version) else f"{name}=={version}"
        return replace(codec, options=msgspec.structs.replace(options, requirements=(own, *others)))


def _is_yanked(requirement: str) -> bool:
    """Whether pip calls a wheel yanked; no where it finds none for this interpreter."""
    words = ["install", "--dry-run", "--ignore-installed", "--no-deps", "--only-binary=:all:", "--quiet"]
    command = [*pip_words(), *words, "--disable-pip-version-check", "--report=-", requirement]
    done = subprocess.run(command, capture_output=True, text=True)
    told = json.loads(done.stdout)["install"] if done.returncode == 0 else []
    return any(each.get("is_yanked") for each in told)  # older ones of pip do not tell it


def _address_of(wheel: Path) -> str:
    """Return the address of a wheel, with the digest of its content: another content is another wheel."""
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"{wheel.resolve().as_uri()}#sha256={digest}"
