"""Test of ``serbench history`` with a small library, one version of which reads more slowly. Its wheels are
made here, and pip looks for them in a folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.support import PATHS

from serbench.paths import PROJECT

LIBRARY = """import json

def dumps(value):
    {broken}return json.dumps(value, ensure_ascii=False).encode()

def loads(data):
    for _ in range({times}):
        found = json.loads(data)
    return found
"""

ADAPTER = """import tiny

class Plain:
    class Encoder:
        encode = staticmethod(tiny.dumps)
    class Decoder:
        decode = staticmethod(tiny.loads)
"""

VERSIONS = {"1.0": 2, "1.1": 4, "1.2": 0}
"""Version → how often it parses each message; the last one cannot write."""


def wheel(folder: Path, version: str, times: int) -> None:
    """Make a wheel of the library ``tiny``."""
    info = f"tiny-{version}.dist-info"
    with zipfile.ZipFile(folder / f"tiny-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny.py", LIBRARY.format(times=times, broken="" if times else "raise OSError; "))
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


@pytest.fixture(name="folder")
def user(tmp_path: Path) -> Path:
    """The folder of a user who has a codec of their own, and beside them the wheels."""
    codec = tmp_path / "codecs" / "python" / "tiny"
    codec.mkdir(parents=True)
    told = (PATHS.codecs / "python" / "json" / "codec.toml").read_text()
    head, _, variants = told.partition("[variants.dataclass]")
    own = head.replace("[features]", '[pip]\nrequirements = ["tiny"]\n\n[features]')
    (codec / "codec.toml").write_text(own + variants[variants.index("[variants.dict]") :])
    (codec / "adapter.py").write_text(ADAPTER)
    (tmp_path / "wheels").mkdir()
    for version, times in VERSIONS.items():
        wheel(tmp_path / "wheels", version, times)
    return tmp_path


def serbench(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROJECT / "src"),
        "SERBENCH_HOME": str(folder / "home"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": (folder / "wheels").as_uri(),
    }
    return subprocess.run(
        [sys.executable, "-m", "serbench", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment,
    )


@pytest.mark.slow("measure versions of a library")
def test_the_version_that_reads_more_slowly_is_named(folder: Path) -> None:
    done = serbench(
        folder, "history", "python/tiny", "-w", "record", "--quick", "--rounds", "6", "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    told = {(each["version"], each["operation"]): each for each in json.loads(done.stdout)}
    assert {version for version, _ in told} == {*VERSIONS}
    changed = told["1.1", "deserialize:reuse"]
    assert changed["changed"] and changed["before"] == "1.0" and changed["interval_before"][0] > 1.03
    assert not told["1.1", "serialize:reuse"]["changed"]
    assert told["1.0", "deserialize:reuse"]["ratio_newest"] < 0.8, "by the newest that has times"
    assert "OSError" in told["1.2", "serialize:reuse"]["reason"]
    again = serbench(folder, "show")
    assert "slower since 1.1: ×" in " ".join(again.stdout.split()), again.stdout
