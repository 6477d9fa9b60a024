"""A small library, ``tiny``, in each language whose package manager has versions: its releases with a
slowdown that was planted, from a source of packages on this machine, and a codec that uses it."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import subprocess
import tarfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path

from tests.support import PATHS

OLDER, SAME, SLOWER, BROKEN = "1.0.0", "1.1.0", "1.2.0", "1.3.0"
PASSES = {OLDER: 20, SAME: 20, SLOWER: 22, BROKEN: 0}
"""Release → how often it writes each message: one is slower by a tenth, and the last one cannot write."""


def archive(folder: str, files: Mapping[str, str]) -> bytes:
    """Return an archive of a package's files below a folder, as Cargo and npm have them."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return made.getvalue()


def published(version: str) -> str:
    """Return the moment at which a release was published."""
    return f"2026-0{1 + [*PASSES].index(version)}-05T00:00:00Z"


class Tiny(ABC):
    """The library in one language.

    Attributes:
        language: the folder of its codecs.
        model: the codec of serbench that the codec is made from, by the text of its ``codec.toml``.
        table: other parts of that text: the dependency, as the package manager has it.
        adapter: the file of the adapter, and its text.
    """

    language: str
    model: str
    table: str
    adapter: tuple[str, str]

    def __init__(self, folder: Path):
        self.folder, self.beside = folder, folder.parent / f"{folder.name}-beside"
        self.source = self.beside / "packages"
        self.source.mkdir(parents=True, exist_ok=True)

    @property
    def id(self) -> str:
        return f"{self.language}/tiny"

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment in which the package manager knows this source alone."""
        return {}

    def add_codec(self) -> Path:
        """Write the codec ``tiny`` into the folder of a user, and return the codec's folder."""
        codec = self.folder / "codecs" / self.language / "tiny"
        codec.mkdir(parents=True)
        told = (PATHS.codecs / self.language / self.model / "codec.toml").read_text()
        told = told.replace("floor = true\n", "").replace('format = "canonical"', 'format = "tiny"')
        (codec / "codec.toml").write_text(self.described(told))
        name, text = self.adapter
        (codec / name).write_text(text)
        return codec

    def described(self, told: str) -> str:
        """The text of ``codec.toml``, made from that of the model."""
        return told.replace("[features]", f"{self.table}\n[features]")

    @abstractmethod
    def files(self, passes: int, version: str = SAME) -> Mapping[str, str]:
        """The files of the library's folder, which writes each message so often; 0 cannot write."""

    @abstractmethod
    def publish(self, version: str) -> None:
        """Put a release into the source of packages."""

    def checkout(self, folder: Path, passes: int) -> Path:
        """Write the library into a folder, and return the path by which ``--version`` takes it."""
        for name, text in self.files(passes).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return folder


class PythonTiny(Tiny):
    language, model = "python", "json"
    table = '[pip]\nrequirements = ["tiny"]\n'
    adapter = (
        "adapter.py",
        "import tiny\n\nclass Plain:\n    class Encoder:\n        encode = staticmethod(tiny.dumps)\n"
        "    class Decoder:\n        decode = staticmethod(tiny.loads)\n",
    )

    @property
    def environment(self) -> Mapping[str, str]:
        return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": self.source.as_uri()}

    def described(self, told: str) -> str:
        head, _, variants = super().described(told).partition("[variants.dataclass]")
        return head + variants[variants.index("[variants.dict]") :]

    def files(self, passes: int, version: str = SAME) -> Mapping[str, str]:
        broken = "" if passes else 'raise OSError("it cannot write"); '
        return {
            "tiny.py": f"import json\n\ndef dumps(value):\n    {broken}\n    for _ in range({passes}):\n"
            "        found = json.dumps(value, ensure_ascii=False).encode()\n    return found\n\n"
            "loads = json.loads\n"
        }

    def _wheel(self, folder: Path, files: Mapping[str, str], version: str) -> Path:
        info, path = f"tiny-{version}.dist-info", folder / f"tiny-{version}-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr("tiny.py", files["tiny.py"])
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny\nVersion: {version}\n")
            tag = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            wheel.writestr(f"{info}/WHEEL", tag)
            wheel.writestr(f"{info}/RECORD", "")
        return path

    def publish(self, version: str) -> None:
        self._wheel(self.source, self.files(PASSES[version], version), version)

    def checkout(self, folder: Path, passes: int) -> Path:
        return self._wheel(super().checkout(folder, passes), self.files(passes), SAME)


