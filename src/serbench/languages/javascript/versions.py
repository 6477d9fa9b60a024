"""The published versions of JavaScript's libraries, as npm tells them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from serbench.codecs.codec import Codec
from serbench.codecs.edition import is_path
from serbench.errors import SetupError
from serbench.languages.javascript.options import options_of
from serbench.languages.javascript.packages import LOCK, need
from serbench.languages.language import Versions, fault_of_package


class NpmVersions(Versions):
    """The published versions of packages."""

    def usual(self, codec: Codec) -> str:
        lock = codec.directory / LOCK
        locked = json.loads(lock.read_text())["packages"] if lock.exists() else {}
        return str(locked.get(f"node_modules/{_library_of(codec)}", {}).get("version", ""))

    def published(self, codec: Codec) -> Sequence[str]:
        library = _library_of(codec)
        told = _told(library, "versions")
        if not told:
            raise SetupError(f"npm does not tell which versions of {library} there are; is there a network?")
        return [told] if isinstance(told, str) else told  # a text where there is one version

    def released(self, codec: Codec) -> Mapping[str, str]:
        times = _told(_library_of(codec), "time") or {}
        return {version: moment[:10] for version, moment in times.items() if version[:1].isdigit()}

    def withdrawn(self, codec: Codec, asked: str = "") -> Collection[str]:
        """Return the versions that npm calls deprecated; none where all are, as in a library that was given
        up. It is asked for names too, which nobody needs: where the first version has one field alone, npm
        tells no other field of the rest."""
        told = _told(f"{_library_of(codec)}@>=0", "name", "version", "deprecated") or []
        entries = told if isinstance(told, list) else [told]
        found = [each["version"] for each in entries if each.get("deprecated")]
        return found if len(found) < len(entries) else ()

    def problem(self, codec: Codec, version: str) -> str:
        expected = "a package, which npm pack FOLDER makes"
        return fault_of_package(bool(options_of(codec).dependencies), version, ".tgz", expected)

    def pinned(self, codec: Codec, version: str) -> Codec:
        options, library = options_of(codec), _library_of(codec)
        moving = [library] if is_path(version) else [library, *options.moves]
        moved = dict.fromkeys(moving, f"file:{version}" if is_path(version) else version)
        dependencies = {**options.dependencies, **moved}
        return replace(codec, options=msgspec.structs.replace(options, dependencies=dependencies))


def _told(library: str, *what: str) -> Any:
    """Facts about a package as npm tells them; None where it does not."""
    command = [need("npm"), "view", library, *what, "--json", "--fetch-retries=1"]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 and done.stdout.strip() else None


def _library_of(codec: Codec) -> str:
    return next(iter(options_of(codec).dependencies))
