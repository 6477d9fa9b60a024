"""Resolves the wheels of a codec in Python anew, and writes ``requirements.lock`` in its folder; for
``pyperf``, the lock file of what cross-checks need.

``PYTHONPATH=src .venv/bin/python -m tests.locked_wheels python/NAME …``, with uv on the path.
"""

from __future__ import annotations

import subprocess
import sys

from serbench.languages.python.crosscheck import PYPERF
from serbench.languages.python.environments import Wheels
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs

UV = (
    "uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-header", "--no-annotate",
    "--no-emit-index-url", "--no-emit-find-links", "--python-version", "3.11", "--only-binary", ":all:", "-",
)  # fmt: skip
"""The command that resolves wheels for every platform, and every Python that serbench runs on."""

HEAD = "# The exact wheels, with their hashes; written by tests/locked_wheels.py.\n"


def main() -> None:
    paths = Paths.default()
    codecs = load_codecs(paths.codecs)
    known = {name: Wheels.of(codec) for name, codec in codecs.items() if codec.language == "python"}
    known[PYPERF[0]] = Wheels(*PYPERF, paths.runners / "python" / "crosscheck.lock")
    for name in sys.argv[1:]:
        wanted = "\n".join(known[name].requirements)
        done = subprocess.run(UV, input=wanted, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{name}: {done.stderr.strip()}")
        known[name].lock.write_text(HEAD + done.stdout)


if __name__ == "__main__":
    main()