class GoTiny(Tiny):
    language, model = "go", "encoding_json"
    table = '[go]\nmodule = "example.test/tiny"\n'
    adapter = (
        "adapter.go",
        "package adapter\n\nimport (\n\t\"example.test/tiny\"\n\n\t\"cell/domain\"\n\t\"serbench\"\n)\n\n"
        "var JSON = serbench.Functions[domain.Root]{\n"
        "\tMarshal: func(root *domain.Root) ([]byte, error) { return tiny.Marshal(root) },\n"
        "\tUnmarshal: func(bytes []byte, root *domain.Root) error { return tiny.Unmarshal(bytes, root) },\n"
        "}.Adapter()\n",
    )  # fmt: skip

    @property
    def environment(self) -> Mapping[str, str]:
        cache = str(self.beside / "modules")
        return {"GOPROXY": self.source.as_uri(), "GONOSUMDB": "example.test", "GOMODCACHE": cache}

    def add_codec(self) -> Path:
        codec = super().add_codec()
        needs = f"require (\n\tserbench v0.0.0\n\texample.test/tiny v{OLDER}\n)\n"
        (codec / "go.mod").write_text(f"module cell\n\ngo 1.24\n\n{needs}")
        return codec

    def files(self, passes: int, version: str = SAME) -> Mapping[str, str]:
        return {
            "go.mod": "module example.test/tiny\n\ngo 1.24\n",
            "tiny.go": 'package tiny\n\nimport (\n\t"encoding/json"\n\t"errors"\n)\n\n'
            "func Marshal(value any) ([]byte, error) {\n"
            f'\tfound, err := []byte(nil), errors.New("it cannot write")\n\tfor range {passes} {{\n'
            "\t\tfound, err = json.Marshal(value)\n\t}\n\treturn found, err\n}\n\n"
            "func Unmarshal(bytes []byte, value any) error { return json.Unmarshal(bytes, value) }\n",
        }

    def publish(self, version: str) -> None:
        listed = self.source / "example.test" / "tiny" / "@v"
        listed.mkdir(parents=True, exist_ok=True)
        files = self.files(PASSES[version], version)
        with (listed / "list").open("a") as versions:
            versions.write(f"v{version}\n")
        (listed / f"v{version}.info").write_text(
            json.dumps({"Version": f"v{version}", "Time": published(version)})
        )
        (listed / f"v{version}.mod").write_text(files["go.mod"])
        with zipfile.ZipFile(listed / f"v{version}.zip", "w") as module:
            for name, text in files.items():
                module.writestr(f"example.test/tiny@v{version}/{name}", text)


