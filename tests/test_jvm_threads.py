"""Tests of several threads on the JVM: which objects of a library they share."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.reads import skip_unless_built
from tests.support import PATHS, small_spec

from serbench.building.prepare import prepare_builds, toolchains
from serbench.dataset.edits import edits_beside
from serbench.measure.job import Job, Permission
from serbench.measure.judging import Judge
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen

MISSING = [program for program in ("java", "javac", "mvn") if not shutil.which(program)]

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(bool(MISSING), reason=f"no program {' or '.join(MISSING)} on the path"),
]


def test_threads_share_no_objects_of_a_library_unless_they_are_told_to(tmp_path: Path) -> None:
    """Kryo allows one thread alone: two that share one break each other's messages, or crash the JVM."""
    variant, spec = load_variants(PATHS.codecs)["jvm/kryo"], small_spec("monsters")
    builds = toolchains(PATHS, [variant], specs=[spec])
    (unit,) = prepare_builds(Job(PATHS, Chosen([variant], [spec]), builds, Permission(install=True)))
    skip_unless_built([unit])
    data, edits = str(unit.data.path), str(edits_beside(unit.data))
    judge = Judge(unit.command, data, edits, variant.tolerance, 60)
    words = ["--samples", "1", "--warmup-ns", "1", "--place", "7", "--dataset", data, "--edits", edits]
    words += ["--cells", "roundtrip:reuse"]
    for own in (["--threads", "2"], ["--threads", "1", "--shared", "true"]):
        left, threads = tmp_path / own[1], int(own[1])
        command = [*unit.command, "measure", *words, *own, "--left", str(left)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        _, sample, last = (json.loads(line) for line in done.stdout.splitlines())
        assert sample["threads"] == sample["left"] == threads and last["event"] == "done"
        assert judge.differing(left, {"roundtrip:reuse": 3 * threads}) == []  # with two warm-ups
