"""Tests of ``--version`` with npm, which is asked of small packages that are made here and served on this
machine."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import sys
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from serbench.codecs.codec import Codec
from serbench.codecs.edition import Edition, Version
from serbench.errors import SetupError
from serbench.languages import languages
from serbench.languages.base import Found
from serbench.languages.javascript.build import JavaScriptBuild
from serbench.languages.javascript.options import options_of
from serbench.languages.javascript.packages import LOCK
from serbench.languages.javascript.versions import NpmVersions
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs

CODECS = load_codecs(Paths.default().codecs)
MISSING = [program for program in ("node", "npm") if not shutil.which(program)]
needs_npm = pytest.mark.skipif(bool(MISSING), reason=f"no program {' or '.join(MISSING)} on the path")


DEPRECATED = set[bytes]()
"""The archives that npm calls deprecated."""


def package(version: str, text: str = "") -> bytes:
    """Return the archive of a package without code, whose script would leave a file."""
    described = {"name": "tiny", "version": version, "scripts": {"postinstall": "echo > ran"}}
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, content in {"package.json": json.dumps(described), "index.js": text}.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content.encode()))
    return file.getvalue()


@pytest.fixture(name="packages")
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """The archives by version of the package ``tiny``, the only one that npm knows."""
    packages: dict[str, bytes] = {}

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host = f"http://127.0.0.1:{server.server_port}"
            name, _, version = self.path.strip("/").partition("/")
            listed: dict[str, dict[str, object]] = {}
            for each in packages:
                digest = base64.b64encode(hashlib.sha512(packages[each]).digest()).decode()
                source = {"tarball": f"{host}/tiny/{each}", "integrity": f"sha512-{digest}"}
                listed[each] = {"name": "tiny", "version": each, "dist": source}
                if packages[each] in DEPRECATED:
                    listed[each]["deprecated"] = "it loses signs"
            document = {
                "name": "tiny",
                "dist-tags": {"latest": max(packages, default="")},
                "versions": listed,
                "time": {"created": "2026-01-01T00:00:00.000Z"}
                | dict.fromkeys(packages, "2026-11-29T05:00:00.000Z"),
            }
            known = name == "tiny" and (not version or version in packages)
            self.send_response(200 if known else 404)
            self.end_headers()
            self.wfile.write(packages[version] if version and known else json.dumps(document).encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{server.server_port}/")
        monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
        monkeypatch.setenv("npm_config_update_notifier", "false")
        monkeypatch.setenv("npm_config_fetch_retry_mintimeout", "10")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield packages
        server.shutdown()


@pytest.fixture(name="codec")
def tiny(tmp_path: Path) -> Codec:
    """A codec with the library ``tiny``, usually in a version that the tests do not ask for."""
    (tmp_path / "codec").mkdir()
    locked = {"": {"dependencies": {"tiny": "1.7.0"}}, "node_modules/tiny": {"version": "1.7.0"}}
    lock = {"name": "serbench-tiny", "lockfileVersion": 3, "requires": True, "packages": locked}
    (tmp_path / "codec" / LOCK).write_text(json.dumps(lock))
    codec = CODECS["javascript/msgpackr"]
    options = msgspec.structs.replace(codec.options, dependencies={"tiny": "1.7.0"})
    return replace(codec, options=options, directory=tmp_path / "codec")


def build_of(codec: Codec, version: str, home: Path) -> JavaScriptBuild:
    """The build of a codec in a version, its libraries not yet brought."""
    pinned = NpmVersions().pinned(codec, version)
    edition = Edition((), version, version=Version((codec.id,), version))
    return JavaScriptBuild(Paths(PROJECT, home), [pinned], [], edition=edition)


def found(codec: Codec, version: str, home: Path) -> Found:
    """The library of a codec in a version, which npm brings."""
    build = build_of(codec, version, home)
    build.configure()
    return build.found[codec.name]


@needs_npm
def test_npm_tells_versions_and_brings_one_by_its_own_lock(
    packages: dict[str, bytes], codec: Codec, tmp_path: Path
) -> None:
    packages["1.0.0"] = package("1.0.0")
    assert NpmVersions().published(codec) == ["1.0.0"] and NpmVersions().usual(codec) == "1.7.0"
    assert NpmVersions().released(codec) == {"1.0.0": "2026-11-29"}
    build = build_of(codec, "1.0.0", tmp_path)
    assert found(codec, "1.0.0", tmp_path).version == "1.0.0"
    assert build.name == "node@1.0.0" and '"integrity": "sha512-' in build._lock(codec).read_text()
    library = build._package(codec) / "node_modules" / "tiny"
    assert (library / "index.js").exists() and not (library / "ran").exists(), "no script of it runs"
    packages["1.1.0"] = package("1.1.0")
    assert found(codec, "1.1.0", tmp_path).version == "1.1.0", "a list of versions that npm keeps is older"
    packages.clear()
    assert found(codec, "1.0.0", tmp_path).installed, "what was fetched is kept"
    (build._package(codec) / "installed").unlink()
    shutil.rmtree(tmp_path / "cache")
    packages["1.0.0"] = package("1.0.0", "another content")
    assert "Integrity checksum failed" in found(codec, "1.0.0", tmp_path).missing


@needs_npm
def test_npm_tells_which_versions_are_deprecated(
    packages: dict[str, bytes], codec: Codec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages |= {version: package(version) for version in ("1.0.0", "1.1.0", "1.2.0")}
    assert not NpmVersions().withdrawn(codec)
    monkeypatch.setattr(sys.modules[__name__], "DEPRECATED", {packages["1.1.0"]})
    shutil.rmtree(tmp_path / "cache")
    assert NpmVersions().withdrawn(codec) == ["1.1.0"]
    monkeypatch.setattr(sys.modules[__name__], "DEPRECATED", {*packages.values()})
    shutil.rmtree(tmp_path / "cache")
    assert not NpmVersions().withdrawn(codec), "a library that was given up has all of its versions"


@needs_npm
def test_a_version_that_npm_cannot_resolve_is_a_reason(
    packages: dict[str, bytes], codec: Codec, tmp_path: Path
) -> None:
    packages["1.0.0"] = package("1.0.0")
    assert "No matching version found for tiny@2.0.0" in found(codec, "2.0.0", tmp_path).missing
    options = msgspec.structs.replace(codec.options, dependencies={"other": "1.0.0"})
    with pytest.raises(SetupError, match="npm does not tell which versions of other there are"):
        NpmVersions().published(replace(codec, options=options))


@needs_npm
def test_a_package_that_was_built_here_is_a_version(
    packages: dict[str, bytes], codec: Codec, tmp_path: Path
) -> None:
    path = tmp_path / "tiny-1.5.0.tgz"
    assert NpmVersions().problem(codec, str(path)) == f"there is no file {path}"
    path.write_bytes(package("1.5.0"))
    assert NpmVersions().problem(codec, str(path)) == ""
    assert found(codec, str(path), tmp_path).version == "1.5.0"
    before = build_of(codec, str(path), tmp_path)._lock(codec)
    path.write_bytes(package("1.5.0", "built again"))
    assert build_of(codec, str(path), tmp_path)._lock(codec) != before


def test_packages_that_have_the_version_of_a_library_move_with_it() -> None:
    codec = CODECS["javascript/bufbuild"]
    usual, own = (options_of(each).dependencies for each in (codec, NpmVersions().pinned(codec, "2.0.1")))
    assert own == {**usual, "@bufbuild/protobuf": "2.0.1", "@bufbuild/protoc-gen-es": "2.0.1"}
    assert "expected a package" in NpmVersions().problem(codec, "./folder")
    declared = SimpleNamespace(npm=msgspec.structs.replace(options_of(codec), moves=("other",)))
    said = list(languages()["javascript"].problems(declared, codec.directory))
    assert said == ["npm.moves: other is not among npm.dependencies"]