class RustTiny(Tiny):
    language, model = "rust", "memcpy"
    table = '[cargo.dependencies]\ntiny = "1"\n'
    adapter = (
        "adapter.rs",
        (PATHS.codecs / "rust" / "memcpy" / "adapter.rs")
        .read_text()
        .replace("    const IS_FLOOR: bool = true;\n", "")
        .replace("self.buffer.clear();\n        self.buffer.extend_from_slice(native);",
                 "tiny::pack(native, &mut self.buffer);"),
    )  # fmt: skip

    @property
    def environment(self) -> Mapping[str, str]:
        home = self.beside / "cargo"
        home.mkdir(exist_ok=True)
        index = (self.source / "index").as_uri()
        (home / "config.toml").write_text(
            f'[source.crates-io]\nreplace-with = "here"\n[source.here]\nregistry = "{index}"\n'
            "[net]\nretry = 0\n"  # the crates of other codecs are not there
        )
        return {"CARGO_HOME": str(home)}

    def files(self, passes: int, version: str = SAME) -> Mapping[str, str]:
        return {
            "Cargo.toml": f'[package]\nname = "tiny"\nversion = "{version}"\nedition = "2021"\n',
            "src/lib.rs": "pub fn pack(message: &[u8], out: &mut Vec<u8>) {\n"
            f'    assert!({passes} > 0, "it cannot write");\n    for _ in 0..{passes} {{\n'
            "        out.clear();\n        for byte in message {\n"
            "            out.push(std::hint::black_box(*byte));\n        }\n    }\n}\n",
        }

    def publish(self, version: str) -> None:
        index, name = self.source / "index", f"tiny-{version}.crate"
        crate = archive(f"tiny-{version}", self.files(PASSES[version], version))
        (self.source / name).write_bytes(crate)
        entry = {
            "name": "tiny", "vers": version, "deps": [], "features": {}, "yanked": False,
            "cksum": hashlib.sha256(crate).hexdigest(), "pubtime": published(version),
        }  # fmt: skip
        (index / "ti" / "ny").mkdir(parents=True, exist_ok=True)
        place = f"{self.source.as_uri()}/{{crate}}-{{version}}.crate"
        (index / "config.json").write_text(json.dumps({"dl": place}))
        with (index / "ti" / "ny" / "tiny").open("a") as lines:
            lines.write(json.dumps(entry) + "\n")
        git = ["git", "-C", str(index), "-c", "user.name=x", "-c", "user.email=x@example.test"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", version]):
            subprocess.run([*git, *words], check=True)


class JavaScriptTiny(Tiny):
    """The library as npm's archives; releases are served by the test, since npm has no source in a folder."""

    language, model = "javascript", "builtin_json"
    table = f'[npm.dependencies]\ntiny = "{OLDER}"\n'
    adapter = (
        "adapter.js",
        'import tiny from "tiny";\n'
        + (PATHS.codecs / "javascript" / "builtin_json" / "adapter.js")
        .read_text()
        .replace("Buffer.from(JSON.stringify(plain))", "tiny.write(plain)"),
    )

    def add_codec(self) -> Path:
        codec = super().add_codec()
        glue = PATHS.codecs / "javascript" / "builtin_json" / "glue.py"
        (codec / "glue.py").write_text(glue.read_text())
        digest = base64.b64encode(hashlib.sha512(self.packed(OLDER)).digest()).decode()
        locked = {
            "": {"name": "serbench-tiny", "dependencies": {"tiny": OLDER}},
            "node_modules/tiny": {"version": OLDER, "integrity": f"sha512-{digest}"},
        }
        lock = {"name": "serbench-tiny", "lockfileVersion": 3, "requires": True, "packages": locked}
        (codec / "package-lock.json").write_text(json.dumps(lock))
        return codec

    def files(self, passes: int, version: str = SAME) -> Mapping[str, str]:
        broken = "" if passes else 'throw new Error("it cannot write");'
        return {
            "package.json": json.dumps({"name": "tiny", "version": version}),
            "index.js": f"exports.write = (value) => {{\n  let found; {broken}\n"
            f"  for (let n = 0; n < {passes}; n++) found = Buffer.from(JSON.stringify(value));\n"
            "  return found;\n};\n",
        }

    def packed(self, version: str) -> bytes:
        """Return the archive of a release; it is the same each time."""
        path = self.source / f"tiny-{version}.tgz"
        if not path.exists():
            path.write_bytes(archive("package", self.files(PASSES[version], version)))
        return path.read_bytes()

    def publish(self, version: str) -> None:
        self.packed(version)

    def checkout(self, folder: Path, passes: int) -> Path:
        super().checkout(folder, passes)
        path = folder / f"tiny-{SAME}.tgz"
        path.write_bytes(archive("package", self.files(passes)))
        return path


class JvmTiny(Tiny):
    language, model = "jvm", "memcpy"
    table = f'[maven]\ndependencies = ["test.tiny:tiny:{OLDER}"]\n'
    adapter = (
        "TinyAdapter.scala",
        (PATHS.codecs / "jvm" / "memcpy" / "MemcpyAdapter.scala")
        .read_text()
        .replace("Memcpy", "Tiny")
        .replace("\n    with Adapter.Floor", "")
        .replace("System.arraycopy(message.array, message.offset, buffer, 0, message.length)",
                 "tiny.Tiny.pack(message.array, message.offset, buffer, message.length)"),
    )  # fmt: skip

    @property
    def repository(self) -> Path:
        """The local repository of Maven, with all that the user's has."""
        folder = self.folder / "repository"
        if not folder.exists():
            folder.mkdir()
            for each in (Path.home() / ".m2" / "repository").iterdir():
                (folder / each.name).symlink_to(each)
        return folder

    @property
    def environment(self) -> Mapping[str, str]:
        return {"MAVEN_OPTS": f"-Dmaven.repo.local={self.repository}"}

    def described(self, told: str) -> str:
        return super().described(told).replace("MemcpyAdapter", "TinyAdapter")

    def files(self, passes: int, version: str = SAME) -> Mapping[str, str]:
        broken = "" if passes else 'if (length >= 0) throw new IllegalStateException("it cannot write");'
        return {
            "tiny/Tiny.java": "package tiny;\n\npublic class Tiny {\n    static volatile int sink;\n\n"
            "    public static void pack(byte[] from, int start, byte[] to, int length) {\n"
            f"        {broken}\n        for (int pass = 0; pass < {passes}; ++pass) {{\n"
            "            int sum = pass;\n            for (int n = 0; n < length; ++n) {\n"
            "                to[n] = from[start + n];\n                sum = 31 * sum + to[n];\n"
            "            }\n            sink = sum;\n        }\n    }\n}\n"
        }

    def _jar(self, folder: Path, passes: int, version: str) -> Path:
        super().checkout(folder, passes)
        subprocess.run(["javac", "--release", "11", "tiny/Tiny.java"], cwd=folder, check=True)
        path = folder / f"tiny-{version}.jar"
        with zipfile.ZipFile(path, "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", f"Implementation-Version: {version}\n")
            jar.write(folder / "tiny" / "Tiny.class", "tiny/Tiny.class")
        return path

    def publish(self, version: str) -> None:
        artifact = self.repository / "test" / "tiny" / "tiny"
        (artifact / version).mkdir(parents=True)
        jar = self._jar(self.folder / f"sources-{version}", PASSES[version], version)
        jar.rename(artifact / version / jar.name)
        named = f"<groupId>test.tiny</groupId><artifactId>tiny</artifactId><version>{version}</version>"
        model = "<modelVersion>4.0.0</modelVersion>"
        (artifact / version / f"tiny-{version}.pom").write_text(f"<project>{model}{named}</project>")
        there = sorted(each.name for each in artifact.iterdir() if each.is_dir())
        listed = "".join(f"<version>{each}</version>" for each in there)
        (artifact / "maven-metadata-local.xml").write_text(
            "<metadata><groupId>test.tiny</groupId><artifactId>tiny</artifactId>"
            f"<versioning><versions>{listed}</versions></versioning></metadata>"
        )

    def checkout(self, folder: Path, passes: int) -> Path:
        return self._jar(folder, passes, SAME)


LIBRARIES = {each.language: each for each in (PythonTiny, GoTiny, RustTiny, JavaScriptTiny, JvmTiny)}
"""Language → the library in it."""
