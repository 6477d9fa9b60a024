"""The published versions of the JVM's libraries, as Maven tells them, and the digests of their jars."""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from serbench.codecs.codec import Codec
from serbench.codecs.edition import is_path
from serbench.errors import SetupError
from serbench.languages.jvm.generate import write_resolution
from serbench.languages.jvm.options import options_of
from serbench.languages.jvm.programs import need
from serbench.languages.language import Versions, fault_of_package
from serbench.paths import Paths
from serbench.system.files import read_json, to_json
from serbench.system.guard import marked_environment
from serbench.system.whole import write_atomically

_NO_VERSION = "[999999999,)"
"""A range of versions that no artifact has, for which Maven lists all versions and fetches none."""


class MavenVersions(Versions):
    """The published versions of artifacts."""

    def usual(self, codec: Codec) -> str:
        dependencies = options_of(codec).dependencies
        return dependencies[0].split(":")[2] if dependencies else ""

    def published(self, codec: Codec) -> Sequence[str]:
        """Have Maven look for a version that there is not, and read in its local repository which ones there
        are. Those count that every artifact has that moves with the library."""
        options = options_of(codec)
        artifacts = [_name_of(options.dependencies[0]), *options.moves]
        asking = []
        for number, artifact in enumerate(artifacts):
            asked = msgspec.structs.replace(options, dependencies=(f"{artifact}:{_NO_VERSION}",))
            asking.append(replace(codec, name=f"{codec.name}-{number}", options=asked))
        with tempfile.TemporaryDirectory(prefix="serbench-") as temporary:
            folder = Path(temporary).resolve()
            project = write_resolution(folder, asking, Paths.default().runners / "jvm" / "pom.xml")
            command = [
                need("mvn"), "--batch-mode", "--debug", "--fail-at-end", "-U", f"--file={project}",
                "-Dstyle.color=never", f"-Dserbench.build={folder}", "dependency:build-classpath",
            ]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True, env=marked_environment())
        repository = re.search(r"^\[DEBUG\] Using local repository at (.+)$", done.stdout, re.MULTILINE)
        told = repository and "Could not transfer metadata" not in done.stdout
        known = [_listed(Path(repository[1]), each) for each in artifacts] if repository and told else [[]]
        found = [each for each in known[0] if all(each in others for others in known)]
        if not found:
            raise SetupError(
                f"Maven does not tell which versions of {', '.join(artifacts)} there are; is there a network?"
            )
        return found

    def problem(self, codec: Codec, version: str) -> str:
        expected = "a jar, which mvn package makes of its folder"
        return fault_of_package(bool(options_of(codec).dependencies), version, ".jar", expected)

    def pinned(self, codec: Codec, version: str) -> Codec:
        """A jar at a path stands before the artifact in its usual version, which says what the jar needs."""
        options = options_of(codec)
        first, *others = options.dependencies
        if is_path(version):
            dependencies = (f"{_name_of(first)}:{version}", first, *others)
        else:
            moving = {_name_of(first), *options.moves}
            named = ((each, _name_of(each)) for each in options.dependencies)
            dependencies = tuple(f"{name}:{version}" if name in moving else each for each, name in named)
        return replace(codec, options=msgspec.structs.replace(options, dependencies=dependencies))


def altered_jar(jars: Iterable[Path], record: Path) -> str:
    """Return the name of a jar whose content is another one than ``record`` has for it; empty where there is
    none. The digests of jars that it does not have are added; a snapshot's content may change."""
    known = read_json(record, dict[str, str], "record of jars") if record.exists() else {}
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in jars
        if "-SNAPSHOT" not in path.name
    }
    if found.keys() - known.keys():
        record.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(record, to_json({**found, **known}))
    return next((name for name, digest in found.items() if known.get(name, digest) != digest), "")


def version_of_jar(path: Path) -> str:
    """Return the version that a jar gives itself, or else the file's name."""
    with zipfile.ZipFile(path) as jar:
        names = [name for name in jar.namelist() if name == "META-INF/MANIFEST.MF"]
        manifest = "".join(jar.read(name).decode(errors="replace") for name in names)
    told = re.search(r"^(?:Implementation|Bundle)-Version: *(\S+)", manifest, re.MULTILINE)
    return told[1] if told else path.name


def _name_of(artifact: str) -> str:
    """Return ``group:artifact`` of ``group:artifact:version``."""
    return artifact.rpartition(":")[0]


def _listed(repository: Path, artifact: str) -> list[str]:
    """Return the versions of an artifact in the lists that Maven keeps, one for each place that has it."""
    group, _, name = artifact.partition(":")
    lists = [*(repository / group.replace(".", "/") / name).glob("maven-metadata-*.xml")]
    texts = [path.read_text(errors="replace").partition("<versions>")[2] for path in lists]
    found = (re.findall(r"<version>\s*([^<\s]+)", text.partition("</versions>")[0]) for text in texts)
    return list(dict.fromkeys(version for versions in found for version in versions))
