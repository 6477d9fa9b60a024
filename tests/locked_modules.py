"""Resolves the modules of Go codecs and writes their lock files, with a network: ``python -m
tests.locked_modules go/NAME ...``.

Modules that ``go.mod`` names stay at their versions; with ``--newest`` the library itself is taken in its
newest version.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from serbench.codecs.codec import Codec
from serbench.languages.go.options import options_of
from serbench.languages.go.sources import MODULE, SUMS, cell_files, module_files
from serbench.languages.go.toolchain import fetching_environment, need_go
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs
from serbench.workload import load_workloads

RUNNER = "../../../runners/go"


def lock(codec: Codec, newest: bool) -> None:
    """Writes the ``go.mod`` and ``go.sum`` that a codec's adapter needs; with ``newest``, for the newest
    version of its library."""
    paths = Paths.default()
    go, options = need_go(), options_of(codec)
    environment = fetching_environment(go, options.experiment)
    variant = next(iter(codec.variants.values()))
    schema = load_workloads(paths.workloads)["record"].schema
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in cell_files(variant, schema, module_files(codec, paths.runners / "go")).items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
        if newest and options.module:
            subprocess.run([go, "get", f"{options.module}@latest"], cwd=folder, env=environment, check=True)
        # Generated packages are not there yet, which is no error here.
        subprocess.run([go, "mod", "tidy", "-e"], cwd=folder, env=environment, check=True)
        text = (folder / MODULE).read_text()
        text = re.sub(r"^(replace serbench =>) .*$", rf"\1 {RUNNER}", text, flags=re.MULTILINE)
        (codec.directory / MODULE).write_text(text)
        if (folder / SUMS).exists():
            (codec.directory / SUMS).write_text((folder / SUMS).read_text())


def main() -> None:
    """Writes the lock files of the codecs that the command line names."""
    codecs = load_codecs(Paths.default().codecs)
    for name in sys.argv[1:]:
        if name != "--newest":
            lock(codecs[name], "--newest" in sys.argv)


if __name__ == "__main__":
    main()
